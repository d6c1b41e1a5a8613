; The start screen: which models there are, and which one shall talk

LIST_ROW   = 4          ; of the first model
LIST_ROWS  = 16         ; models shown at a time
NAME_COL   = 2
DESC_COL   = 23
MEMORY_COL = 60
FITS_COL   = 70
LIST_HINT  = 23

; Let the user choose a model
; Input:  list_error (MSG number, 255 = none): said below the list
; Output: C = 0: model_chosen; C = 1: back, without a choice
; Uses:   everything but the chat's variables
list_choose:
  jsr screen_clear
  jsr title_draw
  lda #0
  sta list_top
  jsr row_begin
  lda #NAME_COL
  sta row_col
  +say msg_list_keys
  lda model_more
  beq @all
  ldx #0
  jsr print_word
  +say msg_list_more
@all:
  lda #LIST_HINT
  ldx #NOTE_COLOUR
  jsr row_show
  jsr list_fault
@draw:
  jsr list_draw
@key:
  jsr key_wait
  cmp #KEY_DOWN
  beq @down
  cmp #KEY_UP
  beq @up
  cmp #KEY_RETURN
  beq @take
  cmp #KEY_RUNSTOP
  beq @back
  cmp #KEY_ESCAPE
  beq @back
  jsr beep
  bra @key
@down:
  ldx model_chosen
  inx
  cpx model_count
  bcs @key
  stx model_chosen
  bra @draw
@up:
  lda model_chosen
  beq @key
  dec model_chosen
  bra @draw
@take:
  clc
  rts
@back:
  sec
  rts

; Draw the models around the chosen one, as many as there are rows for
; Uses:   A, X, Y, Z; t0, p0, p2, dma
list_draw:
  lda model_chosen                    ; scroll no further than it takes
  cmp list_top
  bcs @below
  sta list_top
@below:
  sec
  sbc list_top
  cmp #LIST_ROWS
  bcc @shown
  lda model_chosen
  sbc #LIST_ROWS - 1
  sta list_top
@shown:
  jsr list_head
  lda list_top
  sta list_at
@model:
  lda list_at
  cmp model_count
  lbeq @done
  sec
  sbc list_top
  cmp #LIST_ROWS
  lbeq @done
  lda list_at
  jsr model_fetch
  jsr row_begin
  lda list_at
  cmp model_chosen
  bne @name
  lda #CODE_ARROW_RIGHT
  jsr row_code
@name:
  lda #NAME_COL
  sta row_col
  +say src_name
  lda #DESC_COL - 1                   ; a long name is cut
  jsr row_cut
  lda src_fault
  cmp #ERR_HEADER
  beq @no_header
  cmp #ERR_MEMORY
  beq @header
  cmp #0
  bne @no_header
@header:
  lda #HDR_DESC_BYTES
  jsr image_describe
  lda #MEMORY_COL - 1
  jsr row_cut
  ldq header+HDR_MEM_NEEDED
  jsr print_size
@no_header:
  lda #FITS_COL - 1
  jsr row_cut
  jsr list_verdict
  lda list_at
  cmp model_chosen
  bne @show
  jsr row_reverse
@show:
  ldx #LIGHT_GREEN
  lda src_fault
  beq @fits
  ldx #ERROR_COLOUR
@fits:
  lda list_at
  sec
  sbc list_top
  clc
  adc #LIST_ROW
  jsr row_show
  inc list_at
  lbra @model
@done:
  rts
list_at:
  !byte 0
list_top:
  !byte 0                             ; the first model shown

; The question, and where in a longer list the choice is
; Uses:   A, X, Y, Z; t0, p0, dma
list_head:
  jsr row_begin
  lda #NAME_COL
  sta row_col
  +say msg_choose
  lda model_count
  cmp #LIST_ROWS + 1
  bcc @short
  +say msg_list_at
  lda model_chosen
  inc
  ldx #0
  jsr print_word
  +say msg_of
  lda model_count
  ldx #0
  jsr print_word
@short:
  lda #2
  ldx #WHITE
  jmp row_show

; Blank the row from a column on, and go on writing behind it
; Input:  A = column
; Uses:   A, X
row_cut:
  tax
  inc
  sta row_next
@blank:
  lda #' '
  sta row_buffer,x
  inx
  cpx #80
  bne @blank
  lda row_next
  sta row_col
  rts
row_next:
  !byte 0

; Does it fit, or why not?
; Input:  src_fault
; Uses:   A, X, Y, Z
list_verdict:
  lda src_fault
  bne @fault
  +say msg_fits
  rts
@fault:
  cmp #ERR_MEMORY
  bne @broken
  +say msg_too_big
  rts
@broken:
  +say msg_broken
  rts

; Say what went wrong last, below the list
; Input:  list_error
; Uses:   A, X, Y, Z; t0, p0, dma
list_fault:
  lda list_error
  cmp #255
  beq @none
  lda #ERROR_COLOUR                   ; composed in the transcript, for its wrapping
  jsr transcript_fresh
  lda tr_head
  sta draw_line
  lda #20
  sta draw_row
  lda #1
  sta draw_rows
  lda list_error
  jsr error_print
@line:
  jsr draw_part
  inc draw_row
  lda draw_line
  inc draw_line
  cmp tr_head
  bne @line
  lda #10
  jsr emit
  lda #255
  sta list_error
@none:
  rts
list_error:
  !byte 255

; Print Q bytes as KB, or as MB from 10 MB on
; Uses:   as print_number
print_size:
  stq t0
  lda t0+3
  bne @mega
  lda t0+2
  cmp #$a0
  bcs @mega
  ldq t0
  jsr print_kilobytes
  +say msg_kb
  rts
@mega:
  lda #$ff                            ; (n + 2^20 - 1) >> 20
  ldx #$ff
  ldy #$0f
  ldz #0
  clc
  adcq t0
  stq t0
  ldx #20
@shift:
  lsrq t0
  dex
  bne @shift
  jsr print_number
  +say msg_mb
  rts
