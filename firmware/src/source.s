; Where an image comes from: one way to read a file, whatever holds it
;
; src_kind, and src_track and src_sector for a disk, or src_name for the card,
; say which file; models.s fills them in.

; Open the file
; Output: C = 1: A = MSG number
; Uses:   A, X, Y
source_open:
  lda src_kind
  bne @card
  jsr f011_start
  bcs @error
  lda src_track
  sta file_track
  lda src_sector
  sta file_sector
  jsr d81_open
  clc
@error:
  rts
@card:
  jmp hdos_open

; The next block of it
; Output: C = 0: blk_ptr (bank 0), blk_len (0 at the end); C = 1: A = MSG number
source_next:
  lda src_kind
  lbne hdos_next
  jmp d81_next

; Leave drive and card in peace
; Uses:   A, X
close_sources:
  jsr f011_stop
  lda #HDOS_VERSION
  jsr hdos
  lbcs hdos_root
  rts

; Which file it is: the second half of a model's record
src_record:
src_kind:
  !byte 0                             ; SOURCE_...
src_track:
  !byte 0
src_sector:
  !byte 0
src_fault:
  !byte 0                             ; 0: it fits; else MSG number
src_name:
  !fill 64, 0                         ; NUL-terminated ASCII
SRC_BYTES = 68

; Read the header of the file into `header`
; Output: C = 1: A = MSG number
; Uses:   A, X, Y; dma, t0, t1, t2
source_header:
  jsr source_open
  bcs @error
  +near t2, header                    ; where the next byte goes
  +set16 t1, HDR_SIZE                 ; how many are still to come
@block:
  jsr source_next
  bcs @error
  lda blk_len
  ora blk_len+1
  beq @short
  lda t1                              ; no more than is wanted
  sec
  sbc blk_len
  lda t1+1
  sbc blk_len+1
  bcs @fits
  lda t1
  sta blk_len
  lda t1+1
  sta blk_len+1
@fits:
  +copy32 t2, dma_dst
  jsr block_copy
  lda t2
  clc
  adc blk_len
  sta t2
  lda t2+1
  adc blk_len+1
  sta t2+1
  lda t1
  sec
  sbc blk_len
  sta t1
  lda t1+1
  sbc blk_len+1
  sta t1+1
  ora t1
  bne @block
  clc
  rts
@short:
  lda t1+1                            ; was it an image as far as it went?
  bne @other
  lda t1
  cmp #<(HDR_SIZE - 3)
  bcs @other
  jsr image_begins
  bne @other
  lda #ERR_SHORT
  sec
  rts
@other:
  lda #ERR_MAGIC
  sec
@error:
  rts

; Copy the block
; Input:  dma_dst, blk_ptr, blk_len
; Uses:   A
block_copy:
  lda blk_ptr
  sta dma_src
  lda blk_ptr+1
  sta dma_src+1
  lda #0
  sta dma_src+2
  sta dma_src+3
  lda blk_len
  sta dma_len
  lda blk_len+1
  sta dma_len+1
  lda #0
  jmp dma_copy
