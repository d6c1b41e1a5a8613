; How the kernel adds a product to a sum of the same sign, by distance
;
; The distance is by how much the sum's exponent is above that of a product from
; 1 to 2; a product from 2 to 4 is one nearer. Up to 4 the product is rounded,
; shifted and added, as the standard says. From 5 on the rounding of a product
; is left out: it cannot matter unless the sum's guard byte comes near a half,
; and then the exact code does it again. From 27 on the sum does not change.

; The product rounded in Q, A = 0: to .low if it lies below 2, else to .high
!macro term .low, .high {
  ldq HW_PRODUCT+2
  bmi @high
  aslq
  lbpl slow                           ; 0, subnormal or no number
  cmp #$80
  bcc @low
  beq @lowtie
@lowup:
  inx
  beq @lowcarry
@low:
  lda #0
  jmp .low
@high:
  cmp #$80
  bcc @top
  beq @toptie
@topup:
  inx
  beq @topcarry
@top:
  lda #0
  jmp .high
@lowtie:
  lda HW_PRODUCT+1
  ora HW_PRODUCT
  bne @lowup
  txa
  lsr
  bcs @lowup
  bra @low
@lowcarry:
  iny
  bne @low
  inz
  bne @low
  jmp slow
@toptie:
  lda HW_PRODUCT+1
  ora HW_PRODUCT
  bne @topup
  txa
  lsr
  bcs @topup
  bra @top
@topcarry:
  iny
  bne @top
  inz
  bne @top
  jmp slow
}

; A term that is larger than the sum: rounded in X, Y, Z, its exponent in s_e
!macro larger_term {
  ldq HW_PRODUCT+2
  bmi @high
  aslq
  lbpl slow
  cmp #$80
  bcc @low
  beq @lowtie
@lowup:
  inx
  beq @lowcarry
@low:
  lda s_d
  clc
  bra @exponent
@lowtie:
  lda HW_PRODUCT+1
  ora HW_PRODUCT
  bne @lowup
  txa
  lsr
  bcs @lowup
  bra @low
@lowcarry:
  iny
  bne @low
  inz
  bne @low
  jmp slow
@toptie:
  lda HW_PRODUCT+1
  ora HW_PRODUCT
  bne @topup
  txa
  lsr
  bcs @topup
  bra @top
@topcarry:
  iny
  bne @top
  inz
  bne @top
  jmp slow
@high:
  cmp #$80
  bcc @top
  beq @toptie
@topup:
  inx
  beq @topcarry
@top:
  lda s_d
  sec
@exponent:
  adc s_e
  sta s_e
}

; Sum + Q, Q being cut off and not rounded; guard bytes from .from to .to do not
; tell how to round: then to .exact
!macro plus_cut .from, .to, .exact {
  clc
  adcq s_q
  bcs @exact
  cmp #.from
  bcc @store
  cmp #.to + 1
  bcc @exact
  inx
  beq @carry
@store:
  stx s_q+1
  sty s_q+2
  stz s_q+3
  +next_slot
@carry:
  iny
  bne @store
  inz
  bne @store
  ldz #$80
  inc s_e
  bra @store
@exact:
  jmp .exact
}
plus_0:
  +term plus_add, plus_one
plus_1:
  +term plus_add - 3, plus_add
plus_2:
  +term plus_add - 6, plus_add - 3
plus_3:
  +term plus_add - 9, plus_add - 6
plus_4:
  +term plus_add - 12, plus_add - 9
plus_exact_5:
  +term plus_add - 15, plus_add - 12
plus_exact_6:
  +term plus_add - 18, plus_add - 15
plus_exact_7:
  +term plus_add - 21, plus_add - 18
plus_exact_8:
  +term plus_add - 24, plus_add - 21
; Q to the right by 8 to 0 bits
!for d, 1, 8 {
  lsrq
}
plus_add:
  clc
  adcq s_q
  bcs plus_carry
sum_round:                            ; nothing lies below the guard byte
  cmp #$80
  bcc sum_store
  beq sum_tie
sum_up:
  inx
  beq sum_carry
sum_store:
  stx s_q+1
  sty s_q+2
  stz s_q+3
  +next_slot
sum_tie:
  txa
  lsr
  bcs sum_up
  bra sum_store
sum_carry:
  iny
  bne sum_store
  inz
  bne sum_store
  ldz #$80
  inc s_e
  bra sum_store
plus_carry:
  rorq
  bcc @even
  ora #1
@even:
  inc s_e
  bra sum_round

plus_5:
  ldq HW_PRODUCT+2
  lsrq
  lsrq
  lsrq
  lsrq
  +plus_cut $77, $88, plus_exact_5
plus_6:
  ldq HW_PRODUCT+3
  aslq
  aslq
  aslq
  +plus_cut $74, $84, plus_exact_6
plus_7:
  ldq HW_PRODUCT+3
  aslq
  aslq
  +plus_cut $7a, $82, plus_exact_7
plus_8:
  ldq HW_PRODUCT+3
  aslq
  +plus_cut $7d, $81, plus_exact_8
plus_9:                               ; to 16, 8 bytes each
!for d, 0, 7 {
  ldq HW_PRODUCT+3
  jmp plus_far - 3 * d
}
plus_17:                              ; to 24
!for d, 0, 7 {
  ldq HW_PRODUCT+4
  jmp plus_far - 3 * d
}
!for d, 1, 7 {
  lsrq
}
plus_far:
  +plus_cut $7f, $80, slow
plus_25:
  lda HW_PRODUCT+5
  cmp #$7f
  lbcs slow
  +next_slot
plus_26:
  lda HW_PRODUCT+5
  inc
  lbeq slow
unchanged:
  +next_slot

; The term is larger
plus_one:                             ; by one bit
  stq s_t
  inc s_e
  ldq s_q
  lsrq
  clc
  adcq s_t
  lbcs plus_carry
  jmp sum_round
plus_larger:                          ; its bit 47 says by how much
  neg
  cmp #8
  lbcs plus_replace
  sta s_d
  bit HW_PRODUCT+5
  bpl @low
  inc
@low:
  asl
  tax
  jmp (plus_larger_table,x)
plus_larger_1:                        ; to 8, 7 bytes each
!for d, 1, 8 {
  ldq s_q
  jmp plus_larger_shifted - 3 * d
}
!for d, 1, 8 {
  lsrq
}
plus_larger_shifted:
  stq s_t
  +larger_term
  lda #0
  clc
  adcq s_t
  lbcs plus_carry
  jmp sum_round
plus_replace:
  cmp #26
  lbcc slow
  sta s_d
  +term replace_low, replace_high
replace_high:
  lda s_d
  sec
  bra replace_add
replace_low:
  lda s_d
  clc
replace_add:
  adc s_e
  sta s_e
  jmp sum_store

; By distance
plus_table:
  !word plus_0, plus_1, plus_2, plus_3, plus_4, plus_5, plus_6, plus_7, plus_8
!for d, 0, 7 {
  !word plus_9 + 8 * d
}
!for d, 0, 7 {
  !word plus_17 + 8 * d
}
  !word plus_25, plus_26
!for d, 27, 127 {
  !word unchanged
}
plus_larger_table:
  !word 0
!for d, 0, 7 {
  !word plus_larger_1 + 7 * d
}
