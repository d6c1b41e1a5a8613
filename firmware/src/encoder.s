; Encoders: every line becomes a vector, and the nearest earlier lines are shown
;
; A vector is scaled to length 1 and kept in units of 2^-14 with 2^14 added, so
; that all numbers are positive; the multiplier knows no sign, and what the
; addition puts into a product of sums is taken out at the end. Lines and
; vectors lie in SSNAIL's RAM behind the image.

EN_MAX      = 100       ; lines that are kept at most
EN_SUM      = 1920
EN_TEXT     = 2048      ; 255 characters and the length
EN_ONE      = $4000     ; 1.0

en_vector   = $b000     ; 1920 bytes: the line's vector
en_block    = $b800     ; 256 bytes: of the model's output
en_other    = $b900     ; 256 bytes: of another line's vector

; Make room for lines behind the image
; Output: en_room = how many lines can be kept
; Uses:   A, X, Y, Z; t0, t1
encoder_reset:
  lda #0
  sta en_count
  sta en_next
  lda #$ff                            ; from the next 4 KB line on
  ldx #$0f
  ldy #0
  ldz #0
  clc
  adcq header+HDR_MEM_NEEDED
  stq t0
  lda #0
  sta t0
  lda t0+1
  and #$f0
  sta t0+1
  lda core_soft
  beq @ssnail
  lda SOFT_FREE+2                     ; up to what the software core has rewritten
  sta t1+2
  lda SOFT_FREE+1
  sta t1+1
  lda #0
  sta t1
  lda SOFT_FREE+3
  sec
  sbc #>(SSN_RAM >> 16)
  sta t1+3
  bra @end
@ssnail:
  lda #0                              ; the RAM at SSN_RAM: 8 or 64 MB
  sta t1
  sta t1+1
  sta t1+3
  ldz #SSN_SDRAM_SIZE
  lda [ssn],z
  bne @sdram
  ldz #SSN_HYPER_SIZE
  lda [ssn],z
@sdram:
  ldx #4
@megabytes:
  asl
  rol t1+3
  dex
  bne @megabytes
  sta t1+2
@end:
  ldq t1
  sec
  sbcq t0
  stq t1                              ; bytes that are free
  lda #0
  bcc @room
  lda t1+2
  ora t1+3
  and #$f8                            ; half a megabyte is room for more than 100
  bne @plenty
  lda t1+3
  bne @plenty
  lda t1+1                            ; >> 12
  lsr
  lsr
  lsr
  lsr
  sta t1+1
  lda t1+2
  asl
  asl
  asl
  asl
  ora t1+1
  cmp #EN_MAX
  bcc @room
@plenty:
  lda #EN_MAX
@room:
  sta en_room
  lda t0+3
  clc
  adc #>(SSN_RAM >> 16)
  sta t0+3
  +copy32 t0, en_base
  rts
en_room:
  !byte 0
en_count:
  !byte 0
en_next:
  !byte 0                             ; slot for the next line
en_base:
  !32 0

; Embed the line and show what it is near to
; Input:  line, line_len, not empty
; Output: C = 1: refused, nothing has changed
; Uses:   everything but the chat's variables
encoder_turn:
  jsr tokenize
  lda #0
  sta ctx_used
  sta ctx_used+1
  jsr turn_room
  bcs @refused
  lda #INPUT_COLOUR
  jsr transcript_fresh
  jsr turn_echo
  jsr transcript_draw
  jsr edit_hide
  jsr core_append
  bcs @error
  ldq zero
  stq gen_pos
  stq gen_limit
  jsr core_runtime
  bcs @error
  lda #0
  sta gen_seen
  sta gen_seen+1
  jsr clock_start
  ldq header+HDR_SCRIPT
  stq t0
  jsr core_go
@wait:
  jsr clock_tick
  lda core_soft                       ; SSNAIL is done before a key is up again
  beq @look
  jsr key_stopped
  bcs @stopped
@look:
  jsr core_busy
  bne @wait
  lda frames
  sta gen_ticks
  lda frames+1
  sta gen_ticks+1
  lda frames+2
  sta gen_ticks+2
  jsr core_error
  cmp #SSN_ERR_NONE
  bne @fault
  lda #0
  sta ctx_used
  sta ctx_used+1
  jsr encoder_vector
  jsr encoder_search
  jsr encoder_show
  jsr encoder_keep
  jsr transcript_draw
  clc
@refused:
  rts
@stopped:                             ; the job is left where it stands: the next
  lda #NOTE_COLOUR                    ; one begins anew
  jsr transcript_fresh
  +say msg_encoder_stopped
  jsr transcript_draw
  clc
  rts
@fault:
  sta core_code
  lda #ERR_CORE
@error:
  jmp turn_error
