package push

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"ssnail-kit/mega65/hw"
)

// The KERNAL's keyboard buffer and the end of the BASIC program.
const (
	keyBuffer = 0x2B0
	keyCount  = 0xD0
	basicEnd  = 0x82
)

// launch leaves the note for the program and starts it.
func (s *session) launch(ctx context.Context) error {
	if err := s.c.Halt(ctx); err != nil {
		return err
	}
	mail := make([]byte, mailEnd-hw.Mailbox) // all of it: old text goes, too
	noted := s.job.Image != nil || s.job.Line != ""
	if noted {
		flags := byte(0)
		switch {
		case s.job.Image != nil && s.job.Attic:
			flags = MailLoaded | MailAttic
		case s.job.Image != nil:
			flags = MailLoaded
		}
		copy(mail, Mailbox(flags, s.job.Image, s.job.Line))
	}
	if err := s.exactly(ctx, hw.Mailbox, mail); err != nil {
		return err
	}
	if s.prg.load == hw.BASICStart {
		end := uint16(hw.BASICStart + len(s.prg.body))
		if err := s.c.Set(ctx, basicEnd, byte(end), byte(end>>8)); err != nil {
			return err
		}
	}
	pc, err := s.aim(ctx)
	if err != nil {
		return err
	}
	if err := s.c.SetPC(ctx, pc); err != nil {
		return err
	}
	if s.job.NoRun {
		return nil
	}
	if err := s.c.Run(ctx); err != nil {
		return err
	}
	if noted && s.job.Image != nil {
		return s.taken(ctx)
	}
	return nil
}

// exactly loads bytes and compares what arrived.
func (s *session) exactly(ctx context.Context, addr uint32, data []byte) error {
	for range blockTries {
		if err := s.c.Load(ctx, addr, data, nil); err != nil {
			return err
		}
		got, err := s.c.Read(ctx, addr, len(data))
		if err != nil {
			return err
		}
		if bytes.Equal(got, data) {
			return nil
		}
	}
	return fmt.Errorf("%d bytes at $%04X arrive damaged, %d times", len(data), addr, blockTries)
}

// aim prepares the way into the program and returns where the CPU has to begin.
func (s *session) aim(ctx context.Context) (uint16, error) {
	entry := s.prg.entry
	switch {
	case s.bare:
		// Above the mailbox's line there is room that the program leaves alone.
		at := uint32(hw.Mailbox + 0xC0)
		return uint16(at), s.exactly(ctx, at, []byte{
			0x78,       // sei
			0xA9, 0x00, // lda #0
			0x5B,       // tab
			0xA3, 0x00, // ldz #0
			0xA0, 0x01, // ldy #1
			0x2B,       // tys
			0xA2, 0xF0, // ldx #$f0
			0x9A,                                // txs
			0x4C, byte(entry), byte(entry >> 8), // jmp entry
		})
	case entry == 0:
		// Back to BASIC, which finds the program and RUN in its keyboard buffer.
		if err := s.c.Set(ctx, keyBuffer, []byte("RUN\r")...); err != nil {
			return 0, err
		}
		if err := s.c.Set(ctx, keyCount, 4); err != nil {
			return 0, err
		}
		return uint16(s.rx.home("frame_back")), nil
	}
	if err := s.c.Set(ctx, s.rx.home("frame_code")+1, byte(entry), byte(entry>>8)); err != nil {
		return 0, err
	}
	return uint16(s.rx.at("rx_launch")), nil
}

// taken waits until the program has taken the note.
func (s *session) taken(ctx context.Context) error {
	for end := s.c.Now().Add(s.c.Limit() + 3*time.Second); ; {
		b, err := s.c.Read(ctx, hw.Mailbox, 4)
		if err != nil {
			return err
		}
		if string(b) != mailWord {
			return nil
		}
		if s.c.Now().After(end) {
			return fmt.Errorf("the program was started at $%04X and does not take the note at $%04X: it is another than ssnail-kit's, or does not run", s.prg.entry, hw.Mailbox)
		}
	}
}
