; Rows of a cache, eight at a time, to where the kernel wants them
;
; A row's part of eight dimensions has 16 bytes. For K each of the eight sums takes
; a row: its part goes to the sum's page. For V each takes a dimension: the parts
; go to KV_BUF and from there byte by byte to the pages, eight lower bytes and
; eight upper ones. Either takes one list of jobs, whose addresses move on.

ROW_JOB      = 16       ; bytes of a job in the lists
s_low        = s_data   ; V: lower bytes of a dimension,
s_high       = s_data+8 ; and upper ones

; Start a list
!macro jobs .list {
  lda #WINDOW_BANK
  sta HW_DMA_LIST_BANK
  lda #0
  sta HW_DMA_LIST_MB
  lda #>(.list + WINDOW_SHIFT)
  sta HW_DMA_LIST_HI
  lda #<.list
  sta HW_DMA_ENHANCED
}
row_jobs:
!for j, 0, 7 {
  !byte $0b, $80, 0, 0                ; F018B, source's megabyte
  !byte 4, 16, 0                      ; copy, chained
  !byte 0, 0, 0, 0, 0, 0, 0, 0, 0
}
column_jobs:
!for j, 0, 7 {
  !byte $0b, $83, 16, 0               ; every 16th byte
  !byte 4, 8, 0
  !byte 2 * j, >KV_BUF, 0
  !byte s_low, SLOTS + j, 0, 0, 0, 0
  !byte $0b, $83, 16, 0
  !byte 4 - 4 * (j / 7), 8, 0
  !byte 2 * j + 1, >KV_BUF, 0
  !byte s_high, SLOTS + j, 0, 0, 0, 0
}
row_jobs_end:
!if row_jobs_end - row_jobs != 24 * ROW_JOB {
  !error "the lists of jobs"
}

; The head's part of a cache's first row
; Input:  Q = cache
; Output: at_cache = cache + KV head * bytes of a head
; Uses:   A, X, Y, Z, math unit
at_kv_part:
  stq at_cache
  lda at_slice
  ldx at_slice+1
  ldy #0
  ldz #0
  stq HW_MATH_A
  lda at_kv
  ldx at_kv+1
  ldy #0
  ldz #0
  stq HW_MATH_B
  ldq HW_PRODUCT
  clc
  adcq at_cache
  stq at_cache
  rts

; Begin with the first rows of a cache, at the head's dimensions from at_part on
; Input:  Q = cache; rows_place: low byte and page of the first row's destination,
;         rows_low, rows_page: how far the next one lies
; Output: at_left = rows
; Uses:   A, X, Y, Z, math unit
rows_begin:
  jsr at_kv_part
  lda at_part
  asl
  ldx #0
  bcc @small
  inx
@small:
  ldy #0
  ldz #0
  clc
  adcq at_cache
  stq place
  lda #8                              ; no more jobs than rows
  ldx at_steps+1
  bne @count
  cmp at_steps
  bcc @count
  lda at_steps
@count:
  sta at_rows
  ldx #0
@job:
  lda place
  sta row_jobs+7,x
  lda place+1
  sta row_jobs+8,x
  lda place+2
  and #$0f
  sta row_jobs+9,x
  jsr dma_megabyte
  sta row_jobs+2,x
  lda rows_place
  sta row_jobs+10,x
  clc
  adc rows_low
  sta rows_place
  lda rows_place+1
  sta row_jobs+11,x
  clc
  adc rows_page
  sta rows_place+1
  lda #4
  sta row_jobs+4,x
  +add16to28 place, at_stride
  txa
  clc
  adc #ROW_JOB
  tax
  dec at_rows
  bne @job
  lda #0
  sta row_jobs+7 * ROW_JOB+4
  lda at_steps
  sta at_left
  lda at_steps+1
  sta at_left+1
  rts
rows_place:
  !word 0
rows_low:
  !byte 0
rows_page:
  !byte 0
at_left:
  !word 0               ; rows not yet in hand
at_rows:
  !byte 0               ; rows in hand, up to 8
at_step:
  !word 0               ; bytes from one eight to the next

; How many rows come next
; Output: at_rows; A = at_rows; Z = 1: none
; Uses:   A, X
rows_next:
  lda at_left+1
  bne @eight
  lda at_left
  cmp #8
  bcs @eight
  sta at_rows
  cmp #0
  beq @none
  asl                                 ; the last job is another one
  asl
  asl
  asl
  tax
  lda #0
  sta row_jobs - ROW_JOB+4,x
  sta at_left
  lda at_rows
@none:
  rts
@eight:
  lda at_left
  sec
  sbc #8
  sta at_left
  bcs @low
  dec at_left+1
@low:
  lda #8
  sta at_rows
  rts

; Fetch them
; Uses:   A
rows_fetch:
  +jobs row_jobs
  rts
; and bring them from KV_BUF to the sums' pages
; Uses:   A
columns_fetch:
  +jobs row_jobs
  +jobs column_jobs
  rts

; One row's address on by rem and drop, or by drop pages
!macro row_moves .j {
  lda row_jobs + ROW_JOB * .j + 7
  clc
  adc rem
  sta row_jobs + ROW_JOB * .j + 7
  lda row_jobs + ROW_JOB * .j + 8
  adc drop
  sta row_jobs + ROW_JOB * .j + 8
  bcc @same
  ldx #ROW_JOB * .j
  jsr row_bank
@same:
}
!macro row_pages .j {
  lda row_jobs + ROW_JOB * .j + 8
  clc
  adc drop
  sta row_jobs + ROW_JOB * .j + 8
  bcc @same
  ldx #ROW_JOB * .j
  jsr row_bank
@same:
}

; All rows' addresses move on
; Input:  A low, X high: bytes, up to 32,767 forward
; Uses:   A, X
rows_move:
  sta rem
  stx drop
  cmp #0
  lbeq rows_pages
!for j, 0, 7 {
  +row_moves j
}
  rts
rows_pages:                           ; by whole pages
!for j, 0, 7 {
  +row_pages j
}
  rts
; A row's address into the next bank, perhaps the next megabyte
; Input:  X = its job in row_jobs
; Uses:   A
row_bank:
  inc row_jobs+9,x
  lda row_jobs+9,x
  cmp #$10
  bne @same
  lda #0
  sta row_jobs+9,x
  inc row_jobs+2,x
@same:
  rts
