; Softmax of the attention scores

k_out        = $70      ; 6 bytes each
k_w          = $a0

; SCORES: at_steps scores -> weights
; Uses:   everything of float.s, divide.s and chord.s, px, pb, k_out, k_w
softmax:
  +set16 px, SCORES
  jsr at_rewind
  +word_at px, pb
@max:
  +word_at px, pa
  jsr fcompare
  cmp #1
  bne @less
  ldq pa
  stq pb
@less:
  +next4 px
  jsr at_next
  bne @max
  lda pb+3                            ; minus the largest
  eor #$80
  sta pb+3
  ldq pb
  stq at_max
  +set16 px, SCORES
  jsr at_rewind
  lda #0
  sta k_w
  ldq at_max
  stq pa
  +unpack pa, k_w                     ; minus the largest, unpacked
  ldq zeroq
  stq k_out                           ; the sum, unpacked
  stq k_out+4
@exp:
  +word_at px, pa
  +unpack pa, acc_q
  +move6 k_w, t_q
  jsr fadd
  jsr exp_any
  +pack acc_q, pr
  ldq pr
  stq (px)
  +move6 acc_q, t_q
  +move6 k_out, acc_q
  jsr fadd
  +move6 acc_q, k_out
  +next4 px
  jsr at_next
  lbne @exp
  +move6 k_out, u_q
  jsr recip
  +move6 v_q, k_w                     ; 1 / sum
  +set16 px, SCORES
  jsr at_rewind
@weight:
  ldz #0
  ldq (px)
  beq @none
  stq pa
  +unpack pa, u_q
  +move6 k_w, v_q
  jsr fmul
  +pack t_q, pr
  ldq pr
  stq (px)
@none:
  +next4 px
  jsr at_next
  lbne @weight
  rts

; exp of acc, which is 0 or less -> acc
; Uses:   everything of float.s and chord.s
exp_any:
  lda acc_q+3
  beq @one                            ; 0, or next to it
  lda acc_e
  cmp #131
  bcc exp_near
  jsr pack_acc                        ; -16 or less
  ldq pr
  stq pa
  ldq chord_low
  stq pb
  jsr fcompare
  cmp #$ff
  lbeq acc_zero
  jmp chord
@one:
  lda acc_q+2
  ora acc_q+1
  bne exp_careful
  sta acc_s
  lda #127
  sta acc_e
  lda #$80
  sta acc_q+3
  rts
exp_careful:
  jsr pack_acc
  ldq pr
  stq pa
  jmp chord

; exp of acc, -16 < acc < 0 and no tiny number -> acc
; The chord is 255 - floor(16 |x|) unless 16 |x| is nearly an integer: then the
; rounding of x + 16 decides.
exp_near:
  +move6 acc_q, u_q
  lda #130
  sec
  sbc u_e
  beq @top
  cmp #17
  lbcs exp_careful
  asl
  asl
  sta shift_ptr
  ldq u_q
  stq HW_MATH_A
  ldz #0
  ldq (shift_ptr)
  stq HW_MATH_B
  lda HW_PRODUCT+5
  ora HW_PRODUCT+6
  lbeq exp_careful
  lda #255
  sec
  sbc HW_PRODUCT+7
  bra @index
@top:
  lda u_q+1
  ora u_q+2
  lbeq exp_careful
  lda #255
  sec
  sbc u_q+3
@index:
  +chord_at
  stq pa
  +unpack pa, v_q
  jsr fmul
  ldz #0
  ldq [chord_ptr]
  stq pa
  +unpack pa, acc_q
  jmp fadd
