package monitor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"ssnail-kit/emu/machine"
)

// wire is a line to an emulated machine's monitor in simulated time.
type wire struct {
	t       testing.TB
	m       *machine.Machine
	mon     *machine.Monitor
	now     time.Duration
	timeout time.Duration
	in      []byte
	noFIFO  bool // of several characters at once only the first arrives, but for raw loads
}

func newWire(t testing.TB) *wire {
	t.Helper()
	m, err := machine.New(machine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Boot(); err != nil {
		t.Fatal(err)
	}
	mon, err := machine.NewMonitor(m, machine.MonitorOptions{Strict: true, Latency: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return &wire{t: t, m: m, mon: mon}
}

func (w *wire) step() {
	const d = 100 * time.Microsecond
	if err := w.mon.RunMachine(d); err != nil {
		w.t.Error(err)
	}
	w.mon.Advance(d)
	w.now += d
}

func (w *wire) Write(p []byte) (int, error) {
	n := len(p)
	if w.noFIFO && n < 64 {
		p = p[:1]
	}
	w.mon.Receive(p)
	for w.mon.Backlog() > 4096 {
		w.step()
	}
	return n, nil
}

func (w *wire) Read(p []byte) (int, error) {
	for end := w.now + w.timeout; ; w.step() {
		w.in = append(w.in, w.mon.Send()...)
		if len(w.in) > 0 || w.now >= end {
			break
		}
	}
	n := copy(p, w.in)
	w.in = w.in[n:]
	return n, nil
}

func (w *wire) SetReadTimeout(d time.Duration) error { w.timeout = d; return nil }

func (w *wire) clock() time.Time { return time.Unix(0, 0).Add(w.now) }

func connect(t testing.TB) (*Conn, *wire) {
	t.Helper()
	w := newWire(t)
	c := New(w, Options{Now: w.clock})
	if err := c.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c, w
}

func noise(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 + i>>8*13) // all values, CR and ^U among them
	}
	return b
}

// What is written is read back, at the places where the monitor's limits are.
func TestMemory(t *testing.T) {
	c, w := connect(t)
	ctx := t.Context()
	if err := c.Halt(ctx); err != nil {
		t.Fatal(err)
	}
	for _, b := range []struct {
		addr uint32
		n    int
	}{
		{0x4000, 1}, {0x4000, 17}, {0x4FFFF, 1}, {0x4FFFF, 2}, {0x4FF00, 0x200}, {0x40000, 0x10000}, {0x8000000, 70_000}, {0x5FFF0, 16},
	} {
		data := noise(b.n)
		var confirmed []int
		if err := c.Load(ctx, b.addr, data, func(n int) { confirmed = append(confirmed, n) }); err != nil {
			t.Fatal(err)
		}
		if confirmed[len(confirmed)-1] != b.n {
			t.Errorf("confirmed %v of %d", confirmed, b.n)
		}
		if got := w.m.Peek(b.addr, b.n); !bytes.Equal(got, data) {
			t.Errorf("%d bytes at $%07X differ", b.n, b.addr)
		}
	}
	data := noise(50)
	if err := c.Set(ctx, 0x1FFF0, data[:16]...); err != nil {
		t.Fatal(err)
	}
	if err := c.Set(ctx, 0x4010, data...); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 1, 16, 17, 50} {
		if got, err := c.Read(ctx, 0x4010, n); err != nil || !bytes.Equal(got, data[:n]) {
			t.Errorf("read %d: % x, %v", n, got, err)
		}
	}
	if w.mon.Dropped() != 0 {
		t.Errorf("%d bytes lost", w.mon.Dropped())
	}
}

func TestControl(t *testing.T) {
	c, _ := connect(t)
	ctx := t.Context()
	if err := c.Halt(ctx); err != nil {
		t.Fatal(err)
	}
	if err := c.SetPC(ctx, 0x4321); err != nil {
		t.Fatal(err)
	}
	r, err := c.Registers(ctx)
	if err != nil || r.PC != 0x4321 || r.Hypervisor || r.SP>>8 != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	lines, err := c.Banner(ctx)
	if err != nil || len(lines) != 2 || lines[0] != "MEGA65 Serial Monitor" {
		t.Errorf("%q, %v", lines, err)
	}
	if err := c.Reset(ctx); err != nil {
		t.Fatal(err)
	}
	if r, err = c.Registers(ctx); err != nil || r.PC == 0x4321 {
		t.Errorf("after a reset: %+v, %v", r, err)
	}
	text, err := c.Screen(ctx)
	if err != nil || len(text) != 25 || !strings.Contains(strings.Join(text, "\n"), "READY.") {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := c.Do(ctx, "m0\rm1"); err == nil {
		t.Error("two lines pass for one")
	}
	if _, err := c.Do(ctx, strings.Repeat("m", 65)); !errors.Is(err, ErrRefused) {
		t.Errorf("65 characters: %v", err)
	}
	if out, err := c.Do(ctx, "m"+strings.Repeat("0", 63)); err != nil || !strings.Contains(out, "Address parse error") {
		t.Errorf("64 characters: %q, %v", out, err)
	}
}

// Whatever an earlier user left, Sync finds the prompt.
func TestSync(t *testing.T) {
	for name, left := range map[string]string{
		"nothing": "", "half a command": "m4000", "a full line": strings.Repeat("s", 64), "a poke that nobody wants": "s4000 99",
		"a load": "l50000 200\r", "a long load": "l50000 fff0\r", "a trace": "t1\rtc\r",
	} {
		t.Run(name, func(t *testing.T) {
			w := newWire(t)
			c := New(w, Options{Now: w.clock})
			w.mon.Receive([]byte(left))
			for range 50 {
				w.step()
			}
			if err := c.Sync(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := w.m.Peek(0x4000, 1)[0]; got == 0x99 {
				t.Error("the command that was left was executed")
			}
			if _, err := c.Read(t.Context(), 0x2000, 16); err != nil {
				t.Error(err)
			}
		})
	}
}

// A monitor without a receive FIFO gets one character at a time.
func TestSlow(t *testing.T) {
	w := newWire(t)
	w.noFIFO = true
	c := New(w, Options{Now: w.clock, Wait: 300 * time.Millisecond})
	if err := c.Sync(t.Context()); err == nil && !c.Slow() {
		t.Error("not noticed")
	} else if err != nil {
		t.Fatal(err)
	}
	data := noise(300)
	if err := c.Halt(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := c.Load(t.Context(), 0x4000, data, nil); err != nil {
		t.Fatal(err)
	}
	if got, err := c.Read(t.Context(), 0x4000, 300); err != nil || !bytes.Equal(got, data) {
		t.Errorf("read back: %v", err)
	}
}

func TestCancelled(t *testing.T) {
	c, _ := connect(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Do(ctx, "?"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestShell(t *testing.T) {
	c, w := connect(t)
	files := map[string][]byte{"in": []byte("Hello, MEGA65! \x00\xff")}
	var out bytes.Buffer
	sh := &Shell{Conn: c, Out: &out,
		Read: func(name string, _ int64) ([]byte, error) {
			if b, ok := files[name]; ok {
				return b, nil
			}
			return nil, fmt.Errorf("no file %s", name)
		},
		Write: func(name string, b []byte) error { files[name] = b; return nil },
	}
	for _, c := range []struct{ line, out, err string }{
		{"", "", ""},
		{"# comment", "", ""},
		{"load in $4000", "17 bytes loaded to $0004000; the CPU is halted\n", ""},
		{"dump 4000 11", "0004000  48 65 6C 6C 6F 2C 20 4D 45 47 41 36 35 21 20 00  Hello, MEGA65! .\n0004010  FF                                               .\n", ""},
		{"save out 0x4000 5", "5 bytes from $0004000 saved to out\n", ""},
		{"m4000", ":00004000:48656C6C6F2C204D45474136352120", ""},
		{"regs", "PC   A  X", ""},
		{"screenshot", "READY.", ""},
		{"go 4000", "", ""},
		{"halt", "", ""},
		{"run", "", ""},
		{"sync", "", ""},
		{"help", "dump ADDR [N]", ""},
		{"load missing 4000", "", "no file missing"},
		{"dump", "", "usage: dump ADDR [N]"},
		{"dump 10000000", "", "want a hexadecimal number up to FFFFFFF"},
		{"save out 0 ffffffff", "", "want a hexadecimal number up to 4000000"},
		{"go 12345", "", "up to FFFF"},
		{"s4000 1 zz", "", ""},
		{"quit", "", "quit"},
	} {
		out.Reset()
		err := sh.Execute(t.Context(), c.line)
		if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%q: %v, want %q", c.line, err, c.err)
		}
		if !strings.Contains(out.String(), c.out) {
			t.Errorf("%q prints %q, want %q", c.line, out.String(), c.out)
		}
	}
	if string(files["out"]) != "Hello" {
		t.Errorf("saved %q", files["out"])
	}
	if w.mon.Dropped() != 0 {
		t.Errorf("%d bytes lost", w.mon.Dropped())
	}
}

// FuzzReplies: whatever comes back, the parsers neither panic nor accept what
// they did not ask for.
func FuzzReplies(f *testing.F) {
	f.Add(":00004000:48656C6C6F2C204D4547413635212000\r\n")
	f.Add("\r\nPC   A  X  Y  Z  B  SP   MAPH MAPL LAST-OP In     P  P-FLAGS\r\n2000 01 02 03 04 05 01FE B300 0000 AD      AD     A1 N.E....C\r\n")
	f.Fuzz(func(t *testing.T, s string) {
		c := New(nil, Options{})
		if b, err := c.parseDump(s, 0x4000, 16); err == nil && (len(b) != 16 || !strings.Contains(s, ":00004000:")) {
			t.Fatalf("%d bytes out of %q", len(b), s)
		}
		if r, err := parseRegisters(s); err == nil && !strings.Contains(strings.ToUpper(s), fmt.Sprintf("%X", r.PC)) {
			t.Fatalf("PC %X out of %q", r.PC, s)
		}
	})
}
