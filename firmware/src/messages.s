; All words

; What can go wrong: a number for each, so that a routine can hand it on in A
ERR_READY    = 0
ERR_PORT     = 1
ERR_CORE     = 2
ERR_CHAIN    = 3
ERR_READ     = 4
ERR_DRIVE    = 5
ERR_NO_IMAGE = 6
ERR_MAGIC    = 7
ERR_VERSION  = 8
ERR_HEADER   = 9
ERR_MEMORY   = 10
ERR_SHORT    = 11
ERR_STOPPED  = 12

; Print what went wrong
; Input:  A = ERR number, out
; Uses:   A, X, Y, Z; t0, p0
error_print:
  sta error_code
  asl
  tax
  lda error_words,x
  pha
  lda error_words+1,x
  tax
  pla
  jsr print
  lda error_code
  cmp #ERR_CORE
  beq @core
  cmp #ERR_CHAIN
  beq @place
  cmp #ERR_READ
  beq @place
  cmp #ERR_MEMORY
  beq @memory
  rts
@core:
  lda core_code
  pha
  jsr print_hex
  +say msg_core
  pla
  tax
  lda core_low,x
  pha
  lda core_high,x
  tax
  pla
  cpx #0
  beq @end
  jsr print
@end:
  +say err_core_end
  rts
@place:
  +say msg_track
  lda err_track
  ldx #0
  jsr print_word
  +say msg_sector
  lda err_sector
  ldx #0
  jsr print_word
  +say err_place_end
  rts
@memory:
  jsr image_megabytes
  ldq t0
  lda t0
  ldx t0+1
  jsr print_word
  +say err_memory_has
  lda core_mb
  ldx core_mb+1
  jsr print_word
  +say err_memory_end
  rts

error_words:
  !word err_ready, err_port, err_core, err_chain, err_read, err_drive, err_no_image, err_magic, err_version, err_header
  !word err_memory, err_short, err_stopped

err_ready:
  !text "SSNAIL does not take data: its load port has not become READY for three seconds. Switch the machine off and on, then try again."
  !byte 0
err_port:
  !text "SSNAIL reports an ERROR: some bytes had no place in its memory. Try again; if it stays, make the image anew."
  !byte 0
err_core:
  !text "SSNAIL stopped with error $"
  !byte 0
err_core_end:
  !text " The text so far is kept; /reset starts afresh."
  !byte 0
err_chain:
  !text "The disk's chain of sectors is broken at"
  !byte 0
err_read:
  !text "The disk cannot be read at"
  !byte 0
err_place_end:
  !text ". Make the disk anew."
  !byte 0
err_drive:
  !text "The disk drive does not answer. Is a disk mounted?"
  !byte 0
err_no_image:
  !text "There is no model on this disk: no SEQ file that begins with SSNL. Make one with: ssnail-kit disk MODEL.gguf"
  !byte 0
err_magic:
  !text "This file is no SSNAIL image: it does not begin with SSNL."
  !byte 0
err_version:
  !text "This image has a newer format than this program knows. Make disk and image with the same kit."
  !byte 0
err_header:
  !text "This image's header does not add up. Make the image anew."
  !byte 0
err_memory:
  !text "This model does not fit: it needs MB: "
  !byte 0
err_memory_has:
  !text ", and SSNAIL has "
  !byte 0
err_memory_end:
  !text ". Convert it with a smaller --wtype or --ctx."
  !byte 0
err_short:
  !text "The image's file ends too early. Make it anew."
  !byte 0
err_stopped:
  !text "Loading was stopped."
  !byte 0

; SSNAIL's error codes in words
core_low:
  !byte 0, <core_address, <core_illegal, <core_alignment, <core_number
core_high:
  !byte 0, >core_address, >core_illegal, >core_alignment, >core_number
msg_core:
  !text ": "
  !byte 0
core_address:
  !text "an address outside its memory."
  !byte 0
core_illegal:
  !text "an instruction it does not know."
  !byte 0
core_alignment:
  !text "an instruction at an odd address."
  !byte 0
core_number:
  !text "a result that is no number."
  !byte 0

msg_title:
  !text " SSNAIL  "
  !byte 0
msg_no_ssnail:
  !text "SSNAIL is missing."
  !byte 10, 10
  !text "This program talks to a language model that runs on SSNAIL, an accelerator inside the MEGA65's FPGA. The core that runs now does not have it. "
  !text "Install a core with SSNAIL, then start this disk again."
  !byte 10, 10, 0
msg_any_key:
  !text "Press a key for BASIC."
  !byte 0
msg_loading:
  !text "Loading "
  !byte 0
msg_of:
  !text " of "
  !byte 0
msg_kb:
  !text " KB"
  !byte 0
msg_welcome:
  !text "The model goes on with what you type. RETURN on an empty line lets it go on, RUN/STOP stops it, /reset starts afresh, /quit leads back to BASIC."
  !byte 10, 0
msg_context:
  !text "context "
  !byte 0
msg_greedy:
  !text "greedy"
  !byte 0
msg_rate:
  !text " tokens/s"
  !byte 0
msg_speaking:
  !text "RUN/STOP stops"
  !byte 0
msg_reading:
  !text "reading "
  !byte 0
msg_ready:
  !text "ready"
  !byte 0
msg_ended_count:
  !text "RETURN goes on"
  !byte 0
msg_ended_text:
  !text "end of text"
  !byte 0
msg_ended_full:
  !text "context is full: /reset"
  !byte 0
msg_ended_stop:
  !text "stopped"
  !byte 0
msg_say_first:
  !text "type something first"
  !byte 0
msg_reset:
  !text "The text so far is forgotten."
  !byte 10, 0
msg_no_command:
  !text "There is no such command. /quit leads back to BASIC."
  !byte 10, 0
msg_line_has:
  !text "This line has "
  !byte 0
msg_room_for:
  !text " tokens, and there is room for "
  !byte 0
msg_shorten:
  !text ". Shorten it, or /reset."
  !byte 10, 0
msg_context_full:
  !text "The context is full. /reset starts afresh."
  !byte 10, 0
msg_track:
  !text " track "
  !byte 0
msg_sector:
  !text ", sector "
  !byte 0
