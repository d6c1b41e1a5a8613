; The transcript: what has been said, in a ring of 256 lines in bank 5
;
; Words are wrapped while the text arrives: a word that reaches the edge moves
; to the next line. The screen shows a window of the ring.

; Empty the transcript
; Uses:   A, X, Y, Z; dma
transcript_clear:
  +set32 dma_dst, TR_CHARS
  +set16 dma_len, 256 * 80
  lda #$20
  jsr dma_fill
  +set32 dma_dst, TR_COLOURS
  lda #WHITE
  jsr dma_fill
  lda #0
  sta tr_head
  sta tr_lines
  sta tr_col
  sta tr_up
  jmp transcript_pointers

; Text goes to the transcript from now on
; Input:  A = colour
transcript_begin:
  sta colour
  +set16 out, transcript_emit
  rts

; Begin a line of its own, unless one has just begun
; Input:  A = colour
transcript_fresh:
  jsr transcript_begin
  lda tr_col
  lbne transcript_newline
  rts

; Take one character
; Input:  A = ASCII, colour
; Uses:   A, X, Y, Z; t3, dma
transcript_emit:
  cmp #10
  lbeq transcript_newline
  cmp #9
  bne @visible
  lda #' '
@visible:
  cmp #' '
  bcc @done
  jsr to_screen_code
  sta tr_code
  lda tr_col
  cmp #80
  bne @store
  lda tr_code
  cmp #' '                            ; a space at the edge is the line's end
  lbeq transcript_newline
  jsr transcript_wrap
@store:
  lda tr_col                          ; ldz has no base page form
  taz
  lda tr_code
  sta [tr_chars],z
  lda colour
  sta [tr_cols],z
  inc tr_col
@done:
  rts
tr_code:
  !byte 0

; The line is full: move its last word to a new line
; Uses:   A, X, Y, Z; t3
transcript_wrap:
  ldz #79
@find:
  lda [tr_chars],z
  cmp #' '
  beq @found
  dez
  bne @find
  jmp transcript_newline              ; one word as wide as the screen
@found:
  ldx #0
@take:
  inz
  cpz #80
  beq @taken
  lda [tr_chars],z
  sta wrap_chars,x
  lda #' '
  sta [tr_chars],z
  lda [tr_cols],z
  sta wrap_colours,x
  inx
  bra @take
@taken:
  stx tr_wrapped
  jsr transcript_newline
  ldz #0
@put:
  cpz tr_wrapped
  beq @done
  tza
  tax
  lda wrap_chars,x
  sta [tr_chars],z
  lda wrap_colours,x
  sta [tr_cols],z
  inz
  bra @put
@done:
  stz tr_col
  rts
tr_wrapped:
  !byte 0

; End the line
; Uses:   A; t3, dma
transcript_newline:
  inc tr_head
  lda #0
  sta tr_col
  lda tr_lines
  cmp #255
  beq @known
  inc tr_lines
@known:
  jsr transcript_pointers
  +copy32 tr_chars, dma_dst
  +set16 dma_len, 80
  lda #' '
  jsr dma_fill
  lda tr_up                           ; someone is reading: keep the view still
  beq @done
  inc tr_up
  jsr transcript_limit
@done:
  rts

; Set the pointers to line tr_head
; Uses:   A; t3
transcript_pointers:
  lda tr_head
  jsr line_offset
  lda t3
  sta tr_chars
  sta tr_cols
  lda t3+1
  sta tr_chars+1
  clc
  adc #<(TR_COLOURS >> 8)
  sta tr_cols+1
  lda #<(TR_CHARS >> 16)
  sta tr_chars+2
  sta tr_cols+2
  lda #0
  sta tr_chars+3
  sta tr_cols+3
  rts

; Input:  A = line
; Output: t3 = A * 80 (16-bit)
; Uses:   A
line_offset:
  sta t3
  sta t3+2
  lda #0
  sta t3+1
  asl t3                              ; * 5
  rol t3+1
  asl t3
  rol t3+1
  lda t3
  clc
  adc t3+2
  sta t3
  bcc @sixteen
  inc t3+1
@sixteen:
  asl t3                              ; * 16
  rol t3+1
  asl t3
  rol t3+1
  asl t3
  rol t3+1
  asl t3
  rol t3+1
  rts

; Keep tr_up within the lines there are
; Uses:   A; t3
transcript_limit:
  lda tr_lines                        ; the most: lines + 1 - view_rows
  clc
  adc #1
  bcs @long
  sec
  sbc view_rows
  bcs @most
  lda #0
  bra @most
@long:
  lda #0
  sec
  sbc view_rows
@most:
  cmp tr_up
  bcs @done
  sta tr_up
@done:
  rts

; Show the window of the transcript
; Input:  tr_up, view_rows
; Uses:   A, X, Y, Z; t3, dma
transcript_draw:
  lda tr_lines                        ; few lines: they stand at the top
  cmp view_rows
  bcs @bottom
  lda tr_head
  sec
  sbc tr_lines
  bra @first
@bottom:
  lda tr_head
  sec
  sbc tr_up
  sec
  sbc view_rows
  clc
  adc #1
@first:
  sta draw_line
  lda #1
  sta draw_row
  lda view_rows
  sta draw_rows
  lda draw_line                       ; does the window run over the ring's end?
  clc
  adc view_rows
  bcc @last
  beq @last
  sta draw_rest                       ; lines of it that stand at the ring's start
  lda view_rows
  sec
  sbc draw_rest
  sta draw_rows
  jsr draw_part
  lda draw_rows
  clc
  adc #1
  sta draw_row
  lda #0
  sta draw_line
  lda draw_rest
  sta draw_rows
@last:
  jmp draw_part
draw_line:
  !byte 0
draw_row:
  !byte 0
draw_rows:
  !byte 0
draw_rest:
  !byte 0

; Copy draw_rows lines from draw_line on to the screen's row draw_row
; Uses:   A, X, Y, Z; t3, dma
draw_part:
  lda draw_row
  jsr row_address
  lda draw_rows
  jsr line_offset
  lda t3
  sta dma_len
  lda t3+1
  sta dma_len+1
  lda draw_line
  jsr line_offset
  lda t3
  sta dma_src
  lda t3+1
  sta dma_src+1
  lda #<(TR_CHARS >> 16)
  sta dma_src+2
  lda #0
  sta dma_src+3
  jsr dma_copy
  lda dma_src+1
  clc
  adc #<(TR_COLOURS >> 8)
  sta dma_src+1
  jsr to_colours
  lda #0
  jmp dma_copy

; Scroll the view
; Input:  A = lines up (two's complement: down)
; Uses:   A, X, Y, Z; t3, dma
transcript_scroll:
  tax
  bmi @down
  clc
  adc tr_up
  bcc @set
  lda #255
  bra @set
@down:
  clc
  adc tr_up
  bcs @set
  lda #0
@set:
  sta tr_up
  jsr transcript_limit
  jmp transcript_draw
