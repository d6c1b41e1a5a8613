; A row of Q8_0 or Q4_0 weights times one or two blocks of x
;
; Two signed products in one multiplication: with u = w + 128 and v = x + 128,
; A = u0 + u1 * 2^24 and B = v1 + v0 * 2^24, bytes 3-5 of the product are u0 * v0 +
; u1 * v1, and byte 2 is 0. X, Y, Z hold the sum while A brings the factors: so
; nothing carries into it, nor out of it, as a start value keeps it between 0 and 2^24.
; The bias leaves by a constant of the weights' block and one of x's, in the start value.
;
; The base page is the math unit's meanwhile; DMA puts weights and x into the
; code, a byte every PAIR_BYTES.

RECORD_ONE   = 40       ; bytes: 16 even weights, 16 odd ones, EXTRAS
RECORD_TWO   = 80       ; 16 even of one, a byte, 16 of the other; odd ones; EXTRAS
EXTRAS       = 7        ; a block's: sign of the scale, 3 bytes of bias, scale, exponent

extras       = $60      ; of both blocks, as they lie in a record
dot_start    = $70      ; 4 bytes for each block: 2^23 - 2^20 - 128 * sum of v, times 256
dot_exponent = $7b      ; 2 bytes: of x's scale + 45, for each block
dot_first    = $78      ; bit 7: the rows' sums are still 0
dot_last     = $79      ; bit 7: no block follows this pass
dot_single   = $7a      ; bit 7: this pass has one block

M_PAGE       = HW_MATH_A / 256
M_A          = HW_MATH_A % 256
M_B          = HW_MATH_B % 256
M_PRODUCT    = HW_PRODUCT % 256

PAIR_BYTES   = 20
PAIR_ODD_X   = 1        ; offsets of what is put in
PAIR_EVEN_X  = 5
PAIR_EVEN_W  = 9
PAIR_ODD_W   = 13
TAIL_X       = 1        ; and of the mantissa of x's scale
TAIL_X_HIGH  = 5

!macro dot_pairs {
!for p, 0, 15 {
  lda #0                              ; v1
  sta M_B
  lda #0                              ; v0
  sta M_B+3
  lda #0                              ; u0
  sta M_A
  lda #0                              ; u1
  sta M_A+3
  adcq M_PRODUCT+2
}
}

; X, Y, Z = start value; the base page is the math unit's
!macro dot_begin .extras, .start {
  ldq .extras                         ; A: a sign, and nothing is added to it
  clc
  adcq .start
  lda #M_PAGE
  tab
  lda #0
  sta M_A+1
  sta M_A+2
  sta M_B+1
  sta M_B+2
}

; X, Y, Z = 2^23 + isum -> t = f32(isum) * (dw * dx), rounded: t_e, t_s and Q. The base
; page is this program's again. Goes to .zero if t is 0. The product has at most 46
; bits, and its lowest bit but for 0 is in byte 3 at least.
!macro dot_end .extras, .exponent, .zero {
  lda #0                              ; mantissa of x's scale: put in
  sta M_A
  lda #0
  sta M_A+1
  lda #0
  sta M_A+3
  cpz #$80
  bcc @negative
  stx M_B
  sty M_B+1
  tza
  and #$7f
  sta M_B+2
  lda BASE * 256 + .extras
@magnitude:
  sta BASE * 256 + t_s
  lda #0
  sta M_B+3
  ldq M_PRODUCT                       ; below 2^30
  stq M_A
  lda #BASE
  tab
  lda .extras+4
  sta HW_MATH_B
  lda .extras+5
  sta HW_MATH_B+1
  lda #0
  sta HW_MATH_B+2
  lda .extras+6
  clc
  adc .exponent
  sta t_e
  lda HW_PRODUCT+5
  beq @byte4
  ldq HW_PRODUCT+2
  bmi @round
  bra @up
@negative:                            ; C = 0
  txa
  eor #$ff
  adc #1
  sta M_B
  tya
  eor #$ff
  adc #0
  sta M_B+1
  tza
  eor #$7f
  adc #0
  sta M_B+2
  lda BASE * 256 + .extras
  eor #$80
  bra @magnitude
@byte4:
  lda HW_PRODUCT+4
  beq @byte3
  lda t_e
  sec
  sbc #8
  sta t_e
  ldq HW_PRODUCT+1
  bmi @round
  bra @up
@byte3:
  lda HW_PRODUCT+3
  lbeq .zero
  lda t_e
  sec
  sbc #16
  sta t_e
  ldq HW_PRODUCT
  bmi @round
@up:
  dec t_e
  aslq
  bpl @up
@round:
  cmp #$80
  bcc @down
  bne @more
  lda HW_PRODUCT+5                    ; a tie, unless something lies below
  beq @low
  lda HW_PRODUCT+1
  bne @more
@low:
  lda HW_PRODUCT+5
  ora HW_PRODUCT+4
  beq @tie
  lda HW_PRODUCT
  bne @more
@tie:
  txa
  lsr
  bcc @down
@more:
  inx
  bne @down
  iny
  bne @down
  inz
  bne @down
  ldz #$80
  inc t_e
@down:
  lda #0
}

; All rows of the tile
; Input:  gv_tile, row_slow, the list's source; dot_first, dot_last, dot_single
; Output: ACCS, or RESULTS if these were the last blocks
; Uses:   A, X, Y, Z, px, pz, cnt, acc, t, math unit
dot_rows:
  +set16 px, ACCS
  +set16 pz, RESULTS
  lda gv_tile
  sta cnt
  bra dot_breathe
dot_row:
  lda cnt
  and #15
  bne dot_bring
dot_breathe:
  jsr breathe
  lda #WINDOW_BANK
  sta HW_DMA_LIST_BANK
  lda #0
  sta HW_DMA_LIST_MB
  lda #>(row_list + WINDOW_SHIFT)
  sta HW_DMA_LIST_HI
dot_bring:
  lda row_slow
  lbne dot_slow
  lda #<row_list
  sta HW_DMA_ENHANCED
  clc
  lda rl_even                         ; the next row's
row_step_even:
  adc #RECORD_TWO
  sta rl_even
  bcs dot_even
dot_odd:
  lda rl_odd
row_step_odd:
  adc #RECORD_TWO
  sta rl_odd
  bcs dot_odd_page
dot_extras:
  lda rl_extras
row_step_extras:
  adc #RECORD_TWO
  sta rl_extras
  bcc dot_brought
  inc rl_extras+1
  bne dot_brought
  inc rl_extras+2
  bra dot_brought
dot_even:
  clc
  inc rl_even+1
  bne dot_odd
  inc rl_even+2
  bra dot_odd
dot_odd_page:
  clc
  inc rl_odd+1
  bne dot_extras
  inc rl_odd+2
  bra dot_extras
dot_slow:
  jsr row_record
  lda #>(row_list + WINDOW_SHIFT)
  sta HW_DMA_LIST_HI
  lda #<row_list
  sta HW_DMA_ENHANCED
  bra dot_brought
dot_brought:
  bbs7 dot_first, dot_a
  ldz #0                              ; the sum so far
  ldq (px)
  stq acc_q
  ldy #4
  lda (px),y
  sta acc_e
  iny
  lda (px),y
  sta acc_s
dot_a:
  +dot_begin extras, dot_start
pairs_a:
  +dot_pairs
  jmp tail_a
  !fill PAIR_BYTES - 3, 0
pairs_b:
  +dot_pairs
  jmp tail_b
tail_a:
  +dot_end extras, dot_exponent, zero_a
  bbs7 dot_first, first_a
  stq t_q
  jsr fadd
next_b:
  bbr7 dot_single, go_b
  jmp row_end
go_b:
  +dot_begin extras + EXTRAS, dot_start + 4
  jmp pairs_b
first_a:
  stq acc_q
  lda t_e
  sta acc_e
  lda t_s
  sta acc_s
  bra next_b
zero_a:
  bbr7 dot_first, next_b              ; + 0 changes nothing
  jsr acc_zero
  bra next_b
tail_b:
  +dot_end extras + EXTRAS, dot_exponent+1, row_end
  stq t_q
  jsr fadd
row_end:
  bbr7 dot_last, row_keep
  +pack acc_q, pr
  ldq pr
  stq (pz)
  lda #4
  clc
  adc pz
  sta pz
  bcc row_count1
  inc pz+1
row_count1:
  bbs7 dot_first, row_next
  bra row_px
row_keep:
  ldq acc_q
  stq (px)
  ldy #4
  lda acc_e
  sta (px),y
  iny
  lda acc_s
  sta (px),y
row_px:
  lda #8
  clc
  adc px
  sta px
  bcc row_next
  inc px+1
row_next:
  dec cnt
  lbne dot_row
  rts
