; The unrolled code for F16 columns, and the DMA lists that fill it
;
; column.s says what it computes.

COLUMNS      = 256      ; of a row at most
ROWS         = 64       ; of a tile; in a column's 256 bytes, first the lowest bytes of all rows
SUM          = WIDE     ; 48 bytes in the base page
SUM_BYTES    = 48
start_value  = $70      ; 48 bytes
co_min       = $a0      ; smallest exponent of x
co_off       = $a1
co_sign      = $a2      ; bit 7
co_j         = $a3
co_max       = $a4      ; largest byte offset of x
co_top       = $a5      ; byte of the sum that holds the guard
co_class     = $a6      ; offset, and 32 if x is negative
CODE         = chords   ; the unrolled code, where the coefficients came from the file
SUMS         = SCORES   ; 64 bytes a row
CO_NEXT      = BUF_W    ; the next column of the same class; the last one names itself
CO_LAST      = BUF_W + $100 ; of each class the column met last
CO_USED      = BUF_W + $140 ; not 0: there is one
CO_PLACES    = BUF_W + $180 ; low bytes of where x belongs in the sum of each row
CO_PLACES4   = BUF_W + $1c0 ; 4 bytes on

; A row, copied ROWS times to CODE by column_code. The base page is the math unit's.
row_code:
  lda #0                              ; the weight
  ldx #0
  ldy #0
  ldz #0
  stq M_A
row_low:
  ldq SUMS                            ; C = 0, or 1 if products are subtracted
row_add:
  adcq M_PRODUCT
row_stored:
  stq SUMS
row_high:
  ldq SUMS+4
row_add4:
  adcq M_PRODUCT+4
row_stored4:
  stq SUMS+4
row_branch:
  bcc row_code_end
  jsr carry_on
row_code_end:
ROW_BYTES    = row_code_end - row_code
; where it is patched
RO_LOW       = row_low + 3 - row_code
RO_ADD       = row_add + 2 - row_code
RO_STORED    = row_stored + 3 - row_code
RO_HIGH      = row_high + 3 - row_code
RO_ADD4      = row_add4 + 2 - row_code
RO_STORED4   = row_stored4 + 3 - row_code
RO_BRANCH    = row_branch - row_code
RO_CALL      = row_branch + 3 - row_code
; Carry, borrow beyond the eight bytes of a product
; Input:  return address: behind the row's code
; Output: C as the next row wants it
; Uses:   A, X, Y, tmp, sp_x
carry_on:
  jsr carry_place
@more:
  lda (tmp),y
  inc
  sta (tmp),y
  bne @done
  iny
  bra @more
@done:
  lda #M_PAGE
  tab
  clc
  rts
borrow_on:
  jsr carry_place
@more:
  lda (tmp),y
  dec
  sta (tmp),y
  inc
  bne @done
  iny
  bra @more
@done:
  lda #M_PAGE
  tab
  sec
  rts
; Output: (tmp),y = the sum's byte behind the product; the base page is ours
; Uses:   A, X, sp_x
carry_place:
  lda #BASE
  tab
  tsx
  lda STACK * 256 + 3,x               ; the row's end - 1
  sec
  sbc #ROW_BYTES - 1 - RO_STORED4
  sta sp_x
  lda STACK * 256 + 4,x
  sbc #0
  sta sp_x+1
  ldy #1
  lda (sp_x),y
  sta tmp+1
  dey
  lda (sp_x),y
  sta tmp
  ldy #4
  rts

; Write the unrolled code
; Uses:   A, X, Y, px, tmp
column_code:
  +set16 px, CODE
  +set16 tmp, SUMS
  ldx #ROWS
@row:
  ldy #ROW_BYTES - 1
@copy:
  lda row_code,y
  sta (px),y
  dey
  bpl @copy
  lda tmp+1
  ldy #RO_LOW + 1
  sta (px),y
  ldy #RO_STORED + 1
  sta (px),y
  ldy #RO_HIGH + 1
  sta (px),y
  ldy #RO_STORED4 + 1
  sta (px),y
  lda tmp
  clc
  adc #64
  sta tmp
  bcc @same
  inc tmp+1
@same:
  lda px
  clc
  adc #ROW_BYTES
  sta px
  bcc @next
  inc px+1
@next:
  dex
  bne @row
  lda #$60
  sta CODE + ROWS * ROW_BYTES
  rts

; Start a list
; Input:  A low, X high = its address in the window's bank
; Uses:   Y
column_dma:
  ldy #WINDOW_BANK
  sty HW_DMA_LIST_BANK
  ldy #0
  sty HW_DMA_LIST_MB
  stx HW_DMA_LIST_HI
  sta HW_DMA_ENHANCED
  rts

; A job in a list: copy, and where it goes in the code of all rows
!macro to_rows .command, .length, .from, .at {
  !byte .command
  !word .length, .from
  !byte 0
  !word CODE + .at + WINDOW_SHIFT
  !byte WINDOW_BANK, 0
  !word 0
}
; the start value into all sums
sums_list:
  !byte $0b, $80, 0, $81, 0, 0
  !byte 4
  !word SUM_BYTES, BASE * 256 + start_value + WINDOW_SHIFT
  !byte WINDOW_BANK
  !word SUMS
  !byte 0, 0
  !word 0
  !byte 0, 0
  !word 63 * 64, SUMS
  !byte 0
  !word SUMS + 64
  !byte 0, 0
  !word 0
; a row's sum into the base page
sum_list:
  !byte $0b, $80, 0, $81, 0, 0
  !byte 0
  !word SUM_BYTES
sum_from:
  !word SUMS
  !byte 0
  !word BASE * 256 + SUM + WINDOW_SHIFT
  !byte WINDOW_BANK, 0
  !word 0
; offsets: every fourth is the same
places_list:
  !byte $0b, $80, 0, $81, 0, 0
  !byte 4
  !word 60, CO_PLACES
  !byte 0
  !word CO_PLACES + 4
  !byte 0, 0
  !word 0
  !byte 0, 4
  !word 60, CO_PLACES4
  !byte 0
  !word CO_PLACES4 + 4
  !byte 0, 0
  !word 0
  !byte $85, ROW_BYTES, 0
  +to_rows 4, ROWS, CO_PLACES, RO_LOW
  !byte 0
  +to_rows 4, ROWS, CO_PLACES, RO_STORED
  !byte 0
  +to_rows 4, ROWS, CO_PLACES4, RO_HIGH
  !byte 0
  +to_rows 0, ROWS, CO_PLACES4, RO_STORED4
; adcq, bcc, carry_on, or sbcq, bcs, borrow_on
!macro sign_list .add, .branch, .call {
  !byte $0b, $80, 0, $81, 0, $85, ROW_BYTES, 0
  +to_rows 7, ROWS, .add, RO_ADD
  !byte 0
  +to_rows 7, ROWS, .add, RO_ADD4
  !byte 0
  +to_rows 7, ROWS, .branch, RO_BRANCH
  !byte 0
  +to_rows 7, ROWS, .call % 256, RO_CALL
  !byte 0
  +to_rows 3, ROWS, .call / 256, RO_CALL + 1
}
plus_list:
  +sign_list $65, $90, carry_on
minus_list:
  +sign_list $e5, $b0, borrow_on
; a column's weights
column_list:
  !byte $0b, $80
cl_mb:
  !byte 0, $81, 0, $85, ROW_BYTES, 0
  !byte 4
  !word ROWS
cl_weights:
  !byte 0, 0, 0
  !word CODE + 1 + WINDOW_SHIFT
  !byte WINDOW_BANK, 0
  !word 0
  !byte 0, 4
  !word ROWS
cl_weights1:
  !byte ROWS, 0, 0
  !word CODE + 3 + WINDOW_SHIFT
  !byte WINDOW_BANK, 0
  !word 0
  !byte 0, 4
  !word ROWS
cl_weights2:
  !byte 2 * ROWS, 0, 0
  !word CODE + 5 + WINDOW_SHIFT
  !byte WINDOW_BANK, 0
  !word 0
  !byte 0, 0
  !word ROWS
cl_weights3:
  !byte 3 * ROWS, 0, 0
  !word CODE + 7 + WINDOW_SHIFT
  !byte WINDOW_BANK, 0
  !word 0
