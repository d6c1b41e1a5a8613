package convert

import (
	"bytes"
	"io"
	"testing"

	"ssnail-kit/host/ggml"
	"ssnail-kit/host/gguf"
	"ssnail-kit/host/image"
)

// FuzzConvert feeds bytes that may be a GGUF to the whole converter: it must
// refuse or make an image that opens, and must not panic.
func FuzzConvert(f *testing.F) {
	for _, m := range []*tiny{
		tinyLlama(tinyOptions{bias: true}, ggml.Q8_0),
		tinyLlama(tinyOptions{arch: "qwen2", kvHeads: 2}, ggml.F32),
		tinyGPT2(tinyOptions{}, ggml.Q4_0),
		tinyBert(tinyOptions{}, ggml.F16),
	} {
		f.Add(m.bytes(f, 3, false), "auto", 0)
		f.Add(m.bytes(f, 2, false), "q4_0", 33)
	}
	f.Fuzz(func(t *testing.T, b []byte, wtype string, ctx int) {
		file, err := gguf.NewFile(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		DescribeModel(file, Options{Ctx: ctx})
		p, err := New(file, Options{WType: wtype, Ctx: ctx, MemMB: 8, Yes: true})
		if err != nil {
			return
		}
		var out bytes.Buffer
		if _, err := p.WriteTo(&out); err != nil {
			return
		}
		im, err := image.Open(bytes.NewReader(out.Bytes()), int64(out.Len()))
		if err != nil {
			t.Fatalf("the image does not open: %v", err)
		}
		if im.MemNeeded > 8<<20 {
			t.Fatalf("%d bytes needed", im.MemNeeded)
		}
		if err := p.Report().WriteText(io.Discard, true); err != nil {
			t.Fatal(err)
		}
	})
}
