; Attention of one head over F16 caches, eight dimensions at a time

k_q          = $40      ; 8 factors of 8 bytes: mantissa << 5, 140 - exponent, KERNEL_PLUS
                        ; or KERNEL_MINUS, sign
k_scale      = $98      ; 4 bytes: at_scale's mantissa
w_q          = $88      ; 6 bytes: largest score, minus; then 1 / sum
w_sum        = $8e      ; 6 bytes
FACTORS      = KV_BUF   ; the query's, 8 bytes each
; A score and a weight have 4 bytes: exponent, mantissa with the sign in the place
; of its leading one. Exponent 0: it is 0.

; One head
; Input:  at_block and what follows it, src2 = the head's query, dst = its result
; Output: src2, dst behind theirs; err
; Uses:   everything of float.s and chord.s, px, py, pz, cnt, buffers
attend:
  lda at_size                         ; F16, a multiple of eight, rows of less than
  cmp #2                              ; 4 KB on 16-byte addresses: the fast way
  lbne attend_any
  lda at_block+16
  and #7
  ora at_stride+2
  ora at_stride+3
  lbne attend_any
  lda at_stride+1
  cmp #$10
  lbcs attend_any
  lda at_block
  ora at_block+4
  and #$0f
  lbne attend_any
  jsr at_query
  jsr at_factors
  lbcs attend_any
  jsr scores
  lda err
  bne @done
  jsr weigh
  lda #0
  sta at_part
@value:
  jsr values
  lda at_part
  clc
  adc #8
  sta at_part
  cmp at_block+16
  bne @value
@done:
  rts
at_part:
  !byte 0               ; first dimension at work

; The head's query to BUF_X
; Output: src2 behind it
; Uses:   A, X, Y, Z
at_query:
  lda at_dim
  sta size
  lda at_dim+1
  sta size+1
  ldq src2
  stq place
  lda #<BUF_X
  ldx #>BUF_X
  jsr fetch
  +add16to28 src2, size
  rts

; The query -> FACTORS, if all its exponents are such that no product or sum leaves
; the range of normal numbers, nor the kernel's of exponents
; Output: C = 1: they are not, and src2 is the query again
; Uses:   A, X, Y, Z, px, pz, cnt, tmp, tmp2
at_factors:
  +set16 px, BUF_X
  +set16 pz, FACTORS
  ldq zeroq
  stq tmp
  lda at_block+16
  sta cnt
@next:
  ldz #0
  ldq (px)
  sta tmp+1
  stx tmp+2
  tya
  ora #$80
  sta tmp+3
  tza                                 ; sign
  sta tmp2+2
  tya
  asl
  tza
  rol                                 ; exponent
  beq @zero
  cmp #64                             ; 2^-63; halves reach down to 2^-24
  bcc @no
  cmp #140                            ; 2^13; halves reach 2^16
  bcs @no
@put:
  neg
  clc
  adc #140
  sta tmp2
  lda #KERNEL_PLUS
  bit tmp2+2
  bpl @sign
  lda #KERNEL_MINUS
@sign:
  sta tmp2+1
  ldq tmp
  lsrq
  lsrq
  lsrq
  stq (pz)
  +next4 pz
  ldq tmp2
  stq (pz)
  +next4 pz
  +next4 px
  dec cnt
  bne @next
  clc
  rts
@zero:
  tya
  asl
  ora tmp+1
  ora tmp+2
  bne @no                             ; subnormal
  sta tmp+3
  lda #64                             ; any exponent will do for 0
  bra @put
@no:
  lda src2                            ; attend_any reads it again
  sec
  sbc at_dim
  sta src2
  lda src2+1
  sbc at_dim+1
  sta src2+1
  bcs @same
  lda src2+2
  bne @low
  dec src2+3
@low:
  dec src2+2
@same:
  sec
  rts

; Eight of them, from at_part on -> k_q
; Uses:   A
factors_fetch:
  lda at_part
  sta factor_job+5
  lda #0
  asl factor_job+5
  rol
  asl factor_job+5
  rol
  asl factor_job+5
  rol
  clc
  adc #>FACTORS
  sta factor_job+6
  +jobs factor_job
  rts
factor_job:
  !byte $0b, 0, 0, 64, 0
  !byte 0, 0, 0
  !byte k_q, BASE + (WINDOW_SHIFT >> 8), WINDOW_BANK, 0, 0, 0

; The sums += factor .d * its dimension
!macro score_step .d {
  ldq k_q + 8 * .d
  stq HW_MATH_A
  lda k_q + 8 * .d + 4
  sta slot_n1+1
  sta slot_n2+1
  lda k_q + 8 * .d + 5
  sta slot_sign
  lda #s_data + 2 * .d
  sta slot_low+1
  inc
  sta slot_high+1
  jsr kernel
}
; All scores -> SCORES, the largest -> best
; Uses:   everything of float.s, base pages of the sums
scores:
  lda #s_data
  sta rows_place
  lda #SLOTS
  sta rows_place+1
  lda #0
  sta rows_low
  sta at_part
  lda #1
  sta rows_page
  ldq at_block
  jsr rows_begin
  lda #8                              ; 8 rows on, and back to the first part
  jsr at_eight
  lda at_step
  sec
  sbc at_slice
  sta at_step
  lda at_step+1
  sbc at_slice+1
  sta at_step+1
  lda at_step
  clc
  adc #16
  sta at_step
  bcc @step
  inc at_step+1
@step:
  jsr factors_fetch
  ldq at_scale
  stq pa
  +unpack pa, v_q
  ldq v_q+1                           ; (the exponent follows the mantissa)
  sta k_scale
  stx k_scale+1
  sty k_scale+2
  tza
  sec
  sbc #127
  sta score_scale+1
  lda #0
  sta k_scale+3
!for j, 0, 7 {
  sta s_q + 256 * (SLOTS + j)
}
  lda #<SCORES
  sta score_put+3
  lda #>SCORES
  sta score_put+4
  lda #$ff
  tax
  tay
  taz
  stq best
@rows:
  jsr rows_next
  lbeq @done
  clc
  adc #SLOTS - 1
  sta kernel_last+1
  jsr breathe
  lda #0
  sta at_part
  lda at_block+16
  cmp #8
  beq @one
@part:
  jsr factors_fetch
@one:
  jsr rows_fetch
  lda #0
  sta HW_MATH_B
  sta HW_MATH_B+3
  lda at_part
  beq @first
  +score_step 0
  bra @second
@first:
  ldq k_q
  stq HW_MATH_A
  lda k_q+4
  sta first_n+1
  lda k_q+6
  sta first_sign+1
  jsr kernel_first
@second:
!for d, 1, 7 {
  +score_step d
}
  lda at_part
  clc
  adc #8
  sta at_part
  cmp at_block+16
  beq @scale
  lda #16
  ldx #0
  jsr rows_move
  lbra @part
@scale:
  jsr scores_finish
  lda at_step
  ldx at_step+1
  jsr rows_move
  lbra @rows
@done:
  rts
; at_step = A * bytes of a row
; Uses:   A, X, Y, Z, math unit
at_eight:
  ldx #0
  ldy #0
  ldz #0
  stq HW_MATH_A
  ldq at_stride
  stq HW_MATH_B
  ldq HW_PRODUCT
  sta at_step
  stx at_step+1
  rts

; The sums of at_rows rows, times at_scale -> SCORES
; Output: best; score_put behind them
; Uses:   A, X, Y, Z, math unit
scores_finish:
  ldq k_scale
  stq HW_MATH_A
  lda #SLOTS
score_next:
  tab
  ldx s_e
  lbeq sc_zero
  ldq s_q
  stq HW_MATH_B
  ldq HW_PRODUCT+3
  lbmi sc_high
  aslq
  cmp #$80
  bcc sc_low
  lbeq sc_lowtie
sc_lowup:
  inx
  lbeq sc_lowcarry
sc_low:
  clc
sc_sign:
  bbs7 s_s, sc_negative
  tza
  and #$7f
  taz
sc_negative:
  lda s_e
score_scale:
  adc #0
score_put:
  stq SCORES
  bit best+3                          ; the largest?
  bmi sc_below
  cpz #$80
  bcs sc_no
  cmp best
  bcc sc_no
  bne sc_yes
  cpz best+3
  bcc sc_no
  bne sc_yes
  cpy best+2
  bcc sc_no
  bne sc_yes
  cpx best+1
  bcc sc_no
  beq sc_no
sc_yes:
  stq best
sc_no:
  lda score_put+3
  clc
  adc #4
  sta score_put+3
  bcc sc_page
  inc score_put+4
sc_page:
  tba
  cmp kernel_last+1
  beq sc_done
  inc
  lbra score_next
sc_done:
  lda #BASE
  tab
  rts
sc_below:                               ; the largest so far is negative
  cpz #$80
  bcc sc_yes
  cmp best
  bcc sc_yes
  bne sc_no
  cpz best+3
  bcc sc_yes
  bne sc_no
  cpy best+2
  bcc sc_yes
  bne sc_no
  cpx best+1
  bcc sc_yes
  bra sc_no
sc_high:
  cmp #$80
  bcc sc_top
  beq sc_toptie
sc_topup:
  inx
  beq sc_topcarry
sc_top:
  sec
  lbra sc_sign
sc_zero:
  lda #0
  tax
  tay
  taz
  lbra score_put
sc_lowtie:
  lda HW_PRODUCT+2
  ora HW_PRODUCT+1
  lbne sc_lowup
  txa
  lsr
  lbcs sc_lowup
  lbra sc_low
sc_lowcarry:
  iny
  lbne sc_low
  inz
  lbne sc_low
  ldz #$80
  bra sc_top
sc_toptie:
  lda HW_PRODUCT+2
  ora HW_PRODUCT+1
  bne sc_topup
  txa
  lsr
  bcs sc_topup
  bra sc_top
sc_topcarry:
  iny
  bne sc_top
  inz
  bne sc_top
  ldz #$80                            ; one exponent more
  inc s_e
  bra sc_top
best:
  !32 0
