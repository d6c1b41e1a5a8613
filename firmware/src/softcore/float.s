; Single precision: addition, multiplication, packing
;
; Every operation rounds to nearest even. Infinities and NaNs are not computed
; with: whoever meets or makes one counts it in err, and the instruction ends in
; an error.

; Round Q (A guard byte, X Y Z mantissa) to nearest even
; .exp = exponent, .low = first of .n bytes below the guard that decide ties
; Output: Q, A = 0
!macro round_end .exp {
  bcc @down
  bne @up
  txa
  lsr
  bcc @down
@up:
  inx
  bne @down
  iny
  bne @down
  inz
  bne @down
  ldz #$80
  inc .exp
  ldx .exp                            ; all of X Y is 0
  inx
  bne @fits
  inc err
@fits:
  ldx #0
@down:
  lda #0
}
; nothing lies below the guard byte
!macro round .exp {
  cmp #$80
  +round_end .exp
}
; the same with a tie decided by 4 bytes at HW_PRODUCT (after an addition)
!macro round_sum .exp {
  cmp #$80
  bcc @down
  bne @up
  lda HW_PRODUCT
  ora HW_PRODUCT+1
  ora HW_PRODUCT+2
  ora HW_PRODUCT+3
  bne @up
  txa
  lsr
  bcc @down
@up:
  inx
  bne @down
  iny
  bne @down
  inz
  bne @down
  ldz #$80
  inc .exp
  ldx .exp
  inx
  bne @fits
  inc err
@fits:
  ldx #0
@down:
  lda #0
}
; the same for a product read from HW_PRODUCT+4: below its guard are +3 and +2
!macro round_product .exp {
  cmp #$80
  bcc @down
  bne @up
  lda HW_PRODUCT+2
  ora HW_PRODUCT+3
  bne @up
  txa
  lsr
  bcc @down
@up:
  inx
  bne @down
  iny
  bne @down
  inz
  bne @down
  ldz #$80
  inc .exp
@down:
  lda #0
}

; t = u * v, rounded
; Uses:   A, X, Y, Z, tmp, xe, math unit
fmul:
  lda u_s
  eor v_s
  sta t_s
  lda u_e
  clc
  adc v_e
  bcs fmul_high
  sec
  sbc #127
  bcc fmul_slow
  beq fmul_slow
fmul_go:
  sta t_e
  ldq u_q
  stq HW_MATH_A
  ldq v_q
  stq HW_MATH_B
  ldq HW_PRODUCT+4
  bmi @top
  aslq
  bpl fmul_slow
  +round_product t_e
  stq t_q
  rts
@top:
  inc t_e
  +round_product t_e
  stq t_q
  rts
fmul_high:
  adc #128                            ; C = 1: 129
  bcs fmul_slow
  cmp #253
  bcc fmul_go
fmul_slow:                            ; zero, subnormal or too big
  lda u_q+3
  ora u_q+2
  ora u_q+1
  beq @zero
  lda v_q+3
  ora v_q+2
  ora v_q+1
  bne fmul_any
@zero:
  lda #0
  sta t_e
  sta t_q
  sta t_q+1
  sta t_q+2
  sta t_q+3
  rts
fmul_any:
  lda u_e                             ; 16-bit exponent as if bit 63 were set
  clc
  adc v_e
  sta xe
  lda #0
  adc #0
  sta xe+1
  lda xe
  sec
  sbc #126
  sta xe
  bcs @norm
  dec xe+1
@norm:
  ldq u_q
  stq HW_MATH_A
  ldq v_q
  stq HW_MATH_B
  ldq HW_PRODUCT
  stq tmp
  ldq HW_PRODUCT+4
  stq t_q
; 64 bits in t_q:tmp, not 0, and exponent xe -> t
; Output: err counts an overflow
; Uses:   A, X, Y, Z, tmp, xe
fnormal:
  lda t_q+3
  bmi @top
  aslq tmp
  rolq t_q
  lda xe
  bne @low
  dec xe+1
@low:
  dec xe
  bra fnormal
@top:
  lda xe+1
  bmi fdenormal
  bne foverflow
  lda xe
  beq fdenormal
  cmp #255
  beq foverflow
ffinish:
  lda xe
  sta t_e
  lda tmp+3
  ora tmp+2
  ora tmp+1
  ora tmp
  beq @exact
  lda #1
  tsb t_q
@exact:
  ldq t_q
  +round t_e
  stq t_q
  lda t_q+3                           ; a subnormal may have become normal, or 0
  bmi @done
  ora t_q+2
  ora t_q+1
  bne @done
  sta t_e
@done:
  rts
foverflow:
  inc err
  lda #254
  sta t_e
  ldq zeroq
  stq t_q
  lda #$80
  sta t_q+3
  rts
fdenormal:                            ; to the right until the exponent is 1
  lda xe+1
  beq @shift                          ; xe = 0
  cmp #$ff
  bne @zero
  lda xe
  cmp #$d8                            ; 40 bits: nothing is left but a zero
  bcs @shift
@zero:
  ldq zeroq
  stq t_q
  sta t_e
  rts
@shift:
  clc
  rorq t_q
  rorq tmp
  bcc @clean
  lda #1
  tsb tmp
@clean:
  inc xe
  lda xe
  cmp #1
  bne @shift
  lda #0
  sta xe+1
  jmp ffinish

; acc = acc + t, rounded
; Uses:   A, X, Y, Z, math unit
fadd:
  lda acc_e
  sec
  sbc t_e
  lbeq fadd_same
  lbcc fadd_term
  cmp #26
  bcs fadd_done
  asl
  asl
  sta shift_ptr
  ldq t_q
  stq HW_MATH_A
  ldz #0
  ldq (shift_ptr)
  stq HW_MATH_B
  lda acc_s
  eor t_s
  lbmi fadd_minus
  ldq acc_q
fadd_plus:
  clc
  adcq HW_PRODUCT+4
  bcs fadd_carry
  +round_sum acc_e
  stq acc_q
fadd_done:
  rts
fadd_carry:
  rorq
  bcc @even
  ora #1
@even:
  inc acc_e
  +round_sum acc_e
  stq acc_q
  lda acc_e
  inc
  bne @fits
  inc err
@fits:
  rts
fadd_term:                            ; the term is larger
  neg
  cmp #26
  bcs @copy
  asl
  asl
  sta shift_ptr
  ldq acc_q
  stq HW_MATH_A
  ldz #0
  ldq (shift_ptr)
  stq HW_MATH_B
  lda t_e
  sta acc_e
  lda acc_s
  eor t_s
  bmi @minus
  ldq t_q
  jmp fadd_plus
@copy:
  ldq t_q
  stq acc_q
  lda t_e
  sta acc_e
  lda t_s
  sta acc_s
  rts
@minus:
  lda t_s
  sta acc_s
  lda shift_ptr
  cmp #36
  bcc @near
  ldq zeroq
  sec
  sbcq HW_PRODUCT
  ldq t_q
  bra fadd_borrow
@near:
  sec
  ldq t_q
  bra fadd_borrow
fadd_minus:
  lda shift_ptr
  cmp #36
  bcc @near
  ldq zeroq
  sec
  sbcq HW_PRODUCT                     ; C = what is shifted out is 0
  ldq acc_q
  bra fadd_borrow
@near:
  sec
  ldq acc_q
fadd_borrow:
  sbcq HW_PRODUCT+4
  bpl fadd_normal
fadd_round:
  +round_sum acc_e
  stq acc_q
  rts
fadd_normal:
  dec acc_e
  beq fadd_tiny
  aslq
  bpl fadd_normal
  jmp fadd_round
fadd_tiny:
  inc acc_e                           ; it stays subnormal: exact
  stq acc_q
  rts
fadd_same:
  lda acc_s
  eor t_s
  bmi @minus
  ldq acc_q
  clc
  adcq t_q
  bcc @exact                          ; two zeros, two subnormals
  rorq
  inc acc_e
  +round acc_e
  stq acc_q
  lda acc_e
  inc
  bne @fits
  inc err
@fits:
  rts
@exact:
  stq acc_q
  rts
@minus:
  ldq acc_q
  sec
  sbcq t_q
  beq @zero
  bcs @sign
  lda t_s
  sta acc_s
  ldq t_q
  sec
  sbcq acc_q
@sign:
  bmi @normal
@up:
  dec acc_e
  beq fadd_tiny
  aslq
  bpl @up
@normal:
  stq acc_q
  rts
@zero:
  stq acc_q
  lda #0
  sta acc_e
  sta acc_s
  rts
