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
  dec w_left
  lbne ex_next
  dec w_left+1
  lbne ex_next
  +move6 w_sum, u_q
  jsr recip
  +move6 v_q, w_q                     ; 1 / sum
  rts
; w_sum += t
; Uses:   A, X, Y, Z, acc, math unit
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
  jsr exp_any
  ldq acc_q
  lda acc_e
  stq (px)
  +move6 acc_q, t_q
  jsr ex_sum
  lbra ex_done
