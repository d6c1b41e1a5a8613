; A turn of the model: run the script, show its tokens as they come, stop it
;
; Greedy turns are one job: the script makes all tokens. With a temperature, or
; when the end token's share is shown, each token is a job of its own, and the
; CPU looks at the logits.

; Run a turn on what stands in the token buffer
; Input:  gen_pos, gen_prompt; gen_limit = how many tokens at most
; Output: C = 0: gen_end says why it stopped; ctx_used
;         C = 1: A = MSG number
; Uses:   everything but the chat's variables
generate:
  lda #0
  sta gen_seen
  sta gen_seen+1
  sta gen_text
  sta gen_asked
  sta gen_rated
  lda set_temp
  ora set_temp+1
  ora set_eos
  sta gen_single
  jsr clock_start
  lda gen_limit
  sta gen_left
  lda gen_limit+1
  sta gen_left+1
  jsr generate_prompt
  bcs @error
  lda gen_asked
  bne @cut
  lda gen_single
  lbne generate_sampled
  lda gen_left
  sta gen_limit
  lda gen_left+1
  sta gen_limit+1
  jsr generate_job
  bcs @error
  jmp generate_end
@cut:                                 ; stopped in the prompt: the rest of it waits
  lda gen_prompt                      ; for the next turn
  sta ctx_used
  lda gen_prompt+1
  sta ctx_used+1
  lda #STOP_REQUESTED
  sta gen_end
  clc
@error:
  rts
gen_single:
  !byte 0                             ; not 0: one token a job
gen_left:
  !word 0                             ; tokens still to be made

; Process the prompt but for its last token, a job for each, so that a key stops
; at once. The script then publishes a token behind each position: what stood
; there is put back.
; Input:  gen_pos, gen_prompt
; Output: gen_pos; gen_asked: not 0, it was stopped; C = 1: A = MSG number
; Uses:   everything but the chat's variables
generate_prompt:
  lda gen_pos
  sta gen_from
  lda gen_pos+1
  sta gen_from+1
  lda gen_prompt
  sta gen_total
  lda gen_prompt+1
  sta gen_total+1
  lda #1
  sta gen_quiet
@next:
  lda gen_pos
  clc
  adc #1
  sta gen_prompt
  lda gen_pos+1
  adc #0
  sta gen_prompt+1
  lda gen_prompt                      ; is this the last one?
  cmp gen_total
  lda gen_prompt+1
  sbc gen_total+1
  bcs @done
  jsr key_stopped
  bcs @stop
  jsr status_prompt
  lda gen_prompt
  ldx gen_prompt+1
  jsr core_token
  ldq t0
  stq gen_token
  +set32 gen_limit, 1
  jsr generate_job
  bcs @error
  lda #HDR_POS
  jsr core_view
  ldq t0
  stq gen_pos
  ldq gen_token
  stq t2
  jsr core_replace
  bcs @error
  lda gen_asked                       ; a key while it ran
  beq @next
@stop:
  lda #1
  sta gen_asked
@done:
  lda gen_total
  sta gen_prompt
  lda gen_total+1
  sta gen_prompt+1
  clc
  bra @out
@error:                               ; nothing of the prompt counts: from its start again
  ldx gen_from
  stx gen_pos
  ldx gen_from+1
  stx gen_pos+1
@out:
  ldz #0
  stz gen_quiet
  rts
gen_from:
  !word 0
gen_total:
  !word 0
gen_quiet:
  !byte 0                             ; not 0: the token made is none of the text

; One token at a time
generate_sampled:
@token:
  +set32 gen_limit, 1
  jsr generate_job
  lbcs @error
  lda gen_now                         ; no token: the context is full
  lbeq generate_end
  lda set_eos
  beq @choose
  lda #NOTE_COLOUR
  jsr transcript_begin
  jsr sample_end_token
@choose:
  ldq gen_token
  stq t2
  lda set_temp
  ora set_temp+1
  beq @same                           ; greedy: the script's choice
  jsr sample
  ldq t2
  cpq gen_token
  beq @same
  jsr core_replace
  bcs @error
@same:
  ldq t2
  stq t0
  lda #REPLY_COLOUR
  jsr transcript_begin
  jsr generate_one
  jsr generate_end
  jsr generate_draw
  lda #STOP_EOS
  ldx gen_text
  bne @ended
  lda #STOP_REQUESTED
  ldx gen_asked
  bne @ended
  lda gen_left
  bne @low
  dec gen_left+1
@low:
  dec gen_left
  lda gen_left
  ora gen_left+1
  beq @count
  lda gen_pos
  clc
  adc #1
  sta gen_prompt
  lda gen_pos+1
  adc #0
  sta gen_prompt+1
  lbra @token
@count:
  lda #STOP_COUNT
@ended:
  sta gen_end
  clc
@error:
  rts

; Run the script once
; Output: C = 1: A = MSG number; gen_now: tokens made; gen_token: the last one
; Uses:   everything but the chat's variables
generate_job:
  jsr core_runtime
  bcs @error
  ldq header+HDR_SCRIPT
  stq t0
  jsr core_go
@poll:
  jsr clock_tick
  jsr key_stopped
  bcc @look
  jsr generate_stop
@look:
  jsr core_busy
  php                                 ; idle before looking: all tokens are seen
  lda gen_quiet
  bne @quiet
  jsr generate_look
@quiet:
  plp
  bne @poll
  lda frames
  sta gen_ticks
  lda frames+1
  sta gen_ticks+1
  lda frames+2
  sta gen_ticks+2
  jsr core_error
  cmp #SSN_ERR_NONE
  bne @fault
  lda #HDR_GENERATED
  jsr core_view
  lda t0
  sta gen_now
  clc
  rts
@fault:
  sta core_code
  lda #ERR_CORE
  sec
@error:
  rts
core_code:
  !byte 0

; Ask for a stop, once
; Uses:   A, X, Y, Z; p0
generate_stop:
  lda gen_asked
  bne @done
  inc gen_asked
  jmp core_stop
@done:
  rts

; Show the tokens that have been published since
; Uses:   A, X, Y, Z; t0, p0-p2
generate_look:
  lda #HDR_GENERATED
  jsr core_view
  lda gen_single                      ; its token may not be the one that is shown
  bne @sampled
  lda t0
  cmp gen_seen
  bne @new
  lda t0+1
  cmp gen_seen+1
  bne @new
  rts
@sampled:
  lda t0
  bne @token_made
  rts
@token_made:
  lda gen_prompt
  ldx gen_prompt+1
  jsr core_token
  ldq t0
  stq gen_token
  rts
@new:
  lda t0
  sta gen_now
  lda t0+1
  sta gen_now+1
  lda #REPLY_COLOUR                   ; the status line took the output
  jsr transcript_begin
@token:
  lda gen_prompt                      ; token number prompt + seen
  clc
  adc gen_seen
  pha
  lda gen_prompt+1
  adc gen_seen+1
  tax
  pla
  jsr core_token
  jsr generate_one
  lda gen_seen
  cmp gen_now
  bne @token
  lda gen_seen+1
  cmp gen_now+1
  bne @token
  lda gen_prompt
  clc
  adc gen_seen
  sta ctx_used
  lda gen_prompt+1
  adc gen_seen+1
  sta ctx_used+1

; Show text and status line, at most once a frame
; Uses:   A, X, Y, Z; t0-t3, p0, b0, b1, dma
generate_draw:
  lda HW_FRAME_COUNTER
  cmp gen_drawn
  beq @done
  sta gen_drawn
  jsr transcript_draw
  jmp status_turn
@done:
  rts
gen_drawn:
  !byte 0
gen_token:
  !32 0

; Show one token and count it
; Input:  t0
; Uses:   A, X, Y, Z; p0-p2
; A model may end its texts with the begin token instead of the end token: the
; script does not know that, so it is asked to stop, and what comes after is
; forgotten again.
generate_one:
  inw gen_seen
  lda gen_rated                       ; the rate counts from the first token on
  bne @rated
  inc gen_rated
  jsr clock_start
@rated:
  lda gen_text
  bne @done
  jsr recent_add
  ldq t0
  cpq header+HDR_EOS
  beq @ended
  cpq header+HDR_BOS
  beq @ended
  jsr token_text
  sta b2
@byte:
  lda b2
  beq @done
  dec b2
  ldz #0
  lda [p2],z
  inw p2
  bne @fold
  inw p2+2
@fold:
  cmp #' '                            ; the first word after the begin token has
  bne @print                          ; lost its space
  ldx gen_bare
  bne @bare
@print:
  jsr fold_byte
@bare:
  lda #0
  sta gen_bare
  bra @byte
@ended:
  inc gen_text
  lda gen_seen                        ; how many tokens count, this one included
  sta gen_last
  lda gen_seen+1
  sta gen_last+1
  lda gen_single                      ; a job of one token has ended by itself
  lbeq generate_stop
@done:
  rts
gen_bare:
  !byte 0                             ; not 0: the next piece begins the text
gen_last:
  !word 0
gen_rated:
  !byte 0

; Work out where the context stands and why the script stopped
; Output: C = 0, gen_end, gen_pos, ctx_used
; Uses:   A, X, Y, Z; t0, p0
generate_end:
  lda #HDR_POS
  jsr core_view
  ldq t0
  stq gen_pos
  lda #HDR_STOP_REASON
  jsr core_view
  lda t0
  sta gen_end
  lda gen_single
  bne @count
  lda gen_text
  beq @count
  lda #STOP_EOS                       ; the begin token was the last one
  sta gen_end
  lda gen_last
  clc
  adc gen_prompt
  sta gen_pos
  lda gen_last+1
  adc gen_prompt+1
  sta gen_pos+1
  lda gen_pos
  bne @low
  dec gen_pos+1
@low:
  dec gen_pos
@count:
  lda gen_pos                         ; tokens in the context = position + 1
  clc
  adc #1
  sta ctx_used
  lda gen_pos+1
  adc #0
  sta ctx_used+1
  clc
  rts
gen_end:
  !byte 0                             ; STOP_...
