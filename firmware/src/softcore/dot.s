; 32 products of a block in four rows, and what becomes of them
;
; Two signed products in one multiplication: with u = w + 128 and v = x + 128,
; A = u0 + u1 * 2^24 and B = v1 + v0 * 2^24, bytes 3-5 of the product are u0 * v0 +
; u1 * v1. The bias leaves by a constant of the weights' block and one of x's.

dot_acc      = $28      ; 4 sums of 4 bytes; the fourth byte is rubbish
dot_xm       = $f0      ; 2 bytes: mantissa of x's scale
dot_xe       = $f2      ; its exponent + 104
dot_xsum     = $e6      ; 4 bytes
dot_last     = $fe      ; which byte of a product is the last one looked at

!macro dot_pair .p {
  lda #0                              ; v[2p+1], patched
  sta HW_MATH_B
  lda #0                              ; v[2p]
  sta HW_MATH_B+3
!for r, 0, 3 {
  lda ROWS + 40 * r + 2 * .p
  sta HW_MATH_A
  lda ROWS + 40 * r + 2 * .p + 1
  sta HW_MATH_A+3
  ldq dot_acc + 4 * r
  clc
  adcq HW_PRODUCT+3
  stq dot_acc + 4 * r
}
}

; Output: dot_acc
; Uses:   A, X, Y, Z, math unit
dot4:
  lda #0
  sta HW_MATH_A+1
  sta HW_MATH_A+2
  sta HW_MATH_B+1
  sta HW_MATH_B+2
!for r, 0, 3 {
  ldq ROWS + 40 * r + 32
  clc
  adcq dot_xsum
  stq dot_acc + 4 * r
}
dot_pairs:
!for p, 0, 15 {
  +dot_pair p
}
dot_end:
  rts
PAIR_BYTES   = (dot_end - dot_pairs) / 16

; Put a quantised block into the code
; Input:  py = block in XQ
; Output: py behind it
; Uses:   A, X, Y; px
dot_patch:
  ldz #32
  ldq (py)
  stq dot_xsum
  ldz #36
  ldq (py)
  stq dot_xm                          ; and dot_xe
  +set16 px, dot_pairs
  ldx #0
@pair:
  ldy #0
  lda (py),y
  ldy #6
  sta (px),y
  ldy #1
  lda (py),y
  sta (px),y
  inw py
  inw py
  lda px
  clc
  adc #PAIR_BYTES
  sta px
  bcc @same
  inc px+1
@same:
  inx
  inx
  cpx #32
  bne @pair
  lda py
  clc
  adc #8
  sta py
  bcc @done
  inc py+1
@done:
  rts

; acc of the rows at (pz) += f32(isum) * (dw * dx)
; Input:  dot_acc, ROWS, pz = sum of the first row; gv_row, gv_tile
; Output: pz behind the rows
; Uses:   A, X, Y, Z, acc, t, math unit
!macro finish .r {
  lda dot_acc + 4 * .r + 2
  eor ROWS + 40 * .r + 39
  sta t_s
  lda ROWS + 40 * .r + 36
  sta HW_MATH_A
  lda ROWS + 40 * .r + 37
  sta HW_MATH_A+1
  lda dot_xm
  sta HW_MATH_B
  lda dot_xm+1
  sta HW_MATH_B+1
  lda #0
  sta HW_MATH_A+2
  sta HW_MATH_A+3
  sta HW_MATH_B+2
  sta HW_MATH_B+3
  lda ROWS + 40 * .r + 38
  clc
  adc dot_xe
  sta t_e
  ldq HW_PRODUCT                      ; dw * dx, exact
  stq HW_MATH_A
  lda dot_acc + 4 * .r + 2
  bpl @positive
  ldq zeroq
  sec
  sbcq dot_acc + 4 * .r
  sta HW_MATH_B
  stx HW_MATH_B+1
  sty HW_MATH_B+2
  bra @magnitude
@positive:
  sta HW_MATH_B+2
  lda dot_acc + 4 * .r
  sta HW_MATH_B
  lda dot_acc + 4 * .r + 1
  sta HW_MATH_B+1
@magnitude:
  jsr finish_row
}
finish_rows:
  +finish 0
  lda gv_row
  inc
  cmp gv_tile
  lbcs finish_end
  +finish 1
  lda gv_row
  inc
  inc
  cmp gv_tile
  lbcs finish_end
  +finish 2
  lda gv_row
  clc
  adc #3
  cmp gv_tile
  bcs finish_end
  +finish 3
finish_end:
  rts

; The product of isum and dw * dx, at most 51 bits, rounded to t; then added to
; the row's sum
; Input:  math unit, t_e, t_s, pz
finish_row:
  clc
  lda HW_PRODUCT+6
  bne @byte6
  lda HW_PRODUCT+5
  bne @byte5
  lda HW_PRODUCT+4
  bne @byte4
  lda HW_PRODUCT+3
  beq @zero
  lda t_e
  adc #24
  sta t_e
  lda #3
  sta dot_last
  ldq HW_PRODUCT
  bra @normal
@zero:                                ; + 0 changes nothing
  lda pz
  clc
  adc #8
  sta pz
  bcc @samepage
  inc pz+1
@samepage:
  rts
@byte6:
  lda t_e
  adc #48
  sta t_e
  lda #6
  sta dot_last
  ldq HW_PRODUCT+3
  bra @normal
@byte5:
  lda t_e
  adc #40
  sta t_e
  lda #5
  sta dot_last
  ldq HW_PRODUCT+2
  bra @normal
@byte4:
  lda t_e
  adc #32
  sta t_e
  lda #4
  sta dot_last
  ldq HW_PRODUCT+1
@normal:
  bmi @round
@up:
  dec t_e
  aslq
  bpl @up
@round:
  cmp #$80
  bcc @down
  bne @more
  lda dot_last                        ; a tie? byte 0 is always 0
  cmp #5
  bcc @tie
  beq @five
  lda HW_PRODUCT+2
  bne @more
@five:
  lda HW_PRODUCT+1
  bne @more
@tie:
  txa
  lsr
  bcc @down
@more:
  inx
  bne @down
  iny
  bne @down
  inz
  bne @down
  ldz #$80
  inc t_e
@down:
  lda #0
  stq t_q
  lda gv_first
  bne @first
  ldz #0
  ldq (pz)
  stq acc_q
  ldy #4
  lda (pz),y
  sta acc_e
  iny
  lda (pz),y
  sta acc_s
  jsr fadd
  ldq acc_q
  stq (pz)
  ldy #4
  lda acc_e
  sta (pz),y
  iny
  lda acc_s
  sta (pz),y
  lda pz
  clc
  adc #8
  sta pz
  bcc @done
  inc pz+1
@done:
  rts
@first:                               ; the sum is still 0
  ldq t_q
  stq (pz)
  ldy #4
  lda t_e
  sta (pz),y
  iny
  lda t_s
  sta (pz),y
  lda pz
  clc
  adc #8
  sta pz
  bcc @done
  inc pz+1
  rts
