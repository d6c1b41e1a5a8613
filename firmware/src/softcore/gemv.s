; GEMV: rows of weights times a vector
;
; Q8_0 and Q4_0 work on 128 rows at a time, two blocks of 32 columns after the
; other (tile.s, dot.s): the blocks of x are patched into the code once for all
; rows. F16, BF16 and F32 rows are exact sums (exact.s, column.s).

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
gv_tile:
  !byte 0               ; rows of this tile
gv_most:
  !byte 0               ; rows of a tile at most
gv_wr:
  !32 0                 ; weights of the row at hand
gv_wp:
  !32 0                 ; rewritten weights, those of the tile if columns
gv_found:
  !byte 0               ; not 0: there are any
gv_first_row:
  !32 0                 ; number of the tile's first row
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
  ldq zeroq
  stq gv_first_row
  sta gv_found
  jsr table_find
  bcs @raw
  stq gv_wp
  inc gv_found
@raw:
  lda #TILE
  sta gv_most
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
  bne @exact
@quantise:
  jsr quantise_x
  bra @tile
@exact:
  lda gv_found
  beq @tile
  lda #ROWS
  sta gv_most
@tile:
  lda gv_rows+1
  ora gv_rows+2
  ora gv_rows+3
  bne @full
  lda gv_rows
  beq @done
  cmp gv_most
  bcc @some
@full:
  lda gv_most
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
  jsr column_tile
  bra @results
@blocks:
  jsr block_tile
@results:
  jsr gemv_results
  bra @tile
@done:
  ldq xq_x                            ; has the result gone over the x in XQ? The
  clc                                 ; result is gv_dst to dst
  adcq xq_bytes
  stq val
  ldq gv_dst
  cpq val
  bcs @apart
  ldq xq_x
  cpq dst
  bcs @apart
  lda #0
  sta xq_valid
@apart:
  rts
xq_bytes:
  !32 0

; The tile's RESULTS go where they belong
; Input:  gv_tile, ins+2, dst
; Output: dst behind them
; Uses:   everything of float.s, px, py, pz, cnt, size
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
  lda #<BUF_Z
  ldx #>BUF_Z
  jsr fetch
  +set16 py, BUF_Z
@add:
  ldz #0
  ldq (py)
  jsr q_to_acc
  ldz #0
  ldq (px)
  jsr q_to_t
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

