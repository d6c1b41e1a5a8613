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
  cmp line+1,y
  bne @next
  iny
  bra @compare
@word:                                ; the whole word, then the end or a space
  cpy line_len
  bcs @next
  iny
  cpy line_len
  beq @found
  lda line,y
  cmp #' '
  beq @found
  dey
@next:
  lda (str),y
  beq @skip
  iny
  bra @next
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
  !byte 0
command_jumps:
  !word quit, command_reset

; Forget the text so far
command_reset:
  jsr chat_reset
  lda #NOTE_COLOUR
  jsr transcript_fresh
  +say msg_reset
  jmp transcript_draw
