; Title and status line

STATUS_RIGHT = 32       ; column of the context's figures
MODE_COL     = 69       ; and of how tokens are chosen

; Show the title: the program's name and the model's description
; Uses:   A, X, Y, Z; p2, dma
title_draw:
  jsr row_begin
  lda #' '
  jsr row_emit
  lda #CODE_SNAIL_LEFT
  jsr row_code
  lda #CODE_SNAIL_RIGHT
  jsr row_code
  +say msg_title
  lda model_loaded
  beq @show
  lda #HDR_DESC_BYTES
  jsr image_describe
@show:
  jsr row_reverse
  lda #0
  ldx #TITLE_COLOUR
  jmp row_show

; Show the status line, with the text status_text at its left
; Uses:   A, X, Y, Z; t0, t1, p0, b0, b1, dma
status_draw:
  jsr row_begin
  lda #' '
  jsr row_emit
  lda status_text
  ldx status_text+1
  beq status_right
  jsr print

; The figures at the right, then show the row
status_right:
  lda model_loaded
  lbeq @show
  lda #STATUS_RIGHT
  sta row_col
  jsr is_encoder
  beq @decoder
  +say msg_lines
  lda en_count
  ldx #0
  jsr print_word
  +say msg_of
  lda en_room
  ldx #0
  jsr print_word
  bra @show
@decoder:
  +say msg_context
  lda ctx_max                         ; the last token made needs no place
  cmp ctx_used
  lda ctx_max+1
  sbc ctx_used+1
  bcc @full
  lda ctx_used
  ldx ctx_used+1
  bra @used
@full:
  lda ctx_max
  ldx ctx_max+1
@used:
  jsr print_word
  +say msg_of
  lda ctx_max
  ldx ctx_max+1
  jsr print_word
  jsr status_rate
  lda #MODE_COL
  sta row_col
  lda set_temp
  ora set_temp+1
  bne @sampled
  +say msg_greedy
  bra @show
@sampled:
  +say msg_temp
  ldq set_temp
  stq t0
  jsr print_hundredths
@show:
  jsr row_reverse
  lda #24
  sec
  sbc input_rows
  ldx #STATUS_COLOUR
  jmp row_show
status_text:
  !word 0               ; 0: none

; Tokens a second with one decimal, if at least two tokens were made
; Input:  gen_seen, frames
; Uses:   A, X, Y, Z; t0, t1, p0, b0, b1
status_rate:
  lda frames
  ora frames+1
  ora frames+2
  beq @none
  lda gen_seen+1
  bne @some
  lda gen_seen
  cmp #2
  bcc @none
@some:
  lda gen_seen
  ldx gen_seen+1
  ldy #0
  ldz #0
  stq t0
  deq t0
  lda #<500                           ; tokens * 10 * frames a second / frames
  ldx #>500
  bit HW_PAL_NTSC
  bpl @pal
  lda #<600
  ldx #>600
@pal:
  ldy #0
  ldz #0
  stq HW_MATH_A
  ldq t0
  stq HW_MATH_B
  ldq HW_PRODUCT
  stq t0
  lda frames
  ldx frames+1
  ldy frames+2
  ldz #0
  stq t1
  jsr divide
  lda #2
  jsr emit_space
  jsr print_tenths
  +say msg_rate
@none:
  rts
HW_PAL_NTSC = $d06f     ; bit 7: 60 frames a second

; Print t0 / 10 with one decimal
; Uses:   as print_number, t1, t2, b0
print_tenths:
  +set32 t1, 10
  jsr divide
  lda t2
  pha
  jsr print_number
  lda #'.'
  jsr emit
  pla
  ora #$30
  jmp emit

; Input:  A = how many spaces
emit_space:
  pha
  lda #' '
  jsr emit
  pla
  dec
  bne emit_space
  rts

; While tokens come
; Uses:   as status_draw
status_turn:
  +set16 status_text, msg_speaking
  jmp status_draw

; While the prompt is processed: position n of m, at most once a frame
; Input:  gen_from, gen_pos, gen_total
; Uses:   as status_draw
status_prompt:
  lda HW_FRAME_COUNTER
  cmp gen_drawn
  bne @draw
  rts
@draw:
  sta gen_drawn
  jsr row_begin
  lda #' '
  jsr row_emit
  +say msg_reading
  lda gen_pos
  sec
  sbc gen_from
  pha
  lda gen_pos+1
  sbc gen_from+1
  tax
  pla
  jsr print_word
  +say msg_of
  lda gen_total
  sec
  sbc gen_from
  pha
  lda gen_total+1
  sbc gen_from+1
  tax
  pla
  jsr print_word
  jmp status_right
