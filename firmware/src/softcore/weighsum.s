; Attention's exponentials: their sum, and those that go the slow way
;
; As weigh.s, whose code ends where this begins.

; The exponential is in Q and c_e
ex_value:
  lda c_e
  stq (px)
  lda w_sum+4
  sec
  sbc c_e
  bcc ex_add
  cmp #25                             ; the sum does not change
  bcs ex_done
  asl
  ora #$c0
  sta ex_jump7+1
  lda #0
ex_jump7:
  jmp (ex_jumps)
ex_add:                               ; the exponential is larger, or near a tie
  ldz #0
  ldq (px)
  sta t_e
  lda #0
  stq t_q
  sta t_s
  jsr ex_sum
ex_done:
  +next4 px
  lda at_t
  bne @low
  dec at_t+1
@low:
  dec at_t
  lda at_t
  ora at_t+1
  lbne ex_next
  +move6 w_sum, u_q
  jsr recip
  +move6 v_q, w_q                     ; 1 / sum
  rts
; w_sum += t
ex_sum:
  +move6 w_sum, acc_q
  jsr fadd
  +move6 acc_q, w_sum
  lda #0
  sta HW_MATH_A+3
  rts

ex_9:                                 ; to 16 bits, 11 bytes each
!for d, 1, 8 {
  stq e_t
  ldq e_t+1
  jmp ex_run8 - 3 * d
}
ex_17:                                ; to 24
!for d, 1, 8 {
  stq e_t
  ldq e_t+2
  jmp ex_run8 - 3 * d
}
  +shifts 8
ex_run8:                              ; bits have fallen out below the guard byte
  clc
  adcq w_sum
  lbcs ex_add
  cmp #$80
  bcc ex_put
  lbeq ex_add
  inx
  bne ex_put
  iny
  bne ex_put
  inz
  bne ex_put
  lbra ex_add
  +shifts 8
ex_run7:
  clc
  adcq w_sum
  bcc @round
  rorq
  bcc @even
  ora #1
@even:
  inc w_sum+4
@round:
  cmp #$80
  bcc ex_put
  beq ex_sum_tie
ex_sum_up:
  inx
  bne ex_put
  iny
  bne ex_put
  inz
  bne ex_put
  ldz #$80
  inc w_sum+4
ex_put:
  stx w_sum+1
  sty w_sum+2
  stz w_sum+3
  lbra ex_done
ex_sum_tie:
  txa
  lsr
  bcs ex_sum_up
  bra ex_put

ex_one:                               ; the largest itself
  lda #127
  sta c_e
  ldx #0
  ldy #0
  ldz #$80
  lbra ex_value

; One score, whatever it is
ex_slow:
  ldz #0
  ldq (px)
  +score_to acc_q
  ldq best
  +score_to t_q
  lda t_s
  eor #$80
  sta t_s
  jsr fadd
  lda acc_q+3
  lbeq @one                           ; 0, or next to it
  lda acc_e
  cmp #131
  bcs @far                            ; -16 or less
  jsr exp_near
  bra @term
@far:
  jsr pack_acc
  ldq pr
  stq pa
  ldq chord_low
  stq pb
  jsr fcompare
  cmp #$ff
  beq @zero
  jsr chord
  bra @term
@one:
  lda acc_q+2
  ora acc_q+1
  bne @tiny
  sta acc_s
  lda #127
  sta acc_e
  lda #$80
  sta acc_q+3
  bra @term
@tiny:
  jsr pack_acc
  ldq pr
  stq pa
  jsr chord
  bra @term
@zero:
  jsr acc_zero
@term:
  ldq acc_q
  lda acc_e
  stq (px)
  +move6 acc_q, t_q
  jsr ex_sum
  lbra ex_done

; Where the jumps go: the distance's four cases, the product below 2 and above, the
; sum
!align 255, 0, 0
ex_jumps:
!for d, 0, 15 {
  !word ex_run1 - 3 * d
}
!for d, 0, 15 {
  !word ex_run2 - 3 * d
}
!for d, 0, 15 {
  !word ex_run3 - 3 * d
}
!for d, 0, 15 {
  !word ex_run4 - 3 * d
}
!for d, 0, 15 {
  !word ex_run5 - 3 * d
}
  !word ex_slow
!for d, 0, 14 {
  !word ex_run5 - 3 * d
}
!for d, 0, 8 {
  !word ex_run7 - 3 * d
}
!for d, 0, 7 {
  !word ex_9 + 11 * d
}
!for d, 0, 7 {
  !word ex_17 + 11 * d
}
ex_tops:                              ; by 0 to 7 bits
!for r, 0, 7 {
  !word ex_chord - r
}
