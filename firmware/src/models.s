; The models that disk and card hold
;
; Each has a record of 512 bytes in bank 4: the header of its image, then where
; it lies and whether it fits (src_record).

MODELS_MAX = 30         ; as many as there is room for

; Find all models
; Output: model_count; model_more (not 0: some had no place in the list);
;         C = 1: there are none, A = MSG number
; Uses:   everything but the chat's variables
models_scan:
  lda #0
  sta model_count
  sta model_more
  lda #ERR_NO_MODEL
  sta scan_fault
  jsr scan_disk
  jsr hdos_present
  bcc @counted
  lda #SOURCE_ROOT
  jsr scan_folder
  lda #SOURCE_FOLDER
  jsr scan_folder
  jsr hdos_root
@counted:
  lda model_count
  beq @none
  dec                                 ; fewer than before: the choice is among them
  cmp model_chosen
  bcs @chosen
  sta model_chosen
@chosen:
  clc
  rts
@none:
  lda scan_fault
  sec
  rts
scan_fault:
  !byte 0

; The disk: every SEQ file that begins with SSNL
; Uses:   everything but the chat's variables
scan_disk:
  jsr dir_start
  bcs @drive
@next:
  jsr dir_next
  bcs @error
  beq @done
  lda #SOURCE_DISK
  sta src_kind
  lda file_track
  sta src_track
  lda file_sector
  sta src_sector
  ldy #5                              ; the name, padded with $a0
  ldx #0
@name:
  lda (p0),y
  cmp #$a0
  beq @named
  jsr petscii_ascii
  sta src_name,x
  iny
  inx
  cpx #16
  bne @name
@named:
  lda #0
  sta src_name,x
  jsr model_look
  bra @next
@error:
  cmp #ERR_READ                       ; not even the directory: there is no disk
  bne @fault
  ldx err_track
  cpx #DIR_TRACK
  beq @done
@fault:
  sta scan_fault
@done:
  rts                                 ; the motor may run on: a model is loaded soon
@drive:                               ; no disk: there may be a card
  rts

; Input:  A = PETSCII
; Output: A = what it looks like
petscii_ascii:
  cmp #$c1
  bcc @unshifted
  cmp #$db
  bcs @other
  and #$7f
  rts
@unshifted:
  cmp #' '
  bcc @other
  cmp #$5e
  bcs @other
  rts
@other:
  lda #'?'
  rts

; A folder of the card: every *.SSNAIL. The names are collected first, since
; HDOS reads one thing at a time.
; Input:  A = SOURCE_ROOT or SOURCE_FOLDER
; Uses:   everything but the chat's variables
scan_folder:
  sta src_kind
  jsr hdos_folder
  lbcc @none
  lda #0
  sta scan_names
  lda #HDOS_OPENDIR
  jsr hdos
  lbcc @none
  sta scan_fd
@entry:
  ldx scan_fd
  ldy #>NAME_PAGE
  lda #HDOS_READDIR
  jsr hdos
  bcc @end
  lda NAME_PAGE+DIRENT_ATTR
  and #$18                            ; folders and volume labels
  bne @entry
  jsr is_image_name
  bcc @entry
  lda scan_names
  cmp #MODELS_MAX
  bcs @full
  jsr scan_slot
  +copy32 t0, dma_dst
  +near dma_src, NAME_PAGE
  +set16 dma_len, 64
  lda #0
  jsr dma_copy
  inc scan_names
  bra @entry
@full:
  jsr model_none
  bra @entry
@end:
  ldx scan_fd
  lda #HDOS_CLOSEDIR
  jsr hdos
  lda #0
  sta scan_at
@look:
  lda scan_at
  cmp scan_names
  beq @none
  jsr scan_slot
  +copy32 t0, dma_src
  +near dma_dst, src_name
  lda #64
  jsr dma_read
  jsr model_look
  inc scan_at
  bra @look
@none:
  rts
scan_fd:
  !byte 0
scan_names:
  !byte 0
scan_at:
  !byte 0

; Input:  A = number
; Output: t0 = its place in the list of names
; Uses:   A
scan_slot:
  sta t0+1                            ; * 64
  lda #0
  lsr t0+1
  ror
  lsr t0+1
  ror
  clc
  adc #<SCAN_NAMES
  sta t0
  lda t0+1
  adc #<(SCAN_NAMES >> 8)
  sta t0+1
  lda #<(SCAN_NAMES >> 16)
  sta t0+2
  lda #0
  sta t0+3
  rts

; Does the name at NAME_PAGE end in .SSNAIL, or in .SSN as the short name that
; HDOS gives for some cards does, in any case?
; Output: C = 1: yes; the name ends with a 0
; Uses:   A, X, Y
is_image_name:
  ldx NAME_PAGE+DIRENT_LENGTH
  cpx #64
  bcs @no
  lda #0
  sta NAME_PAGE,x
@dot:                                 ; the last dot
  dex
  bmi @no
  lda NAME_PAGE,x
  cmp #'.'
  bne @dot
  ldy #0
@compare:
  inx
  lda NAME_PAGE,x
  beq @end
  and #$df
  cmp image_suffix,y
  bne @no
  iny
  cpy #7
  bne @compare
@no:
  clc
  rts
@end:
  cpy #3
  beq @yes
  cpy #6
  bne @no
@yes:
  sec
  rts
image_suffix:
  !text "SSNAIL"
  !byte 0

; Look into the file of src_record and append it to the list
; Uses:   everything but the chat's variables
model_look:
  jsr source_header
  bcs @fault
  jsr image_check
  bcs @fault
  lda #0
@fault:
  sta src_fault
  cmp #ERR_MAGIC
  bne @keep
  lda src_kind                        ; some other SEQ file; on the card the name
  bne @keep                           ; promised an image
  rts
@keep:
  lda model_count
  cmp #MODELS_MAX
  bcs model_none
  jsr model_record
  +copy32 t0, dma_dst
  +near dma_src, header
  +set16 dma_len, 256
  lda #0
  jsr dma_copy
  inc dma_dst+1
  +near dma_src, src_record
  lda #SRC_BYTES
  sta dma_len
  lda #0
  sta dma_len+1
  jsr dma_copy
  inc model_count
  rts

; One more that has no place in the list
; Uses:   A
model_none:
  lda model_more
  inc
  beq @many
  sta model_more
@many:
  rts

; Input:  A = number of a model
; Output: t0 = its record
; Uses:   A
model_record:
  asl
  clc
  adc #<(MODELS >> 8)
  sta t0+1
  lda #<MODELS
  sta t0
  lda #<(MODELS >> 16)
  sta t0+2
  lda #0
  sta t0+3
  rts

; Fetch a model's record: header and src_record
; Input:  A = number
; Uses:   A, X, Y, Z; t0, dma
model_fetch:
  jsr model_record
  +copy32 t0, dma_src
  +near dma_dst, header
  lda #0
  jsr dma_read
  inc dma_src+1
  +near dma_dst, src_record
  lda #SRC_BYTES
  jmp dma_read

model_count:
  !byte 0
model_more:
  !byte 0
model_chosen:
  !byte 0

; Load model number model_chosen
; Output: C = 1: A = MSG number; the old model is gone then, if loading began
; Uses:   everything but the chat's variables
model_load:
  lda model_chosen
  jsr model_fetch
  lda src_fault
  bne @unfit
  +near dma_src, header               ; what the list was made from
  +set32 dma_dst, HEADER_COPY
  +set16 dma_len, 256
  lda #0
  jsr dma_copy
  jsr source_header
  bcs @error
  jsr header_same
  bcs @error
  jsr image_check
  bcs @error
  lda #0
  sta model_loaded
  lda #1                              ; nor is what a push has left there any more
  trb mail_flags
  jsr load_show
  jsr load_image
  bcs @error
  jsr image_open
  bcs @error
  lda #1
  sta model_loaded
  clc
@error:
  rts
@unfit:
  sec
  rts

; Is the header the one that was listed?
; Output: C = 1: no, A = MSG number
; Uses:   A, X, Z; p0
header_same:
  +set32 p0, HEADER_COPY
  ldx #0
  ldz #0
@compare:
  lda [p0],z
  cmp header,x
  bne @other
  inz
  inx
  bne @compare
  clc
  rts
@other:
  lda #ERR_CHANGED
  sec
  rts
