; The input line: 255 characters in up to four rows, with a history

HISTORY_LINES = 16

; Edit a line until a key that is not for the editor
; Input:  line, line_len, line_cur: what stands there already
; Output: A = that key: RETURN, or a function key; line and line_len
; Uses:   everything but the chat's variables
edit_line:
  lda #0
  sta hist_back
@draw:
  jsr edit_draw
@key:
  jsr key_wait
  cmp #KEY_RETURN
  beq @leave
  cmp #KEY_HELP
  beq @leave
  cmp #$f0                            ; function keys
  bcc @mine
  cmp #KEY_NO_ASCII
  bne @leave
@beep:
  jsr beep
  bra @key
@leave:
  rts
@mine:
  cmp #$20
  bcc @control
  cmp #$7f
  bcc @insert
@control:
  ldx #edit_keys_end - edit_keys - 1
@search:
  cmp edit_keys,x
  beq @found
  dex
  bpl @search
  bra @beep
@found:
  txa
  asl
  tax
  jsr (edit_jumps,x)
  bcs @beep
  bra @draw
@insert:
  jsr edit_insert
  bcs @beep
  bra @draw

edit_keys:
  !byte KEY_DEL, KEY_LEFT, KEY_RIGHT, KEY_HOME, KEY_CLEAR, KEY_RUNSTOP, KEY_UP, KEY_DOWN, KEY_ESCAPE
edit_keys_end:
edit_jumps:
  !word edit_delete, edit_left, edit_right, edit_home, edit_clear, edit_clear, edit_older, edit_newer, edit_clear

; The routines of the keys: C = 1 when there is nothing to do

; Input:  A = character
edit_insert:
  ldx line_len
  cpx #255
  bcs @full
@shift:                               ; make room at the cursor
  cpx line_cur
  beq @put
  ldy line-1,x
  pha
  tya
  sta line,x
  pla
  dex
  bra @shift
@put:
  sta line,x
  inc line_len
  inc line_cur
  clc
@full:
  rts

edit_delete:
  ldx line_cur
  beq edit_nothing
@shift:
  cpx line_len
  beq @shifted
  lda line,x
  sta line-1,x
  inx
  bra @shift
@shifted:
  dec line_len
edit_left:
  lda line_cur
  beq edit_nothing
  dec line_cur
  clc
  rts

edit_right:
  lda line_cur
  cmp line_len
  beq edit_nothing
  inc line_cur
  clc
  rts

edit_home:                            ; to the start, from there to the end
  lda line_cur
  beq @end
  lda #0
  bra @set
@end:
  lda line_len
@set:
  sta line_cur
  clc
  rts

edit_clear:
  lda #0
  sta line_len
  sta line_cur
  clc
  rts

edit_nothing:
  sec
  rts

edit_older:
  lda hist_back
  cmp hist_count
  bcs edit_nothing
  cmp #0
  bne @move
  ldx #HISTORY_LINES                  ; keep what is being typed
  jsr history_save
@move:
  inc hist_back
  bra history_show

edit_newer:
  lda hist_back
  beq edit_nothing
  dec hist_back

; Show the line that is hist_back lines old
; Output: C = 0
history_show:
  ldx #HISTORY_LINES
  lda hist_back
  beq @load
  lda hist_next
  sec
  sbc hist_back
  and #HISTORY_LINES - 1
  tax
@load:
  jsr history_slot
  +copy32 t0, dma_src
  +near dma_dst, line
  +set16 dma_len, 256
  lda #0
  jsr dma_copy
  lda line+255
  sta line_len
  sta line_cur
  clc
  rts

; Add the line to the history, unless it is the latest already or empty
; Uses:   A, X, Y, Z; t0, dma
history_add:
  lda line_len
  beq @done
  ldx hist_next
  jsr history_save
  lda hist_next
  clc
  adc #1
  and #HISTORY_LINES - 1
  sta hist_next
  lda hist_count
  cmp #HISTORY_LINES - 1
  bcs @done
  inc hist_count
@done:
  rts

; Input:  X = slot
; Uses:   A, X, Y, Z; t0, dma
history_save:
  lda line_len
  sta line+255
  jsr history_slot
  +copy32 t0, dma_dst
  +near dma_src, line
  +set16 dma_len, 256
  lda #0
  jmp dma_copy

; Input:  X = slot
; Output: t0 = its address
history_slot:
  lda #<HISTORY
  sta t0
  txa
  clc
  adc #<(HISTORY >> 8)
  sta t0+1
  lda #<(HISTORY >> 16)
  sta t0+2
  lda #0
  sta t0+3
  rts

; Show the input area: "> ", the line, and the cursor as a blinking reverse cell
; Uses:   A, X, Y, Z; t0, dma
edit_draw:
  lda line_len                        ; rows = (len + 3 + 79) / 80
  ldx #1
  cmp #78
  bcc @rows
  inx
  cmp #158
  bcc @rows
  inx
  cmp #238
  bcc @rows
  inx
@rows:
  cpx input_rows
  beq @compose
  stx input_rows
  jsr screen_layout
  jsr status_draw
@compose:
  lda #' '
  ldx #0
@blank:
  sta input_cells,x
  sta input_cells+64,x
  inx
  bne @blank
  lda #'>'
  sta input_cells
  ldy #0
@text:
  cpy line_len
  beq @cursor
  lda line,y
  jsr to_screen_code
  sta input_cells+2,y
  iny
  bra @text
@cursor:
  ldy line_cur
  lda input_cells+2,y
  ora #$80
  sta input_cells+2,y
  lda #25
  sec
  sbc input_rows
  jsr row_address
  lda input_rows
  jsr line_offset
  lda t3
  sta dma_len
  lda t3+1
  sta dma_len+1
  +near dma_src, input_cells
  lda #0
  jsr dma_copy
  jsr to_colours
  lda #INPUT_COLOUR
  jsr dma_fill
  lda dma_dst                         ; the cursor's cell
  clc
  adc #2
  sta dma_dst
  bcc @same
  inc dma_dst+1
@same:
  lda dma_dst
  clc
  adc line_cur
  sta dma_dst
  bcc @here
  inc dma_dst+1
@here:
  lda #1
  sta dma_len
  lda #0
  sta dma_len+1
  lda #INPUT_COLOUR + BLINK
  jmp dma_fill

; Take the cursor away while no line is edited
; Uses:   as edit_draw
edit_hide:
  lda #25
  sec
  sbc input_rows
  jsr row_address
  lda input_rows
  jsr line_offset
  lda t3
  sta dma_len
  lda t3+1
  sta dma_len+1
  lda #' '
  jmp dma_fill
