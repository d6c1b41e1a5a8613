; A turn: what the user says goes to the model, and it answers

; The user says something
; Output: C = 1: refused, nothing has changed
turn_say:
  jsr is_encoder
  lbne encoder_turn
  lda #0
  sta gen_bare
  lda ctx_used
  ora ctx_used+1
  sta tok_cont
  jsr tokenize
  jsr turn_room
  bcs @refused
  lda #INPUT_COLOUR
  jsr transcript_fresh
  jsr turn_echo
  lbra turn_run
@refused:
  rts

; Repeat the line in the transcript
; Uses:   A, X, Y, Z
turn_echo:
  ldy #0
@echo:
  lda line,y
  phy
  jsr emit
  ply
  iny
  cpy line_len
  bne @echo
  rts

; An empty line: the model goes on
turn_continue:
  jsr is_encoder
  bne @refused
  lda ctx_used
  ora ctx_used+1
  bne @on
  lda #0                              ; at the start there is only the begin token
  sta tok_cont
  jsr tokenize
  lda tok_count
  beq @nothing
  lda #1
  sta gen_bare
  bra @room
@on:
  lda #0
  sta tok_count
  sta tok_count+1
@room:
  jsr turn_room
  bcc turn_run
@refused:
  rts
@nothing:
  +set16 status_text, msg_say_first
  sec
  rts

; Do the tokens fit the context?
; Input:  ctx_used, tok_count
; Output: gen_prompt; C = 1: no, and that has been said
turn_room:
  lda ctx_used
  clc
  adc tok_count
  sta gen_prompt
  lda ctx_used+1
  adc tok_count+1
  sta gen_prompt+1
  lda ctx_max
  cmp gen_prompt
  lda ctx_max+1
  sbc gen_prompt+1
  bcc @full
  clc
  rts
@full:
  lda #ERROR_COLOUR
  jsr transcript_fresh
  lda tok_count
  ora tok_count+1
  beq @no_room
  lda ctx_used                        ; is there any room left?
  cmp ctx_max
  lda ctx_used+1
  sbc ctx_max+1
  bcs @no_room
  +say msg_line_has
  lda tok_count
  ldx tok_count+1
  jsr print_word
  +say msg_room_for
  lda ctx_max
  sec
  sbc ctx_used
  pha
  lda ctx_max+1
  sbc ctx_used+1
  tax
  pla
  jsr print_word
  +say msg_shorten
  bra @said
@no_room:
  +say msg_context_full
@said:
  jsr transcript_draw
  sec
  rts

; Hand the tokens to the model and show what it says
turn_run:
  jsr transcript_draw
  jsr edit_hide
  jsr core_append
  lbcs turn_error
  +copy32 set_tokens, gen_limit
  lda #REPLY_COLOUR
  jsr transcript_begin
  jsr generate
  lbcs turn_error
  jsr transcript_draw
  ldx #0
  lda gen_end
  cmp #STOP_EOS                       ; a text that begins after another's end
  bne @within
  inx
@within:
  stx gen_bare
  lda gen_end                         ; how it ended, in words
  asl
  tax
  lda end_words,x
  sta status_text
  lda end_words+1,x
  sta status_text+1
  lda gen_end
  cmp #STOP_EOS
  beq @note
  cmp #STOP_CONTEXT
  beq @note
  clc
  rts
@note:
  lda #NOTE_COLOUR
  jsr transcript_fresh
  lda status_text
  ldx status_text+1
  jsr print
  lda #10
  jsr emit
  jsr transcript_draw
  clc
  rts

; A turn has failed: say so
; Input:  A = MSG number
; Output: C = 0
turn_error:
  pha
  lda #ERROR_COLOUR
  jsr transcript_fresh
  pla
  jsr error_print
  lda #10
  jsr emit
  jsr transcript_draw
  clc
  rts
end_words:
  !word msg_ready, msg_ended_count, msg_ended_text, msg_ended_full, msg_ended_stop

; Output: Z = 0: the model is an encoder
; Uses:   A
is_encoder:
  lda header+HDR_FLAGS
  and #FLAG_ENCODER
  rts
