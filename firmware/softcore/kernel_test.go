package softcore

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"ssnail-kit/emu/machine"
	"ssnail-kit/host/ggml"
)

// kernelBatch calls attention's kernel for records of 128 bytes: a factor, at 4
// 8 halves, at 32 8 sums; at 64 go the results, at 96 err.
const kernelBatch = `
kernel_batch:
  +set_size 128
  ldq batch_place
  stq place
  lda #<BUF_X
  ldx #>BUF_X
  jsr fetch
  lda #0
  sta err
  +set16 px, BUF_X + 32
  +set16 py, SLOTS * 256
  +set16 pz, BUF_X + 4
kernel_sums:
  +word_at px, pa
  jsr unpack_acc
  ldq acc_q
  stq (py)
  ldy #s_e
  lda acc_e
  sta (py),y
  iny
  lda acc_s
  sta (py),y
  ldy #0
  lda (pz),y
  ldy #s_data
  sta (py),y
  ldy #1
  lda (pz),y
  ldy #s_data+1
  sta (py),y
  inw pz
  inw pz
  +next4 px
  inc py+1
  lda py+1
  cmp #SLOTS + 8
  bne kernel_sums
  lda #SLOTS + 7
  sta kernel_last+1
  lda #s_data
  sta slot_low+1
  inc
  sta slot_high+1
  ldq BUF_X
  stq pa
  jsr unpack_u
  lda u_e
  neg
  clc
  adc #140
  sta slot_n1+1
  sta slot_n2+1
  lda #KERNEL_PLUS
  bit u_s
  bpl kernel_sign
  lda #KERNEL_MINUS
kernel_sign:
  sta slot_sign
  ldq u_q
  lsrq
  lsrq
  lsrq
  stq HW_MATH_A
  lda #0
  sta HW_MATH_B
  sta HW_MATH_B+3
  jsr kernel
  +set16 px, BUF_X + 64
  +set16 py, SLOTS * 256
kernel_results:
  ldz #0
  ldq (py)
  stq acc_q
  ldy #s_e
  lda (py),y
  sta acc_e
  bne kernel_full
  jsr acc_zero
  bra kernel_pack
kernel_full:
  iny
  lda (py),y
  sta acc_s
kernel_pack:
  jsr pack_acc
  ldq pr
  stq (px)
  +next4 px
  inc py+1
  lda py+1
  cmp #SLOTS + 8
  bne kernel_results
  lda err
  sta BUF_X+96
  +set_size 128
  ldq batch_place
  stq place
  lda #<BUF_X
  ldx #>BUF_X
  jsr store
  +add16to28 batch_place, size
  lda batch_left
  bne kernel_low
  dec batch_left+1
kernel_low:
  dec batch_left
  lda batch_left
  ora batch_left+1
  lbne kernel_batch
  rts
`

// kernelCase is one call of the kernel.
type kernelCase struct {
	factor uint32
	half   [8]uint16
	sum    [8]uint32
}

// mantissa is one of 23 bits, such that ties and carries are likely.
func mantissa(rng *rand.Rand) uint32 {
	m := rng.Uint32()
	switch rng.IntN(6) {
	case 0:
		m &= ^uint32(0) << rng.IntN(24)
	case 1:
		m |= 1<<rng.IntN(24) - 1
	case 2:
		m = 1 << rng.IntN(23)
	case 3:
		m = ^uint32(0) << rng.IntN(23)
	}
	return m & 0x7FFFFF
}

// newKernelCase makes a factor in the kernel's range, halves of all kinds and
// sums at all distances from the products, most of them near.
func newKernelCase(rng *rand.Rand) (c kernelCase) {
	c.factor = uint32(64+rng.IntN(76))<<23 | mantissa(rng) | rng.Uint32()&(1<<31)
	for j := range c.half {
		h := uint16(1+rng.IntN(30))<<10 | uint16(mantissa(rng)>>13)
		switch rng.IntN(60) {
		case 0:
			h &= 0x3FF
		case 1:
			h = 0
		case 2:
			if rng.IntN(50) == 0 {
				h |= 0x7C00
			}
		}
		c.half[j] = h | uint16(rng.IntN(2))<<15
		p := product(c.factor, c.half[j])
		e := int(p >> 23 & 255)
		if rng.IntN(2) == 0 {
			e += rng.IntN(70) - 34
		} else {
			e += rng.IntN(14) - 3
		}
		c.sum[j] = uint32(max(e, 0))<<23&^(1<<31) | mantissa(rng) | rng.Uint32()&(1<<31)
		switch rng.IntN(30) {
		case 0:
			c.sum[j] = 0
		case 1:
			c.sum[j] = p ^ 1<<31
		case 2:
			c.sum[j] = p ^ 1<<31 ^ uint32(rng.IntN(1<<rng.IntN(23)))
		}
		if e := c.sum[j] >> 23 & 255; e > 163 || e < 26 {
			c.sum[j] = 0
		}
	}
	return c
}

// product is the bits of a single times a half.
func product(a uint32, h uint16) uint32 {
	return math.Float32bits(math.Float32frombits(a) * ggml.F16ToF32(h))
}

// TestKernel compares attention's kernel with the standard's arithmetic.
func TestKernel(t *testing.T) {
	r := newRig(t, machine.Options{})
	rng := rand.New(rand.NewPCG(11, 12))
	rounds := 5
	if full() {
		rounds = 100
	}
	const base, records = 0x8600000, 1000
	for range rounds {
		cases := make([]kernelCase, records)
		var b []byte
		for i := range cases {
			c := newKernelCase(rng)
			cases[i] = c
			b = binary.LittleEndian.AppendUint32(b, c.factor)
			for _, h := range c.half {
				b = binary.LittleEndian.AppendUint16(b, h)
			}
			b = append(b, make([]byte, 12)...)
			for _, s := range c.sum {
				b = binary.LittleEndian.AppendUint32(b, s)
			}
			b = append(b, make([]byte, 64)...)
		}
		r.m.Poke(base, b)
		r.batchCall("kernel_batch", base, records)
		for i, c := range cases {
			raw := r.m.Peek(base+uint32(128*i), 128)
			bad := byte(0)
			for j, h := range c.half {
				if h&0x7C00 == 0x7C00 {
					bad++
					continue
				}
				got := binary.LittleEndian.Uint32(raw[64+4*j:])
				p := float32(math.Float32frombits(product(c.factor, h)))
				want := math.Float32bits(math.Float32frombits(c.sum[j]) + p)
				if want<<1 == 0 {
					want = 0
				}
				if got != want {
					t.Errorf("%08x + %08x * %04x = %08x, want %08x", c.sum[j], c.factor, h, got, want)
				}
			}
			if raw[96] != bad {
				t.Errorf("%d halves that are no numbers, %d found", bad, raw[96])
			}
			if t.Failed() {
				t.FailNow()
			}
		}
	}
}
