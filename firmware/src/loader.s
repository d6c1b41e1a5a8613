; The image into SSNAIL's memory
;
; 256 bytes of header go to the start of RAM, the payload to the address that
; the header names. A progress bar shows how far it is.

BAR_ROW    = 12
BAR_CELLS  = 64

; Load the chosen model; its header has been read and checked
; Output: C = 1: A = MSG number; the memory then holds no image
; Uses:   everything but the chat's variables
load_image:
  lda #255                            ; no step shown yet
  sta bar_step+1
  ldq zero
  stq ld_done
  lda #0
  ldx #HDR_SIZE >> 8
  ldy #0
  ldz #0
  clc
  adcq header+HDR_PAYLOAD_LEN
  stq ld_total
  +set16 ld_head, HDR_SIZE
  jsr source_open
  bcs @error
  +set32 t0, SSN_RAM
  lda #SSN_CLEAR_ERROR
  jsr core_seek
  bcs @error
@block:
  jsr key_stopped
  bcs @stopped
  jsr source_next
  bcs @error
  lda blk_len
  ora blk_len+1
  beq @short
  jsr load_clip
  jsr load_block
  bcs @error
  jsr bar_draw
  ldq ld_done
  cpq ld_total
  bne @block
  lda src_kind                        ; on the disk the chain has to end here as well:
  bne @whole                          ; one that goes in circles does not
  lda file_track
  bne @long
@whole:
  jmp core_flush
@long:
  sta err_track
  lda file_sector
  sta err_sector
  lda #ERR_LONG
  sec
  rts
@short:
  lda #ERR_SHORT
  sec
@error:
  rts
@stopped:
  lda #ERR_STOPPED
  sec
  rts

; Bytes behind the image's end are not loaded
; Uses:   A, X, Y, Z; t0
load_clip:
  ldq ld_total
  sec
  sbcq ld_done
  stq t0
  lda t0+2
  ora t0+3
  bne @fits
  lda t0
  sec
  sbc blk_len
  lda t0+1
  sbc blk_len+1
  bcs @fits
  lda t0
  sta blk_len
  lda t0+1
  sta blk_len+1
@fits:
  rts

; Write the block; at the header's end the port goes on at the payload's address
; Output: C = 1: A = MSG number
; Uses:   A, X, Y, Z; t0, dma
load_block:
  lda ld_head
  ora ld_head+1
  beq load_part
  lda blk_len                         ; the part that belongs to the header
  sec
  sbc ld_head
  sta load_rest
  lda blk_len+1
  sbc ld_head+1
  sta load_rest+1
  bcc @all
  lda ld_head
  sta blk_len
  lda ld_head+1
  sta blk_len+1
  jsr load_part
  bcs load_late
  ldq header+HDR_LOAD_ADDR
  stq t0
  lda #0
  sta ld_head
  sta ld_head+1
  jsr core_seek
  bcs load_late
  lda load_rest
  sta blk_len
  lda load_rest+1
  sta blk_len+1
  ora blk_len
  bne load_part
  clc
  rts
@all:
  lda ld_head
  sec
  sbc blk_len
  sta ld_head
  lda ld_head+1
  sbc blk_len+1
  sta ld_head+1

; Write blk_len bytes from blk_ptr and move on
load_part:
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
  jsr core_write
  bcs load_late
  lda blk_ptr
  clc
  adc blk_len
  sta blk_ptr
  lda blk_ptr+1
  adc blk_len+1
  sta blk_ptr+1
  lda blk_len
  ldx blk_len+1
  ldy #0
  ldz #0
  clc
  adcq ld_done
  stq ld_done
  clc
load_late:
  rts
load_rest:
  !word 0

; Draw the bar if it has grown
; Input:  ld_done, ld_total
; Uses:   A, X, Y, Z; t0, dma
bar_draw:
  jsr bar_length
  cmp bar_step
  bne @draw
  cpx bar_step+1
  bne @draw
  rts
@draw:
  sta bar_step
  stx bar_step+1
  jsr row_begin
  lda #8
  sta row_col
  lda bar_step+1
  sta t0+1
  lda bar_step
  and #7
  sta bar_eighths
  lda bar_step                        ; full cells = step / 8
  lsr t0+1
  ror
  lsr t0+1
  ror
  lsr
  tay
  beq @part
@full:
  lda #CODE_BLOCK8
  jsr row_code
  dey
  bne @full
@part:
  ldx bar_eighths
  beq @rest
  lda bar_codes-1,x
  jsr row_code
@rest:
  lda row_col
  cmp #8 + BAR_CELLS
  bcs @show
  lda #CODE_SHADE
  jsr row_code
  bra @rest
@show:
  lda #BAR_ROW
  ldx #GREEN
  jsr row_show
  jsr row_begin                       ; and the numbers below it
  lda #8
  sta row_col
  ldq ld_done
  jsr print_kilobytes
  +say msg_of
  ldq ld_total
  jsr print_kilobytes
  +say msg_kb
  lda #BAR_ROW + 1
  ldx #NOTE_COLOUR
  jmp row_show
bar_codes:
  !byte CODE_BLOCK1, CODE_BLOCK2, CODE_BLOCK3, CODE_BLOCK4, CODE_BLOCK5, CODE_BLOCK6, CODE_BLOCK7
bar_step:
  !word 0
bar_eighths:
  !byte 0

; Output: A low, X high: eighths of a cell to be filled, done / total * cells * 8
; Uses:   Y, Z
bar_length:
  ldq ld_done
  stq HW_MATH_A
  ldq ld_total
  stq HW_MATH_B
@busy:
  bit HW_MATH_BUSY
  bmi @busy
  lda HW_DIV_WHOLE
  bne @all
  lda HW_DIV_FRACTION+2
  ldx HW_DIV_FRACTION+3
  ldy #0
  ldz #0
  stq HW_MATH_A
  +set32 HW_MATH_B, BAR_CELLS * 8
  lda HW_PRODUCT+2
  ldx HW_PRODUCT+3
  rts
@all:
  lda #<(BAR_CELLS * 8)
  ldx #>(BAR_CELLS * 8)
  rts

; Print Q bytes as KB, rounded up
; Uses:   as print_number
print_kilobytes:
  stq t0
  lda #$ff
  ldx #3
  ldy #0
  ldz #0
  clc
  adcq t0
  stq t0
  ldx #10
@shift:
  lsrq t0
  dex
  bne @shift
  jmp print_number
