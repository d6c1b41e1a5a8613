; Attention's values, for one head: sums of weights times values
;
; As head.s, which has the layout.

w_e          = $94      ; the exponential's exponent
w_n          = $95      ; 140 - a weight's exponent is this - w_e, or one less
w_rows       = $96      ; rows in hand

; Eight dimensions from at_part on: the sum of weights times values -> dst
; Input:  SCORES = exponentials, w_q = 1 / their sum
; Output: dst behind them; err
; Uses:   everything of float.s, pz, base pages of the sums
values:
  ldx #SLOTS
@clear:
  txa
  tab
  lda #0
  sta s_q
  sta s_q+1
  sta s_q+2
  sta s_q+3
  sta s_e
  sta s_s
  inx
  cpx #SLOTS + 8
  bne @clear
  lda #BASE
  tab
  lda #<KV_BUF
  sta rows_place
  lda #>KV_BUF
  sta rows_place+1
  lda #16
  sta rows_low
  lda #0
  sta rows_page
  ldq at_block+4
  jsr rows_begin
  lda #8
  jsr at_eight
  lda #<(140 + 127)
  sec
  sbc w_q+4
  sta w_n
  lda #SLOTS + 7
  sta kernel_last+1
  lda #KERNEL_PLUS
  sta slot_sign
  +set16 pz, SCORES
@rows:
  jsr rows_next
  lbeq @done
  jsr breathe
  jsr columns_fetch
  lda at_step
  ldx at_step+1
  jsr rows_move
  lda at_rows
  sta w_rows
  lda #s_low
  sta slot_low+1
  lda #s_high
  sta slot_high+1
@row:
  ldz #0
  ldq (pz)
  lbeq @nothing
  sta w_e
  lda #0
  stq HW_MATH_A
  ldq w_q
  stq HW_MATH_B
  ldq HW_PRODUCT+4
  bmi @high
  aslq
  cmp #$80
  bcc @low
  beq @lowtie
@lowup:
  inx
  beq @lowcarry
@low:
  lda w_n
  sec
  bra @weight
@high:
  cmp #$80
  bcc @top
  beq @toptie
@topup:
  inx
  lbeq @topcarry
@top:
  lda w_n
  clc
@weight:
  sbc w_e
  sta slot_n1+1
  sta slot_n2+1
  lda #0
  sta HW_MATH_B+3
  lsrq
  lsrq
  lsrq
  stq HW_MATH_A
  jsr kernel
@next:
  inc slot_low+1
  inc slot_high+1
  +next4 pz
  dec w_rows
  lbne @row
  lbra @rows
@nothing:                             ; weight 0, though not times infinity
  lda slot_low+1
  sec
  sbc #s_low
  asl
  asl
  asl
  asl
  tay
  ldx #8
@finite:
  lda KV_BUF+1,y
  and #$7c
  cmp #$7c
  bne @number
  inc err
@number:
  iny
  iny
  dex
  bne @finite
  lbra @next
@lowtie:
  lda HW_PRODUCT+3
  ora HW_PRODUCT+2
  lbne @lowup
  txa
  lsr
  lbcs @lowup
  lbra @low
@lowcarry:
  iny
  lbne @low
  inz
  lbne @low
  ldz #$80
  lbra @top
@toptie:
  lda HW_PRODUCT+3
  ora HW_PRODUCT+2
  lbne @topup
  txa
  lsr
  lbcs @topup
  lbra @top
@topcarry:
  iny
  lbne @top
  inz
  lbne @top
  ldz #$80
  inc w_e
  lbra @top
@done:
  lda #<OUTS                          ; eight results
  sta value_put+3
  lda #SLOTS
value_out:
  tab
  ldx s_e
  beq @zero
  lda s_s                             ; packed
  asl
  txa
  ror
  taz
  lda s_q+3
  bcs @odd
  and #$7f
@odd:
  tay
  ldx s_q+2
  lda s_q+1
  bra value_put
@zero:
  lda #0
  tay
  taz
value_put:
  stq OUTS
  lda value_put+3
  clc
  adc #4
  sta value_put+3
  tba
  inc
  cmp #SLOTS + 8
  bne value_out
  lda #BASE
  tab
  +set_size 32
  ldq dst
  stq place
  lda #<OUTS
  ldx #>OUTS
  jsr store
  +add16to28 dst, size
  rts
