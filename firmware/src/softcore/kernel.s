; Attention's inner loops: eight F16 values of a cache's row
;
; A product of a single and a half: the single's mantissa, shifted to bits 5-28,
; times the half's at bits 8-18 gives a product whose top is bit 47 or 46, so
; that bytes 2-5 are guard byte and mantissa. Bytes 0 and 3 of the second factor
; stay 0 all the while. Exponents are trusted: see at_range.

k_q          = $40      ; 8 factors of 6 bytes: mantissa << 5, exponent, sign
k_out        = $70      ; 8 sums, unpacked
k_w          = $a0      ; a weight, like a factor
k_ptr        = $a6      ; 2 bytes: the row's values

; Round Q with bytes 1 and 0 of the product below the guard
!macro round_half .exp {
  cmp #$80
  bcc @down
  bne @up
  lda HW_PRODUCT+1
  ora HW_PRODUCT
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

; Value .d of the row times the factor at .q -> Q with A = 0, t_e, t_s
; Goes to .rare if the product has no leading one.
!macro product8 .d, .q, .rare {
  ldy #2 * .d
  lda (k_ptr),y
  sta HW_MATH_B+1
  iny
  lda (k_ptr),y
  tax
  lda half_top,x
  sta HW_MATH_B+2
  lda half_exp,x
  clc
  adc .q+4
  sta t_e
  txa
  eor .q+5
  sta t_s
  ldq .q
  stq HW_MATH_A
  ldq HW_PRODUCT+2
  bpl @shift
  inc t_e
  bra @round
@shift:
  aslq
  lbpl .rare
@round:
  +round_half t_e
}

; The sum at .a += Q with A = 0, t_e, t_s
!macro sum8 .a, .slow {
  stq HW_MATH_A
  lda .a+4
  sec
  sbc t_e
  lbeq @same
  lbcc @term
  cmp #9
  lbcs @far
  tax
  lda shift8,x
  sta HW_MATH_B+1
  lda #0
  sta HW_MATH_B+2
  lda .a+5
  eor t_s
  bmi @minus
  ldq .a
  clc
  adcq HW_PRODUCT+2
  bcs @carry
@round:
  cmp #$80                            ; nothing lies below the guard byte
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
  inc .a+4
@down:
  lda #0
  stq .a
  lbra @done
@carry:
  rorq
  bcc @even
  ora #1
@even:
  inc .a+4
  bra @round
@minus:
  sec
  ldq .a
  sbcq HW_PRODUCT+2
  bmi @round
@normal:
  dec .a+4
  aslq
  bpl @normal
  bra @round
@far:
  cmp #17
  lbcs @farther
  tax                                 ; 9-16: a byte falls out below the guard
  lda shift8-8,x
  sta HW_MATH_B
  lda #0
  sta HW_MATH_B+1
  sta HW_MATH_B+2
  lda .a+5
  eor t_s
  bmi @farminus
  ldq .a
  clc
  adcq HW_PRODUCT+2
  bcs @farcarry
  pha
  lda HW_PRODUCT+1
  cmp #1
  lda #0
  sta HW_MATH_B
  pla
  lbcc @round
  ora #1
  lbra @round
@farcarry:
  rorq
  bcc @fareven
  ora #1
@fareven:
  inc .a+4
  pha
  lda HW_PRODUCT+1
  cmp #1
  lda #0
  sta HW_MATH_B
  pla
  lbcc @round
  ora #1
  lbra @round
@farminus:
  lda #0
  sec
  sbc HW_PRODUCT+1
  ldq .a
  sbcq HW_PRODUCT+2
  pha
  lda HW_PRODUCT+1
  cmp #1
  lda #0
  sta HW_MATH_B
  pla
  bcc @farexact
  ora #1
@farexact:
  cpz #$80
  lbcs @round
  lbra @normal
@farther:
  cmp #26                             ; the sum does not change
  lbcs @done
@keep:
  ldq HW_MATH_A
  stq t_q
@slow:
  ldx #.a
  jsr .slow
@done:
  lbra @out
@term:                                ; the term is larger
  neg
  cmp #9
  bcs @keep
  sta tmp2
  ldq HW_MATH_A
  stq t_q
  ldq .a
  stq HW_MATH_A
  ldx tmp2
  lda shift8,x
  sta HW_MATH_B+1
  lda #0
  sta HW_MATH_B+2
  lda t_e
  sta .a+4
  lda .a+5
  eor t_s
  bmi @termminus
  ldq t_q
  clc
  adcq HW_PRODUCT+2
  lbcs @carry
  lbra @round
@termminus:
  lda t_s
  sta .a+5
  sec
  ldq t_q
  sbcq HW_PRODUCT+2
  lbmi @round
  lbra @normal
@same:
  ldq HW_MATH_A
  stq t_q
  lda .a+5
  eor t_s
  bmi @slow
  ldq .a
  clc
  adcq t_q
  bcc @slow                           ; not both normal
  rorq
  inc .a+4
  lbra @round
@out:
}

; .a += value .d * factor at .q
!macro step8 .d, .q, .a, .slow {
  +product8 .d, .q, @rare
  +sum8 .a, .slow
  bra @next
@rare:
  ldy #2 * .d + 1
  jsr rare8
  bcs @next
  ldx #.a
  jsr .slow
@next:
}

; A product without a leading one
; Input:  math unit, t_e; Y = offset of the half's upper byte
; Output: C = 1: it is 0; else t
; Uses:   A, X, Y, Z, tmp, xe
rare8:
  lda (k_ptr),y
  and #$7c
  cmp #$7c
  bne @finite
  inc err
  sec
  rts
@finite:
  ldq HW_PRODUCT+2
  stq t_q
  lda #0
  sta tmp
  sta tmp+1
  sta xe+1
  lda HW_PRODUCT
  sta tmp+2
  ora HW_PRODUCT+1
  ora t_q
  ora t_q+1
  ora t_q+2
  ora t_q+3
  beq @zero
  lda HW_PRODUCT+1
  sta tmp+3
  lda t_e
  inc
  sta xe
  jsr fnormal
  clc
  rts
@zero:
  sec
  rts

; acc += t, any distance
slow_score:
  jsr fadd
  lda #0
  sta HW_MATH_B
  sta HW_MATH_B+3
  rts
; The sum in the base page at X += t
slow_value:
  stx @load+3
  stx @save+3
  inx
  inx
  inx
  inx
  lda 0,x
  sta acc_e
  lda 1,x
  sta acc_s
  phx
@load:
  ldq $00
  stq acc_q
  jsr fadd
  plx
  lda acc_e
  sta 0,x
  lda acc_s
  sta 1,x
  ldq acc_q
@save:
  stq $00
  lda #0
  sta HW_MATH_B
  sta HW_MATH_B+3
  rts

; acc = the first product of a score
score_first:
  lda #0
  sta HW_MATH_B
  sta HW_MATH_B+3
  +product8 0, k_q, score_rare
  stq acc_q
  lda t_e
  sta acc_e
  lda t_s
  sta acc_s
  lbra score_rest
score_rare:
  jsr acc_zero
  ldy #1
  jsr rare8
  lbcs score_rest
  jsr slow_score
  lbra score_rest
; acc += eight products
score_more:
  lda #0
  sta HW_MATH_B
  sta HW_MATH_B+3
  +step8 0, k_q, acc_q, slow_score
score_rest:
!for d, 1, 7 {
  +step8 d, k_q + 6 * d, acc_q, slow_score
}
  rts

; k_out += k_w * eight values
value8:
  lda #0
  sta HW_MATH_B
  sta HW_MATH_B+3
!for d, 0, 7 {
  +step8 d, k_w, k_out + 6 * d, slow_value
}
  rts

; By the upper byte of a half: its mantissa's upper bits, 0 if it is no number;
; its exponent
!align 255, 0, 0
half_top:
!for sign, 0, 1 {
!for i, 0, 3 {
  !byte i
}
!for e, 1, 30 {
  !byte 4, 5, 6, 7
}
  !fill 4, 0
}
half_exp:
!for sign, 0, 1 {
  !fill 4, -14
!for e, 1, 30 {
  !fill 4, e - 15
}
  !fill 4, 0
}
