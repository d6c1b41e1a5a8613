package machine

import "testing"

// benchmarkFrames runs code as a program and reports how many times real time
// the whole machine runs.
func benchmarkFrames(b *testing.B, code ...byte) {
	m, err := New(Options{})
	if err != nil {
		b.Fatal(err)
	}
	if err := m.LoadPRG(program(code...)); err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	t0 := m.Time()
	for b.Loop() {
		if err := m.RunFrame(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric((m.Time()-t0).Seconds()/b.Elapsed().Seconds(), "x-real-time")
}

// BenchmarkCompute is a program that works in memory: stores to the base page,
// to absolute addresses and through pointers.
func BenchmarkCompute(b *testing.B) {
	benchmarkFrames(b,
		0x78,       // SEI
		0xA2, 0x00, // LDX #0
		0xB5, 0x80, // LDA $80,X
		0x75, 0x20, // ADC $20,X
		0x95, 0x80, // STA $80,X
		0x9D, 0x00, 0x40, // STA $4000,X
		0xBD, 0x00, 0x41, // LDA $4100,X
		0x85, 0x10, // STA $10
		0xE6, 0x11, // INC $11
		0xCA,       // DEX
		0xD0, 0xED, // BNE
		0x80, 0xE9, // BRA
	)
}

// BenchmarkPoll is a program that waits for a key.
func BenchmarkPoll(b *testing.B) {
	benchmarkFrames(b,
		0x78,
		0xA9, 0x47, 0x8D, 0x2F, 0xD0, 0xA9, 0x53, 0x8D, 0x2F, 0xD0,
		0xAD, 0x10, 0xD6, // LDA $D610
		0xF0, 0xFB, // BEQ
		0x80, 0xF9,
	)
}

// BenchmarkFar is a program that reads attic RAM through a far pointer.
func BenchmarkFar(b *testing.B) {
	benchmarkFrames(b,
		0x78,
		0xA9, 0x08, 0x85, 0x83, 0xA9, 0, 0x85, 0x80, 0x85, 0x81, 0x85, 0x82,
		0xA3, 0x00, // LDZ #0
		0xEA, 0xB2, 0x80, // LDA [$80],Z
		0xEA, 0x92, 0x80, // STA [$80],Z
		0x1B,       // INZ
		0xD0, 0xF7, // BNE
		0xE6, 0x81,
		0x80, 0xF3,
	)
}

// BenchmarkPrompt is the READY prompt, which polls through a hook.
func BenchmarkPrompt(b *testing.B) { benchmarkFrames(b, 0x60) }
