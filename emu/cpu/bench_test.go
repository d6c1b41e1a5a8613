package cpu

import (
	"runtime"
	"testing"
)

// benchProgram is a loop of the usual 6502 kind: copy and add pages through
// pointers and indices, count, branch, call.
var benchProgram = []byte{
	0xA2, 0x00, // 2000 ldx #0
	0xBD, 0x00, 0x30, // 2002 lda $3000,x
	0x18,       // 2005 clc
	0x65, 0x20, // 2006 adc $20
	0x9D, 0x00, 0x31, // 2008 sta $3100,x
	0x45, 0x21, // 200B eor $21
	0x85, 0x21, // 200D sta $21
	0xB1, 0x22, // 200F lda ($22),y
	0xC9, 0x80, // 2011 cmp #$80
	0x90, 0x02, // 2013 bcc $2017
	0x49, 0xFF, // 2015 eor #$ff
	0xC8,             // 2017 iny
	0x20, 0x30, 0x20, // 2018 jsr $2030
	0xE8,       // 201B inx
	0xD0, 0xE4, // 201C bne $2002
	0xE6, 0x20, // 201E inc $20
	0x4C, 0x00, 0x20, // 2020 jmp $2000
	0xEA, 0xEA, 0xEA, 0xEA, 0xEA, 0xEA, 0xEA, 0xEA, 0xEA, 0xEA, 0xEA, 0xEA, 0xEA,
	0x0A,       // 2030 asl
	0x2A,       // 2031 rol
	0x65, 0x24, // 2032 adc $24
	0x85, 0x24, // 2034 sta $24
	0x60, // 2036 rts
}

// countInstructions runs the loop hooked to learn its instructions per cycle.
func countInstructions(c *CPU, cycles uint64) uint64 {
	n := uint64(0)
	c.RunHooked(c.Cycles+cycles, func(*CPU) { n++ })
	return n
}

func benchCPU(program []byte) *CPU {
	c, b := newFlat(true)
	copy(b.ram[0x2000:], program)
	b.ram[0x23] = 0x40
	for i := range 256 {
		b.ram[0x3000+i] = byte(i * 7)
		b.ram[0x4000+i] = byte(i * 13)
	}
	c.PC, c.SP, c.P = 0x2000, 0x1FF, FlagE|FlagI
	return c
}

func benchmark(b *testing.B, program []byte) {
	const probe = 1 << 20
	perProbe := countInstructions(benchCPU(program), probe)
	c := benchCPU(program)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	b.ReportAllocs()
	b.ResetTimer()
	c.Run(uint64(b.N) * probe)
	b.StopTimer()
	runtime.ReadMemStats(&after)
	n := float64(perProbe) * float64(b.N)
	b.ReportMetric(n/b.Elapsed().Seconds()/1e6, "Minstr/s")
	b.ReportMetric(float64(c.Cycles)/b.Elapsed().Seconds()/40.5e6, "x-realtime")
}

func Benchmark6502Loop(b *testing.B) { benchmark(b, benchProgram) }
