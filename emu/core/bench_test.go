package core

import (
	"fmt"
	"path/filepath"
	"testing"

	"ssnail-kit/host/image"
)

// BenchmarkImage reports tokens per second of a golden image.
func BenchmarkImage(b *testing.B) {
	dir := shared(b, "golden")
	for _, set := range []string{"stories260K-q8_0.default", "llama_q4_0.default", "gpt2_q8_0_bos.default"} {
		im := openImage(b, filepath.Join(dir, "images", set+".ssnail"))
		g := readGolden(b, dir, set)
		for _, num := range []Numerics{HW, Float} {
			for _, kern := range Kernels() {
				b.Run(fmt.Sprintf("%s/%v/%s", set, num, kern), func(b *testing.B) {
					benchImage(b, NewMemory(R3), im, g.PromptIDs, g.Options.N, Options{Numerics: num, Kernels: kern})
				})
			}
		}
	}
}

func benchImage(b *testing.B, mem *Memory, im *image.Image, prompt []uint32, n uint32, o Options) {
	steps := 0
	for b.Loop() {
		r := runImage(b, mem, im, prompt, n, o)
		steps += len(r.logits) / int(4*im.OutputLen)
	}
	b.ReportMetric(float64(steps)/b.Elapsed().Seconds(), "tok/s")
}
