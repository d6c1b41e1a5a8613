package machine

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// dmaList is a job list in the making, beside what it means.
type dmaList struct {
	bytes []byte
	jobs  []modelJob
}

// modelJob is one job in plain terms: every address in 1/256 byte.
type modelJob struct {
	fill             bool
	value            byte
	count            int
	src, dst         uint64
	srcStep, dstStep int64
	cross            bool
	transparent      int // value that is not written, -1 none
}

// modelMemory is a 256 MB space of which only what was touched exists.
type modelMemory map[uint32]byte

func (mm modelMemory) run(j modelJob, read func(a uint32) byte) {
	next := func(a uint64, step int64) uint64 {
		n := uint64(int64(a)+step) & (1<<36 - 1)
		if !j.cross {
			n = a>>28<<28 | n&(1<<28-1)
		}
		return n
	}
	get := func(a uint64) byte {
		p := uint32(a >> 8)
		if v, ok := mm[p]; ok {
			return v
		}
		return read(p)
	}
	put := func(a uint64, v byte) {
		p := uint32(a >> 8)
		if int(v) == j.transparent || p >= 0x20000 && p < 0x40000 {
			return
		}
		mm[p] = v
	}
	var ahead byte
	if !j.fill {
		ahead = get(j.src)
		j.src = next(j.src, j.srcStep)
	}
	for range j.count {
		v := j.value
		if !j.fill {
			v = ahead
			ahead = get(j.src)
			j.src = next(j.src, j.srcStep)
		}
		put(j.dst, v)
		j.dst = next(j.dst, j.dstStep)
	}
}

// randomList makes an enhanced list of one to three chained jobs in chip RAM and
// attic RAM.
func randomList(r *rand.Rand) dmaList {
	var l dmaList
	srcMB, dstMB := byte(0), byte(0)
	srcSkip, dstSkip := int64(0x100), int64(0x100)
	cross := false
	transparent := -1
	value := 0
	revB := false
	jobs := 1 + r.IntN(3)
	for k := range jobs {
		opt := func(b ...byte) { l.bytes = append(l.bytes, b...) }
		if revB = r.IntN(2) == 0; revB {
			opt(0x0B)
		} else {
			opt(0x0A)
		}
		if r.IntN(2) == 0 {
			srcMB = []byte{0, 0x80, 0x81}[r.IntN(3)]
			opt(0x80, srcMB)
		}
		if r.IntN(2) == 0 {
			dstMB = []byte{0, 0x80, 0x81}[r.IntN(3)]
			opt(0x81, dstMB)
		}
		if r.IntN(4) == 0 {
			srcSkip = int64(r.IntN(0x300))
			opt(0x82, byte(srcSkip), 0x83, byte(srcSkip>>8))
		}
		if r.IntN(4) == 0 {
			dstSkip = int64(r.IntN(0x300))
			opt(0x84, byte(dstSkip), 0x85, byte(dstSkip>>8))
		}
		if r.IntN(5) == 0 {
			cross = true
			opt(0x01)
		}
		if r.IntN(5) == 0 {
			value = r.IntN(4)
			opt(0x86, byte(value), 0x07)
			transparent = value
		} else if r.IntN(5) == 0 {
			opt(0x06)
			transparent = -1
		}
		opt(0x00)
		j := modelJob{fill: r.IntN(3) == 0, count: 1 + r.IntN(700), cross: cross, transparent: transparent}
		if r.IntN(20) == 0 {
			j.count = 65536
		}
		// Mostly low in a bank, sometimes just below the megabyte's end.
		addr := func(mb byte) uint32 {
			if mb >= 0x80 && r.IntN(3) == 0 {
				return 0x100000 - 1 - uint32(r.IntN(300))
			}
			return 0x41000 + uint32(r.IntN(0x800))
		}
		src, dst := addr(srcMB), addr(dstMB)
		if r.IntN(4) == 0 && srcMB == dstMB {
			dst = src + uint32(r.IntN(7)) - 3
		}
		cmd := byte(0)
		if j.fill {
			cmd = 3
		}
		if k < jobs-1 {
			cmd |= 4
		}
		srcHold, srcDown, dstHold, dstDown := r.IntN(6) == 0, r.IntN(4) == 0, r.IntN(6) == 0, r.IntN(4) == 0
		j.srcStep, j.dstStep = srcSkip, dstSkip
		if srcDown {
			j.srcStep = -j.srcStep
		}
		if dstDown {
			j.dstStep = -j.dstStep
		}
		if srcHold {
			j.srcStep = 0
		}
		if dstHold {
			j.dstStep = 0
		}
		srcBank, dstBank, sub := byte(src>>16&15), byte(dst>>16&15), byte(0)
		bits := func(hold, down bool) byte {
			var b byte
			if hold {
				b |= 0x10
			}
			if down {
				b |= 0x40
			}
			return b
		}
		if revB {
			if srcDown {
				cmd |= 0x10
			}
			if dstDown {
				cmd |= 0x20
			}
			if srcHold {
				sub |= 2
			}
			if dstHold {
				sub |= 8
			}
		} else {
			srcBank |= bits(srcHold, srcDown)
			dstBank |= bits(dstHold, dstDown)
		}
		j.value = byte(src)
		j.src = uint64(srcMB)<<28 | uint64(src&0xFFFFF)<<8
		j.dst = uint64(dstMB)<<28 | uint64(dst&0xFFFFF)<<8
		opt(cmd, byte(j.count), byte(j.count>>8), byte(src), byte(src>>8), srcBank, byte(dst), byte(dst>>8), dstBank)
		if revB {
			opt(sub)
		}
		opt(0, 0)
		l.jobs = append(l.jobs, j)
	}
	return l
}

// runDMAList starts a list at bank 5, offset 0 and lets it end.
func runDMAList(m *Machine, list []byte) {
	const at = 0x50000
	m.Poke(at, list)
	m.writePhys(0xFFD3702, at>>16)
	m.writePhys(0xFFD3704, 0)
	m.writePhys(0xFFD3701, 0)
	m.sliceEnd = m.nextLine(m.now())
	m.writePhys(0xFFD3705, 0)
	for m.dma.active {
		m.sliceEnd = m.nextLine(m.now())
		m.runDMA()
	}
}

func TestDMAAgainstModel(t *testing.T) {
	n := 600
	if testing.Short() {
		n = 100
	}
	m := newMachine(t, Options{})
	random := rand.New(rand.NewPCG(1, 2))
	fill := func(b []byte) {
		for i := range b {
			b[i] = byte(random.Uint32() % 5)
		}
	}
	for i := range n {
		r := rand.New(rand.NewPCG(uint64(i), 65))
		areas := [][]byte{m.chip[0x40000:0x60000], m.hyper[0x40000:0x44000], m.hyper[0xFE000:0x103000], m.hyper[0x1FE000:0x203000], m.hyper[0x140000:0x144000]}
		if i%50 == 0 {
			for _, a := range areas {
				fill(a)
			}
		}
		l := randomList(r)
		m.Poke(0x50000, l.bytes)
		mm := modelMemory{}
		read := func(a uint32) byte {
			if s := m.readable(a); s != nil {
				return s[0]
			}
			if a < 0x4000000 {
				return 0xFF
			}
			return unmappedText[a&7]
		}
		for _, j := range l.jobs {
			mm.run(j, read)
		}
		overwritesList := false
		for a := range mm {
			if a >= 0x50000 && a < 0x50000+uint32(len(l.bytes)) {
				overwritesList = true
			}
		}
		if overwritesList {
			continue
		}
		before := bytes.Clone(m.chip[:])
		runDMAList(m, l.bytes)
		for a, want := range mm {
			s := m.readable(a)
			if s != nil && s[0] != want {
				t.Fatalf("list %d % X: $%07X = %d, want %d\njobs %+v", i, l.bytes, a, s[0], want, l.jobs)
			}
		}
		for a, want := range mm {
			if int(a) < len(before) {
				before[a] = want
			}
		}
		if !bytes.Equal(before[:colourAlias], m.chip[:colourAlias]) || !bytes.Equal(before[0x40000:], m.chip[0x40000:]) {
			t.Fatalf("list %d % X: chip RAM changed where no job wrote\njobs %+v", i, l.bytes, l.jobs)
		}
	}
}

// Cases that a random list seldom meets.
func TestDMACases(t *testing.T) {
	type check struct {
		addr uint32
		want []byte
	}
	cases := []struct {
		name string
		poke map[uint32][]byte
		list []byte
		want []check
	}{
		{"count 0 is 65,536", nil,
			[]byte{0x0B, 0, 3, 0, 0, 7, 0, 0, 0, 0, 4, 0, 0, 0},
			[]check{{0x40000, []byte{7, 7}}, {0x4FFFE, []byte{7, 7}}, {0x50000, []byte{0x0B}}}},
		{"option $90 makes counts of more", nil,
			[]byte{0x0B, 0x81, 0x80, 0x90, 0x02, 0, 3, 1, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0},
			[]check{{0x8000000, []byte{9}}, {0x8020000, []byte{9, 0}}}},
		{"bank bits 4-6 of F018B are added to the megabyte", nil,
			[]byte{0x0B, 0x81, 0x80, 0, 3, 2, 0, 5, 0, 0, 0, 0, 0x10, 0, 0, 0},
			[]check{{0x8100000, []byte{5, 5, 0}}}},
		{"the copy stays in its megabyte", map[uint32][]byte{0x42000: {1, 2, 3, 4}},
			[]byte{0x0B, 0x81, 0x80, 0, 0, 4, 0, 0x00, 0x20, 4, 0xFE, 0xFF, 0x0F, 0, 0, 0},
			[]check{{0x80FFFFE, []byte{1, 2}}, {0x8000000, []byte{3, 4}}, {0x8100000, []byte{0, 0}}}},
		{"option $01 lets it leave", map[uint32][]byte{0x42000: {1, 2, 3, 4}},
			[]byte{0x0B, 0x01, 0x81, 0x80, 0, 0, 4, 0, 0x00, 0x20, 4, 0xFE, 0xFF, 0x0F, 0, 0, 0},
			[]check{{0x80FFFFE, []byte{1, 2}}, {0x8000000, []byte{0, 0}}, {0x8100000, []byte{3, 4}}}},
		{"a shift by one repeats nothing: the copier reads ahead", map[uint32][]byte{0x42000: {1, 2, 3, 4, 9, 9}},
			[]byte{0x0B, 0, 0, 4, 0, 0x00, 0x20, 4, 0x01, 0x20, 4, 0, 0, 0},
			[]check{{0x42000, []byte{1, 1, 2, 3, 4, 9}}}},
		{"a shift by two does", map[uint32][]byte{0x42000: {1, 2, 3, 4, 9, 9, 9}},
			[]byte{0x0B, 0, 0, 4, 0, 0x00, 0x20, 4, 0x02, 0x20, 4, 0, 0, 0},
			[]check{{0x42000, []byte{1, 2, 1, 2, 1, 2, 9}}}},
		{"ROM keeps what it has", nil,
			[]byte{0x0B, 0, 3, 2, 0, 5, 0, 0, 0x00, 0x00, 3, 0, 0, 0},
			[]check{{0x30000, []byte{0, 0}}}},
		{"colour RAM by its chip RAM address", nil,
			[]byte{0x0B, 0, 3, 4, 0, 5, 0, 0, 0x00, 0xF8, 1, 0, 0, 0},
			[]check{{0xFF80000, []byte{5, 5, 5, 5}}, {0x1F800, []byte{5, 5, 5, 5}}}},
		{"a fill across bank 1's colour RAM", nil,
			[]byte{0x0B, 0, 3, 4, 0, 5, 0, 0, 0xFE, 0xF7, 1, 0, 0, 0},
			[]check{{0x1F7FE, []byte{5, 5, 5, 5}}, {0xFF80000, []byte{5, 5}}}},
		{"I/O by the bank's bit 7", nil,
			[]byte{0x0B, 0, 3, 1, 0, 5, 0, 0, 0x20, 0xD0, 0x80, 0, 0, 0},
			[]check{{0xFFD3020, nil}}},
		{"mix ends the list", nil,
			[]byte{0x0B, 0, 1 | 4, 1, 0, 5, 0, 0, 0, 0x20, 4, 0, 0, 0, 0x0B, 0, 3, 1, 0, 5, 0, 0, 0, 0x20, 4, 0, 0, 0},
			[]check{{0x42000, []byte{0}}}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := newMachine(t, Options{})
			m.writePhys(0xFFD302F, 0x47)
			m.writePhys(0xFFD302F, 0x53)
			for a, b := range c.poke {
				m.Poke(a, b)
			}
			runDMAList(m, c.list)
			for _, w := range c.want {
				if w.want == nil {
					if got := m.readPhys(w.addr); got != 5 {
						t.Errorf("$%07X = %d, want 5", w.addr, got)
					}
					continue
				}
				if got := m.Peek(w.addr, len(w.want)); !bytes.Equal(got, w.want) {
					t.Errorf("$%07X = % X, want % X", w.addr, got, w.want)
				}
			}
		})
	}
}

func BenchmarkDMACopy(b *testing.B) {
	m := newMachine(b, Options{})
	list := []byte{0x0B, 0x80, 0x80, 0x81, 0x81, 0x90, 0x08, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
	b.SetBytes(0x80000)
	for b.Loop() {
		runDMAList(m, list)
	}
}
