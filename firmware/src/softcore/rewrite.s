; A block of Q8_0 or Q4_0, rewritten for dot.s
;
; Weights are biased by 128; those of even columns stand apart from those of odd
; ones. Behind them: the sign of the scale, 3 bytes of 2^20 + 524288 - 128 * their
; sum, the scale's mantissa left-aligned (2 bytes), its exponent.

rb_even      = $58      ; 2 bytes each: where they go
rb_odd       = $5a
rb_extras    = $5c

; The only block of a record, the first or second of two
; Input:  pz_rows = record, sp_x = block, ins+1 = format
; Uses:   A, X, Y, Z, tmp, tmp2, val
rewrite_one:
  lda #0
  ldx #16
  ldy #32
  bra rewrite_block
rewrite_first:
  lda #0
  ldx #33
  ldy #66
  bra rewrite_block
rewrite_second:
  lda #17
  ldx #50
  ldy #66 + EXTRAS
rewrite_block:
  clc
  adc pz_rows
  sta rb_even
  lda pz_rows+1
  adc #0
  sta rb_even+1
  txa
  clc
  adc pz_rows
  sta rb_odd
  lda pz_rows+1
  adc #0
  sta rb_odd+1
  tya
  clc
  adc pz_rows
  sta rb_extras
  lda pz_rows+1
  adc #0
  sta rb_extras+1
  lda #0
  sta val
  sta val+1
  ldy #2
  ldz #0
  lda ins+1
  cmp #8
  bne @q4
@byte:
  lda (sp_x),y
  iny
  eor #$80
  sta (rb_even),z
  clc
  adc val
  sta val
  bcc @even
  inc val+1
@even:
  lda (sp_x),y
  iny
  eor #$80
  sta (rb_odd),z
  clc
  adc val
  sta val
  bcc @odd
  inc val+1
@odd:
  inz
  cpz #16
  bne @byte
  bra @sum
@q4:
  lda (sp_x),y                        ; columns j and j + 16
  iny
  sta tmp
  and #$0f
  clc
  adc #120
  sta (rb_even),z
  jsr @add
  lda (sp_x),y
  iny
  sta tmp2
  and #$0f
  clc
  adc #120
  sta (rb_odd),z
  jsr @add
  tza
  ora #8
  taz
  lda tmp
  lsr
  lsr
  lsr
  lsr
  clc
  adc #120
  sta (rb_even),z
  jsr @add
  lda tmp2
  lsr
  lsr
  lsr
  lsr
  clc
  adc #120
  sta (rb_odd),z
  jsr @add
  tza
  and #7
  inc
  taz
  cpz #8
  bne @q4
@sum:
  lda val+1                           ; $180000 - (sum << 7)
  lsr
  sta tmp+2
  lda val
  ror
  sta tmp+1
  lda #0
  ror
  sta tmp
  ldz #1
  sec
  lda #0
  sbc tmp
  sta (rb_extras),z
  inz
  lda #0
  sbc tmp+1
  sta (rb_extras),z
  inz
  lda #$18
  sbc tmp+2
  sta (rb_extras),z
  ldy #0                              ; the scale
  lda (sp_x),y
  sta tmp
  iny
  lda (sp_x),y
  sta tmp2
  and #3
  sta tmp+1
  ldx #0
  lda tmp2
  and #$7c
  beq @tiny
  cmp #$7c
  bne @finite
  inc err
@finite:
  lsr
  lsr
  sec
  sbc #15
  tax
  lda tmp+1
  ora #4
  sta tmp+1
  lda #0
@shift:
  asl tmp
  rol tmp+1
  inc
  cmp #5
  bne @shift
  bra @write
@tiny:                                ; subnormal: exponent -14 with bit 10 set
  lda tmp
  ora tmp+1
  beq @write
  ldx #<(-14 + 5)
@up:
  asl tmp
  rol tmp+1
  dex
  bit tmp+1
  bpl @up
@write:
  lda tmp2
  and #$80
  ldz #0
  sta (rb_extras),z
  ldz #4
  lda tmp
  sta (rb_extras),z
  inz
  lda tmp+1
  sta (rb_extras),z
  inz
  txa
  sta (rb_extras),z
  ldz #0
  rts
@add:
  clc
  adc val
  sta val
  bcc @added
  inc val+1
@added:
  rts
