; A turn of the model: run the script, show its tokens as they come, stop it
;
; Greedy turns are one job: the script makes all tokens. With a temperature each
; token is a job of its own, and the CPU chooses in the script's place.

; Run a turn on what stands in the token buffer
; Input:  gen_pos, gen_prompt, gen_limit
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
  jsr clock_start
  lda set_temp
  ora set_temp+1
  lbne generate_sampled
  jsr generate_job
  bcs @error
  jmp generate_end
@error:
  rts

; One token at a time
generate_sampled:
  lda gen_limit
  sta gen_left
  lda gen_limit+1
  sta gen_left+1
@token:
  +set32 gen_limit, 1
  jsr generate_job
  bcs @error
  lda gen_now                         ; no token: the context is full
  lbeq generate_end
  jsr sample
  ldq t2
  cpq gen_token
  beq @same
  jsr core_replace
  bcs @error
  ldq t2
@same:
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
  bra @token
@count:
  lda #STOP_COUNT
@ended:
  sta gen_end
  clc
@error:
  rts
gen_left:
  !word 0

; Run the script once
; Output: C = 1: A = MSG number; gen_now: tokens made; gen_token: the last one
; Uses:   everything but the chat's variables
generate_job:
  jsr core_runtime
  bcs @error
  ldq gen_pos
  stq gen_now
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
  jsr generate_look
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

; Show the tokens that have been published since, or how far the prompt is
; Uses:   A, X, Y, Z; t0, p0-p2
generate_look:
  lda #HDR_GENERATED
  jsr core_view
  lda set_temp                        ; its token is not the one that is shown
  ora set_temp+1
  bne @sampled
  lda t0
  cmp gen_seen
  bne @new
  lda t0+1
  cmp gen_seen+1
  bne @new
  lda gen_seen
  ora gen_seen+1
  lbeq generate_progress
  rts
@sampled:
  lda t0
  bne @token_made
  lda gen_seen
  ora gen_seen+1
  lbeq generate_progress
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
  lda set_temp                        ; a job of one token has ended by itself
  ora set_temp+1
  lbeq generate_stop
@done:
  rts
gen_bare:
  !byte 0                             ; not 0: the next piece begins the text
gen_last:
  !word 0
gen_rated:
  !byte 0

; While the prompt is processed: position n of m
; Uses:   A, X, Y, Z; t0, p0
generate_progress:
  lda #HDR_POS
  jsr core_view
  lda t0
  cmp gen_now                         ; gen_now holds the position shown last
  bne @show
  lda t0+1
  cmp gen_now+1
  bne @show
  rts
@show:
  lda t0
  sta gen_now
  lda t0+1
  sta gen_now+1
  jmp status_prompt

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
  lda set_temp
  ora set_temp+1
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
