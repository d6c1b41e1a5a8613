package firmware

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/fstest"

	"ssnail-kit/emu/machine"
	"ssnail-kit/host/image"
)

// sized is a toy model whose payload has n bytes more, random ones.
func sized(t *testing.T, n int) []byte {
	t.Helper()
	img := toy(t, nil, image.Instruction{Op: image.HALT})
	rng := rand.New(rand.NewPCG(61, uint64(n)))
	for range n {
		img = append(img, byte(rng.Uint32()))
	}
	length := uint32(len(img) - image.HeaderSize)
	word(img, image.OffPayloadLen, length)
	word(img, image.OffScratch, image.Payload+length)
	word(img, image.OffMemNeeded, image.Payload+length+256-image.Base)
	word(img, image.OffOutput, image.Payload+length)
	return img
}

// What the loader puts into SSNAIL's memory is the file, whatever its length
// and wherever it comes from, and nothing behind it.
func TestLoaderIsExact(t *testing.T) {
	for _, n := range []int{0, 1, 253, 510, 20_011} {
		img := sized(t, n)
		for name, opt := range map[string]machine.Options{
			"disk": {Disk: disk(t, file{"M.SSNL", img})},
			"card": {SD: fstest.MapFS{"SSNAIL/M.SSNAIL": {Data: img}}},
		} {
			t.Run(fmt.Sprintf("%s-%d", name, len(img)), func(t *testing.T) {
				r := newRig(t, opt)
				r.call("core_find", 0, 0)
				if res := r.call("models_scan", 0, 0); res.C {
					t.Fatalf("models_scan: error %d", res.A)
				}
				end := image.Payload + uint32(len(img)-image.HeaderSize)
				guard := []byte{1, 2, 3, 4, 5, 6, 7, 8}
				r.m.Poke((end+255)&^255, guard)
				if res := r.call("model_load", 0, 0); res.C {
					t.Fatalf("model_load: error %d", res.A)
				}
				if got := r.m.Peek(image.Base, image.HeaderSize); !bytes.Equal(got, img[:image.HeaderSize]) {
					t.Errorf("the header differs")
				}
				if got := r.m.Peek(image.Payload, len(img)-image.HeaderSize); !bytes.Equal(got, img[image.HeaderSize:]) {
					t.Errorf("the payload differs")
				}
				if got := r.m.Peek((end+255)&^255, len(guard)); !bytes.Equal(got, guard) {
					t.Errorf("behind the image: % x", got)
				}
				if got := binary.LittleEndian.Uint32(r.m.Peek(r.base("ld_done"), 4)); int(got) != len(img) {
					t.Errorf("%d bytes counted, %d in the image", got, len(img))
				}
			})
		}
	}
}
