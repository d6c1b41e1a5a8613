; Rows of rewritten F16 weights: the exact sum of exact products
;
; A weight is W = w * 2^24 + 2^24 or + 2^31, unsigned; x is a mantissa shifted by 0-7 bits and a
; byte offset into a sum of 48 bytes, both relative to the smallest exponent of
; x. Column by column, those of the same offset and sign one after the other: x
; stays in the math unit, DMA puts the column's weights into unrolled code, one
; stretch for each of 64 rows, whose sums lie in SUMS. What the bias adds stands in
; the sums' start value.

; x as the columns want it: mantissas shifted, in BUF_X, lists of the columns of
; each class, the start value
; Input:  N_ columns of x at gv_x
; Uses:   everything of float.s
column_x:
  ldq N_
  stq left
  jsr size4
  lda val
  sta size
  lda val+1
  sta size+1
  ldq gv_x
  stq place
  lda #<BUF_X
  ldx #>BUF_X
  jsr fetch
  ldx #SUM_BYTES - 1
  lda #0
@clear:
  sta SUM,x
  dex
  bpl @clear
  ldx #63
@unused:
  sta CO_USED,x
  dex
  bpl @unused
  sta co_j
  sta co_max
  lda #255                            ; the smallest exponent
  sta co_min
  +set16 py, BUF_X
  ldx N_
@smallest:
  ldy #2
  lda (py),y
  asl
  iny
  lda (py),y
  rol
  beq @tiny
  cmp #255
  bne @finite
  inc err
@finite:
  cmp co_min
  bcs @larger
  sta co_min
  bra @larger
@tiny:                                ; a subnormal number counts as 1
  dey
  lda (py),y
  asl
  dey
  ora (py),y
  dey
  ora (py),y
  beq @larger
  lda #1
  sta co_min
@larger:
  +next4 py
  dex
  bne @smallest
  +set16 py, BUF_X
  lda #0
  sta HW_MATH_A+3
  sta HW_MATH_B+1
  sta HW_MATH_B+2
  sta HW_MATH_B+3
@column:
  ldz #0
  ldq (py)
  sta HW_MATH_A
  stx HW_MATH_A+1
  stz ex_s
  tya
  ora #$80
  sta HW_MATH_A+2
  tya
  asl
  tza
  rol
  beq @subnormal
  sec
@exponent:
  sbc co_min
  sta co_off
  and #7
  tay
  lda bit_table,y
  sta HW_MATH_B
  ldq HW_PRODUCT
  stq (py)
  stq tmp
  lda co_off
  lsr
  lsr
  lsr
  sta co_off
  cmp co_max
  bcc @below
  sta co_max
@below:
  bbr7 ex_s, @positive
  ora #32
@positive:
  tax                                 ; the class; its list
  ldy co_j
  lda CO_USED,x
  bne @listed
  tya
  bra @list
@listed:
  lda CO_LAST,x
@list:
  sta CO_NEXT,y
  tya
  sta CO_LAST,x
  lda #1
  sta CO_USED,x
  lda co_off
  clc
  adc #SUM
  tax
  bbs7 ex_s, @minus
  clc
!for i, 0, 3 {
  lda i,x
  adc tmp + i
  sta i,x
}
  bcc @summed
  inx
  inx
  inx
  inx
@carry:
  cpx #SUM + SUM_BYTES
  bcs @summed
  inc 0,x
  bne @summed
  inx
  bra @carry
@subnormal:                           ; or a column of zeros
  tya
  and #$7f
  sta HW_MATH_A+2
  ora HW_MATH_A+1
  ora HW_MATH_A
  beq @summed
  lda #1
  sec
  lbra @exponent
@minus:
  sec
!for i, 0, 3 {
  lda i,x
  sbc tmp + i
  sta i,x
}
  bcs @summed
  inx
  inx
  inx
  inx
@borrow:
  cpx #SUM + SUM_BYTES
  bcs @summed
  lda 0,x
  dec 0,x
  cmp #0
  bne @summed
  inx
  bra @borrow
@summed:
  +next4 py
  inc co_j
  lda co_j
  cmp N_
  lbne @column
  lda co_max                          ; a 1 above everything keeps carries short;
  clc                                 ; and nothing above that is needed
  adc #10
  sta co_top
  ldx #0                              ; start = -(sum * bias) + 2^(8 * top)
  sec
  ldy #SUM_BYTES - 4
@negate:
  lda #0
  sbc SUM,x
  sta start_value+4,x
  inx
  dey
  bne @negate
  lda #0
  sta start_value
  sta start_value+1
  sta start_value+2
  sta start_value+3
  lda gv_wp                           ; 2^24?
  lsr
  bcc @half
  ldx #0
@move:
  lda start_value+1,x
  sta start_value,x
  inx
  cpx #SUM_BYTES - 1
  bne @move
  bra @above
@half:
  lda start_value+SUM_BYTES-1
  asl
  ldx #SUM_BYTES - 1
@shift:
  ror start_value,x
  dex
  bpl @shift
@above:
  ldx co_top
@guard:
  inc start_value,x
  bne @done
  inx
  cpx #SUM_BYTES
  bne @guard
@done:
  rts

; A tile of rows
; Input:  gv_tile, gv_first_row; gv_wp = the tile's rewritten weights
; Output: RESULTS; gv_wp, gv_first_row of the next tile
; Uses:   everything of float.s, px, py, pz, cnt, sp_x
column_tile:
  ldq gv_first_row
  bne @known
  jsr column_x
@known:
  lda gv_tile                         ; the code ends behind the last row
  ldx #0
  ldy #0
  ldz #0
  stq HW_MATH_A
  clc
  adcq gv_first_row
  stq gv_first_row
  lda #ROW_BYTES
  ldx #0
  ldy #0
  ldz #0
  stq HW_MATH_B
  lda HW_PRODUCT
  clc
  adc #<CODE
  sta pz
  lda HW_PRODUCT+1
  adc #>CODE
  sta pz+1
  ldy #0
  lda #$60
  sta (pz),y
  lda #<sums_list
  ldx #>(sums_list + WINDOW_SHIFT)
  jsr column_dma
  lda #0
  sta co_class
@class:
  lda co_class
  and #$1f
  bne @same
  lda co_class
  asl
  asl
  sta co_sign
  bmi @negative
  lda #<plus_list
  ldx #>(plus_list + WINDOW_SHIFT)
  bra @sign
@negative:
  lda #<minus_list
  ldx #>(minus_list + WINDOW_SHIFT)
@sign:
  jsr column_dma
@same:
  ldx co_class
  lda CO_USED,x
  beq @none
  jsr column_class
@none:
  inc co_class
  bbr6 co_class, @class
  lda gv_tile                         ; the code goes on there
  cmp #ROWS
  beq @whole
  ldy #0
  lda #$a9
  sta (pz),y
@whole:
  lda gv_wp+1                         ; a page a column
  clc
  adc N_
  sta gv_wp+1
  lda gv_wp+2
  adc N_+1
  sta gv_wp+2
  bcc @rows
  inc gv_wp+3
@rows:
  +set16 sum_from, SUMS
  +set16 pz, RESULTS
  lda gv_tile
  sta cnt
  lda co_top
  inc
  inc
  sta ex_bytes
@row:
  lda #<sum_list
  ldx #>(sum_list + WINDOW_SHIFT)
  jsr column_dma
  lda sum_from
  clc
  adc #64
  sta sum_from
  bcc @samepage
  inc sum_from+1
@samepage:
  ldx co_top                          ; off with the 1
  lda SUM,x
  bne @low
  dec SUM+1,x
@low:
  dec SUM,x
  lda co_min                          ; exponent if bit 63 leads
  clc
  adc #16
  sta ex_bias
  lda #0
  adc #0
  sta ex_bias+1
  jsr exact_round
  ldq pr
  stq (pz)
  +next4 pz
  dec cnt
  bne @row
  jmp breathe

; The columns of a class
; Input:  co_class, co_sign
; Uses:   A, X, Y, Z, px, math unit
column_class:
  lda co_class                        ; where x belongs in the sum of each row
  and #$1f
  ldx #0
@place:
  sta CO_PLACES,x
  clc
  adc #4
  sta CO_PLACES4,x
  adc #60
  inx
  cpx #4
  bne @place
  lda #<places_list
  ldx #>(places_list + WINDOW_SHIFT)
  jsr column_dma
  ldx co_class
  lda CO_LAST,x
@column:
  sta co_j
  jsr breathe
  lda gv_wp+1                         ; the column's weights
  clc
  adc co_j
  sta cl_weights+1
  sta cl_weights1+1
  sta cl_weights2+1
  sta cl_weights3+1
  lda gv_wp+2
  adc #0
  tay
  lda gv_wp+3
  adc #0
  asl
  asl
  asl
  asl
  sta cl_mb
  tya
  lsr
  lsr
  lsr
  lsr
  tsb cl_mb
  tya
  and #$0f
  sta cl_weights+2
  sta cl_weights1+2
  sta cl_weights2+2
  sta cl_weights3+2
  lda co_j                            ; x
  sta px
  lda #0
  asl px
  rol
  asl px
  rol
  adc #>BUF_X
  sta px+1
  ldz #0
  ldq (px)
  stq HW_MATH_B
  lda #<column_list
  ldx #>(column_list + WINDOW_SHIFT)
  jsr column_dma
  lda co_sign
  asl
  lda #M_PAGE
  tab
  jsr CODE
  lda #BASE
  tab
  ldx co_j
  lda CO_NEXT,x
  cmp co_j
  bne @column
  rts
