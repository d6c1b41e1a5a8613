; The software core behind the door: find it on the disk, load it, let it work
;
; It is a program of its own in bank 4; softcore/README.md says what it does and
; how it is called. core.s asks core_soft where SSNAIL would be meant.

!src "softcore/entries.s"

TYPE_PRG     = $82      ; a closed PRG file
SOFT_MB      = 8        ; attic RAM

core_soft:
  !byte 0                             ; not 0: the software core stands behind the door
soft_loaded:
  !byte 0                             ; not 0: it is in memory

; Is there a software core?
; Output: C = 0: yes, and file_track, file_sector are its first sector
; Uses:   A, X, Y; dma, p0
soft_find:
  lda soft_loaded
  bne @there
  jsr dir_start
  bcs @none
  lda #TYPE_PRG
  sta dir_type
@next:
  jsr dir_next
  bcs @stop
  beq @stop
  ldy #5 + 15                         ; the name, padded with $a0
  ldx #15
@compare:
  lda (p0),y
  cmp soft_name,x
  bne @next
  dey
  dex
  bpl @compare
@there:
  clc
  rts
@stop:
  jsr f011_stop
@none:
  sec
  rts
soft_name:
  !text "SOFTCORE"
  !fill 8, $a0

; Load it and let it stand behind the door
; Output: C = 1: A = MSG number
; Uses:   A, X, Y, Z; dma, p0, t0-t2
soft_use:
  lda soft_loaded
  lbne @loaded
  jsr soft_find
  lda #ERR_GONE
  lbcs @error
  jsr d81_open
  +set32 t2, SOFT_LOAD - 2            ; its load address falls before its place
@block:
  jsr d81_next
  lbcs @error
  lda blk_len
  ora blk_len+1
  beq @read
  +set32 t0, SOFT_LOAD + SOFT_LIMIT   ; longer than there is room: another file
  lda blk_len
  ldx #0
  ldy #0
  ldz #0
  clc
  adcq t2
  stq t1
  ldq t0
  cpq t1
  lda #ERR_CHAIN
  bcc @bad
  +copy32 t2, dma_dst
  jsr block_copy
  +copy32 t1, t2
  bra @block
@read:
  jsr f011_stop
  +set32 dma_src, SOFT_LOAD
  +near dma_dst, SOFT_DOOR
  +set16 dma_len, 256
  lda #0
  jsr dma_copy
  ldx #SOFT_INIT
  jsr SOFT_DOOR
  inc soft_loaded
@loaded:
  lda #1
  sta core_soft
  clc
  rts
@bad:
  sec
@error:
  pha
  jsr f011_stop
  pla
  sec
  rts

; Is there attic RAM? It must keep two values at two places, and gets back what
; it had there: a push may have put an image into it.
; Output: C = 1: no; else core_mb
; Uses:   A, X, Y, Z; p0, t0, t1, t2
soft_memory:
  lda #$10                            ; HyperRAM: it is on every board
  trb HW_SDRAM_SELECT
  +set32 p0, SSN_RAM
  +set32 t0, $4b4c4d4e
  ldz #0
  ldq [p0]
  stq t1
  ldq t0
  stq [p0]
  jsr @far
  ldz #0
  ldq [p0]
  stq t2
  ldq zero
  stq [p0]
  lda #0
  sta p0+1
  sta p0+2
  ldz #0
  ldq [p0]
  cpq t0
  bne @none
  ldq t1
  stq [p0]
  jsr @far
  ldq t2
  stq [p0]
  lda #SOFT_MB
  sta core_mb
  lda #0
  sta core_mb+1
  clc
  rts
@none:
  sec
  rts
@far:                                 ; another place, in the last megabyte
  lda #$7f
  sta p0+2
  lda #$f0
  sta p0+1
  rts

; Let it rewrite the weights of the image just loaded, for speed; a bar shows how
; far it is
; Uses:   everything but the chat's variables
soft_prepare:
  lda core_soft
  beq @done
  lda #255
  sta bar_step+1
  ldx #SOFT_PREPARE
  jsr SOFT_DOOR
  lda SOFT_STATE
  beq @done
  jsr row_begin
  lda #8
  sta row_col
  +say msg_soft_prepare
  lda #BAR_ROW - 2
  ldx #WHITE
  jsr row_show
@slice:
  ldx #SOFT_RUN
  jsr SOFT_DOOR
  jsr clock_tick
  jsr key_pump                        ; the hardware's queue is short
  ldq SOFT_DONE
  stq ld_done
  ldq SOFT_TOTAL
  stq ld_total
  beq @next
  jsr bar_draw
@next:
  lda SOFT_STATE
  bne @slice
@done:
  rts

; Tell how long a token will take, if it is the software core
; Input:  out
; Uses:   A, X, Y, Z; t0, t1, p0, b0, b1
soft_tell:
  lda core_soft
  beq @done
  ldq zero
  stq SOFT_POSITION
  ldx #SOFT_ESTIMATE
  jsr SOFT_DOOR
  +say msg_soft_takes
  ldq SOFT_TIME
  stq t0
  lda t0+2                            ; a quarter of an hour and more
  ora t0+3
  bne @long
  jsr print_hundredths
  +say msg_soft_seconds
  rts
@long:
  +say msg_soft_long
@done:
  rts

; /soft: the software core instead of SSNAIL, and back, on the same text
; Uses:   everything but the chat's variables
command_soft:
  lda core_soft
  beq @on
  jsr core_present
  bcs @only
  lda #0
  sta core_soft
  +say msg_soft_off
  rts
@only:
  +say msg_soft_only
  rts
@on:
  lda header+HDR_MEM_NEEDED+3         ; the image must lie in the first 8 MB
  bne @big
  lda header+HDR_MEM_NEEDED+2
  cmp #SOFT_MB * 16
  bcs @big
  jsr soft_find
  bcs @none
  jsr soft_use
  bcs @error
  jsr screen_clear
  jsr title_draw
  jsr soft_prepare
  jsr screen_clear
  jsr title_draw
  jsr screen_layout
  lda #NOTE_COLOUR                    ; the bar took the output
  jsr transcript_fresh
  +say msg_soft_on
  jmp soft_tell
@big:
  +say msg_soft_big
  rts
@none:
  +say msg_soft_none
  rts
@error:
  jmp error_print

msg_soft_offer:
  !text "But this disk holds a core in software: the same model says the same words, computed by the 45GS02 alone. It is the slow path: a few tokens a second at best, where SSNAIL makes hundreds."
  !byte 10, 10
  !text "Press RETURN for the software core, any other key for BASIC."
  !byte 0
msg_soft_attic:
  !text "The software core needs 8 MB of attic RAM at $8000000, and there is none."
  !byte 10, 0
msg_soft_prepare:
  !text "Arranging the weights for the software core"
  !byte 0
msg_soft_takes:
  !text "The software core computes: about "
  !byte 0
msg_soft_seconds:
  !text " seconds a token at the start, more as the text grows. SSNAIL is about a hundred times as fast."
  !byte 10, 0
msg_soft_long:
  !text "more than ten minutes a token. This model is too big for it."
  !byte 10, 0
msg_soft_on:
  !text "The software core takes over, on the same text. /soft gives it back to SSNAIL."
  !byte 10, 0
msg_soft_off:
  !text "SSNAIL takes over again."
  !byte 10, 0
msg_soft_only:
  !text "There is no SSNAIL in this machine to switch to."
  !byte 10, 0
msg_soft_none:
  !text "No disk in the drive holds the core in software, the file SOFTCORE. On a PC, ssnail-kit disk MODEL.gguf makes one that does."
  !byte 10, 0
msg_soft_big:
  !text "This model needs more than the 8 MB that the software core reaches."
  !byte 10, 0
