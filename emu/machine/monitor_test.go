package machine

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"ssnail-kit/emu/cpu"
)

// fakeTarget is a machine of memory only: 28 flat bits, and a CPU that sees the
// second 64 KB.
type fakeTarget struct {
	cpu    cpu.CPU
	mem    map[uint32]byte
	halted bool
	steps  int
	resets int
	bp     uint16
	bpOn   bool
	hit    bool
}

func (f *fakeTarget) monitorRead(addr uint32) byte        { return f.mem[addr] }
func (f *fakeTarget) monitorWrite(addr uint32, v byte)    { f.mem[addr] = v }
func (f *fakeTarget) monitorReadCPU(addr uint16) byte     { return f.mem[0x10000|uint32(addr)] }
func (f *fakeTarget) monitorWriteCPU(addr uint16, v byte) { f.mem[0x10000|uint32(addr)] = v }
func (f *fakeTarget) processor() *cpu.CPU                 { return &f.cpu }
func (f *fakeTarget) hold(halt bool)                      { f.halted = halt }
func (f *fakeTarget) held() bool                          { return f.halted }
func (f *fakeTarget) single()                             { f.steps++; f.cpu.PC++ }
func (f *fakeTarget) breakAt(pc uint16, on bool)          { f.bp, f.bpOn = pc, on }
func (f *fakeTarget) atBreak() bool                       { h := f.hit; f.hit = false; return h }
func (f *fakeTarget) resetByMonitor()                     { f.resets++ }

func newFake(t *testing.T, opt MonitorOptions) (*Monitor, *fakeTarget) {
	t.Helper()
	f := &fakeTarget{mem: map[uint32]byte{}}
	mon, err := newMonitor(f, opt)
	if err != nil {
		t.Fatal(err)
	}
	mon.Advance(20 * time.Millisecond)
	if got := string(mon.Send()); got != "\r\n." {
		t.Fatalf("at the start: %q", got)
	}
	return mon, f
}

// say sends text and returns all that comes back.
func say(mon *Monitor, text string) string {
	mon.Receive([]byte(text))
	for range 100 {
		mon.Advance(time.Millisecond)
	}
	return string(mon.Send())
}

func TestMonitorLineEditing(t *testing.T) {
	for _, c := range []struct{ name, in, out string }{
		{"echo and prompt", "#abc\r", "#abc\r\n\r\n."},
		{"LF ends a line", "#\n", "#\r\n\r\n."},
		{"unknown command", "x12\r", "x12\r\n\r\n."},
		{"rub out with all three keys", "m1\x08\x14\x7F#\r", "m1\b \b\b \b\a#\r\n\r\n."},
		{"other controls beep, ^U clears nothing", "#\x15a\x00\x1B\r", "#\aa\a\a\r\n\r\n."},
		{"64 characters, then beeps", strings.Repeat("#", 66) + "\r", strings.Repeat("#", 64) + "\a\a\r\n\r\n."},
		{"letters in either case", "H\r", "H\r\n" + banner + "\r\n."},
		{"?", "?\r", "?\r\n" + banner + "\r\n."},
	} {
		mon, _ := newFake(t, MonitorOptions{})
		if got := say(mon, c.in); got != c.out {
			t.Errorf("%s: %q gives\n%q, want\n%q", c.name, c.in, got, c.out)
		}
	}
}

func TestMonitorMemory(t *testing.T) {
	mon, f := newFake(t, MonitorOptions{})
	for _, c := range []struct{ in, out string }{
		{"s400 1 02 fF\r", ""},
		{"m400\r", ":00000400:0102FF00000000000000000000000000\r\n"},
		{"m\r", ":00000410:00000000000000000000000000000000\r\n"},
		{"m 777 0400\r", ":00000777:00000000000000000000000000000000\r\n"},
		{"S2000 AB\r", ""},
		{"m7772000\r", ":07772000:AB000000000000000000000000000000\r\n"},
		{"m12000\r", ":00012000:AB000000000000000000000000000000\r\n"},
		{"sfff8000 55\r", ""},
		{"f500 510 7e\r", ""},
		{"m4f8\r", ":000004F8:00000000000000007E7E7E7E7E7E7E7E\r\n"},
		{"m508\r", ":00000508:7E7E7E7E7E7E7E7E0000000000000000\r\n"},
		{"f600 600 1\r", ""},
		{"f600 500 1\r", ""},
		{"s\r", "\r\nAddress parse error\r\n"},
		{"s123456789 0\r", "\r\nAddress parse error\r\n"},
		{"m123456789\r", "\r\nAddress parse error\r\n"},
		{"s700 123\r", "\r\nBad fill value\r\n"},
		{"f700 710\r", "\r\nBad fill value\r\n"},
		{"l700 12345\r", "\r\nAddress parse error\r\n"},
		{"g12345\r", "\r\nAddress parse error\r\n"},
		{"+\r", "\r\nBad bit rate divisor\r\n"},
		{"+12345\r", "\r\nBad bit rate divisor\r\n"},
	} {
		want := strings.TrimSuffix(c.in, "\r") + "\r\n" + c.out + "\r\n."
		if got := say(mon, c.in); got != want {
			t.Errorf("%q gives\n%q, want\n%q", c.in, got, want)
		}
	}
	if f.mem[0xFFF8000] != 0x55 || f.mem[0x600] != 0 {
		t.Errorf("memory: hypervisor %02X, $600 %02X", f.mem[0xFFF8000], f.mem[0x600])
	}
	got := say(mon, "M400\r")
	if n := strings.Count(got, "\r\n:0000"); n != 16 || !strings.Contains(got, ":000004F0:") {
		t.Errorf("M gives %d lines:\n%s", n, got)
	}
	if got := say(mon, "@2000\r"); !strings.Contains(got, "\r\n:07772000:AB00") {
		t.Errorf("@2000 gives %q", got)
	}
}

func TestMonitorLoad(t *testing.T) {
	mon, f := newFake(t, MonitorOptions{Strict: true})
	data := make([]byte, 0x300)
	for i := range data {
		data[i] = byte(i*7 + i>>8) // holds CR, ^U and all others
	}
	if got := say(mon, "l4fe80 180\r"); got != "l4fe80 180\r\n" {
		t.Errorf("l answers %q", got)
	}
	if got := say(mon, string(data[:0x2FF])); got != "" {
		t.Errorf("data is answered by %q", got)
	}
	if got := say(mon, string(data[0x2FF:])); got != "\r\n." {
		t.Errorf("after the last byte: %q", got)
	}
	for i, v := range data {
		if f.mem[0x4FE80+uint32(i)] != v {
			t.Fatalf("byte %d at %05X is %02X, want %02X", i, 0x4FE80+i, f.mem[0x4FE80+uint32(i)], v)
		}
	}
	if mon.Dropped() != 0 {
		t.Errorf("%d bytes dropped", mon.Dropped())
	}
	// END = 0000 is the end of the bank; equal low words take no data.
	if got := say(mon, "l8000ffff 0\rZ"); got != "l8000ffff 0\r\n\r\n." || f.mem[0x000FFFF] != 'Z' {
		t.Errorf("one byte up to the line: %q, %02X", got, f.mem[0xFFFF])
	}
	if got := say(mon, "l50000 0\r#\r"); got != "l50000 0\r\n\r\n.#\r\n\r\n." {
		t.Errorf("start = end: %q", got)
	}
}

func TestMonitorControl(t *testing.T) {
	mon, f := newFake(t, MonitorOptions{})
	f.cpu.A, f.cpu.X, f.cpu.Y, f.cpu.Z, f.cpu.B = 1, 2, 3, 4, 5
	f.cpu.SP, f.cpu.P = 0x01FE, cpu.FlagN|cpu.FlagE|cpu.FlagC
	f.cpu.MapHi = cpu.Map{Blocks: 0xB, Offset: 0x300}
	f.mem[0x12000], f.mem[0x12001], f.mem[0x12002] = 0xAD, 0x34, 0x12
	say(mon, "t1\r")
	if !f.halted {
		t.Error("t1 does not halt")
	}
	if got := say(mon, "g2000\r"); got != "g2000\r\n\r\n." || f.cpu.PC != 0x2000 || !f.halted {
		t.Errorf("g: %q, PC = %04X, halted %v", got, f.cpu.PC, f.halted)
	}
	want := "r\r\n\r\nPC   A  X  Y  Z  B  SP   MAPH MAPL LAST-OP In     P  P-FLAGS   RGP uS IO ws h RECA8LHC\r\n" +
		"2000 01 02 03 04 05 01FE B300 0000 AD      AD     A1 N.E....C ---P 00 -  00 -  ........\r\n" +
		",07772000  AD 34 12  LDA   $1234\r\n\r\n."
	if got := say(mon, "r\r"); got != want {
		t.Errorf("r gives\n%s\nwant\n%s", got, want)
	}
	if got := say(mon, "\r"); f.steps != 1 || !strings.Contains(got, "\r\n2001 ") {
		t.Errorf("bare CR: %d steps, %q", f.steps, got)
	}
	say(mon, "t\r")
	say(mon, "t0\r")
	say(mon, "\r")
	if f.steps != 2 || f.halted {
		t.Errorf("%d steps, halted %v, want 2 and running", f.steps, f.halted)
	}
	say(mon, "b1234\r")
	if !f.bpOn || f.bp != 0x1234 {
		t.Errorf("breakpoint %04X, %v", f.bp, f.bpOn)
	}
	f.hit, f.halted = true, true
	if got := say(mon, ""); !strings.HasPrefix(got, "!\r\nPC ") || !strings.HasSuffix(got, "\r\n.") {
		t.Errorf("on a hit: %q", got)
	}
	if f.bpOn {
		t.Error("the breakpoint survives its hit")
	}
	say(mon, "b 12\r")
	if say(mon, "b\r"); f.bpOn || f.bp == 0x1234 {
		t.Error("b does not clear the breakpoint")
	}
	say(mon, "tc\r")
	if f.steps < 5 {
		t.Errorf("tc: %d steps", f.steps)
	}
	say(mon, "t0\r")
	n := f.steps
	if say(mon, ""); f.steps != n || f.halted {
		t.Errorf("a character does not end tc: %d more steps, halted %v", f.steps-n, f.halted)
	}
	say(mon, "t1\r")
	if got := say(mon, "!\r"); !strings.HasPrefix(got, "!\r\n@") || !strings.HasSuffix(got, banner+"\r\n.") || f.resets != 1 || f.halted {
		t.Errorf("!: %q, %d resets, halted %v", got, f.resets, f.halted)
	}
	say(mon, "@2000\r")
	if got := say(mon, "d2000\r"); got != "d2000\r\n,07772000  AD 34 12  LDA   $1234\r\n\r\n." {
		t.Errorf("d: %q", got)
	}
	if got := say(mon, "D\r"); strings.Count(got, "\r\n,") != 16 {
		t.Errorf("D: %q", got)
	}
}

// TestMonitorPace measures both directions of the line in its own time.
func TestMonitorPace(t *testing.T) {
	for _, baud := range []int{230400, 2_000_000} {
		const latency = 3 * time.Millisecond
		mon, _ := newFake(t, MonitorOptions{Baud: baud, Latency: latency})
		mon.Advance(10 * time.Millisecond)
		mon.Send()
		byteTime := time.Duration(10e9 / baud)
		mon.Receive([]byte("#123456789\r"))
		var first, last time.Duration
		got := ""
		for at := time.Duration(0); at < 20*time.Millisecond; at += time.Microsecond {
			mon.Advance(time.Microsecond)
			if p := mon.Send(); len(p) > 0 {
				if got += string(p); first == 0 {
					first = at
				}
				last = at
			}
		}
		if got != "#123456789\r\n\r\n." {
			t.Fatalf("%d baud: %q", baud, got)
		}
		if first < 2*latency || first > 2*latency+3*byteTime {
			t.Errorf("%d baud: first echo after %v, want two latencies of %v and a byte time of %v", baud, first, latency, byteTime)
		}
		if d := last - first; d < 13*byteTime || d > 16*byteTime {
			t.Errorf("%d baud: 15 bytes in %v at %v each", baud, d, byteTime)
		}
	}
}

// TestMonitorFIFO: while the monitor prints, 64 bytes wait; more are lost on a
// strict line and wait on a kind one.
func TestMonitorFIFO(t *testing.T) {
	burst := "M0\r" + strings.Repeat("#123456\r", 20)
	for _, strict := range []bool{false, true} {
		mon, _ := newFake(t, MonitorOptions{Strict: strict})
		got := say(mon, burst)
		n := strings.Count(got, "#123456\r\n\r\n.")
		switch {
		case !strict && (n != 20 || mon.Dropped() != 0):
			t.Errorf("kind line: %d of 20 lines answered, %d bytes dropped", n, mon.Dropped())
		case strict && (n < 8 || n > 9 || mon.Dropped() != 20*8-64):
			t.Errorf("strict line: %d lines answered, %d bytes dropped, want 8 and %d", n, mon.Dropped(), 20*8-64)
		}
	}
}

func TestMonitorBadOptions(t *testing.T) {
	for _, opt := range []MonitorOptions{{Baud: 1}, {Baud: 1 << 30}, {Latency: -1}, {Latency: time.Hour}} {
		if _, err := newMonitor(&fakeTarget{}, opt); err == nil {
			t.Errorf("%+v is accepted", opt)
		}
	}
}

// TestMonitorSynchronise plays what m65 does to find out where it is: it sends
// ^U # CR, drains, then comments with random digits until one is echoed.
func TestMonitorSynchronise(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	mon, _ := newFake(t, MonitorOptions{Strict: true})
	say(mon, "l5000 5100\r") // somebody left it in the middle of a load
	say(mon, "\x15#\r")
	synced := false
	for try := 0; try < 3 && !synced; try++ {
		word := fmt.Sprintf("#%08x", rng.Uint32())
		synced = strings.Contains(say(mon, word+"\r"), word)
		if !synced {
			say(mon, string(bytes.Repeat([]byte{0}, 0x1000)))
		}
	}
	if !synced {
		t.Error("never synchronised")
	}
}

// FuzzMonitor: any bytes at any pace; the monitor answers, ends its loops and
// takes a comment afterwards.
func FuzzMonitor(f *testing.F) {
	f.Add([]byte("s400 1 2 3\rm400\rM\rd\rD2000\rr\rt1\r\r"))
	f.Add([]byte("l7ff0 8000\r0123456789ABCDEF?\r"))
	f.Add([]byte("f0 ffffffff 0\r"))
	f.Add([]byte("+0\r+ffff\r!\rtc\rg\rb\r@\r"))
	f.Fuzz(func(t *testing.T, data []byte) {
		target := &fakeTarget{mem: map[uint32]byte{}}
		mon, err := newMonitor(target, MonitorOptions{Baud: 20_000_000})
		if err != nil {
			t.Fatal(err)
		}
		if len(data) > 4096 {
			data = data[:4096]
		}
		mon.Receive(data)
		for range 20 {
			mon.Advance(100 * time.Microsecond)
			clear(target.mem)
		}
		if mon.filling {
			mon.addr = mon.fillEnd // it would take its time on a board, too
		}
		if mon.loading {
			mon.loading = false
		}
		if len(mon.command) > lineSize {
			t.Fatalf("command of %d bytes", len(mon.command))
		}
	})
}
