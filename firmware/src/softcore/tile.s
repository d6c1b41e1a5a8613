; A tile of Q8_0 or Q4_0 rows: one or two blocks of columns a pass
;
; Rewritten weights lie pass by pass, in each pass a record a row; DMA spreads
; it into the code of dot.s. Weights that are not rewritten, and a tile that
; lies across the end of a megabyte, go through a record in chip RAM.

RECORD       = BUF_W + $80 ; one put together here

tl_left:
  !word 0               ; blocks of a row still to do
tl_base:
  !32 0                 ; rewritten weights of this pass, all rows
tl_record:
  !32 0                 ; bytes of a record in this pass
tl_raw:
  !32 0                 ; weights in the image, first row, of this pass
tl_step:
  !32 0                 ; bytes of a block there

; A tile of rows
; Input:  gv_tile, gv_first_row, gv_w, gv_x; gv_found, gv_wp
; Output: RESULTS; gv_w, gv_first_row of the next tile
; Uses:   everything of float.s, px, py, pz, cnt, src2
block_tile:
  ldq N_                              ; blocks of a row: below 2^16
  lsrq
  lsrq
  lsrq
  lsrq
  lsrq
  sta tl_left
  stx tl_left+1
  ldq gv_x
  stq src2
  ldq gv_w
  stq tl_raw
  ldq gv_wp
  stq tl_base
  lda ins+1                           ; from a block to the next: 34 or 18 bytes
  ldx #34
  cmp #8
  beq @q8
  ldx #18
@q8:
  txa
  ldx #0
  ldy #0
  ldz #0
  stq tl_step
  lda #$80
  sta dot_first
  +set16 py, XQ
@pass:
  lda #0
  sta dot_last
  sta dot_single
  lda tl_left+1
  bne @two
  lda tl_left
  lbeq @done
  dec
  beq @one
@two:
  lda gv_found
  beq @one
  ldx #RECORD_TWO
  lda #<-2
  bra @blocks
@one:
  smb7 dot_single
  ldx #RECORD_ONE
  lda #<-1
@blocks:
  stx tl_record
  clc                                 ; what is left is less
  adc tl_left
  sta tl_left
  bcs @same
  dec tl_left+1
@same:
  ora tl_left+1
  bne @more
  smb7 dot_last
@more:
  jsr dot_patch_one
  bbs7 dot_single, @patched
  jsr dot_patch_two
@patched:
  jsr row_source
  jsr dot_rows
  rmb7 dot_first
  lda tl_record                       ; where the next pass begins
  ldx #0
  ldy #0
  ldz #0
  stq HW_MATH_A
  ldq N_+4
  stq HW_MATH_B
  ldq HW_PRODUCT
  clc
  adcq tl_base
  stq tl_base
  ldq tl_raw
  clc
  adcq tl_step
  stq tl_raw
  lbra @pass
@done:
  bbr7 dot_first, @summed             ; rows of no columns
  ldx #0
  txa
@clear:
  sta RESULTS,x
  sta RESULTS+$100,x
  inx
  bne @clear
@summed:
  lda gv_tile                         ; behind the tile: rows * bytes
  ldx #0
  ldy #0
  ldz #0
  stq HW_MATH_A
  clc
  adcq gv_first_row
  stq gv_first_row
  ldq gv_row_bytes
  stq HW_MATH_B
  ldq HW_PRODUCT
  clc
  adcq gv_w
  stq gv_w
  rts

; Where the tile's first record or row of this pass lies, and how it is brought
; Output: gv_wr, row_slow, the list of dot.s
; Uses:   A, X, Y, Z, tmp, math unit
row_source:
  ldq tl_raw
  stq gv_wr
  ldx #1
  lda gv_found
  beq @slow
  ldq tl_record                       ; base + record * number of the row
  stq HW_MATH_A
  ldq gv_first_row
  stq HW_MATH_B
  ldq HW_PRODUCT
  clc
  adcq tl_base
  stq gv_wr
  lda gv_tile                         ; the end of the tile in another megabyte?
  ldx #0
  ldy #0
  ldz #0
  stq HW_MATH_B
  ldq HW_PRODUCT
  clc
  adcq gv_wr
  tya
  eor gv_wr+2
  ldx #2
  and #$f0
  bne @slow
  ldx #0
@slow:
  stx row_slow
  ldz #0
  ldx #<RECORD                        ; the list's source: in chip RAM
  ldy #>RECORD
  lda row_slow
  bne @list
  lda gv_wr+3                         ; or in attic RAM
  asl
  asl
  asl
  asl
  sta rl_mb
  lda gv_wr+2
  lsr
  lsr
  lsr
  lsr
  ora rl_mb
  pha
  lda gv_wr+2
  and #$0f
  taz
  ldx gv_wr
  ldy gv_wr+1
  pla
  bra @source
@list:
  tza                                 ; megabyte 0
@source:
  sta rl_mb
  stx rl_even
  sty rl_even+1
  stz rl_even+2
  ldx #16                             ; lengths
  ldy #EXTRAS
  bbs7 dot_single, @lengths
  ldx #33
  ldy #2 * EXTRAS
@lengths:
  stx rl_even-2
  stx rl_odd-2
  sty rl_extras-2
  txa                                 ; the odd ones behind the even, then the rest
  clc
  adc rl_even
  sta rl_odd
  lda rl_even+1
  adc #0
  sta rl_odd+1
  lda rl_even+2
  adc #0
  sta rl_odd+2
  txa
  clc
  adc rl_odd
  sta rl_extras
  lda rl_odd+1
  adc #0
  sta rl_extras+1
  lda rl_odd+2
  adc #0
  sta rl_extras+2
  lda tl_record
  sta row_step_even+1
  sta row_step_odd+1
  sta row_step_extras+1
  rts
row_slow:
  !byte 0               ; 0 records in attic RAM, 1 rows in the image, 2 records one by one

; The row at hand into RECORD
; Input:  gv_wr
; Output: gv_wr at the next row
; Uses:   A, X, Y, Z, sp_x, pz_rows, tmp, tmp2, val
row_record:
  ldq gv_wr
  stq place
  lda row_slow
  lsr
  bcc @rewritten
  ldq gv_wr
  clc
  adcq gv_row_bytes
  stq gv_wr
  lda tl_step
  sta size
  lda #0
  sta size+1
  lda #<BUF_W
  ldx #>BUF_W
  jsr fetch
  +set16 sp_x, BUF_W
  +set16 pz_rows, RECORD
  jmp rewrite_one
@rewritten:
  ldq gv_wr
  clc
  adcq tl_record
  stq gv_wr
  lda tl_record
  sta size
  lda #0
  sta size+1
  lda #<RECORD
  ldx #>RECORD
  jmp fetch
