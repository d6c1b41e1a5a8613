; RMSNORM, LAYERNORM, MEANROWS

scale_n:
  !32 0                 ; 1 / number of values
scale_r:
  !32 0                 ; 1 / sqrt(mean of squares + eps)
mean:
  !32 0
bias_src:
  !32 0                 ; LAYERNORM: where the bias lies

; 1 / val as packed single in scale_n; rounded twice, as an integer and as a
; reciprocal
; Uses:   everything of float.s and divide.s, pa, pr
reciprocal:
  ldq val
  bmi @large
  stq pa
  jsr int_to_acc
  bra @divide
@large:                               ; 2^31 and more: no such vectors
  inc err
@divide:
  jsr acc_to_u
  jsr recip
  jsr pack_v
  ldq pr
  stq scale_n
  rts

; acc * scale_n + eps (N2) -> scale_r = 1 / sqrt
; Uses:   everything of float.s and divide.s, pr
root:
  jsr acc_to_u
  ldq scale_n
  jsr q_to_v
  jsr fmul
  jsr t_to_acc
  ldq N_+8
  jsr q_to_t
  jsr fadd
  jsr acc_to_u
  jsr fsqrt
  jsr t_to_u
  jsr recip
  jsr pack_v
  ldq pr
  stq scale_r
  rts

rms_q        = $40      ; the scale, unpacked

op_rmsnorm:
  jsr vector_xyz
  ldq src1
  stq total
  ldq N_
  stq val
  jsr reciprocal
  jsr acc_zero
@sums:
  jsr piece
  lbeq @sum
  jsr load_x
@square:
  ldz #0
  ldq (px)
  sta HW_MATH_A+1
  sta HW_MATH_B+1
  stx HW_MATH_A+2
  stx HW_MATH_B+2
  lda #0
  sta HW_MATH_A
  sta HW_MATH_B
  sta t_s
  tya
  ora #$80
  sta HW_MATH_A+3
  sta HW_MATH_B+3
  tya
  asl
  tza
  rol
  cmp #64                             ; a normal number whose square is one, too?
  bcc @any
  cmp #190
  bcs @any
  asl
  sec
  sbc #127
  sta t_e
  jsr product_round
  stq t_q
@add:
  jsr fadd
  +next4 px
  dew cnt
  bne @square
  bra @sums
@any:
  ldz #0
  ldq (px)
  jsr q_to_u
  jsr u_to_v
  jsr fmul
  bra @add
@sum:
  jsr root
  ldq zeroq
  stq rms_q
  ldq scale_r
  stq pa
  +unpack pa, rms_q
  ldq total
  stq src1
  ldq N_
  stq left
  lda #<rms_fast
  ldx #>rms_fast
  bbs7 rms_q+3, @normal
  lda #<rms_any
  ldx #>rms_any
@normal:
  jmp two_operands
rms_fast:
  lda #0
  sta HW_MATH_A
  ldz #0
  ldq (px)
  +factor HW_MATH_A, rms_q+4, rms_any
  stz t_s                             ; the scale is positive
  ldq rms_q
  stq HW_MATH_B
  jsr product_round
  stq HW_MATH_A
  ldz #0
  ldq (py)
  +factor HW_MATH_B, t_e, rms_any
  tza
  eor t_s
  sta t_s
  jmp product_pack
rms_any:
  jsr element_pair
  jsr unpack_u
  ldq scale_r
  jsr q_to_v
  jsr fmul
  jsr t_to_u
  ldq pb
  jsr q_to_v
  jsr fmul
  jsr pack_t
  ldq pr
  rts

op_layernorm:
  jsr vector_size
  jsr operand_x
  aslq val
  jsr operand_y                       ; weights, then biases
  lsrq val
  ldq place
  clc
  adcq val
  stq bias_src
  jsr operand_z
  ldq src1
  stq total
  ldq N_
  stq val
  jsr reciprocal
  jsr acc_zero
@sums:
  jsr piece
  beq @sum
  jsr load_x
@add:
  +word_at px, pa
  +unpack pa, t_q
  jsr fadd
  +next4 px
  jsr count
  bne @add
  bra @sums
@sum:
  jsr acc_to_u
  ldq scale_n
  jsr q_to_v
  jsr fmul
  lda t_s                             ; minus the mean
  eor #$80
  sta t_s
  jsr pack_t
  ldq pr
  stq mean
  ldq total
  stq src1
  ldq N_
  stq left
  ldq zeroq
  stq tmp_sum
@squares:
  jsr piece
  beq @variance
  jsr load_x
@square:
  jsr difference
  jsr acc_to_u
  jsr acc_to_v
  jsr fmul
  ldq tmp_sum
  jsr q_to_acc
  jsr fadd
  jsr pack_acc
  ldq pr
  stq tmp_sum
  +next4 px
  jsr count
  bne @square
  bra @squares
@variance:
  ldq tmp_sum
  jsr q_to_acc
  jsr root
  ldq total
  stq src1
  ldq N_
  stq left
@pieces:
  jsr piece
  lbeq @done
  jsr load_x
  jsr load_y
  ldq bias_src
  stq place
  lda #<BUF_W
  ldx #>BUF_W
  jsr fetch
  +add16to28 bias_src, size
@next:
  jsr difference                      ; ((d * r) * g) + b
  jsr acc_to_u
  ldq scale_r
  jsr q_to_v
  jsr fmul
  jsr t_to_u
  ldz #0
  ldq (py)
  jsr q_to_v
  jsr fmul
  jsr t_to_acc
  lda py                              ; the bias lies in BUF_W at the same place
  sta srcp
  lda py+1
  clc
  adc #>(BUF_W - BUF_Y)
  sta srcp+1
  ldz #0
  ldq (srcp)
  jsr q_to_t
  jsr fadd
  jsr pack_acc
  ldq pr
  stq (pz)
  +next4 px
  +next4 py
  +next4 pz
  jsr count
  lbne @next
  jsr store_z
  lbra @pieces
@done:
  rts
tmp_sum:
  !32 0
; acc = value at (px) - mean
; Uses:   A, X, Y, Z, t, math unit
difference:
  ldz #0
  ldq (px)
  jsr q_to_acc
  ldq mean
  jsr q_to_t
  jmp fadd

; Mean of R[a] rows of N0 values
op_meanrows:
  lda ins+1
  jsr get_r
  ldq val
  stq row_count
  stq HW_MATH_A
  ldq N_
  stq HW_MATH_B
  lda HW_PRODUCT+4
  ora HW_PRODUCT+5
  ora HW_PRODUCT+6
  ora HW_PRODUCT+7
  bne @toomany
  ldq HW_PRODUCT
  jsr size4
  bra @check
@toomany:
  lda #$ff
  sta val+3
@check:
  jsr operand_x
  jsr vector_size
  ldq val
  stq row_step
  jsr operand_z
  ldq row_count
  stq val
  jsr reciprocal
  ldq src1
  stq total                           ; top of the column
@columns:
  jsr piece
  lbeq @done

  lda #<BUF_Z
  ldx #>BUF_Z
  jsr clear_piece
  ldq total
  stq src1
  ldq row_count
  stq src2
@row:
  ldq src2
  beq @mean
  deq
  stq src2
  jsr breathe
  ldq src1
  stq place
  lda #<BUF_X
  ldx #>BUF_X
  jsr fetch
  ldq src1
  clc
  adcq row_step
  stq src1
  jsr piece_start
  jsr piece_again
@add:
  ldz #0
  ldq (pz)
  jsr q_to_acc
  ldz #0
  ldq (px)
  jsr q_to_t
  jsr fadd
  jsr pack_acc
  ldq pr
  stq (pz)
  +next4 px
  +next4 pz
  jsr count
  bne @add
  bra @row
@mean:
  jsr piece_start
  jsr piece_again
@scale:
  ldz #0
  ldq (pz)
  jsr q_to_u
  ldq scale_n
  jsr q_to_v
  jsr fmul
  jsr pack_t
  ldq pr
  stq (pz)
  +next4 pz
  jsr count
  bne @scale
  jsr store_z
  +add16to28 total, size
  lbra @columns
@done:
  rts
row_count:
  !32 0
row_step:
  !32 0
; cnt = piece_n
; Uses:   A
piece_again:
  lda piece_n
  sta cnt
  lda piece_n+1
  sta cnt+1
  rts
; piece_n words of 0 at A low, X high
; Uses:   A, X, Y, Z, pz, cnt
clear_piece:
  sta pz
  stx pz+1
  jsr piece_again
@next:
  ldq zeroq
  stq (pz)
  +next4 pz
  jsr count
  bne @next
  rts
