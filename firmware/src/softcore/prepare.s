; Rewriting weights: once after loading, into the free end of the memory
;
; Q8_0 and Q4_0: the records of rewrite.s, all rows of the first two blocks of
; columns, then all rows of the next two ... F16: w * 2^24 + 2^24 as 32 bits, or + 2^31, in tiles
; of 64 rows, column by column, a page each: the lowest bytes of all rows, the next
; ones ..., if there are not too many columns and all |w| < 1, or 128. GEMV finds a
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

; SOFT_PREPARE: start the job
; Uses:   A, X, Y, Z
soft_prepare:
  jsr table_clear
  ldq zeroq
  stq SOFT_DONE
  stq SOFT_TOTAL
  lda #<(prepare - 1)
  ldx #>(prepare - 1)
  jmp start_job
; Forget all that is rewritten
; Output: SOFT_FREE = end of the memory
; Uses:   A
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

; The image's header -> BUF_X
; Uses:   A, X, Y, Z
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
; Input:  ins, rw_n, rw_pass
; Uses:   A, X, Y, Z, px, pz, cnt, tmp, tmp2, val, src1, src2, dst, math unit
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
  ldq zeroq
  stq rw_bias
  lda ins+1
  cmp #1
  beq @half
  jsr rewrite_blocks
  bra @enter
@half:
  inc rw_bias+3                       ; 2^24 will do if all |w| < 1
  lda #15 * 4
  sta rw_limit
  jsr rewrite_halves
  bcc @enter
  lda #$80
  sta rw_bias+3
  lda #22 * 4
  sta rw_limit
  ldq rw_step                         ; once more
  stq SOFT_DONE
  ldq ins+4
  stq src1
  ldq dst
  stq src2
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

; Sizes of ins' matrix
; Output: rw_row_bytes, rw_blocks, rw_rows, rw_bytes, rw_size; C = 1: it is none that
;         is rewritten
; Uses:   A, X, Y, Z, math unit
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
  lda rw_n+2
  ora rw_n+3
  bne @no
  ldq rw_n
  beq @no
  deq
  cpx #>COLUMNS
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
  lda HW_PRODUCT+4
  bne @no
  ldq rw_n
  stq HW_MATH_A
  ldq rw_rows                         ; tiles * columns * 256
  clc
  adcq tile_rest
  lsrq
  lsrq
  lsrq
  lsrq
  lsrq
  lsrq
  stq HW_MATH_B
  lda #0
  sta rw_size
  lda HW_PRODUCT+3
  bne @no
  ldq HW_PRODUCT
  stq rw_size+1
  clc
  rts
tile_rest:
  !32 ROWS - 1
