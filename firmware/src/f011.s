; Sectors of the disk, read by the F011 floppy controller
;
; The KERNAL is not used: it would need our memory. A mounted image and a real
; disk look the same here.

F011_FRAMES = 150       ; how long the drive may take, in frames (3 s)

; Forget which sector the buffer holds; spin the drive up unless it runs already
; Output: C = 1: A = MSG number
; Uses:   A
f011_start:
  lda #255
  sta dsk_track
  lda f011_runs
  bne @running
  lda #$60                            ; motor and light
  sta HW_F011_CONTROL
  lda #$20                            ; spin up
  sta HW_F011_COMMAND
  jsr f011_wait
  bcs @late
  inc f011_runs
@running:
  clc
@late:
  rts
f011_runs:
  !byte 0

; Motor and light off
; Uses:   A
f011_stop:
  lda #0
  sta f011_runs
  sta HW_F011_COMMAND
  sta HW_F011_CONTROL
  rts

; Read a logical sector: 256 bytes
; Input:  A = track 1-80, X = sector 0-39
; Output: C = 0: p0 (16-bit) = its bytes in bank 0
;         C = 1: A = MSG number; err_track, err_sector
; Uses:   A, X, Y; dma, p0
disk_read:
  sta err_track
  stx err_sector
  dec                                 ; is there such a sector?
  cmp #80
  bcs @bad
  cpx #40
  bcs @bad
  tay                                 ; physical: track, side, sector of two halves
  txa
  ldx #0
  cmp #20
  bcc @side
  inx
  sbc #20
@side:
  pha
  lsr
  inc
  cpy dsk_track
  bne @fetch
  cpx dsk_side
  bne @fetch
  cmp dsk_sector
  beq @there
@fetch:
  sty dsk_track
  stx dsk_side
  sta dsk_sector
  jsr f011_read
  bcs @failed
@there:
  pla
  lsr                                 ; odd sectors are second halves
  lda #0
  sta p0
  lda #>sector
  adc #0
  sta p0+1
  clc
  rts
@failed:
  ldx #255
  stx dsk_track
  plx
  rts
@bad:
  lda #ERR_CHAIN
  sec
  rts

; Read physical sector dsk_track, dsk_side, dsk_sector into the buffer
; Output: C = 1: A = MSG number
; Uses:   A; dma
f011_read:
  lda dsk_side
  asl
  asl
  asl
  ora #$60
  sta HW_F011_CONTROL
  lda dsk_track
  sta HW_F011_TRACK
  lda dsk_sector
  sta HW_F011_SECTOR
  lda dsk_side
  sta HW_F011_SIDE
  lda #$01                            ; buffer pointer back
  sta HW_F011_COMMAND
  lda #$40                            ; read
  sta HW_F011_COMMAND
  jsr f011_wait
  bcs @late
  lda HW_F011_STATUS
  and #$18                            ; not found, or checksum
  bne @error
  lda #$80                            ; the F011's buffer, not the SD card's
  trb HW_SD_CONTROL
  +set32 dma_src, HW_SECTOR_F011
  +near dma_dst, sector
  +set16 dma_len, 512
  lda #0
  jsr dma_copy
  clc
  rts
@error:
  lda #ERR_READ
  sec
@late:
  rts

; Wait for the drive
; Output: C = 1: it took too long, A = MSG number
; Uses:   A
f011_wait:
  jsr clock_start
@wait:
  bit HW_F011_STATUS
  bpl @ready
  jsr clock_tick
  lda frames
  cmp #F011_FRAMES
  bcc @wait
  lda #0                              ; cancel
  sta HW_F011_COMMAND
  lda #ERR_DRIVE
  rts                                 ; C = 1
@ready:
  clc
  rts
