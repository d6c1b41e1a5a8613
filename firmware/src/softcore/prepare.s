; Rewriting weights: once after loading, into the free end of the memory
;
; Q8_0 and Q4_0: the records of rewrite.s, all rows of the first two blocks of
; columns, then all rows of the next two ... F16: w * 2^24 + 2^31 as 32 bits, row by
; row, if the columns fit the code of column.s and all |w| < 128. GEMV finds a
; matrix by its address. What does not fit into the memory stays as it is.

TABLE_MAX    = 127      ; matrices
table_count:
  !byte 0
table_hint:
  !byte 0               ; the entry that will probably be asked for next
rw_row_bytes:
  !32 0
rw_blocks:
  !32 0
rw_rows:
  !32 0
rw_bytes:
  !32 0                 ; of the matrix in the image
rw_size:
  !32 0                 ; and rewritten; then what is read at a time
rw_end:
  !32 0                 ; end of the script
rw_low:
  !32 0                 ; nothing is put below
rw_n:
  !32 0, 0              ; N0, N1
rw_pass:
  !byte 0
rw_page:
  !byte 0               ; records still to be collected
rw_step:
  !32 0
FAR_LIMIT    = 512      ; KB behind the image that are left alone: the chat's

soft_prepare:
  jsr table_clear
  ldq zeroq
  stq SOFT_DONE
  stq SOFT_TOTAL
  lda #<(prepare - 1)
  ldx #>(prepare - 1)
  jmp start_job
table_clear:
  lda #0
  sta table_count
  sta table_hint
  sta SOFT_FREE
  sta SOFT_FREE+1
  lda #<(MEMORY_END >> 16)
  sta SOFT_FREE+2
  lda #<(MEMORY_END >> 24)
  sta SOFT_FREE+3
  rts

; The coroutine
prepare:
  jsr header_to_buffer
  ldq BUF_X+HDR_MEM_NEEDED
  stq rw_low
  lda rw_low+2                        ; + 512 KB, + where RAM begins
  clc
  adc #FAR_LIMIT / 64
  sta rw_low+2
  lda rw_low+3
  adc #<(HW_ATTIC >> 24)
  sta rw_low+3
  lda #0
  sta rw_pass
@pass:
  jsr header_to_buffer
  ldq BUF_X+HDR_SCRIPT
  stq ip
  ldq BUF_X+HDR_WEIGHTS
  stq rw_end
@next:
  ldq ip
  cpq rw_end
  bcs @end
  stq place
  clc
  adcq len16
  stq ip
  +set_size 16
  lda #<ins
  ldx #>ins
  jsr fetch
  lda ins
  cmp #OP_SETN
  beq @setn
  cmp #OP_GEMV
  bne @next
  jsr prepare_matrix
  bra @next
@setn:
  ldq ins+4
  stq rw_n
  ldq ins+8
  stq rw_n+4
  bra @next
@end:
  inc rw_pass
  lda rw_pass
  cmp #2
  bne @pass
  lda #SSN_ERR_NONE
  jmp job_end

header_to_buffer:
  +set_size HDR_SIZE
  lda #0
  sta place
  sta place+1
  sta place+2
  lda #<(HW_ATTIC >> 24)
  sta place+3
  lda #<BUF_X
  ldx #>BUF_X
  jmp fetch

; A GEMV: count its matrix, or rewrite it
prepare_matrix:
  lda ins+7                           ; only what lies at a fixed address
  bmi @no
  lda table_count
  cmp #TABLE_MAX
  bcs @no
  jsr prepare_size
  bcs @no
  lda rw_pass
  bne @rewrite
  ldq SOFT_TOTAL
  clc
  adcq rw_bytes
  stq SOFT_TOTAL
@no:
  rts
@rewrite:
  ldq SOFT_DONE
  stq rw_step
  ldq ins+4
  stq src1
  jsr table_find
  bcc @counted                        ; known already
  ldq SOFT_FREE                       ; is there room?
  sec
  sbcq rw_size
  bcc @counted
  lda #0                              ; at the start of a page
  stq dst
  ldq dst
  cpq rw_low
  bcc @counted
  stq src2
  lda ins+1
  cmp #1
  beq @half
  jsr rewrite_blocks
  bra @enter
@half:
  jsr rewrite_halves
  bcs @counted
@enter:
  jsr table_enter
@counted:
  ldq rw_step
  clc
  adcq rw_bytes
  stq SOFT_DONE
  rts

; Sizes of ins' matrix, C = 1: it is none that is rewritten
prepare_size:
  lda ins+1
  cmp #1
  lbeq @half
  cmp #2
  beq @q4
  cmp #8
  lbne @no
  ldx #34
  bra @block
@q4:
  ldx #18
@block:
  lda rw_n
  and #31
  lbne @no
  phx
  ldq rw_n
  lsrq
  lsrq
  lsrq
  lsrq
  lsrq
  lbeq @none
  stq rw_blocks
  stq HW_MATH_A
  pla
  ldx #0
  ldy #0
  ldz #0
  stq HW_MATH_B
  ldq HW_PRODUCT
  stq rw_row_bytes
  stq HW_MATH_A
  ldq rw_n+4
  stq rw_rows
  stq HW_MATH_B
  lda HW_PRODUCT+4
  bne @no
  ldq HW_PRODUCT
  stq rw_bytes
  ldq rw_rows
  stq HW_MATH_A
  ldq rw_blocks
  stq HW_MATH_B
  ldq HW_PRODUCT
  stq HW_MATH_A
  lda #40
  ldx #0
  ldy #0
  ldz #0
  stq HW_MATH_B
  lda HW_PRODUCT+4
  bne @no
  ldq HW_PRODUCT
  stq rw_size
  clc
  rts
@none:
  pla
@no:
  sec
  rts
@half:
  lda rw_n+1
  ora rw_n+2
  ora rw_n+3
  bne @no
  lda rw_n
  beq @no
  cmp #COLUMNS + 1
  bcs @no
  ldq rw_n
  aslq
  stq rw_row_bytes
  stq HW_MATH_A
  ldq rw_n+4
  stq rw_rows
  stq HW_MATH_B
  ldq HW_PRODUCT
  stq rw_bytes
  aslq
  stq rw_size
  lda HW_PRODUCT+4
  bne @no
  clc
  rts

; All rows of two blocks of columns, or of the last one, after the other; 16 go
; out at a time
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
rewrite_flush:
  jsr breathe
  lda pz_rows
  sec
  sbc #<SCORES
  sta size
  lda pz_rows+1
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

; F16 weights -> 32 bits
; Output: C = 1: one of them is too large
rewrite_halves:
  ldq rw_rows
  stq total
@row:
  lda rw_row_bytes
  sta size
  lda rw_row_bytes+1
  sta size+1
  jsr load_w
  jsr breathe
  +set16 px, BUF_W
  +set16 pz_rows, SCORES
  lda rw_n
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
  cmp #22 * 4
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
  bit tmp2
  bmi @minus
  ldq HW_PRODUCT
  stq tmp
  lda tmp+3
  eor #$80
  sta tmp+3
  bra @put
@minus:
  ldq half_bias
  sec
  sbcq HW_PRODUCT
  stq tmp
@put:
  ldq tmp
  stq (pz_rows)
  +next4 pz_rows
  inw px
  inw px
  dec cnt
  lbne @weight
  jsr rewrite_flush
  ldq SOFT_DONE
  clc
  adcq rw_row_bytes
  stq SOFT_DONE
  ldq total
  deq
  stq total
  ldq total
  lbne @row
  clc
  rts
@large:
  sec
  rts
half_bias:
  !32 $80000000
bit_table:
  !byte 1, 2, 4, 8, 16, 32, 64, 128

; Remember that ins' matrix stands rewritten at dst
table_enter:
  ldq dst
  stq SOFT_FREE
  lda table_count
  jsr table_entry
  ldq ins+4
  stq (sp_x)
  +next4 sp_x
  ldq dst
  stq (sp_x)
  inc table_count
  rts

; Input:  A = number of an entry
; Output: sp_x
; Uses:   A
table_entry:
  sta sp_x
  lda #0
  asl sp_x
  rol
  asl sp_x
  rol
  asl sp_x
  rol
  clc
  adc #>TABLE
  sta sp_x+1
  rts

; Find the matrix that stands at src1
; Output: C = 0: Q = where it stands rewritten; C = 1: nowhere
; Uses:   A, X, Y, Z, cnt2, sp_x
table_find:
  lda table_count
  beq @none
  sta cnt2
  lda table_hint
@try:
  cmp table_count
  bcc @inside
  lda #0
@inside:
  sta table_hint
  inc table_hint
  jsr table_entry
  ldz #0
  ldq (sp_x)
  cpq src1
  beq @found
  lda table_hint
  dec cnt2
  bne @try
@none:
  sec
  rts
@found:
  ldz #4
  ldq (sp_x)
  clc
  rts
