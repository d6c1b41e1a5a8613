; Rows of rewritten F16 weights: the exact sum of exact products
;
; A weight is W = w * 2^24 + 2^31, unsigned; x is a mantissa shifted by 0-7 bits and a
; byte offset into a sum of 48 bytes, both relative to the smallest exponent of
; x. The offsets and the sign of x are patched into unrolled code, one stretch
; per column; what the 2^31 adds stands in the sum's start value.

COLUMNS      = 174      ; of a row at most
SUM          = WIDE     ; 48 bytes in the base page
SUM_BYTES    = 48
start_value  = $70      ; 48 bytes
co_min       = $a0      ; smallest exponent of x
co_off       = $a1
co_sign      = $a2
co_j         = $a3
co_max       = $a4      ; largest byte offset of x
co_top       = $a5      ; byte of the sum that holds the guard
co_copy      = $a6      ; 2 bytes: where the copy of the start value begins
CODE         = chords   ; unrolled columns, where the coefficients came from the file
FAST_X       = SCORES   ; x, 4 bytes a column
FAST_W       = SCORES + $400 ; a row of weights
column_row:
  !word 0               ; bytes of a row

; One column, copied COLUMNS times to CODE by column_code
column:
  ldq FAST_W
  stq HW_MATH_A
  ldq FAST_X
  stq HW_MATH_B
column_at:
  ldq SUM
  clc
  adcq HW_PRODUCT
  stq SUM
  ldq SUM+4
  adcq HW_PRODUCT+4
  stq SUM+4
  bcc column_end
  ldx #SUM+8
  jsr carry_on
column_end:
COLUMN_BYTES = column_end - column
; where it is patched
CO_SUM0      = 3 + column_at - column
CO_SIGN      = 4 + column_at - column
CO_ADD0      = 7 + column_at - column
CO_SUM1      = 13 + column_at - column
CO_SUM2      = 17 + column_at - column
CO_ADD1      = 20 + column_at - column
CO_SUM3      = 26 + column_at - column
CO_BRANCH    = 27 + column_at - column
CO_SUM4      = 30 + column_at - column
CO_CALL      = 32 + column_at - column
; Carry, borrow beyond the eight bytes of a product
; Input:  X = base page address
carry_on:
  inc 0,x
  bne @done
  inx
  bra carry_on
@done:
  rts
borrow_on:
  lda 0,x
  bne @last
  dec 0,x
  inx
  bra borrow_on
@last:
  dec 0,x
  rts

; Write the unrolled code
; Uses:   A, X, Y, px, tmp, tmp2
column_code:
  +set16 px, CODE
  +set16 tmp, FAST_W
  +set16 tmp2, FAST_X
  ldx #COLUMNS
@column:
  ldy #COLUMN_BYTES - 1
@copy:
  lda column,y
  sta (px),y
  dey
  bpl @copy
  ldy #3
  lda tmp
  sta (px),y
  iny
  lda tmp+1
  sta (px),y
  ldy #13
  lda tmp2
  sta (px),y
  iny
  lda tmp2+1
  sta (px),y
  +next4 tmp
  +next4 tmp2
  jsr column_next
  dex
  bne @column
  rts
column_next:
  lda px
  clc
  adc #COLUMN_BYTES
  sta px
  bcc @same
  inc px+1
@same:
  rts

; Patch x into the code
; Input:  N_ columns of x at gv_x
; Uses:   everything of float.s
column_patch:
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
  lda #255                            ; the smallest exponent
  sta co_min
  +set16 px, BUF_X
  ldx N_
@smallest:
  ldy #2
  lda (px),y
  asl
  iny
  lda (px),y
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
  lda (px),y
  asl
  dey
  ora (px),y
  dey
  ora (px),y
  beq @larger
  lda #1
  sta co_min
@larger:
  +next4 px
  dex
  bne @smallest
  ldx #SUM_BYTES - 1
  lda #0
@clear:
  sta SUM,x
  dex
  bpl @clear
  +set16 px, CODE
  +set16 py, BUF_X
  +set16 pz, FAST_X
  lda #0
  sta co_j
  sta co_max
@column:
  ldz #0
  ldq (py)
  stq pa
  jsr exact_single                    ; ex_m, ex_e, ex_s
  lda ex_m
  ora ex_m+1
  ora ex_m+2
  beq @zero
  lda ex_e
  sec
  sbc co_min
@zero:
  sta co_off
  and #7
  tay
  lda bit_table,y
  sta HW_MATH_B
  lda #0
  sta HW_MATH_B+1
  sta HW_MATH_B+2
  sta HW_MATH_B+3
  ldq ex_m
  stq HW_MATH_A
  ldq HW_PRODUCT
  stq (pz)
  stq tmp
  lda co_off
  lsr
  lsr
  lsr
  cmp co_max
  bcc @below
  sta co_max
@below:
  clc
  adc #SUM
  sta co_off
  tax
  lda ex_s
  and #$80
  sta co_sign
  bmi @minus
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
  lda co_off
  ldy #CO_SUM0
  sta (px),y
  ldy #CO_SUM1
  sta (px),y
  clc
  adc #4
  ldy #CO_SUM2
  sta (px),y
  ldy #CO_SUM3
  sta (px),y
  adc #4
  ldy #CO_SUM4
  sta (px),y
  ldx #0
  lda co_sign
  bpl @plus
  ldx #5
@plus:
  lda column_signs,x
  ldy #CO_SIGN
  sta (px),y
  lda column_signs+1,x
  ldy #CO_ADD0
  sta (px),y
  ldy #CO_ADD1
  sta (px),y
  lda column_signs+2,x
  ldy #CO_BRANCH
  sta (px),y
  lda column_signs+3,x
  ldy #CO_CALL
  sta (px),y
  lda column_signs+4,x
  iny
  sta (px),y
  jsr column_next
  +next4 py
  +next4 pz
  inc co_j
  lda co_j
  cmp N_
  lbne @column
  lda px                              ; the code ends here
  sta column_rts
  lda px+1
  sta column_rts+1
  ldy #0
  lda #$60
  sta (px),y
  lda co_max                          ; a 1 above everything keeps carries short;
  clc                                 ; and nothing above that is needed
  adc #10
  sta co_top
  inc
  inc
  sta ex_bytes
  clc
  adc #3                              ; copied: a multiple of 4
  and #$fc
  asl                                 ; 8 bytes of code copy 4 of them
  sta tmp
  lda #<copy_end
  sec
  sbc tmp
  sta co_copy
  lda #>copy_end
  sbc #0
  sta co_copy+1
  ldx #0                              ; start = -(sum << 31) + 2^(8 * top)
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
  lda start_value+SUM_BYTES-1
  asl
  ldx #SUM_BYTES - 1
@shift:
  ror start_value,x
  dex
  bpl @shift
  ldx co_top
@guard:
  inc start_value,x
  bne @done
  inx
  cpx #SUM_BYTES
  bne @guard
@done:
  rts
column_rts:
  !word CODE
; plus and minus: clc/sec, adcq/sbcq, bcc/bcs, where carries go
column_signs:
  !byte $18, $6d, $90, <carry_on, >carry_on
  !byte $38, $ed, $b0, <borrow_on, >borrow_on

; Copy as much of the start value as is needed
copy_start:
  jmp (BASE * 256 + co_copy)
!for i, SUM_BYTES / 4 - 1, 0 {
  ldq start_value + 4 * i
  stq SUM + 4 * i
}
copy_end:
  rts

; A tile of rows
; Input:  gv_wr = rewritten weights
column_tile:
  jsr column_patch
  lda N_                              ; bytes of a row
  sta column_row
  lda #0
  asl column_row
  rol
  asl column_row
  rol
  sta column_row+1
  +set16 pz, RESULTS
  lda #0
  sta gv_row
@row:
  jsr breathe
  lda column_row
  sta size
  lda column_row+1
  sta size+1
  ldq gv_wr
  stq place
  lda #<FAST_W
  ldx #>FAST_W
  jsr fetch
  +add16to28 gv_wr, size
  jsr copy_start
  jsr CODE
  ldx co_top                          ; off with the 1
  lda SUM,x
  bne @same
  dec SUM+1,x
@same:
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
  inc gv_row
  lda gv_row
  cmp gv_tile
  lbne @row
  lda column_rts                      ; the code goes on there
  sta px
  lda column_rts+1
  sta px+1
  ldy #0
  lda #$42
  sta (px),y
  rts
