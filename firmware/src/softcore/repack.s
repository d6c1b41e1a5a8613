; All weights of a matrix, rewritten

; All rows of two blocks of columns, or of the last one, after the other; 16 go
; out at a time
; Input:  src1 = weights, src2 = where they go, ins, sizes
; Output: SOFT_DONE counts the bytes
; Uses:   A, X, Y, Z, pz, tmp, tmp2, val, left, total, src1, src2, gv_wr
rewrite_blocks:
  ldx #34
  lda ins+1
  cmp #8
  beq @format
  ldx #18
@format:
  stx val_size
  ldq rw_blocks
  stq total
  ldq zeroq
  stq rw_size
@column:
  lda val_size                        ; one block, or two
  sta rw_size
  ldq total
  deq
  stq total
  ldq total
  beq @width
  deq
  stq total
  asl rw_size
@width:
  ldq src1
  stq gv_wr
  ldq rw_rows
  stq left
@page:
  ldx #16
  stx rw_page
  +set16 pz_rows, SCORES
@row:
  ldq gv_wr
  stq place
  clc
  adcq rw_row_bytes
  stq gv_wr
  lda rw_size
  sta size
  lda #0
  sta size+1
  lda #<BUF_W
  ldx #>BUF_W
  jsr fetch
  +set16 sp_x, BUF_W
  lda val_size
  cmp rw_size
  beq @one
  jsr rewrite_first
  lda val_size                        ; BUF_W begins a page
  sta sp_x
  jsr rewrite_second
  lda #RECORD_TWO
  bra @next
@one:
  jsr rewrite_one
  lda #RECORD_ONE
@next:
  clc
  adc pz_rows
  sta pz_rows
  bcc @same
  inc pz_rows+1
@same:
  ldq SOFT_DONE
  clc
  adcq rw_size
  stq SOFT_DONE
  ldq left
  deq
  stq left
  ldq left
  beq @flush
  dec rw_page
  bne @row
  jsr rewrite_flush
  lbra @page
@flush:
  jsr rewrite_flush
  ldq src1                            ; the next blocks of all rows
  clc
  adcq rw_size
  stq src1
  ldq total
  lbne @column
  rts
; What has been collected at SCORES goes to src2
; Output: src2 behind it, pz_rows = SCORES
; Uses:   A, X, Y, Z, pz
rewrite_flush:
  lda pz_rows
  sta pz
  lda pz_rows+1
  sta pz+1
; the same, up to pz
rewrite_store:
  jsr breathe
  lda pz
  sec
  sbc #<SCORES
  sta size
  lda pz+1
  sbc #>SCORES
  sta size+1
  ldq src2
  stq place
  lda #<SCORES
  ldx #>SCORES
  jsr store
  +add16to28 src2, size
  +set16 pz_rows, SCORES
  rts
val_size:
  !32 34

; F16 weights -> 32 bits, 16 columns of 64 rows at a time, a page a column
; Input:  src1, src2, sizes; rw_bias, rw_limit
; Output: C = 1: one of them is too large
; Uses:   A, X, Y, Z, px, pz, cnt, tmp, tmp2, left, total, src1, src2, gv_wr, math unit
rewrite_halves:
  ldq zeroq
  stq rw_size
  ldq rw_rows
  stq total
@tile:
  lda #ROWS
  sta rw_page
  ldq total                           ; rows of this tile
  sec
  sbcq tile_rows
  bcs @rows
  lda total
  sta rw_page
  ldq zeroq
@rows:
  stq total
  ldq src1
  stq gv_wr                           ; the tile's first row
  lda rw_n
  sta left
  lda rw_n+1
  sta left+1
@columns:
  lda left+1
  bne @many
  lda left
  lbeq @behind
  cmp #16
  bcc @few
@many:
  lda #16
@few:
  sta flag                            ; columns of this group
  asl
  sta rw_size
  lda left
  sec
  sbc flag
  sta left
  bcs @same
  dec left+1
@same:
  ldq gv_wr
  stq src1
  ldx #0
@row:
  stx flag2
  ldq src1
  stq place
  clc
  adcq rw_row_bytes
  stq src1
  lda rw_size
  sta size
  lda #0
  sta size+1
  lda #<BUF_W
  ldx #>BUF_W
  jsr fetch
  +set16 px, BUF_W
  +set16 pz, SCORES
  lda flag
  sta cnt
@weight:
  ldy #0
  lda (px),y
  sta HW_MATH_A
  iny
  lda (px),y
  sta tmp2
  and #3
  sta HW_MATH_A+1
  lda #0
  sta HW_MATH_A+2
  sta HW_MATH_A+3
  sta HW_MATH_B
  sta HW_MATH_B+1
  sta HW_MATH_B+2
  sta HW_MATH_B+3
  lda tmp2
  and #$7c
  beq @tiny
  cmp rw_limit
  lbcs @large
  lsr
  lsr
  tax
  dex
  lda HW_MATH_A+1
  ora #4
  sta HW_MATH_A+1
  bra @scale
@tiny:
  tax
@scale:
  txa                                 ; times 2^X
  and #7
  tay
  txa
  lsr
  lsr
  lsr
  tax
  lda bit_table,y
  sta HW_MATH_B,x
  ldq rw_bias
  bbs7 tmp2, @minus
  clc
  adcq HW_PRODUCT
  bra @put
@minus:
  sec
  sbcq HW_PRODUCT
@put:
  stq tmp
  ldx #0
  lda flag2
  tay
@byte:
  lda tmp,x
  sta (pz),y
  tya
  clc
  adc #ROWS
  tay
  inx
  cpx #4
  bne @byte
  inc pz+1
  inw px
  inw px
  dec cnt
  lbne @weight
  ldq SOFT_DONE
  clc
  adcq rw_size
  stq SOFT_DONE
  ldx flag2
  inx
  cpx rw_page
  lbne @row
  lda #0
  sta pz
  lda #>SCORES
  clc
  adc flag
  sta pz+1
  jsr rewrite_store
  lda rw_size
  clc
  adc gv_wr
  sta gv_wr
  lbcc @columns
  inc gv_wr+1
  lbne @columns
  inc gv_wr+2
  lbne @columns
  inc gv_wr+3
  lbra @columns
@behind:
  ldq src1                            ; the last group's next row -> the next tile
  clc
  adcq rw_size
  sec
  sbcq rw_row_bytes
  stq src1
  ldq total
  lbne @tile
  clc
  rts
@large:
  sec
  rts
tile_rows:
  !32 ROWS
rw_bias:
  !32 0                 ; what is added to weights
rw_limit:
  !byte 0               ; upper byte, without its lowest bits, of weights that are too large
bit_table:
  !byte 1, 2, 4, 8, 16, 32, 64, 128

