; The SD card, through the hypervisor's disk operating system
;
; A trap is a store to $d640; carry set means success, A is the error code
; otherwise. Paths are not parsed: a folder is entered by name. Names lie on a
; page of their own below $7f00.

HDOS_VERSION  = $00
HDOS_CHDIR    = $0c
HDOS_OPENDIR  = $12
HDOS_READDIR  = $14
HDOS_CLOSEDIR = $16
HDOS_OPENFILE = $18
HDOS_READFILE = $1a
HDOS_CLOSEALL = $22
HDOS_SETNAME  = $2e
HDOS_FINDFILE = $34
HDOS_CDROOT   = $3c
HDOS_DRIVE    = $04

DIRENT_LENGTH = $40     ; of the long name
DIRENT_ATTR   = $56     ; bit 4: a folder

SOURCE_DISK   = 0       ; where a model comes from
SOURCE_ROOT   = 1       ; the card's root
SOURCE_FOLDER = 2       ; the card's folder SSNAIL

; Call the hypervisor
; Input:  A = function, X and Y as it wants them
; Output: C = 1: success; A, X, Y
hdos:
  sta HW_HYPER_TRAP
  clv                                 ; this byte may or may not be executed
  rts

; Is there a card that HDOS can read?
; Output: C = 1: yes
; Uses:   A, X, Y, Z
hdos_present:
  lda #HDOS_VERSION
  jsr hdos
  bcc @no
  jmp hdos_root
@no:
  rts

; Go to the root folder, with no file open
; Output: C = 1: success
; Uses:   A, X
hdos_root:
  lda #HDOS_CLOSEALL
  jsr hdos
  lda #HDOS_DRIVE
  jsr hdos
  bcc @no
  tax
  lda #HDOS_CDROOT
  jsr hdos
@no:
  rts

; Go to the folder of a source
; Input:  A = SOURCE_ROOT or SOURCE_FOLDER
; Output: C = 1: success
; Uses:   A, X, Y
hdos_folder:
  pha
  jsr hdos_root
  pla
  bcc @done
  cmp #SOURCE_FOLDER
  bne @root
  ldx #0
@name:
  lda folder_name,x
  sta NAME_PAGE,x
  beq @named
  inx
  bra @name
@named:
  jsr hdos_find
  bcc @done
  lda #HDOS_CHDIR
  jmp hdos
@root:
  sec
@done:
  rts
folder_name:
  !text "SSNAIL"
  !byte 0

; Find the file whose name lies at NAME_PAGE in the current folder
; Output: C = 1: found
; Uses:   A, X, Y
hdos_find:
  ldy #>NAME_PAGE
  lda #HDOS_SETNAME
  jsr hdos
  bcc @no
  lda #HDOS_FINDFILE
  jsr hdos
@no:
  rts

; Open a file
; Input:  A = SOURCE_ROOT or SOURCE_FOLDER, src_name
; Output: C = 1: A = MSG number
; Uses:   A, X, Y
hdos_open:
  jsr hdos_folder
  bcc @gone
  ldx #63
@name:
  lda src_name,x
  sta NAME_PAGE,x
  dex
  bpl @name
  jsr hdos_find
  bcc @gone
  lda #HDOS_OPENFILE
  jsr hdos
  bcc @gone
  clc
  rts
@gone:
  lda #ERR_GONE
  sec
  rts

; The next block of the open file, up to 512 bytes in `sector`
; Output: C = 0: blk_ptr, blk_len (0 at the end); C = 1: A = MSG number
; Uses:   A, X, Y; dma
hdos_next:
  lda #255                            ; the disk's sector is no longer there
  sta dsk_track
  ldx #0
  ldy #0
  lda #HDOS_READFILE
  jsr hdos
  stx blk_len
  sty blk_len+1
  bcs @read
  ldx #0                              ; the end of the file (A = 0), or failure
  stx blk_len
  stx blk_len+1
  cmp #0
  beq @end
  cmp #$ff
  beq @end
  sta sd_error
  lda #ERR_CARD
  sec
  rts
@read:
  lda #$80                            ; the SD card's buffer, not the F011's
  tsb HW_SD_CONTROL
  +set32 dma_src, HW_SECTOR_SD
  +near dma_dst, sector
  +set16 dma_len, 512
  lda #0
  jsr dma_copy
  lda #$80
  trb HW_SD_CONTROL
  +set16 blk_ptr, sector
@end:
  clc
  rts
sd_error:
  !byte 0
