package push

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ssnail-kit/emu/machine"
	"ssnail-kit/firmware"
	"ssnail-kit/host/convert"
	"ssnail-kit/host/gguf"
	"ssnail-kit/host/image"
	"ssnail-kit/mega65/monitor"
)

// target is an emulated machine with a serial monitor.
type target struct {
	t   testing.TB
	m   *machine.Machine
	mon *machine.Monitor
	now time.Duration // passed so far
}

// newTarget boots a machine with a monitor on a line whose time is simulated:
// nothing depends on how fast this computer is. See wire.
func newTarget(t testing.TB, opt machine.Options, line machine.MonitorOptions) *target {
	t.Helper()
	m, err := machine.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Boot(); err != nil {
		t.Fatal(err)
	}
	line.Strict = true
	mon, err := machine.NewMonitor(m, line)
	if err != nil {
		t.Fatal(err)
	}
	return &target{t: t, m: m, mon: mon}
}

// step lets machine and line go on. A frame is about a hundred steps.
func (g *target) step() {
	const d = 100 * time.Microsecond
	if err := g.mon.RunMachine(d); err != nil {
		g.t.Error(err)
	}
	g.mon.Advance(d)
	g.now += d
}

// wire is the other end of the target's line: a Line that lets simulated time
// pass while it waits, and a driver that holds 4 KB.
type wire struct {
	g       *target
	in      []byte
	timeout time.Duration
}

func (w *wire) Write(p []byte) (int, error) {
	for n := 0; n < len(p); {
		k := min(len(p)-n, 512)
		w.g.mon.Receive(p[n : n+k])
		n += k
		for w.g.mon.Backlog() > 4096 {
			w.g.step()
		}
	}
	return len(p), nil
}

func (w *wire) Read(p []byte) (int, error) {
	for end := w.g.now + w.timeout; ; w.g.step() {
		w.in = append(w.in, w.g.mon.Send()...)
		if len(w.in) > 0 || w.g.now >= end {
			break
		}
	}
	n := copy(p, w.in)
	w.in = w.in[n:]
	return n, nil
}

func (w *wire) SetReadTimeout(d time.Duration) error {
	w.timeout = d
	return nil
}

func (w *wire) Close() error { return nil }

// clock is the simulated time as monitor.Options want it.
func (g *target) clock() time.Time { return time.Unix(0, 0).Add(g.now) }

// connect makes a connection to the target.
func (g *target) connect() *monitor.Conn {
	return monitor.New(&wire{g: g}, monitor.Options{Now: g.clock})
}

func (g *target) screen() string { return g.m.Screen().String() }

func (g *target) peek(addr uint32, n int) []byte { return g.m.Peek(addr, n) }

// until runs until something holds, for a minute of simulated time at most.
func (g *target) until(what string, ok func() bool) {
	g.t.Helper()
	for end := g.now + time.Minute; g.now < end; {
		if ok() {
			return
		}
		for range 200 {
			g.step()
		}
	}
	g.t.Fatalf("it does not happen within a minute that %s; the screen:\n%s", what, g.screen())
}

// limited is a context for one push in a test.
func limited(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// chatProgram is the program that a model is pushed with.
func chatProgram(t testing.TB) []byte {
	t.Helper()
	p, err := firmware.Build(firmware.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p.PRG
}

// madeImage is a file with the header of an image and a payload of noise: good
// for transport, not for running.
func madeImage(t testing.TB, payload int) []byte {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, uint64(payload)))
	b := make([]byte, image.HeaderSize+payload)
	for i := range b[image.HeaderSize:] {
		b[image.HeaderSize+i] = byte(rng.Uint32())
	}
	end := uint32(image.Payload + payload)
	script := uint32(image.Payload)
	h := image.Header{
		Version: image.Version, Script: script, Weights: script + 16, Scratch: end, Tokens: image.TokenBuffer,
		Vocab: script + 16, NVocab: 1, MaxCtx: 16, PayloadLen: uint32(payload), Output: end, OutputLen: 1,
		MemNeeded: end - image.Base + 64, LoadAddr: image.Payload, Tokenizer: script + 64, Description: "made for transport",
	}
	e := h.Encode()
	copy(b, e[:])
	// A script of HALT, a vocabulary of one empty piece, an empty tokenizer block.
	copy(b[image.HeaderSize:], make([]byte, 512))
	b[image.HeaderSize] = byte(image.HALT)
	binary.LittleEndian.PutUint32(b[image.HeaderSize+16:], 8)
	binary.LittleEndian.PutUint32(b[image.HeaderSize+20:], 8)
	if _, err := image.Open(bytes.NewReader(b), int64(len(b))); err != nil {
		t.Fatalf("the made image: %v", err)
	}
	return b
}

// sharedModel converts one of the shared models, or skips the test.
func sharedModel(t testing.TB, name string) []byte {
	t.Helper()
	path := filepath.Join("..", "..", "..", "shared", "models", name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("skipped: no shared test data: %v", err)
	}
	f, err := gguf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := convert.New(f, convert.Options{Ctx: 64, MemMB: 8, WType: "auto", Fallback: "q8_0", KV: "f16", Type: "Story"})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := p.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// inMemory compares an image with what stands in the machine's memory.
func (g *target) inMemory(img []byte) {
	g.t.Helper()
	if got := g.peek(image.Payload, len(img)-image.HeaderSize); !bytes.Equal(got, img[image.HeaderSize:]) {
		i := firstDifference(got, img[image.HeaderSize:])
		g.t.Errorf("the payload in memory differs at $%07X", image.Payload+i)
	}
	got := g.peek(image.Base, image.HeaderSize)
	want := bytes.Clone(img[:image.HeaderSize])
	copy(got[image.OffPos:image.OffRuntimeEnd], want[image.OffPos:]) // the program's own
	if !bytes.Equal(got, want) {
		g.t.Error("the header in memory differs")
	}
}

func receiverSymbol(t testing.TB, name string) uint32 {
	t.Helper()
	r, err := newReceiver(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r.at(name)
}

// standIn is a program for tests of transport: it takes the note and stays.
// Some of it is filler, so that it has several blocks.
func standIn() []byte {
	code := []byte{
		0x01, 0x20, // load address $2001
		0x0F, 0x20, 10, 0, 0xFE, 0x02, '0', ':', 0x9E, '8', '2', '0', '9', 0, 0, 0, // 10 BANK 0:SYS 8209
	}
	code = append(code, 0xA9, 0x00, 0x8D, 0x00, 0x16, 0x4C, 0x16, 0x20) // lda #0, sta $1600, jmp *
	for i := len(code); i < 40_000; i++ {
		code = append(code, byte(i*7+i>>8))
	}
	return code
}
