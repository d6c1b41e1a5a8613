; Attention's exponentials: of the scores' distances from the largest, and their
; sum
;
; The standard's operations in the standard's order: distance, product with the
; chord's slope, chord's start minus that, sum; each by code that knows its signs
; and that its operands are normal and near. What it does not know goes the slow
; way, one whole score at a time. A shift is a jump into a run of lsrq; where to is
; written into the jump, for a register would be one too many.

w_left       = $96      ; 2 bytes: scores to come, the upper one counts begun pages
x_e          = $98      ; a score's exponent
d_e          = $99      ; its distance's
c_e          = $9a      ; the chord's start's, then the exponential's
p_e          = $9b      ; the product's, biased by 254
b_e          = $9c      ; the largest score
b_s          = $9d
x_q          = $a0      ; mantissas, 4 bytes each
b_q          = $a4
c_q          = $a8
e_t          = $ac      ; and two bytes of 0 behind

; A run of shifts by a bit
!macro shifts .n {
!for d, 1, .n {
  lsrq
}
}

; A score in Q -> .q, unpacked
!macro score_to .q {
  sta .q+4
  stz .q+5
  cmp #0
  beq @null
  tza
  ora #$80
  taz
  lda #0
@null:
  stq .q
}

; SCORES: scores -> exponentials; w_q = 1 / their sum
; Input:  best
; Uses:   A, X, Y, Z, px, everything of float.s
weigh:
  +set16 px, SCORES
  lda at_steps
  sta w_left
  ldx at_steps+1
  cmp #0
  beq @whole
  inx
@whole:
  stx w_left+1
  ldq zeroq
  stq w_sum
  stq w_sum+4
  stq c_q
  stq b_q
  stq e_t+2
  ldq best
  sta b_e
  stx b_q+1
  sty b_q+2
  stz b_s
  tza
  ora #$80
  sta b_q+3
  lda #CHORD_BANK
  sta chord_ptr+2
  lda #0
  sta chord_ptr+3
  sta HW_MATH_A+3
ex_next:
  ldz #0
  ldq (px)
  sta x_e
  cpz #$80
  bcs ex_negative
  tza                                 ; both positive: largest - score
  ora #$80
  taz
  lda b_e
  sta d_e
  sec
  sbc x_e
  cmp #9
  lbcs ex_slow
  asl
  sta ex_jump1+1
  lda #0
ex_jump1:
  jmp (ex_jumps)
ex_negative:                          ; the sign stands where the leading one belongs
  bit b_s
  bmi ex_both
  lda b_e                             ; largest + |score|
  sta d_e
  sec
  sbc x_e
  bcc ex_larger
  cmp #9
  lbcs ex_slow
  asl
  ora #$20
  sta ex_jump2+1
  lda #0
ex_jump2:
  jmp (ex_jumps)
ex_larger:
  neg
  cmp #9
  lbcs ex_slow
  asl
  ora #$40
  sta ex_jump3+1
  lda #0
  stq x_q
  lda x_e
  sta d_e
  ldq b_q
ex_jump3:
  jmp (ex_jumps)
ex_both:                              ; both negative: |score| - |largest|
  lda x_e
  sta d_e
  sec
  sbc b_e
  cmp #9
  lbcs ex_slow
  asl
  ora #$60
  sta ex_jump4+1
  lda #0
  stq x_q
  ldq b_q
ex_jump4:
  jmp (ex_jumps)

  +shifts 8
ex_run4:
  stq e_t
  ldq x_q
  bra ex_subtract
  +shifts 8
ex_run3:
  clc
  adcq x_q
  bcc ex_round
  bra ex_carry
  +shifts 8
ex_run2:
  clc
  adcq b_q
  bcc ex_round
ex_carry:
  rorq
  bcc @even
  ora #1
@even:
  inc d_e
  bra ex_round
  +shifts 8
ex_run1:
  stq e_t
  ldq b_q
ex_subtract:
  sec
  sbcq e_t
  lbeq ex_one
  bmi ex_round
ex_normal:
  dec d_e
  aslq
  bpl ex_normal
ex_round:
  cmp #$80
  bcc ex_distance
  beq ex_tie
ex_up:
  inx
  bne ex_distance
  iny
  bne ex_distance
  inz
  bne ex_distance
  ldz #$80
  inc d_e
  bra ex_distance
ex_tie:
  txa
  lsr
  bcs ex_up

; The chord is 255 - floor(16 distance), unless 16 distance is nearly an integer:
; then the rounding of 16 - distance decides.
ex_distance:
  cpy #0
  lbeq ex_slow
  lda #0
  stq HW_MATH_B
  lda #130
  sec
  sbc d_e
  bcc ex_far
  cmp #8
  bcs ex_small
  asl
  tax
  tza
  jmp (ex_tops,x)
ex_far:                               ; more than 16
  lda #0
  tax
  tay
  taz
  stq (px)
  lbra ex_done
ex_small:
  cmp #24                             ; 2^-20 at least
  lbcs ex_slow
  lda #0
  bra ex_chord
!for r, 1, 7 {
  lsr
}
ex_chord:
  eor #$ff
  tax                                 ; 8 bytes each
  asl
  asl
  asl
  sta chord_ptr
  txa
  lsr
  lsr
  lsr
  lsr
  lsr
  clc
  adc chord_base
  sta chord_ptr+1
  ldz #4                              ; slope
  ldq [chord_ptr]
  sta HW_MATH_A
  stx HW_MATH_A+1
  tya
  asl
  tza
  rol
  clc
  adc d_e
  sta p_e
  tya
  ora #$80
  sta HW_MATH_A+2
  ldz #0                              ; start
  ldq [chord_ptr]
  sta c_q+1
  stx c_q+2
  tya
  asl
  tza
  rol
  sta c_e
  clc
  adc #127
  sec
  sbc p_e
  cmp #9
  lbcs ex_slow
  asl
  ora #$80
  sta ex_jump5+1
  ora #$20
  sta ex_jump6+1
  tya
  ora #$80
  sta c_q+3
  ldq HW_PRODUCT+3
  bmi ex_high
  aslq
  cmp #$80
  bcc ex_low
  beq ex_lowtie
ex_lowup:
  inx
  beq ex_lowcarry
ex_low:
  lda #0
ex_jump5:
  jmp (ex_jumps)
ex_high:
  cmp #$80
  bcc ex_high_down
  beq ex_high_tie
ex_high_up:
  inx
  beq ex_high_carry
ex_high_down:
  lda #0
ex_jump6:
  jmp (ex_jumps)
ex_lowtie:
  lda HW_PRODUCT+2
  ora HW_PRODUCT+1
  bne ex_lowup
  txa
  lsr
  bcs ex_lowup
  bra ex_low
ex_lowcarry:
  iny
  bne ex_low
  inz
  bne ex_low
  lbra ex_slow
ex_high_tie:
  lda HW_PRODUCT+2
  ora HW_PRODUCT+1
  bne ex_high_up
  txa
  lsr
  bcs ex_high_up
  bra ex_high_down
ex_high_carry:
  iny
  bne ex_high_down
  inz
  bne ex_high_down
  lbra ex_slow

  +shifts 8
ex_run5:
  stq e_t
  ldq c_q
  sec
  sbcq e_t
  lbeq ex_slow
  bmi @round
@normal:
  dec c_e
  aslq
  bpl @normal
@round:
  cmp #$80
  bcc ex_value
  beq @tie
@up:
  inx
  bne ex_value
  iny
  bne ex_value
  inz
  bne ex_value
  ldz #$80
  inc c_e
  bra ex_value
@tie:
  txa
  lsr
  bcs @up
