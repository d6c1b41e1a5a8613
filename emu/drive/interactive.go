package drive

import (
	"context"
	"io"
	"time"

	"ssnail-kit/emu/machine"
	"ssnail-kit/emu/screen"
	"ssnail-kit/mega65/hw"
)

// Leave is the key that ends an interactive run: Ctrl-].
const Leave = 0x1D

// Interactive runs the machine in real time: keys come from in (a terminal in
// raw mode), the screen is drawn to term. It ends with Leave, with in, with the
// context, or when the machine stops.
func Interactive(ctx context.Context, m *machine.Machine, in io.Reader, term *screen.Terminal) error {
	keys := make(chan []byte)
	done := make(chan struct{})
	defer close(done)
	go readKeys(in, keys, done)
	var rest []byte
	for started := time.Now(); ; {
		if err := m.RunFrame(); err != nil {
			return err
		}
		if s := m.Stopped(); s == machine.HasExited || s == machine.AtBreak {
			return term.Draw(m.Screen())
		}
		if err := term.Draw(m.Screen()); err != nil {
			return err
		}
		ahead := m.Time() - time.Since(started)
		if ahead < -time.Second { // the PC is too slow, or slept: do not race after it
			started = started.Add(-ahead)
		}
		select {
		case b, ok := <-keys:
			if !ok {
				return nil
			}
			codes, left, quit := Decode(append(rest, b...))
			rest = left
			if quit {
				return nil
			}
			m.TypeKeys(codes...)
		case <-ctx.Done():
			return nil
		case <-time.After(max(ahead, 0)):
		}
	}
}

func readKeys(in io.Reader, keys chan<- []byte, done <-chan struct{}) {
	defer close(keys)
	for {
		b := make([]byte, 256)
		n, err := in.Read(b)
		if n > 0 {
			select {
			case keys <- b[:n]:
			case <-done:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// escapes are what terminals send for the keys that the MEGA65 has too.
var escapes = map[string]byte{
	"[A": hw.KeyUp, "[B": hw.KeyDown, "[C": hw.KeyRight, "[D": hw.KeyLeft,
	"OA": hw.KeyUp, "OB": hw.KeyDown, "OC": hw.KeyRight, "OD": hw.KeyLeft,
	"[H": hw.KeyHome, "OH": hw.KeyHome, "[1~": hw.KeyHome, "[7~": hw.KeyHome,
	"[F": hw.KeyClear, "OF": hw.KeyClear, "[4~": hw.KeyClear, "[8~": hw.KeyClear,
	"[2~": hw.KeyInsert, "[3~": hw.KeyDel,
	"OP": hw.KeyF1, "[11~": hw.KeyF1, "OR": hw.KeyF3, "[13~": hw.KeyF3, "[15~": hw.KeyF5, "[18~": hw.KeyF7,
	"[20~": hw.KeyF9, "[23~": hw.KeyF11, "[5~": hw.KeyF5, "[6~": hw.KeyF7,
}

// Decode turns a terminal's bytes into $D610 codes. Rest is the start of a
// sequence whose end has not come; a lone escape at the end of b is the key.
func Decode(b []byte) (codes, rest []byte, quit bool) {
	for len(b) > 0 {
		c := b[0]
		switch {
		case c == Leave:
			return codes, nil, true
		case c == 0x1B && len(b) == 1:
			return append(codes, hw.KeyEscape), nil, false
		case c == 0x1B && (b[1] == '[' || b[1] == 'O'):
			n := sequence(b)
			if n == 0 {
				return codes, b, false
			}
			if k, ok := escapes[string(b[1:n])]; ok {
				codes = append(codes, k)
			}
			b = b[n:]
			continue
		case c == 0x7F || c == 0x08:
			codes = append(codes, hw.KeyDel)
		case c == '\n':
			codes = append(codes, hw.KeyReturn)
		case c == hw.KeyRunStop, c == '\r', c == '\t', c >= ' ' && c < 0x7F, c == 0x1B:
			codes = append(codes, c)
		}
		b = b[1:]
	}
	return codes, nil, false
}

// sequence is the length of the escape sequence at the start of b, 0 if its
// end is missing.
func sequence(b []byte) int {
	for i := 2; i < len(b); i++ {
		if b[i] >= 0x40 && b[i] <= 0x7E {
			return i + 1
		}
		if i > 16 {
			return i
		}
	}
	return 0
}
