package push

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ssnail-kit/emu/machine"
	"ssnail-kit/firmware"
	"ssnail-kit/host/convert"
	"ssnail-kit/host/gguf"
	"ssnail-kit/host/image"
	"ssnail-kit/mega65/monitor"
)

// target is an emulated machine with a serial monitor, running in real time.
type target struct {
	t    *testing.T
	mu   sync.Mutex // m
	m    *machine.Machine
	mon  *machine.Monitor
	name string // for Open
	stop func()
}

// newTarget boots a machine whose monitor is at spec, "" for a pseudo-terminal.
func newTarget(t *testing.T, opt machine.Options, line machine.MonitorOptions, spec string) *target {
	t.Helper()
	if spec == "" {
		spec = "pty:" + filepath.Join(t.TempDir(), "mega65")
	}
	port, err := machine.OpenMonitorPort(spec)
	if err != nil {
		t.Skipf("skipped: no port for the emulated monitor: %v", err)
	}
	m, err := machine.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Boot(); err != nil {
		t.Fatal(err)
	}
	mon, err := machine.NewMonitor(m, line)
	if err != nil {
		t.Fatal(err)
	}
	g := &target{t: t, m: m, mon: mon, name: port.Name()}
	if strings.HasPrefix(spec, "tcp:") {
		g.name = "tcp:" + g.name
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- mon.Serve(ctx, port, func(d time.Duration) error {
			g.mu.Lock()
			defer g.mu.Unlock()
			return mon.RunMachine(d)
		})
	}()
	var once sync.Once
	g.stop = func() {
		once.Do(func() {
			cancel()
			if err := <-done; err != nil {
				t.Errorf("the emulated monitor: %v", err)
			}
			port.Close()
		})
	}
	t.Cleanup(g.stop)
	return g
}

// connect opens the target's port as push does.
func (g *target) connect(o monitor.Options) *monitor.Conn {
	g.t.Helper()
	line, err := Open(context.Background(), g.name, o.Baud)
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(func() { line.Close() })
	return monitor.New(line, o)
}

func (g *target) screen() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.m.Screen().String()
}

func (g *target) peek(addr uint32, n int) []byte {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.m.Peek(addr, n)
}

func (g *target) typeText(text string) {
	g.t.Helper()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.m.TypeText(text)
}

// until waits until something holds, for a minute at most.
func (g *target) until(what string, ok func() bool) {
	g.t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if ok() {
			return
		}
	}
	g.t.Fatalf("it does not happen within a minute that %s; the screen:\n%s", what, g.screen())
}

// limited is a context for one push in a test.
func limited(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// chatProgram is the program that a model is pushed with.
func chatProgram(t *testing.T) []byte {
	t.Helper()
	p, err := firmware.Build(firmware.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p.PRG
}

// madeImage is a file with the header of an image and a payload of noise: good
// for transport, not for running.
func madeImage(t *testing.T, payload int) []byte {
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
func sharedModel(t *testing.T, name string) []byte {
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

// idle tells whether the program waits for a key.
func (g *target) idle() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.m.Idle()
}

func receiverSymbol(t *testing.T, name string) uint32 {
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
		0x0C, 0x20, 10, 0, 0xFE, 0x02, '0', ':', 0x9E, '8', '2', '0', '6', 0, 0, 0, // 10 BANK 0:SYS 8206
	}
	for len(code) < 2+8206-0x2001 {
		code = append(code, 0)
	}
	code = append(code, 0xA9, 0x00, 0x8D, 0x00, 0x16, 0x4C, 0x13, 0x20) // lda #0, sta $1600, jmp *
	for i := len(code); i < 40_000; i++ {
		code = append(code, byte(i*7+i>>8))
	}
	return code
}
