; The disk's directory and files
;
; A file is a chain of sectors: two bytes of link, 254 bytes of data; in the
; last sector the link is 0 and the index of the last byte used.

DIR_TRACK    = 40
DIR_FIRST    = 3
DIR_SECTORS  = 37       ; more than that is a loop
FILE_SECTORS = 3200     ; likewise
TYPE_SEQ     = $81      ; a closed SEQ file

; Start reading the directory
; Output: C = 1: A = MSG number
; Uses:   A
dir_start:
  lda #DIR_TRACK
  sta dir_track
  lda #DIR_FIRST
  sta dir_sector
  lda #0
  sta dir_entry
  sta dir_count
  lda #TYPE_SEQ
  sta dir_type
  jmp f011_start
dir_type:
  !byte 0                             ; files of which type dir_next gives

; The next SEQ file of the directory, or of the type in dir_type
; Output: C = 0, Z = 0: file_track, file_sector: its first sector; p0 = entry
;         C = 0, Z = 1: there are no more
;         C = 1: A = MSG number
; Uses:   A, X, Y; dma, p0
dir_next:
  lda dir_track
  beq @end
  ldx dir_sector
  jsr disk_read
  bcs @error
@entry:
  lda dir_entry
  sta p0
  clc
  adc #$20                            ; eight entries, then the next sector
  sta dir_entry
  ldy #2
  lda (p0),y
  and #$8f                            ; locked or not
  cmp dir_type
  beq @found
  lda dir_entry
  bne @entry
  jsr @advance
  bcc dir_next
@error:
  rts
@found:
  iny
  lda (p0),y
  sta file_track
  iny
  lda (p0),y
  sta file_sector
  lda dir_entry
  bne @more
  lda p0
  pha
  jsr @advance
  plz
  stz p0
  bcs @error
@more:
  lda #1                              ; Z = 0
  clc
@end:
  clc
  rts

; Go on to the sector that this one links to
@advance:
  lda #0
  sta p0
  tay
  lda (p0),y
  sta dir_track
  iny
  lda (p0),y
  sta dir_sector
  inc dir_count
  lda dir_count
  cmp #DIR_SECTORS + 1
  bcs @loop
  rts
@loop:
  lda #ERR_CHAIN
  rts

; Open the file whose first sector is file_track, file_sector
; Uses:   A
d81_open:
  lda #0
  sta file_blocks
  sta file_blocks+1
  rts

; The next block of the open file
; Output: C = 0: blk_ptr, blk_len (0 at the end of the file)
;         C = 1: A = MSG number; err_track, err_sector
; Uses:   A, X, Y; dma, p0
d81_next:
  lda #0
  sta blk_len
  sta blk_len+1
  lda file_track
  bne @more
  clc
  rts
@more:
  inw file_blocks
  lda file_blocks                     ; more sectors than a disk has: a loop
  cmp #<(FILE_SECTORS + 1)
  lda file_blocks+1
  sbc #>(FILE_SECTORS + 1)
  bcs @chain
  lda file_track
  ldx file_sector
  jsr disk_read
  bcs @error
  ldy #1
  lda (p0),y
  sta file_sector
  tax
  dey
  lda (p0),y
  sta file_track
  bne @full
  dex                                 ; the last: bytes 2 to X
  cpx #255
  bne @length
  ldx #0
  bra @length
@full:
  ldx #254
@length:
  stx blk_len
  lda p0
  clc
  adc #2
  sta blk_ptr
  lda p0+1
  sta blk_ptr+1
  clc
@error:
  rts
@chain:
  lda file_track
  sta err_track
  lda file_sector
  sta err_sector
  lda #ERR_CHAIN
  sec
  rts
