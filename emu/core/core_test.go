package core

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"ssnail-kit/host/image"
)

// program puts instructions at the start of a memory's payload.
func program(t testing.TB, m *Memory, ins ...image.Instruction) uint32 {
	t.Helper()
	for i, in := range ins {
		b := in.Encode()
		if err := m.Write(image.Payload+16*uint32(i), b[:]); err != nil {
			t.Fatal(err)
		}
	}
	return image.Payload
}

func put(t testing.TB, m *Memory, addr uint32, v ...float32) {
	t.Helper()
	b := make([]byte, 4*len(v))
	store32(b, v)
	if err := m.Write(addr, b); err != nil {
		t.Fatal(err)
	}
}

func get(t testing.TB, m *Memory, addr uint32, n int) []float32 {
	t.Helper()
	b := make([]byte, 4*n)
	if err := m.Read(addr, b); err != nil {
		t.Fatal(err)
	}
	v := make([]float32, n)
	load32(v, b)
	return v
}

const data = 0x8010000

// TestScript runs a script with every instruction that the golden list lacks:
// loads, stores, branches, SYNC.
func TestScript(t *testing.T) {
	m := NewMemory(R3)
	rel := func(reg int, off uint32) uint32 { return image.Rel(reg, off) }
	job := program(t, m,
		image.Instruction{Op: image.NOP},
		image.Instruction{Op: image.LI, A: 1, Z: 3},                                      // count
		image.Instruction{Op: image.LI, A: 15, Z: 99},                                    // stays 0
		image.Instruction{Op: image.LEA, A: 2, B: 15, X: data, Z: 4},                     // A2 = data
		image.Instruction{Op: image.ADDI, A: 3, B: 3, Z: 10},                             // loop: R3 += 10
		image.Instruction{Op: image.ADDI, A: 4, B: 4, Z: 1},                              // R4++
		image.Instruction{Op: image.STR, A: 3, X: rel(2, 8)},                             //
		image.Instruction{Op: image.LDR, A: 5, X: data + 8},                              //
		image.Instruction{Op: image.BLT, A: 4, B: 1, X: image.Payload + 4*16},            // R4 < R1
		image.Instruction{Op: image.BNE, A: 3, B: 5, X: image.Payload + 12*16},           // not taken
		image.Instruction{Op: image.BEQ, A: 15, B: 6, X: image.Payload + 12*16},          // taken: R6 is 0
		image.Instruction{Op: image.LI, A: 7, Z: 1},                                      // skipped
		image.Instruction{Op: image.SYNC},                                                //
		image.Instruction{Op: image.ADDI, A: 8, B: 15, Z: 0xFFFFFFFF},                    // 2^32-1
		image.Instruction{Op: image.BLT, A: 15, B: 8, X: image.Payload + 16*16},          // unsigned: taken
		image.Instruction{Op: image.LI, A: 7, Z: 2},                                      // skipped
		image.Instruction{Op: image.LEA, A: 9, B: 8, X: rel(2, 0xFFFFFF), Z: 0xFFFFFFFF}, // wraps to 28 bits
		image.Instruction{Op: image.HALT},
	)
	for _, num := range []Numerics{HW, Float} {
		c := New(m, Options{Numerics: num})
		syncs := 0
		c.OnSync = func() { syncs++ }
		c.Start(job)
		c.Start(0x8000000) // ignored while busy
		if !c.Busy() {
			t.Fatal("not busy after Start")
		}
		if err := c.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		if c.Busy() || c.Fault() != nil || syncs != 1 {
			t.Errorf("busy %v, fault %v, %d syncs", c.Busy(), c.Fault(), syncs)
		}
		if v, _ := m.Uint32(data + 8); v != 30 || c.R[3] != 30 || c.R[5] != 30 || c.R[7] != 0 || c.R[15] != 0 {
			t.Errorf("stored %d, registers %v", v, c.R)
		}
		if want := uint32((data+0xFFFFFF)&image.AddrMask+1) & image.AddrMask; c.A[9] != want {
			t.Errorf("A9 = $%X, want $%X", c.A[9], want)
		}
		// 4 + 3*5 + 2 + 3 + 2 instructions, 3 loads, 3 stores
		if c.Instructions != 26 || c.BytesRead != 26*16+12 || c.BytesWritten != 12 {
			t.Errorf("%d instructions, %d read, %d written", c.Instructions, c.BytesRead, c.BytesWritten)
		}
		if done, err := c.Step(); !done || err != nil {
			t.Errorf("stepping an idle core: %v %v", done, err)
		}
	}
}

// TestFaults: each fault has its code, names PC, instruction and address, and
// stops the job.
func TestFaults(t *testing.T) {
	const end3 = Base + 8<<20
	huge := [3]uint32{0xFFFFFFE0, 0xFFFFFFFF, 0}
	cases := []struct {
		name  string
		board Board
		n     [3]uint32
		r1    uint32
		in    image.Instruction
		code  Code
		addr  uint32
		msg   string
	}{
		{"unknown", R3, [3]uint32{}, 0, image.Instruction{Op: 0x55}, CodeIllegal, 0, "unknown instruction $55"},
		{"format", R3, [3]uint32{32, 1}, 0, image.Instruction{Op: image.GEMV, A: 3, X: data, Y: data, Z: data}, CodeIllegal, 0, "weight format 3"},
		{"flags", R3, [3]uint32{32, 1}, 0, image.Instruction{Op: image.GEMV, A: 8, B: 7, X: data, Y: data, Z: data}, CodeIllegal, 0, "flags $07"},
		{"columns", R3, [3]uint32{33, 1}, 0, image.Instruction{Op: image.GEMV, A: 8, X: data, Y: data, Z: data}, CodeIllegal, 0, "rows of 33 elements"},
		{"load below", R3, [3]uint32{}, 0, image.Instruction{Op: image.LDR, X: 0x7FFFFFC}, CodeAddress, 0x7FFFFFC, "no RAM at $7FFFFFC"},
		{"load across the end", R3, [3]uint32{}, 0, image.Instruction{Op: image.LDR, X: end3 - 2}, CodeAddress, end3, "no RAM at $8800000"},
		{"same on R6", R6, [3]uint32{}, 0, image.Instruction{Op: image.LDR, X: 0xC7FFFFE}, CodeAddress, 0xC800000, "no RAM at $C800000"},
		{"store", R3, [3]uint32{}, 0, image.Instruction{Op: image.STR, X: 0}, CodeAddress, 0, "no RAM at $0000000"},
		{"copy from", R3, [3]uint32{}, 0, image.Instruction{Op: image.COPY, X: end3, Y: data, Z: 1}, CodeAddress, end3, "the source"},
		{"copy to", R3, [3]uint32{}, 0, image.Instruction{Op: image.COPY, X: data, Y: end3, Z: 1}, CodeAddress, end3, "the result"},
		{"huge matrix", R3, huge, 0, image.Instruction{Op: image.GEMV, A: 8, X: data, Y: data, Z: data}, CodeAddress, end3, "the weights"},
		{"vector", R3, [3]uint32{32, 1}, 0, image.Instruction{Op: image.GEMV, A: 8, X: data, Y: end3 - 4, Z: data}, CodeAddress, end3, "the vector"},
		{"row", R3, huge, 0, image.Instruction{Op: image.DEQROW, A: 0, X: data, Z: data}, CodeAddress, end3, "the weights"},
		{"sum", R3, huge, 0, image.Instruction{Op: image.VADD, X: data, Y: data, Z: data}, CodeAddress, end3, "the first vector"},
		{"norm", R3, [3]uint32{8}, 0, image.Instruction{Op: image.LAYERNORM, X: data, Y: end3 - 60, Z: data}, CodeAddress, end3, "weight and bias"},
		{"argmax of none", R3, [3]uint32{}, 0, image.Instruction{Op: image.ARGMAX, X: data}, CodeIllegal, 0, "no values"},
		{"argmax of NaN", R3, [3]uint32{9}, 0, image.Instruction{Op: image.ARGMAX, X: data + 0x100}, CodeNaN, data + 0x100 + 12, "value 3 of 9 is NaN"},
		{"argmax of infinity", R3, [3]uint32{9}, 0, image.Instruction{Op: image.ARGMAX, X: data + 0x140}, CodeNaN, data + 0x140 + 32, "value 8 of 9 is -Inf"},
		{"rope", R3, [3]uint32{8, 3}, 0, image.Instruction{Op: image.ROPE, X: data, Y: data}, CodeIllegal, 0, "heads of 3"},
		{"rope by none", R3, [3]uint32{8, 0}, 0, image.Instruction{Op: image.ROPE, X: data, Y: data}, CodeIllegal, 0, "heads of 0"},
		{"no heads", R3, [3]uint32{}, 0, image.Instruction{Op: image.ATTN, A: 1, X: data, Y: data, Z: data}, CodeIllegal, 0, "0 heads"},
		{"odd heads", R3, [3]uint32{}, 0, image.Instruction{Op: image.ATTN, A: 1, X: data + 0x200, Y: data, Z: data}, CodeIllegal, 0, "do not fall"},
		{"KV format", R3, [3]uint32{}, 0, image.Instruction{Op: image.ATTN, A: 1, X: data + 0x220, Y: data, Z: data}, CodeIllegal, 0, "KV format 7"},
		{"long cache", R3, [3]uint32{}, 0xFFFFFFFF, image.Instruction{Op: image.ATTN, A: 1, X: data + 0x240, Y: data, Z: data}, CodeAddress, end3, "the K cache"},
		{"score", R3, [3]uint32{}, 1, image.Instruction{Op: image.ATTN, A: 1, X: data + 0x240, Y: data + 0x104, Z: data}, CodeNaN, data, "score of head 1"},
		{"rows", R3, [3]uint32{8}, 0xFFFFFFFF, image.Instruction{Op: image.MEANROWS, A: 1, X: data, Z: data}, CodeAddress, end3, "the rows"},
		{"branch astray", R3, [3]uint32{}, 0, image.Instruction{Op: image.BEQ, X: 0x9000000}, CodeAddress, 0x9000000, "no RAM at the PC"},
		{"branch askew", R3, [3]uint32{}, 0, image.Instruction{Op: image.BEQ, X: data + 8}, CodeAlign, data + 8, "no multiple of 16"},
	}
	for _, k := range cases {
		for _, num := range []Numerics{HW, Float} {
			t.Run(k.name+"/"+num.String(), func(t *testing.T) {
				m := NewMemory(k.board)
				nan, inf := float32(math.NaN()), float32(math.Inf(-1))
				put(t, m, data+0x100, 0, 0, 0, nan, 0, 0, 0, 0, 0)
				put(t, m, data+0x140, 0, 0, 0, 0, 0, 0, 0, 0, inf)
				for i, b := range []image.AttnBlock{
					{K: data, V: data, Heads: 5, KVHeads: 2, HeadDim: 2},
					{K: data, V: data, Heads: 2, KVHeads: 2, HeadDim: 2, KVFormat: 7},
					{K: data, V: data, Heads: 2, KVHeads: 2, HeadDim: 2},
				} {
					e := b.Encode()
					if err := m.Write(data+0x200+0x20*uint32(i), e[:]); err != nil {
						t.Fatal(err)
					}
				}
				job := program(t, m, image.Instruction{Op: image.NOP}, k.in)
				c := New(m, Options{Numerics: num})
				c.N, c.R[1] = k.n, k.r1
				c.Start(job)
				err := c.Run(context.Background())
				var f *Fault
				if !errors.As(err, &f) {
					t.Fatalf("no fault but %v", err)
				}
				if f.Code != k.code || f.Addr != k.addr || !strings.Contains(f.Error(), k.msg) {
					t.Errorf("code %d, address $%X: %v; want %d, $%X, %q", f.Code, f.Addr, f, k.code, k.addr, k.msg)
				}
				if branch := strings.HasPrefix(k.name, "branch"); !branch && (f.PC != job+16 || f.Instr != k.in.Encode() || !strings.Contains(f.Error(), fmt.Sprintf("$%07X", job+16))) {
					t.Errorf("PC $%X, instruction %x", f.PC, f.Instr)
				} else if branch && f.PC != k.addr {
					t.Errorf("PC $%X, want $%X", f.PC, k.addr)
				}
				if c.Busy() || c.Fault() != f {
					t.Error("the job did not stop")
				}
			})
		}
	}
}

// TestAllowNaN lets broken values through where that is asked for.
func TestAllowNaN(t *testing.T) {
	m := NewMemory(R3)
	put(t, m, data, 1, float32(math.NaN()), 3, 2)
	c := New(m, Options{AllowNaN: true})
	c.N[0] = 4
	c.Start(program(t, m, image.Instruction{Op: image.ARGMAX, A: 2, X: data}, image.Instruction{Op: image.HALT}))
	if err := c.Run(context.Background()); err != nil || c.R[2] != 2 {
		t.Errorf("%v, index %d", err, c.R[2])
	}
}

// TestUnaligned: operands need no alignment, and the results are the same.
func TestUnaligned(t *testing.T) {
	for _, num := range []Numerics{HW, Float} {
		m := NewMemory(R3)
		c := New(m, Options{Numerics: num})
		run := func(in image.Instruction, n ...uint32) {
			t.Helper()
			copy(c.N[:], n)
			c.Start(program(t, m, in, image.Instruction{Op: image.HALT}))
			if err := c.Run(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		x, y := []float32{1, 2, 3, -4, 5}, []float32{0.5, 0.25, 2, 1, -1}
		const a, b, z = 0x8020000, 0x8021000, 0x8022000
		for _, op := range []image.Op{image.VADD, image.VMUL, image.SILUMUL, image.RMSNORM, image.GELU} {
			put(t, m, a, x...)
			put(t, m, b, y...)
			run(image.Instruction{Op: op, X: a, Y: b, Z: z}, 5, 0, 0x3727C5AC)
			want := get(t, m, z, 5)
			put(t, m, a+1, x...)
			put(t, m, b+3, y...)
			run(image.Instruction{Op: op, X: a + 1, Y: b + 3, Z: z + 0x101}, 5, 0, 0x3727C5AC)
			if err := same(get(t, m, z+0x101, 5), want); err != nil {
				t.Errorf("%v %v: %v", num, op, err)
			}
		}
		put(t, m, a+2, x...)
		put(t, m, b+1, y...)
		put(t, m, z+3, 10)
		run(image.Instruction{Op: image.GEMV, A: fmtF32, B: image.GemvAdd, X: a + 2, Y: b + 1, Z: z + 3}, 5, 1)
		if got := get(t, m, z+3, 1); got[0] != 10+0.5+0.5+6-4-5 {
			t.Errorf("%v: product %v", num, got)
		}
		put(t, m, a+1, 1, 2, 3, 4)
		put(t, m, b+1, 0, 1)
		run(image.Instruction{Op: image.ROPE, X: a + 1, Y: b + 1}, 4, 2)
		if err := same(get(t, m, a+1, 4), []float32{-2, 1, -4, 3}); err != nil {
			t.Errorf("%v: rope %v", num, err)
		}
	}
}

// TestOverlap: a result that overlaps an operand without being it is what
// separate memory would have given.
func TestOverlap(t *testing.T) {
	for _, kern := range Kernels() {
		m := NewMemory(R3)
		x := make([]float32, 40)
		for i := range x {
			x[i] = float32(i)
		}
		put(t, m, data, x...)
		c := New(m, Options{Kernels: kern})
		c.N[0] = 32
		c.Start(program(t, m, image.Instruction{Op: image.VADD, X: data, Y: data + 8, Z: data + 4}, image.Instruction{Op: image.HALT}))
		if err := c.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		for i, v := range get(t, m, data+4, 32) {
			if v != float32(2*i+2) {
				t.Fatalf("%s: value %d is %v, want %d", kern, i, v, 2*i+2)
			}
		}
	}
}

// TestRunCancel: a cancelled run stops between instructions and can go on.
func TestRunCancel(t *testing.T) {
	m := NewMemory(R3)
	c := New(m, Options{})
	c.Start(program(t, m, image.Instruction{Op: image.BEQ, X: image.Payload})) // for ever
	ctx, cancel := context.WithCancel(context.Background())
	steps := 0
	c.OnStep = func(uint32, [16]byte) {
		if steps++; steps == 1000 {
			cancel()
		}
	}
	if err := c.Run(ctx); !errors.Is(err, context.Canceled) || !c.Busy() {
		t.Errorf("%v, busy %v", err, c.Busy())
	}
	c.Abort()
	if c.Busy() {
		t.Error("busy after Abort")
	}
}

// TestThreads: the number of threads does not show in a big product.
func TestThreads(t *testing.T) {
	m := NewMemory(R6)
	const rows, n = 1500, 320
	w := make([]byte, rows*n/32*34)
	for i := range w {
		w[i] = byte(i * 7919 >> 5)
	}
	for i := 0; i < len(w); i += 34 {
		w[i], w[i+1] = byte(i), 0x20
	}
	if err := m.Write(0x9000000, w); err != nil {
		t.Fatal(err)
	}
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(math.Sin(float64(i)))
	}
	put(t, m, data, x...)
	for _, num := range []Numerics{HW, Float} {
		var want []float32
		for _, threads := range []int{1, 2, 3, 7} {
			c := New(m, Options{Numerics: num, Threads: threads})
			c.N = [3]uint32{n, rows, 0}
			c.Start(program(t, m, image.Instruction{Op: image.GEMV, A: fmtQ8, X: 0x9000000, Y: data, Z: 0xA000000}, image.Instruction{Op: image.HALT}))
			if err := c.Run(context.Background()); err != nil {
				t.Fatal(err)
			}
			got := get(t, m, 0xA000000, rows)
			if want == nil {
				want = got
			} else if err := same(got, want); err != nil {
				t.Errorf("%v, %d threads: %v", num, threads, err)
			}
		}
	}
}

// FuzzStep runs arbitrary instructions over arbitrary memory: no panic, no
// hang, and every kernel set sees the same.
func FuzzStep(f *testing.F) {
	add := func(n0, n1 uint32, in image.Instruction) {
		b := in.Encode()
		f.Add(b[:], n0, n1, uint32(3), []byte{1, 2, 3, 0x40, 5})
	}
	for op := range image.Op(0x30) {
		add(32, 17, image.Instruction{Op: op, A: 8, X: data, Y: data + 0x1000, Z: data + 0x3000})
		add(36, 18, image.Instruction{Op: op, A: 2, X: data + 1, Y: data + 3, Z: data + 2})
	}
	mems := []*Memory{NewMemory(R3), NewMemory(R3)}
	f.Fuzz(func(t *testing.T, ins []byte, n0, n1, r uint32, fill []byte) {
		if len(ins) != 16 {
			return
		}
		var faults []string
		kerns := Kernels()
		for i, kern := range []string{kerns[0], kerns[len(kerns)-1]} {
			m := mems[i]
			clear(m.bytes)
			for j := range 0x8000 {
				if len(fill) > 0 {
					m.bytes[data-Base+j] = fill[j%len(fill)] ^ byte(j>>6)
				}
			}
			if err := m.Write(image.Payload, ins); err != nil {
				t.Fatal(err)
			}
			c := New(m, Options{Kernels: kern, AllowNaN: true, Numerics: Numerics(r & 1)})
			c.N = [3]uint32{n0 % 5000, n1 % 300, 0x3727C5AC}
			for j := range 15 {
				c.R[j] = r % 100
			}
			c.Start(image.Payload)
			_, err := c.Step()
			faults = append(faults, fmt.Sprint(err, c.R, c.A, c.PC, c.BytesRead, c.BytesWritten))
		}
		if faults[0] != faults[1] {
			t.Fatalf("plain Go: %s\n%s: %s", faults[0], kerns[len(kerns)-1], faults[1])
		}
		a, b := mems[0].bytes, mems[1].bytes
		if !bytes.Equal(a, b) && !sameButNaN(a, b) {
			t.Fatal("memory differs between kernel sets")
		}
	})
}

// sameButNaN compares memory as singles and halves, where a NaN may have any
// payload.
func sameButNaN(a, b []byte) bool {
	for i := 0; i < len(a); i += 4 {
		x, y := f32at(a, i), f32at(b, i)
		if math.Float32bits(x) == math.Float32bits(y) || x != x && y != y {
			continue
		}
		for _, o := range []int{i, i + 2} {
			h, g := fromHalf(u16(a[o:], 0)), fromHalf(u16(b[o:], 0))
			if u16(a[o:], 0) != u16(b[o:], 0) && !(h != h && g != g) {
				return false
			}
		}
	}
	return true
}
