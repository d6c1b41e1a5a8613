; All words

; What can go wrong: a number for each, so that a routine can hand it on in A
ERR_READY    = 1
ERR_PORT     = 2
ERR_CORE     = 3
ERR_CHAIN    = 4
ERR_READ     = 5
ERR_DRIVE    = 6
ERR_NO_MODEL = 7
ERR_MAGIC    = 8
ERR_VERSION  = 9
ERR_HEADER   = 10
ERR_MEMORY   = 11
ERR_SHORT    = 12
ERR_STOPPED  = 13
ERR_GONE     = 14
ERR_CARD     = 15
ERR_CHANGED  = 16
ERR_LONG     = 17

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
  cmp #ERR_LONG
  beq @place
  cmp #ERR_MEMORY
  beq @memory
  cmp #ERR_CARD
  beq @card
  rts
@card:
  lda sd_error
  jsr print_hex
  +say msg_stop
  rts
@core:
  lda core_code
  jsr print_hex
  +say msg_core
  ldx core_code
  cpx #core_high - core_low
  bcc @known
  ldx #0                              ; a core may have codes of its own
@known:
  lda core_low,x
  pha
  lda core_high,x
  tax
  pla
  jsr print
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

error_words = error_list - 2
error_list:
  !word err_ready, err_port, err_core, err_chain, err_read, err_drive, err_no_model, err_magic, err_version, err_header
  !word err_memory, err_short, err_stopped, err_gone, err_card, err_changed, err_long

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
err_no_model:
  !text "There is no model: no SEQ file on the disk that begins with SSNL, and no *.SSNAIL in the root or the folder SSNAIL of the SD card. Make a disk with: ssnail-kit disk MODEL.gguf"
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
  !text "This model does not fit: it needs "
  !byte 0
err_memory_has:
  !text " MB of memory, and there are "
  !byte 0
err_memory_end:
  !text " MB. Convert it with a smaller --wtype or --ctx."
  !byte 0
err_short:
  !text "The image's file ends too early. Make it anew."
  !byte 0
err_gone:
  !text "The file is not on the card any more. Is it another card?"
  !byte 0
err_card:
  !text "The SD card cannot be read: error $"
  !byte 0
err_long:
  !text "The image has been read to its end, but its chain of sectors goes on at"
  !byte 0
err_changed:
  !text "This is not the file that was listed: another disk or card is in place. /model lists anew."
  !byte 0
err_stopped:
  !text "Loading was stopped."
  !byte 0

; SSNAIL's error codes in words
core_low:
  !byte <core_unknown, <core_address, <core_illegal, <core_alignment, <core_number
core_high:
  !byte >core_unknown, >core_address, >core_illegal, >core_alignment, >core_number
msg_core:
  !text ": "
  !byte 0
core_unknown:
  !text "this program does not know why."
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
msg_searching:
  !text "Looking for models..."
  !byte 10, 0
msg_choose:
  !text "Which model shall talk?"
  !byte 0
msg_list_keys:
  !text "Cursor keys choose, RETURN loads, RUN/STOP goes back. "
  !byte 0
msg_list_at:
  !text "   "
  !byte 0
msg_list_more:
  !text " more have no place."
  !byte 0
msg_fits:
  !text "fits"
  !byte 0
msg_too_big:
  !text "too big"
  !byte 0
msg_broken:
  !text "broken"
  !byte 0
msg_mb:
  !text " MB"
  !byte 0
msg_stop:
  !text "."
  !byte 10, 0
msg_now_greedy:
  !text "Greedy: always the likeliest token."
  !byte 10, 0
msg_eos_on:
  !text "Where the end token has 5 % or more, its share is shown."
  !byte 10, 0
msg_eos_off:
  !text "The end token's share is not shown."
  !byte 10, 0
msg_eos_share:
  !text "<EOS "
  !byte 0
msg_eos_end:
  !text "%>"
  !byte 0
msg_set_n:
  !text "n "
  !byte 0
msg_set_temp:
  !text "  temp "
  !byte 0
msg_set_topk:
  !text "  topk "
  !byte 0
msg_set_penalty:
  !text "  penalty "
  !byte 0
msg_set_seed:
  !text "  seed "
  !byte 0
msg_range:
  !text "That must be a number from "
  !byte 0
msg_range_to:
  !text " to "
  !byte 0
msg_tokens:
  !text " tokens:"
  !byte 0
msg_stats_memory:
  !text "Memory: "
  !byte 0
msg_stats_of:
  !text " of "
  !byte 0
msg_stats_vocab:
  !text ". Vocabulary: "
  !byte 0
msg_stats_turn:
  !text ". Last turn: tokens "
  !byte 0
msg_stats_frames:
  !text ", frames "
  !byte 0
msg_help:
  !text "Type a text and press RETURN: the model goes on with it. It continues texts; it is no assistant unless it was trained as one."
  !byte 10
  !text "RETURN on an empty line lets it go on. RUN/STOP stops it. F5 and F7 leaf through the text, cursor up and down through your lines."
  !byte 10
  !text "/reset     start afresh             /n 120        tokens a turn"
  !byte 10
  !text "/model     list the models          /temp 0.8     0: always the likeliest"
  !byte 10
  !text "/tok TEXT  show a text's tokens     /topk 40      among how many"
  !byte 10
  !text "/stats     figures                  /penalty 1.15 against repetition"
  !byte 10
  !text "/greedy    sampling off and on      /seed 1       begin the chances anew"
  !byte 10
  !text "/eos       the end token's share    F1 or /help   this text"
  !byte 10
  !text "/quit      back to BASIC"
  !byte 10, 0
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
msg_welcome_encoder:
  !text "This model compares texts: type lines, and it shows the most similar earlier ones with their cosine. /reset forgets them, /quit leads back to BASIC."
  !byte 10, 0
msg_first_line:
  !text "The first line: nothing to compare it with yet."
  !byte 10, 0
msg_lines:
  !text "lines kept "
  !byte 0
msg_context:
  !text "context "
  !byte 0
msg_temp:
  !text "temp "
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
msg_encoder_stopped:
  !text "Stopped. This line is not kept."
  !byte 10, 0
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
