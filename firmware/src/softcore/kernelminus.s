; How the kernel adds a product to a sum of the other sign, by distance
;
; As kernelplus.s, which has the macro term.

; Sum - Q, Q being cut off and not rounded; guard bytes from .from to .to do not
; tell how to round: then to .exact. What is computed is Q - sum.
!macro minus_cut .from, .to, .exact {
  sec
  sbcq s_q
  bmi @exact                         ; another exponent, another guard byte
  cmp #256 - .to
  bcc @up
  cmp #257 - .from
  bcc @exact
  txa
  eor #$ff
  sta s_q+1
@upper:
  tya
  eor #$ff
  sta s_q+2
@top:
  tza
  eor #$ff
  sta s_q+3
  +next_slot
@up:                                  ; or there is nothing to round
  txa
  neg
  sta s_q+1
  bne @upper
  tya
  neg
  sta s_q+2
  bne @top
  tza
  neg
  sta s_q+3
  +next_slot
@exact:
  jmp .exact
}

minus_0:
  +term minus_same, minus_one
minus_1:
  +term minus_add - 3, minus_same
minus_2:
  +term minus_add - 6, minus_add - 3
minus_3:
  +term minus_add - 9, minus_add - 6
minus_4:
  +term minus_add - 12, minus_add - 9
minus_exact_5:
  +term minus_add - 15, minus_add - 12
minus_exact_6:
  +term minus_add - 18, minus_add - 15
minus_exact_7:
  +term minus_add - 21, minus_add - 18
minus_exact_8:
  +term minus_add - 24, minus_add - 21
!for d, 1, 8 {
  lsrq
}
minus_add:
  stq s_t
  ldq s_q
  sec
  sbcq s_t
  bpl minus_normal
minus_round:
  cmp #$80
  bcc minus_store
  beq minus_tie
minus_up:
  inx
  bne minus_store
  iny
  bne minus_store
  inz
  bne minus_store
  ldz #$80
  inc s_e
minus_store:
  stx s_q+1
  sty s_q+2
  stz s_q+3
  +next_slot
minus_tie:
  txa
  lsr
  bcs minus_up
  bra minus_store
minus_normal:
  dec s_e
  aslq
  bpl minus_normal
  bra minus_round
minus_same:                           ; equal exponents: exact
  stq s_t
  ldq s_q
  sec
  sbcq s_t
  beq @zero
  bcs @normal
  lda s_s
  eor #$80
  sta s_s
  ldq s_t
  sec
  sbcq s_q
@normal:
  dec s_e
  aslq
  bpl @normal
  bra minus_store
@zero:
  sta s_e
  sta s_s
  +next_slot

minus_5:
  ldq HW_PRODUCT+2
  lsrq
  lsrq
  lsrq
  lsrq
  +minus_cut $78, $89, minus_exact_5
minus_6:
  ldq HW_PRODUCT+3
  aslq
  aslq
  aslq
  +minus_cut $7c, $8c, minus_exact_6
minus_7:
  ldq HW_PRODUCT+3
  aslq
  aslq
  +minus_cut $7e, $86, minus_exact_7
minus_8:
  ldq HW_PRODUCT+3
  aslq
  +minus_cut $7f, $83, minus_exact_8
minus_9:
!for d, 0, 7 {
  ldq HW_PRODUCT+3
  jmp minus_far - 3 * d
}
minus_17:
!for d, 0, 7 {
  ldq HW_PRODUCT+4
  jmp minus_far - 3 * d
}
!for d, 1, 7 {
  lsrq
}
minus_far:
  +minus_cut $80, $81, slow
minus_25:                             ; below a power of two lie other numbers
  lda s_q+1
  lbeq slow
  lda HW_PRODUCT+5
  cmp #$7f
  lbcs slow
  +next_slot
minus_26:
  lda s_q+1
  lbeq slow
  lda HW_PRODUCT+5
  inc
  lbeq slow
  +next_slot

minus_one:
  inc s_e
  stq s_t
  lda s_s
  eor #$80
  sta s_s
  ldq s_q
  lsrq
  stq s_u
  ldq s_t
  sec
  sbcq s_u
  lbpl minus_normal
  jmp minus_round
minus_larger:
  neg
  cmp #8
  lbcs minus_replace
  sta s_d
  bit HW_PRODUCT+5
  bpl @low
  inc
@low:
  asl
  tax
  jmp (minus_larger_table,x)
minus_larger_1:
!for d, 1, 8 {
  ldq s_q
  jmp minus_larger_shifted - 3 * d
}
!for d, 1, 8 {
  lsrq
}
minus_larger_shifted:
  stq s_t
  +larger_term
  lda s_s
  eor #$80
  sta s_s
  lda #0
  sec
  sbcq s_t
  lbpl minus_normal
  jmp minus_round
minus_replace:
  cmp #26
  lbcc slow
  sta s_d
  +term minus_replace_low, minus_replace_high
minus_replace_low:
  lda s_s
  eor #$80
  sta s_s
  jmp replace_low
minus_replace_high:
  lda s_s
  eor #$80
  sta s_s
  jmp replace_high

minus_table:
  !word minus_0, minus_1, minus_2, minus_3, minus_4, minus_5, minus_6, minus_7, minus_8
!for d, 0, 7 {
  !word minus_9 + 8 * d
}
!for d, 0, 7 {
  !word minus_17 + 8 * d
}
  !word minus_25, minus_26
!for d, 27, 127 {
  !word unchanged
}
minus_larger_table:
  !word 0
!for d, 0, 7 {
  !word minus_larger_1 + 7 * d
}
