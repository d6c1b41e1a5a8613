; The chat: start, the main loop, a turn

model_loaded:
  !byte 0                             ; not 0: there is a model to talk to

; Everything after start
chat:
  lda #0                              ; started again after /quit: nothing is open
  sta model_loaded
  jsr title_draw
  jsr core_find
  lbcs chat_no_ssnail
chat_core:
  jsr random_seed
  lda mail_flags
  and #1
  beq chat_models
  jsr model_pushed                    ; a push has put the image there
  bcs @bad
  jsr soft_prepare
  lbra chat_enter
@bad:
  sta list_error

; Look for models; one that is alone, or named by CONFIG.TXT, loads by itself
chat_models:
  ldx #$ff                            ; from wherever it was asked for
  txs
  lda #NOTE_COLOUR
  jsr transcript_fresh
  +say msg_searching
  jsr transcript_draw
  jsr models_scan
  bcc @found
  ldx model_loaded
  lbeq chat_failed
  pha
  jsr f011_stop
  lda #ERROR_COLOUR                   ; the one that is loaded can go on
  jsr transcript_fresh
  pla
  jsr error_print
  lda #10
  jsr emit
  bra chat_back
@found:
  lda scan_fault                      ; part of the disk could not be read: say so
  cmp #ERR_NO_MODEL
  beq @sound
  sta list_error
  bra chat_list
@sound:
  lda model_loaded                    ; the list was asked for
  bne chat_list
  jsr config_read
  jsr config_choose
  bcc chat_load
  lda model_count
  cmp #1
  beq chat_load

chat_list:
  jsr f011_stop
  jsr list_choose
  bcc chat_load
  lda model_loaded                    ; back without a choice
  lbeq quit
chat_back:
  jsr header_back
  jsr screen_clear
  jsr title_draw
  jsr screen_layout
  bra chat_loop

chat_load:
  jsr screen_clear
  jsr title_draw
  jsr model_load
  bcs @failed
  jsr soft_prepare
  bra chat_enter
@failed:
  sta list_error
  bra chat_list

; A model has been loaded: talk
chat_enter:
  jsr f011_stop
  jsr screen_clear
  jsr title_draw
  jsr transcript_clear
  jsr chat_reset
  lda #0
  sta status_text+1
  lda #NOTE_COLOUR
  jsr transcript_begin
  jsr is_encoder
  bne @encoder
  +say msg_welcome
  bra @greeted
@encoder:
  +say msg_welcome_encoder
@greeted:
  jsr soft_tell
  jsr screen_layout
  lda mail_flags                      ; a first line from a push is typed already
  and #4
  beq chat_loop
  trb mail_flags
  bra chat_line

chat_loop:
  jsr status_idle
  jsr edit_line
  cmp #KEY_RETURN
  bne chat_key
chat_line:
  lda #0
  sta tr_up
  lda line_len
  beq @continue
  jsr history_add
  lda line
  cmp #'/'
  bne @say
  jsr command
  bcc @obeyed
  lda #ERROR_COLOUR
  jsr transcript_fresh
  +say msg_no_command
@obeyed:
  jsr transcript_draw
  bra @done
@continue:
  jsr turn_continue
  bra chat_loop
@say:
  jsr turn_say
  bcs chat_loop                       ; refused: the line stays
@done:
  jsr edit_clear
  bra chat_loop

; A function key
chat_key:
  cmp #KEY_F1
  beq @help
  cmp #KEY_HELP
  beq @help
  cmp #KEY_F5
  beq @up
  cmp #KEY_F7
  beq @down
  jsr beep
  bra chat_loop
@help:
  lda #NOTE_COLOUR
  jsr transcript_fresh
  jsr command_help
  jsr transcript_draw
  bra chat_loop
@up:
  lda view_rows
  dec
  jsr transcript_scroll
  bra chat_loop
@down:
  lda view_rows
  dec
  neg
  jsr transcript_scroll
  bra chat_loop

; SSNAIL is missing: say so; a key leads back to BASIC
chat_no_ssnail:
  lda #ERROR_COLOUR
  jsr transcript_begin
  +say msg_no_ssnail
  jsr soft_find
  bcs @no_core
  +say msg_soft_offer
  jsr screen_layout
  jsr key_wait
  cmp #KEY_RETURN
  lbne quit
  jsr soft_memory
  bcs @no_attic
  jsr soft_use
  bcs chat_failed
  jsr transcript_clear
  jmp chat_core
@no_core:
  +say msg_soft_none
  bra chat_leave
@no_attic:
  +say msg_soft_attic
  bra chat_leave

; Nothing to load, or loading failed
; Input:  A = MSG number
chat_failed:
  pha
  lda #ERROR_COLOUR
  jsr transcript_fresh
  pla
  jsr error_print
chat_leave:
  jsr f011_stop
  lda #NOTE_COLOUR
  jsr transcript_fresh
  +say msg_any_key
  jsr screen_layout
  jsr key_wait
  jmp quit

; An empty context
; Uses:   A
chat_reset:
  jsr encoder_reset
  jsr fold_reset
  jsr recent_clear
  lda #0
  sta ctx_used
  sta ctx_used+1
  sta gen_seen
  sta gen_seen+1
  ldq zero
  stq gen_pos
  rts

; Use the image that a push has put into the memory
; Output: C = 1: A = MSG number
; Uses:   A, X, Y, Z; dma, t0, t1
model_pushed:
  jsr header_back
  jsr image_check
  bcs @error
  jsr image_open
  bcs @error
  lda #1
  sta model_loaded
  clc
@error:
  rts

; Fetch the header of the image in the memory
; Uses:   A; dma
header_back:
  +set32 dma_src, SSN_RAM
  +near dma_dst, header
  lda #0
  jmp dma_read

; Say what is being loaded
load_show:
  jsr row_begin
  lda #8
  sta row_col
  +say msg_loading
  lda #HDR_DESC_BYTES
  jsr image_describe
  lda #BAR_ROW - 2
  ldx #WHITE
  jmp row_show

; The status line while a line is typed
status_idle:
  lda status_text+1
  bne @draw
  +set16 status_text, msg_ready
@draw:
  jmp status_draw
