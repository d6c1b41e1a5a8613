package monitor

import (
	"context"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
)

const (
	// SetBytes is how many bytes one 's' line holds with an address of 8 digits.
	SetBytes = (lineBytes - 9) / 3
	// LoadBytes is the most that one raw load takes here.
	LoadBytes = 1<<15 - 256

	dumpBytes = 16 // an 'm' line
	pageBytes = 256
)

// Read reads n bytes from a 28-bit address; $777xxxx is the CPU's view.
func (c *Conn) Read(ctx context.Context, addr uint32, n int) ([]byte, error) {
	if n < 0 || n > 1<<28 {
		return nil, fmt.Errorf("serial monitor: cannot read %d bytes", n)
	}
	var out []byte
	for len(out) < n {
		cmd, got := "m", dumpBytes
		if n-len(out) > dumpBytes {
			cmd, got = "M", pageBytes
		}
		at := addr + uint32(len(out))
		var b []byte
		err := c.retry(ctx, func() error {
			text, err := c.Do(ctx, fmt.Sprintf("%s%x", cmd, at))
			if err != nil {
				return err
			}
			b, err = c.parseDump(text, at, got)
			return err
		})
		if err != nil {
			return out, err
		}
		out = append(out, b[:min(len(b), n-len(out))]...)
	}
	return out, nil
}

// parseDump reads lines ":AAAAAAAA:" and 32 digits, which must be those asked
// for.
func (c *Conn) parseDump(text string, at uint32, n int) ([]byte, error) {
	var out []byte
	for _, l := range strings.Split(text, "\n") {
		l = strings.TrimSpace(l)
		if l == "" {
			continue
		}
		want := fmt.Sprintf(":%08X:", at+uint32(len(out)))
		b, err := hex.DecodeString(strings.TrimPrefix(l, want))
		if !strings.HasPrefix(l, want) || err != nil || len(b) != dumpBytes {
			return nil, c.fail("read memory", ErrEcho, fmt.Sprintf("%q and 32 digits", want), []byte(l))
		}
		out = append(out, b...)
	}
	if len(out) != n {
		return nil, c.fail("read memory", ErrEcho, fmt.Sprintf("%d lines", n/dumpBytes), []byte(text))
	}
	return out, nil
}

// Set writes a few bytes by 's' lines.
func (c *Conn) Set(ctx context.Context, addr uint32, data ...byte) error {
	for len(data) > 0 {
		n := min(len(data), SetBytes)
		var b strings.Builder
		fmt.Fprintf(&b, "s%x", addr)
		for _, v := range data[:n] {
			fmt.Fprintf(&b, " %02x", v)
		}
		if err := c.silent(ctx, b.String()); err != nil {
			return err
		}
		addr += uint32(n)
		data = data[n:]
	}
	return nil
}

// Load writes data by raw loads, without reading back. Progress, if not nil, is
// told how many bytes the monitor has confirmed.
//
// There is no checksum on the way. The caller halts the CPU, or knows that it
// does not stand still for longer than the FIFO lasts, 0.3 ms.
func (c *Conn) Load(ctx context.Context, addr uint32, data []byte, progress func(done int)) error {
	for done := 0; done < len(data); {
		at := addr + uint32(done)
		n := min(len(data)-done, LoadBytes, 1<<16-int(at&0xFFFF))
		if err := c.retry(ctx, func() error { return c.loadBlock(ctx, at, data[done:done+n], "") }); err != nil {
			return err
		}
		done += n
		if progress != nil {
			progress(done)
		}
	}
	return nil
}

// LoadAfter reads the 16 bytes at an address and starts a raw load of one block
// in the same breath, then sends the block and waits for the prompt. It is not
// repeated when it fails. The block must not cross a 64 KB line.
func (c *Conn) LoadAfter(ctx context.Context, read, addr uint32, data []byte) (line []byte, err error) {
	if c.slow {
		if line, err = c.Read(ctx, read, dumpBytes); err != nil {
			return nil, err
		}
		return line, c.loadBlock(ctx, addr, data, "")
	}
	look := fmt.Sprintf("m%x", read)
	if err := c.loadBlock(ctx, addr, data, look); err != nil {
		return nil, err
	}
	return c.parseDump(c.look, read, dumpBytes)
}

// loadBlock sends one raw load, after a command that is sent along with it.
func (c *Conn) loadBlock(ctx context.Context, addr uint32, data []byte, before string) error {
	end := addr + uint32(len(data))
	if len(data) == 0 || len(data) >= 1<<16 || addr>>16 != (end-1)>>16 {
		panic(fmt.Sprintf("serial monitor: a raw load of %d bytes to $%07X", len(data), addr))
	}
	cmd := fmt.Sprintf("l%x %x", addr, end&0xFFFF)
	op := fmt.Sprintf("load %d bytes to $%07X", len(data), addr)
	if before == "" {
		if err := c.command(ctx, cmd); err != nil {
			return err
		}
	} else {
		if err := c.write(ctx, op, []byte(before+"\r"+cmd+"\r")); err != nil {
			return err
		}
		if err := c.echo(ctx, op, before+"\r\n"); err != nil {
			return err
		}
		out, err := c.expect(ctx, op, prompt)
		if err != nil {
			return err
		}
		c.look = string(out)
		if err := c.echo(ctx, op, cmd+"\r\n"); err != nil {
			return err
		}
	}
	c.loading = true
	if err := c.write(ctx, op, data); err != nil {
		return err
	}
	// What was written may still be on its way through the driver.
	wait := c.wait
	c.wait += time.Duration(len(data)) * 2 * c.byteTime
	defer func() { c.wait = wait }()
	if err := c.echo(ctx, op, prompt); err != nil {
		return err
	}
	c.loading = false
	return nil
}
