; Commands: lines that begin with a slash

; Run the command in the line
; Output: C = 1: it is no command that we know
; Uses:   everything
command:
  +set16 str, command_names
  ldx #0
@try:
  ldy #0
@compare:
  lda (str),y
  beq @word
  eor line+1,y                        ; names are all letters: capitals do as well
  and #$df
  bne @next
  iny
  bra @compare
@word:                                ; the whole word, then the end or a space
  iny
  cpy line_len
  beq @found
  bcs @next
  lda line,y
  cmp #' '
  beq @found
@next:
  ldy #0
@end:
  lda (str),y
  beq @skip
  iny
  bra @end
@skip:
  tya
  sec
  adc str
  sta str
  bcc @same
  inc str+1
@same:
  inx
  inx
  ldy #0
  lda (str),y
  bne @try
  sec
  rts
@found:
  sty arg_at
  phx
  lda #NOTE_COLOUR
  jsr transcript_fresh
  plx
  jsr (command_jumps,x)
  clc
  rts
arg_at:
  !byte 0                             ; where the argument begins, or the line's end

command_names:
  !text "quit"
  !byte 0
  !text "reset"
  !byte 0
  !text "model"
  !byte 0
  !text "help"
  !byte 0
  !text "tok"
  !byte 0
  !text "stats"
  !byte 0
  !text "greedy"
  !byte 0
  !text "eos"
  !byte 0
  !text "n"
  !byte 0
  !text "temp"
  !byte 0
  !text "topk"
  !byte 0
  !text "penalty"
  !byte 0
  !text "seed"
  !byte 0
  !text "soft"
  !byte 0
  !byte 0
command_jumps:
  !word quit, command_reset, command_model, command_help, command_tok, command_stats, command_greedy, command_eos
  !word command_n, command_temp, command_topk, command_penalty, command_seed, command_soft

; Forget the text so far
command_reset:
  jsr chat_reset
  +say msg_reset
  rts

; Sampling off and on
command_greedy:
  lda set_temp
  ora set_temp+1
  beq @on
  +copy32 set_temp, set_temp_before
  ldq zero
  stq set_temp
  +say msg_now_greedy
  rts
@on:
  +copy32 set_temp_before, set_temp
  jmp command_settings

; Show the end token's share, or not
command_eos:
  lda set_eos
  eor #1
  sta set_eos
  beq @off
  +say msg_eos_on
  rts
@off:
  +say msg_eos_off
  rts

command_n:
  ldx #0
  bra command_set
command_temp:
  ldx #1
  bra command_set
command_topk:
  ldx #2
  bra command_set
command_penalty:
  ldx #3
  bra command_set
command_seed:
  ldx #4

; Change a setting and show all of them
; Input:  X = number of the setting
command_set:
  phx
  jsr setting_change
  plx
  bcs command_range
  cpx #4                              ; a seed begins the random numbers anew
  bne command_settings
  jsr random_seed

; Show the settings
command_settings:
  +say msg_set_n
  ldq set_tokens
  stq t0
  jsr print_number
  +say msg_set_temp
  ldq set_temp
  stq t0
  jsr print_hundredths
  +say msg_set_topk
  ldq set_topk
  stq t0
  jsr print_number
  +say msg_set_penalty
  ldq set_penalty
  stq t0
  jsr print_hundredths
  +say msg_set_seed
  ldq set_seed
  stq t0
  jsr print_number
  lda #10
  jmp emit

; The argument is wrong: say what it may be
; Input:  X = number of the setting
command_range:
  phx
  lda #ERROR_COLOUR
  jsr transcript_begin
  +say msg_range
  plx
  jsr setting_entry
  ldy #4
  jsr command_bound
  +say msg_range_to
  ldy #8
  jsr command_bound
  +say msg_stop
  rts

; Print a bound of the setting at p0
; Input:  Y = its offset
command_bound:
  jsr setting_bound
  lda p0
  pha
  lda p0+1
  pha
  ldy #2
  lda (p0),y
  pha
  ldq t1
  stq t0
  pla
  beq @whole
  jsr print_hundredths
  bra @done
@whole:
  jsr print_number
@done:
  pla
  sta p0+1
  pla
  sta p0
  rts

; The list of models
command_model:
  jsr edit_clear                      ; the command is done with, however the list is left
  jmp chat_models

command_help:
  +say msg_help
  rts

; Show the tokens of a text
; Uses:   everything
command_tok:
  jsr arg_start
  bcc @some
  ldy line_len                        ; an empty text
  sty arg_at
@some:
  ldx #0                              ; the text becomes the line
  ldy arg_at
@copy:
  cpy line_len
  bcs @copied
  lda line,y
  sta line,x
  inx
  iny
  bra @copy
@copied:
  stx line_len
  lda #0
  sta tok_cont
  jsr tokenize
  lda tok_count
  ldx tok_count+1
  jsr print_word
  +say msg_tokens
  +set32 p0, TOKENS
@token:
  lda tok_count
  ora tok_count+1
  beq @done
  ldz #0
  ldq [p0]
  stq t0
  stq t2
  lda p0
  clc
  adc #4
  sta p0
  bcc @same
  inc p0+1
@same:
  +copy32 p0, tok_out                 ; print_number uses p0
  lda #' '
  jsr emit
  jsr print_number
  lda #CYAN                           ; its text in another colour
  sta colour
  ldq t2
  stq t0
  lda #'|'
  jsr emit
  jsr token_text
  jsr print_utf8
  lda #'|'
  jsr emit
  lda #NOTE_COLOUR
  sta colour
  +copy32 tok_out, p0
  dew tok_count
  bra @token
@done:
  lda #10
  jmp emit

; What the last turn took
; Uses:   everything but the chat's variables
command_stats:
  +say msg_stats_memory
  ldq header+HDR_MEM_NEEDED
  jsr print_size
  +say msg_stats_of
  lda core_mb
  ldx core_mb+1
  jsr print_word
  +say msg_mb
  +say msg_stats_vocab
  ldq header+HDR_NVOCAB
  stq t0
  jsr print_number
  +say msg_stats_turn
  lda gen_seen
  ldx gen_seen+1
  jsr print_word
  +say msg_stats_frames
  lda gen_ticks
  sta t0
  lda gen_ticks+1
  sta t0+1
  lda gen_ticks+2
  sta t0+2
  lda #0
  sta t0+3
  jsr print_number
  +say msg_stop
  jmp command_settings
