package machine

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// talk sends text to the monitor of a machine and lets both run until the
// prompt returns.
func talk(t *testing.T, mon *Monitor, text string) string {
	t.Helper()
	mon.Receive([]byte(text))
	got := ""
	for range 3000 {
		if err := mon.RunMachine(time.Millisecond); err != nil {
			t.Fatal(err)
		}
		mon.Advance(time.Millisecond)
		if got += string(mon.Send()); strings.HasSuffix(got, "\r\n.") && mon.Backlog() == 0 {
			return got
		}
	}
	t.Fatalf("no prompt after %q: %q", text, got)
	return ""
}

func monitoredMachine(t *testing.T) (*Machine, *Monitor) {
	t.Helper()
	m := newMachine(t, Options{})
	if err := m.Boot(); err != nil {
		t.Fatal(err)
	}
	mon, err := NewMonitor(m, MonitorOptions{Strict: true, Latency: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	talk(t, mon, "") // the first prompt
	return m, mon
}

// TestMonitorPushesProgram does what a push tool does: halt, load, compare,
// set PC, run, break.
func TestMonitorPushesProgram(t *testing.T) {
	m, mon := monitoredMachine(t)
	code := []byte{
		0xA2, 0x00, // 4000 ldx #0
		0xE8,             // 4002 inx
		0x8E, 0x00, 0x50, // 4003 stx $5000
		0xE0, 0x20, // 4006 cpx #$20
		0xD0, 0xF8, // 4008 bne $4002
		0x4C, 0x0A, 0x40, // 400A jmp $400a
	}
	talk(t, mon, "t1\r")
	before := m.Time()
	mon.Receive([]byte(fmt.Sprintf("l4000 %x\r", 0x4000+len(code))))
	for range 10 {
		mon.Advance(time.Millisecond)
	}
	if got := talk(t, mon, string(code)); got != "l4000 400d\r\n\r\n." {
		t.Fatalf("l: %q", got)
	}
	if m.Time() == before {
		t.Error("time stands still while the CPU is halted")
	}
	if got := talk(t, mon, "m4000\r"); !strings.Contains(got, ":00004000:A200E88E0050E020D0F84C0A40") {
		t.Errorf("m: %q", got)
	}
	talk(t, mon, "g4000\r")
	if got := talk(t, mon, "\r"); !strings.Contains(got, "\r\n4002 ") {
		t.Errorf("step: %q", got)
	}
	talk(t, mon, "b400a\r")
	mon.Receive([]byte("t0\r"))
	got := ""
	for range 100 {
		if err := mon.RunMachine(time.Millisecond); err != nil {
			t.Fatal(err)
		}
		mon.Advance(time.Millisecond)
		got += string(mon.Send())
	}
	if !strings.Contains(got, "!\r\nPC ") || !strings.Contains(got, "\r\n400A ") || !m.held() {
		t.Errorf("breakpoint: %q, held %v", got, m.held())
	}
	if got := talk(t, mon, "m5000\r"); !strings.Contains(got, ":00005000:20") {
		t.Errorf("m5000: %q", got)
	}
	talk(t, mon, "t0\r")
	if m.held() {
		t.Error("held after t0")
	}
}

// TestMonitorAttic loads a block that crosses no 64 KB line into attic RAM and
// reads it back by M, and pokes what only the monitor sees.
func TestMonitorAttic(t *testing.T) {
	m, mon := monitoredMachine(t)
	data := make([]byte, 0x1000)
	for i := range data {
		data[i] = byte(i*31 + i>>8)
	}
	talk(t, mon, "t1\r")
	mon.Receive([]byte("l8013000 4000\r"))
	for range 10 {
		mon.Advance(time.Millisecond)
	}
	talk(t, mon, string(data))
	if got := m.Peek(0x8013000, len(data)); !bytes.Equal(got, data) {
		t.Error("the block in attic RAM differs")
	}
	if mon.Dropped() != 0 {
		t.Errorf("%d bytes dropped", mon.Dropped())
	}
	if got := talk(t, mon, "M8013100\r"); !strings.Contains(got, fmt.Sprintf(":08013100:%X\r\n", data[0x100:0x110])) {
		t.Errorf("M: %q", got)
	}
	talk(t, mon, "sfff8123 5a\r")
	if got := talk(t, mon, "mfff8123\r"); !strings.Contains(got, ":0FFF8123:5A") {
		t.Errorf("hypervisor RAM: %q", got)
	}
	if got := talk(t, mon, "!\r"); !strings.Contains(got, banner) || m.held() {
		t.Errorf("reset: %q, held %v", got, m.held())
	}
}

// TestMonitorDumpIsNoUse dumps registers that are not emulated, in both views:
// nothing is said about them until the program itself reads one.
func TestMonitorDumpIsNoUse(t *testing.T) {
	var warned bytes.Buffer
	m := newMachine(t, Options{Warn: &warned})
	if err := m.LoadPRG(program(
		0xA9, 0x47, 0x8D, 0x2F, 0xD0, 0xA9, 0x53, 0x8D, 0x2F, 0xD0,
		0xAD, 0x40, 0xD7, // lda $d740
		0x80, 0xFE)); err != nil {
		t.Fatal(err)
	}
	mon, err := NewMonitor(m, MonitorOptions{})
	if err != nil {
		t.Fatal(err)
	}
	talk(t, mon, "t1\r")
	warned.Reset() // the program has run since the monitor came
	m.warned = map[warning]bool{}
	for _, dump := range []string{"mffd3620", "Mffd3700", "@d620", "@d700", "dffd3740", "m6000000"} {
		talk(t, mon, dump+"\r")
	}
	if warned.Len() > 0 {
		t.Errorf("dumps warn: %s", &warned)
	}
	talk(t, mon, "t0\r")
	m.cpu.PC = codeStart
	talk(t, mon, "r\r")
	if want := "CPU register $D740: reads as $FF"; !strings.Contains(warned.String(), want) {
		t.Errorf("the program's own read says %q, want %q", &warned, want)
	}
}

// converse checks that a comment is echoed by a served monitor. It waits as
// long as it takes; the test's own time limit is the only one.
func converse(t *testing.T, line io.ReadWriter, word string) {
	t.Helper()
	if _, err := line.Write([]byte("#" + word + "\r")); err != nil {
		t.Fatal(err)
	}
	got, buf := "", make([]byte, 256)
	for !strings.Contains(got, "#"+word+"\r\n\r\n.") {
		n, err := line.Read(buf)
		if err != nil {
			t.Fatalf("%v after %q", err, got)
		}
		got += string(buf[:n])
	}
}

func serve(t *testing.T, spec string) MonitorPort {
	t.Helper()
	port, err := OpenMonitorPort(spec)
	if err != nil {
		t.Fatal(err)
	}
	m := newMachine(t, Options{})
	mon, err := NewMonitor(m, MonitorOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- mon.Serve(ctx, port, mon.RunMachine) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Serve: %v", err)
		}
		if err := port.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return port
}

func TestMonitorTCP(t *testing.T) {
	port := serve(t, "tcp:0")
	for client := range 2 { // one after the other
		conn, err := net.Dial("tcp", port.Name())
		if err != nil {
			t.Fatal(err)
		}
		converse(t, conn, fmt.Sprintf("client%d", client))
		conn.Close()
	}
}

func TestMonitorPTY(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skipf("skipped: no pseudo-terminals on %s", runtime.GOOS)
	}
	dir := t.TempDir()
	link := filepath.Join(dir, "mega65")
	t.Run("serve", func(t *testing.T) {
		port := serve(t, "pty:"+link)
		if port.Name() != link {
			t.Errorf("name %s, want %s", port.Name(), link)
		}
		for client := range 2 {
			f, err := os.OpenFile(link, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			converse(t, f, fmt.Sprintf("client%d", client))
			f.Close()
		}
	})
	if _, err := os.Lstat(link); !os.IsNotExist(err) {
		t.Errorf("the link is left behind: %v", err)
	}
	if err := os.WriteFile(link, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenMonitorPort("pty:" + link); err == nil || !strings.Contains(err.Error(), "no link") {
		t.Errorf("a file in the place of the link: %v", err)
	}
}

func TestMonitorPortSpecs(t *testing.T) {
	for _, spec := range []string{"", "pty", "pty:", "tcp:", "usb:1", "/dev/ttyUSB1", "tcp:notaport", "tcp:99999", "tcp:-1", "tcp:1:2:3", "tcp:localhost:"} {
		if p, err := OpenMonitorPort(spec); err == nil {
			p.Close()
			t.Errorf("%q is accepted", spec)
		}
		if CheckMonitorPort(spec) == nil {
			t.Errorf("%q passes the check", spec)
		}
	}
}
