; GEMV: rows of weights times a vector
;
; Q8_0 and Q4_0 work on 128 rows at a time, block of 32 columns by block, four
; rows a pass: the block of x is patched into the code once for all rows. F16,
; BF16 and F32 rows are exact sums (exact.s).

TILE         = 128      ; rows
ACCS         = BUF_Z    ; their sums, unpacked, 8 bytes each
RESULTS      = BUF_Y    ; and packed

gv_rows:
  !32 0                 ; rows still to do
gv_w:
  !32 0                 ; weights: the row at hand, or the tile's first
gv_x:
  !32 0                 ; x
gv_row_bytes:
  !32 0
gv_blocks:
  !word 0               ; blocks of a row
gv_block:
  !word 0               ; the block at hand
gv_tile:
  !byte 0               ; rows of this tile
gv_row:
  !byte 0               ; the row in it
gv_wb:
  !32 0                 ; weights of the block at hand, first row of the tile
gv_wr:
  !32 0                 ; and row at hand
gv_wp:
  !32 0                 ; rewritten weights of the tile
gv_first:
  !byte 0               ; not 0: the block is its rows' first one
gv_found:
  !byte 0               ; not 0: there are any
gv_step:
  !32 0                 ; from a block to the next
gv_dst:
  !32 0                 ; where the result begins
xq_valid:
  !byte 0               ; not 0: XQ holds the vector at xq_x
xq_x:
  !32 0
xq_n:
  !32 0

op_gemv:
  lda ins+2
  cmp #3
  lbcs op_illegal
  ldq N_
  stq left
  lda ins+1
  jsr row_bytes
  ldq val
  stq gv_row_bytes
  stq HW_MATH_A
  ldq N_+4
  stq gv_rows
  stq HW_MATH_B
  lda HW_PRODUCT+4
  ora HW_PRODUCT+5
  ora HW_PRODUCT+6
  ora HW_PRODUCT+7
  bne @toomany
  ldq HW_PRODUCT
  stq val
  bra @weights
@toomany:
  lda #$ff
  sta val+3
@weights:
  jsr operand_x
  ldq src1
  stq gv_w
  ldx #0
  stx gv_found
  jsr table_find
  bcs @raw
  stq gv_wp
  inc gv_found
@raw:
  jsr vector_size
  jsr operand_y
  ldq src2
  stq gv_x
  ldq N_+4
  jsr size4
  lda ins+2
  and #GEMV_F16
  beq @singles
  lsrq val
@singles:
  jsr operand_z
  ldq dst
  stq gv_dst
  lda ins+1
  cmp #8
  beq @quantise
  cmp #2
  bne @tile
@quantise:
  jsr quantise_x
@tile:
  lda gv_rows+1
  ora gv_rows+2
  ora gv_rows+3
  bne @full
  lda gv_rows
  beq @done
  cmp #TILE
  bcc @some
@full:
  lda #TILE
@some:
  sta gv_tile
  ldx #0
  ldy #0
  ldz #0
  stq val
  ldq gv_rows
  sec
  sbcq val
  stq gv_rows
  lda ins+1
  cmp #8
  beq @blocks
  cmp #2
  beq @blocks
  lda gv_found
  bne @columns
  jsr exact_tile
  bra @results
@columns:
  ldq gv_wp
  stq gv_wr
  jsr column_tile
  ldq gv_wr
  stq gv_wp
  bra @results
@blocks:
  jsr block_tile
@results:
  jsr gemv_results
  bra @tile
@done:
  ldq gv_x                            ; has the result gone over x? dst > x there
  clc                                 ; now: result is gv_dst to dst
  adcq xq_bytes
  stq val
  ldq gv_dst
  cpq val
  bcs @apart
  ldq gv_x
  cpq dst
  bcs @apart
  lda #0
  sta xq_valid
@apart:
  rts
xq_bytes:
  !32 0

; Quantise x into XQ, unless it stands there, or is too long for it
quantise_x:
  ldq N_
  aslq
  aslq
  stq xq_bytes
  lda N_+2
  ora N_+3
  bne @long
  lda N_+1
  cmp #>(XQ_MAX * 32)
  bcc @short
  bne @long
  lda N_
  bne @long
@short:
  lda xq_valid
  beq @new
  ldq gv_x
  cpq xq_x
  bne @new
  ldq N_
  cpq xq_n
  bne @new
  rts
@long:
  lda #0
  sta xq_valid
  rts
@new:
  ldq gv_x
  stq xq_x
  stq src2
  ldq N_
  stq xq_n
  stq left
  +set16 pz, XQ
@block:
  lda left
  ora left+1
  beq @done
  lda left
  sec
  sbc #32
  sta left
  bcs @same
  dec left+1
@same:
  jsr quantise_block
  bra @block
@done:
  lda #1
  sta xq_valid
  rts

; The next block of x at src2 -> 40 bytes at (pz): vout, xsum, qd_m, qd_e
quantise_block:
  +set_size 128
  ldq src2
  stq place
  lda #<BUF_X
  ldx #>BUF_X
  jsr fetch
  +add16to28 src2, size
  +set16 srcp, BUF_X
  jsr quantise
  ldy #31
@values:
  lda vout,y
  sta (pz),y
  dey
  bpl @values
  ldy #32
  ldx #0
@rest:
  lda xsum,x                          ; qd_m and qd_e follow it
  sta (pz),y
  iny
  inx
  cpx #7
  bne @rest
  lda pz
  clc
  adc #40
  sta pz
  bcc @done
  inc pz+1
@done:
  rts

; The tile's RESULTS go where they belong
gemv_results:
  lda gv_tile
  sta cnt
  asl
  sta size
  lda #0
  sta cnt+1
  rol
  sta size+1
  +set16 px, RESULTS
  lda ins+2
  beq @store
  and #GEMV_ADD
  lbeq @halves
  asl size
  rol size+1
  ldq dst
  stq place
  lda #<BUF_X
  ldx #>BUF_X
  jsr fetch
  +set16 py, BUF_X
@add:
  +word_at py, pa
  jsr unpack_acc
  +word_at px, pa
  jsr unpack_t
  jsr fadd
  jsr pack_acc
  ldq pr
  stq (px)
  +next4 px
  +next4 py
  jsr count
  bne @add
  bra @out
@store:
  asl size
  rol size+1
@out:
  ldq dst
  stq place
  lda #<RESULTS
  ldx #>RESULTS
  jsr store
  +add16to28 dst, size
  rts
@halves:
  +set16 pz, BUF_Z
  jsr to_halves
  jmp store_z

; A tile of Q8_0 or Q4_0 rows
block_tile:
  ldx #0                              ; all sums are 0
  txa
@clear:
  sta ACCS,x
  sta ACCS+$100,x
  sta ACCS+$200,x
  sta ACCS+$300,x
  inx
  bne @clear
  sta gv_block
  sta gv_block+1
  ldq N_                              ; blocks of a row: below 2^16
  lsrq
  lsrq
  lsrq
  lsrq
  lsrq
  sta gv_blocks
  stx gv_blocks+1
  ldq gv_x
  stq src2
  ldq gv_w
  stq gv_wb
  lda ins+1                           ; from a block to the next: 34 or 18 bytes,
  ldx #34
  cmp #8
  beq @q8
  ldx #18
@q8:
  txa
  ldx #0
  ldy #0
  ldz #0
  stq gv_step
  lda gv_found
  beq @raw
  ldq gv_wp                           ; or 40 times all rows
  stq gv_wb
  lda #40
  ldx #0
  ldy #0
  ldz #0
  stq HW_MATH_A
  ldq N_+4
  stq HW_MATH_B
  ldq HW_PRODUCT
  stq gv_step
@raw:
  +set16 py, XQ
@block:
  lda gv_block
  cmp gv_blocks
  bne @more
  lda gv_block+1
  cmp gv_blocks+1
  lbeq @pack
@more:
  lda gv_block
  ora gv_block+1
  ldx #1
  cmp #0
  beq @first
  dex
@first:
  stx gv_first
  inc gv_block
  bne @same
  inc gv_block+1
@same:
  lda xq_valid
  bne @quantised
  +set16 pz, XQ
  jsr quantise_block
  +set16 py, XQ
@quantised:
  jsr dot_patch
  ldq gv_wb
  stq gv_wr
  lda #0
  sta gv_row
  +set16 pz, ACCS
@group:
  jsr breathe
  lda gv_found
  beq @each
  jsr four_rows
  bra @dot
@each:
  jsr raw_rows
@dot:
  jsr dot4
  jsr finish_rows
  lda gv_row
  clc
  adc #4
  sta gv_row
  cmp gv_tile
  bcc @group
  ldq gv_wb
  clc
  adcq gv_step
  stq gv_wb
  lbra @block
@pack:
  +set16 px, ACCS
  +set16 pz, RESULTS
  lda gv_tile
  sta cnt
  lda #0
  sta cnt+1
@row:
  ldz #0
  ldq (px)
  stq acc_q
  ldy #4
  lda (px),y
  sta acc_e
  iny
  lda (px),y
  sta acc_s
  jsr pack_acc
  ldq pr
  stq (pz)
  +next4 px
  +next4 px
  +next4 pz
  jsr count
  bne @row
  lda gv_tile                         ; behind the tile: rows * bytes
  ldx #0
  ldy #0
  ldz #0
  stq HW_MATH_A
  ldq gv_row_bytes
  stq HW_MATH_B
  ldq HW_PRODUCT
  clc
  adcq gv_w
  stq gv_w
  lda #40
  ldx #0
  ldy #0
  ldz #0
  stq HW_MATH_B
  ldq HW_PRODUCT
  clc
  adcq gv_wp
  stq gv_wp
  rts

; Four rewritten rows into ROWS
; Input:  gv_wr
four_rows:
  lda gv_wr+2
  and #$0f
  sta rows_src+2
  lda gv_wr+3
  asl
  asl
  asl
  asl
  sta rows_mb
  lda gv_wr+2
  lsr
  lsr
  lsr
  lsr
  tsb rows_mb
  lda gv_wr
  sta rows_src
  clc
  adc #160
  tax
  lda gv_wr+1
  sta rows_src+1
  stx gv_wr
  bcc @same
  inc gv_wr+1
  bne @same
  inc gv_wr+2
  bne @careful
  inc gv_wr+3
@careful:
  lda rows_src+2                      ; over the end of a megabyte?
  cmp #$0f
  bne @same
  lda gv_wr
  beq @same
  ldq gv_wr
  sec
  sbcq rows_160
  stq place
  +set_size 160
  lda #<(BASE * 256 + ROWS)
  ldx #>(BASE * 256 + ROWS)
  jmp fetch
@same:
  lda #WINDOW_BANK
  sta HW_DMA_LIST_BANK
  lda #0
  sta HW_DMA_LIST_MB
  lda #>(rows_list + WINDOW_SHIFT)
  sta HW_DMA_LIST_HI
  lda #<rows_list
  sta HW_DMA_ENHANCED
  rts
rows_160:
  !32 160
!align 31, 0, 0
rows_list:
  !byte $0b                           ; F018B
  !byte $80
rows_mb:
  !byte 0
  !byte $81, 0
  !byte 0
  !byte 0                             ; copy
  !word 160
rows_src:
  !byte 0, 0, 0
  !word BASE * 256 + ROWS + WINDOW_SHIFT
  !byte WINDOW_BANK
  !byte 0
  !word 0

; Four rows of the block at hand, as they lie in the image, into ROWS
; Rows beyond the tile are left out.
raw_rows:
  lda #0
  sta cnt2
  +set16 pz_rows, BASE * 256 + ROWS
@row:
  lda gv_row
  clc
  adc cnt2
  cmp gv_tile
  bcs @done
  ldq gv_wr
  stq place
  clc
  adcq gv_row_bytes
  stq gv_wr
  +set_size 34
  lda ins+1
  cmp #8
  beq @q8
  +set_size 18
@q8:
  lda #<BUF_W
  ldx #>BUF_W
  jsr fetch
  jsr rewrite_block
  lda pz_rows
  clc
  adc #40
  sta pz_rows
  inc cnt2
  lda cnt2
  cmp #4
  bne @row
@done:
  rts

; A block at BUF_W, Q8_0 or Q4_0 by ins+1, into 40 bytes: 32 biased weights,
; 524288 - 128 * their sum, mantissa of the scale left-aligned (2 bytes), its
; exponent, its sign
; Input:  pz_rows = where
; Uses:   A, X, Y, Z, tmp, tmp2, val
rewrite_block:
  lda #0
  sta val
  sta val+1
  ldy #0
  ldx #0
  lda ins+1
  cmp #8
  bne @q4
@byte:
  lda BUF_W+2,x
  eor #$80
  sta (pz_rows),y
  clc
  adc val
  sta val
  bcc @nocarry
  inc val+1
@nocarry:
  inx
  iny
  cpy #32
  bne @byte
  bra @sum
@q4:
  lda BUF_W+2,x
  and #$0f
  clc
  adc #120
  sta (pz_rows),y
  clc
  adc val
  sta val
  bcc @nocarry2
  inc val+1
@nocarry2:
  tya
  clc
  adc #16
  tay
  lda BUF_W+2,x
  lsr
  lsr
  lsr
  lsr
  clc
  adc #120
  sta (pz_rows),y
  clc
  adc val
  sta val
  bcc @nocarry3
  inc val+1
@nocarry3:
  tya
  sec
  sbc #15
  tay
  inx
  cpx #16
  bne @q4
@sum:
  lda val+1                           ; 524288 - (sum << 7)
  lsr
  sta tmp+2
  lda val
  ror
  sta tmp+1
  lda #0
  ror
  sta tmp
  lda #0
  sta tmp+3
  sta tmp2
  sta tmp2+1
  sta tmp2+3
  lda #8
  sta tmp2+2
  ldq tmp2
  sec
  sbcq tmp
  stq tmp
  ldy #32
  ldx #0
@copy:
  lda tmp,x
  sta (pz_rows),y
  iny
  inx
  cpx #4
  bne @copy
  lda BUF_W                           ; the scale
  sta tmp
  lda BUF_W+1
  sta tmp2
  and #3
  sta tmp+1
  ldx #0
  lda tmp2
  and #$7c
  beq @tiny
  cmp #$7c
  bne @finite
  inc err
@finite:
  lsr
  lsr
  sec
  sbc #15
  tax
  lda tmp+1
  ora #4
  sta tmp+1
  lda #0
@shift:
  asl tmp
  rol tmp+1
  inc
  cmp #5
  bne @shift
  bra @write
@tiny:                                ; subnormal: exponent -14 with bit 10 set
  lda tmp
  ora tmp+1
  beq @write
  ldx #<(-14 + 5)
@up:
  asl tmp
  rol tmp+1
  dex
  bit tmp+1
  bpl @up
@write:
  ldy #36
  lda tmp
  sta (pz_rows),y
  iny
  lda tmp+1
  sta (pz_rows),y
  iny
  txa
  sta (pz_rows),y
  iny
  lda tmp2
  and #$80
  sta (pz_rows),y
  rts
