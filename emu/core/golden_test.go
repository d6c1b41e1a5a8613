package core

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ssnail-kit/host/image"
)

// shared returns the folder of test data beside the repository, or skips.
func shared(t testing.TB, name string) string {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = up
	}
	p := filepath.Join(dir, "..", "shared", name)
	if _, err := os.Stat(p); err != nil {
		t.Skipf("skipped: no %s beside the repository", filepath.Join("shared", name))
	}
	return p
}

func kernelNames() []string { return Kernels() }

type memBytes struct {
	addr uint32
	data []byte
}

func (m *memBytes) UnmarshalJSON(b []byte) error {
	var raw [2]any
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&raw); err != nil {
		return err
	}
	n, err := raw[0].(json.Number).Int64()
	if err != nil {
		return err
	}
	m.addr = uint32(n)
	m.data, err = hex.DecodeString(raw[1].(string))
	return err
}

// registers are written as a list of all or as an object of some.
type registers [16]uint32

func (r *registers) UnmarshalJSON(b []byte) error {
	var some map[int]uint32
	if json.Unmarshal(b, &some) == nil {
		for i, v := range some {
			r[i&15] = v
		}
		return nil
	}
	return json.Unmarshal(b, (*[16]uint32)(r))
}

type opCase struct {
	Name   string
	Ins    string
	N      [3]uint32
	R, A   registers
	Mem    []memBytes
	Out    []memBytes
	RAfter *registers `json:"r_after"`
	AAfter *registers `json:"a_after"`
	Read   uint64
	Writ   uint64 `json:"written"`
}

// TestGoldenOps runs every single instruction of the golden list, with every
// kernel set.
func TestGoldenOps(t *testing.T) {
	f, err := os.Open(filepath.Join(shared(t, "golden"), "ops.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var cases []opCase
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		var c opCase
		if err := json.Unmarshal(sc.Bytes(), &c); err != nil {
			t.Fatalf("line %d: %v", len(cases)+1, err)
		}
		cases = append(cases, c)
	}
	if err := sc.Err(); err != nil {
		t.Fatal(err)
	}
	if len(cases) < 100 {
		t.Fatalf("only %d cases", len(cases))
	}
	mem := NewMemory(R3)
	for _, kern := range kernelNames() {
		for _, c := range cases {
			t.Run(kern+"/"+c.Name, func(t *testing.T) {
				clear(mem.bytes)
				core := New(mem, Options{Numerics: HW, Kernels: kern, AllowNaN: true})
				for _, m := range c.Mem {
					if err := mem.Write(m.addr, m.data); err != nil {
						t.Fatal(err)
					}
				}
				ins, err := hex.DecodeString(c.Ins)
				if err != nil {
					t.Fatal(err)
				}
				const at = 0x8000080
				if err := mem.Write(at, append(ins, 1, 0, 0, 0)); err != nil {
					t.Fatal(err)
				}
				core.R, core.A = c.R, c.A
				core.N = c.N
				core.Start(at)
				if err := core.Run(context.Background()); err != nil {
					t.Fatal(err)
				}
				for _, m := range c.Out {
					got := make([]byte, len(m.data))
					if err := mem.Read(m.addr, got); err != nil {
						t.Fatal(err)
					}
					if !bytes.Equal(got, m.data) {
						t.Errorf("at $%X:\ngot  %x\nwant %x", m.addr, got, m.data)
					}
				}
				if c.RAfter != nil && core.R != *c.RAfter || c.AAfter != nil && core.A != *c.AAfter {
					t.Errorf("registers %v %v, want %v %v", core.R, core.A, *c.RAfter, *c.AAfter)
				}
				if r, w := core.BytesRead-32, core.BytesWritten; r != c.Read || w != c.Writ {
					t.Errorf("traffic %d read, %d written, want %d and %d", r, w, c.Read, c.Writ)
				}
			})
		}
	}
}

type goldenRun struct {
	Generated    []uint32
	StopReason   uint32 `json:"stop_reason"`
	Instructions uint64
	BytesRead    uint64 `json:"bytes_read"`
	BytesWritten uint64 `json:"bytes_written"`
	FinalPos     *uint32
	Logits       string
	Shape        []int
}

type goldenSet struct {
	Options struct {
		N  uint32
		KV string
	}
	PromptIDs []uint32 `json:"prompt_ids"`
	Float, HW goldenRun
}

// result is what one run of an image gave.
type result struct {
	generated []uint32
	stop      uint32
	logits    []byte
	core      *Core
}

// runImage runs an image in a fresh core: prompt, then n tokens.
func runImage(t testing.TB, mem *Memory, im *image.Image, prompt []uint32, n uint32, o Options) result {
	t.Helper()
	clear(mem.bytes)
	if err := LoadImage(NewPort(mem, 0, 0), im); err != nil {
		t.Fatal(err)
	}
	for i, id := range prompt {
		if err := mem.PutUint32(im.Tokens+4*uint32(i), id); err != nil {
			t.Fatal(err)
		}
	}
	put := func(off int, v uint32) {
		if err := mem.PutUint32(image.Base+uint32(off), v); err != nil {
			t.Fatal(err)
		}
	}
	put(image.OffPromptLen, uint32(len(prompt)))
	put(image.OffNGenerate, n)
	core := New(mem, o)
	res := result{core: core}
	core.OnArgmax = func(_ uint32, values []byte, _ uint32) { res.logits = append(res.logits, values...) }
	core.Start(im.Script)
	if err := core.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	get := func(addr uint32) uint32 {
		v, err := mem.Uint32(addr)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	res.stop = get(image.Base + image.OffStopReason)
	if im.Flags&image.FlagEncoder != 0 {
		res.logits = make([]byte, 4*im.OutputLen)
		if err := mem.Read(im.Output, res.logits); err != nil {
			t.Fatal(err)
		}
		return res
	}
	for k := range get(image.Base + image.OffGenerated) {
		res.generated = append(res.generated, get(im.Tokens+4*(uint32(len(prompt))+k)))
	}
	return res
}

func readGolden(t testing.TB, dir, set string) goldenSet {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, set+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var g goldenSet
	if err := json.Unmarshal(b, &g); err != nil {
		t.Fatal(err)
	}
	return g
}

func openImage(t testing.TB, path string) *image.Image {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	im, err := image.Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return im
}

// checkRun compares a run with a golden one: hw to the bit, float within tol
// of the largest logit.
func checkRun(t *testing.T, dir string, got result, want goldenRun, tol float64) {
	t.Helper()
	if fmt.Sprint(got.generated) != fmt.Sprint(want.Generated) && len(want.Generated) > 0 {
		t.Errorf("generated %v, want %v", got.generated, want.Generated)
	}
	if got.stop != want.StopReason {
		t.Errorf("stop reason %d, want %d", got.stop, want.StopReason)
	}
	c := got.core
	if c.Instructions != want.Instructions || c.BytesRead != want.BytesRead || c.BytesWritten != want.BytesWritten {
		t.Errorf("%d instructions, %d read, %d written; want %d, %d, %d",
			c.Instructions, c.BytesRead, c.BytesWritten, want.Instructions, want.BytesRead, want.BytesWritten)
	}
	logits, err := os.ReadFile(filepath.Join(dir, want.Logits))
	if err != nil {
		t.Fatal(err)
	}
	if len(logits) != len(got.logits) {
		t.Fatalf("%d bytes of logits, want %d", len(got.logits), len(logits))
	}
	if tol == 0 {
		if !bytes.Equal(logits, got.logits) {
			for i := 0; i < len(logits); i += 4 {
				if !bytes.Equal(logits[i:i+4], got.logits[i:i+4]) {
					t.Fatalf("logit %d of row %d is %v, want %v", i/4%want.Shape[len(want.Shape)-1], i/4/want.Shape[len(want.Shape)-1],
						f32at(got.logits, i), f32at(logits, i))
				}
			}
		}
		return
	}
	var worst, largest float64
	for i := 0; i < len(logits); i += 4 {
		a, b := float64(f32at(got.logits, i)), float64(f32at(logits, i))
		worst = max(worst, math.Abs(a-b))
		largest = max(largest, math.Abs(b))
	}
	if !(worst <= tol*largest) {
		t.Errorf("logits off by %.3g of the largest, want at most %.3g", worst/largest, tol)
	}
	t.Logf("logits off by %.3g of the largest", worst/largest)
}

func f32at(b []byte, i int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(b[i:]))
}

// TestGoldenImages runs the golden images in both numerics with every kernel
// set.
func TestGoldenImages(t *testing.T) {
	dir := shared(t, "golden")
	paths, err := filepath.Glob(filepath.Join(dir, "images", "*.ssnail"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no images: %v", err)
	}
	mem := NewMemory(R3)
	for _, p := range paths {
		set := strings.TrimSuffix(filepath.Base(p), ".ssnail")
		g := readGolden(t, dir, set)
		im := openImage(t, p)
		for _, kern := range kernelNames() {
			for _, threads := range []int{1, 3} {
				t.Run(fmt.Sprintf("%s/hw/%s/%d", set, kern, threads), func(t *testing.T) {
					o := Options{Numerics: HW, Kernels: kern, Threads: threads}
					checkRun(t, dir, runImage(t, mem, im, g.PromptIDs, g.Options.N, o), g.HW, 0)
				})
			}
			t.Run(fmt.Sprintf("%s/float/%s", set, kern), func(t *testing.T) {
				tol := 2e-3
				if g.Options.KV == "f32" || g.Options.KV == "F32" {
					tol = 2e-6
				}
				o := Options{Numerics: Float, Kernels: kern}
				checkRun(t, dir, runImage(t, mem, im, g.PromptIDs, g.Options.N, o), g.Float, tol)
			})
		}
	}
}
