; The screen: VIC-IV set-up, rows of 80 characters, and their layout
;
; Row 0 title, then the transcript, then the status line, then one to four rows
; of input. The screen lies in bank 4, so BASIC's own picture stays intact.

BLACK        = 0
WHITE        = 1
RED          = 2
CYAN         = 3
GREEN        = 5
BLUE         = 6
YELLOW       = 7
ORANGE       = 8
LIGHT_RED    = 10
GREY         = 12
LIGHT_GREEN  = 13
LIGHT_BLUE   = 14
LIGHT_GREY   = 15
BLINK        = $10      ; attribute: the cursor

TITLE_COLOUR  = CYAN
STATUS_COLOUR = LIGHT_GREY
INPUT_COLOUR  = YELLOW
REPLY_COLOUR  = WHITE
NOTE_COLOUR   = LIGHT_GREY
ERROR_COLOUR  = LIGHT_RED

; Switch to 80 x 25 with our own font, whatever mode the machine was in
; Uses:   everything
screen_on:
  lda #$80                            ; let the chip work out the plain 80-column
  tsb HW_HOTREG                       ; mode, then take over
  lda #$1b
  sta t0
  eor HW_CONTROL1
  and #$7f
  beq @mode
  lda t0
  sta HW_CONTROL1
@mode:
  lda #0
  sta $d015                           ; no sprites
  lda #$c9
  sta HW_CONTROL2
  lda #$e0
  sta HW_CONTROLB
  lda #$80
  trb HW_HOTREG
  lda HW_CONTROLC
  and #$38                            ; 8-bit characters, full speed
  ora #$40
  sta HW_CONTROLC
  lda #80
  sta HW_LINESTEP
  sta HW_COLUMNS
  lda #0
  sta HW_LINESTEP+1
  sta HW_SCREEN
  sta HW_SCREEN+1
  sta HW_SCREEN+3
  lda #<(SCREEN >> 16)
  sta HW_SCREEN+2
  lda #<COLOUR_START
  sta HW_COLOUR_OFFSET
  lda #>COLOUR_START
  sta HW_COLOUR_OFFSET+1
  lda #<FONT
  sta HW_CHARSET
  lda #<(FONT >> 8)
  sta HW_CHARSET+1
  lda #<(FONT >> 16)
  sta HW_CHARSET+2
  lda #24
  sta HW_ROWS
  lda #BLACK
  sta HW_BORDER
  sta HW_BACKGROUND
  jsr font_copy
  jsr screen_clear
  jsr transcript_clear
  lda #1
  sta input_rows
  jmp screen_layout

; The font's lower half as it is, the upper half inverted
; Uses:   A, Z; dma, p0, p1
font_copy:
  +near dma_src, font
  +set32 dma_dst, FONT
  +set16 dma_len, 1024
  lda #0
  jsr dma_copy
  +set32 p0, FONT
  +set32 p1, FONT + 1024
  ldx #4
  ldz #0
@byte:
  lda [p0],z
  eor #$ff
  sta [p1],z
  inz
  bne @byte
  inc p0+1
  inc p1+1
  dex
  bne @byte
  rts

; Blank the whole screen
; Uses:   A; dma
screen_clear:
  +set32 dma_dst, SCREEN
  +set16 dma_len, 2000
  lda #$20
  jsr dma_fill
  +set32 dma_dst, COLOURS
  lda #WHITE
  jmp dma_fill

; Work out the transcript's height from the input's, and draw it
; Input:  input_rows
screen_layout:
  lda #23
  sec
  sbc input_rows
  sta view_rows
  jmp transcript_draw

; --- A row is composed in row_buffer, then shown

; Begin an empty row; text goes to it from now on
; Uses:   A, X
row_begin:
  +set16 out, row_emit
  lda #$20
  ldx #79
@blank:
  sta row_buffer,x
  dex
  bpl @blank
  lda #0
  sta row_col
  rts

; Put a character into the row; what does not fit is dropped
; Input:  A = ASCII
; Uses:   A, X
row_emit:
  jsr to_screen_code
row_code:
  ldx row_col
  cpx #80
  bcs @full
  sta row_buffer,x
  inc row_col
@full:
  rts

; Input:  A = ASCII
; Output: A = screen code
; Uses:   X
to_screen_code:
  sec
  sbc #$20
  cmp #$60
  bcc @printable
  lda #'?' - $20
@printable:
  tax
  lda screen_codes,x
  rts

; Turn the row into reverse characters
; Uses:   A, X
row_reverse:
  ldx #79
@cell:
  lda row_buffer,x
  ora #$80
  sta row_buffer,x
  dex
  bpl @cell
  rts

; Show the row
; Input:  A = row, X = colour
; Uses:   A, X, Y; dma
row_show:
  phx
  jsr row_address
  +near dma_src, row_buffer
  lda #0
  jsr dma_copy
  lda dma_dst
  clc
  adc #<COLOUR_START
  sta dma_dst
  lda dma_dst+1
  adc #>COLOUR_START
  sta dma_dst+1
  lda #<(HW_COLOUR_RAM >> 16)
  sta dma_dst+2
  lda #<(HW_COLOUR_RAM >> 24)
  sta dma_dst+3
  pla
  jmp dma_fill

; Input:  A = row
; Output: dma_dst = its place on the screen, dma_len = 80
; Uses:   A, X
row_address:
  tax
  lda row_low,x
  sta dma_dst
  lda row_high,x
  sta dma_dst+1
  lda #<(SCREEN >> 16)
  sta dma_dst+2
  lda #0
  sta dma_dst+3
  sta dma_len+1
  lda #80
  sta dma_len
  rts
row_low:
  !for i, 0, 24 {
    !byte <(i * 80)
  }
row_high:
  !for i, 0, 24 {
    !byte >(i * 80)
  }

; Turn dma_dst from a place on the screen into that of its colour
; Uses:   A
to_colours:
  lda dma_dst+1
  clc
  adc #>COLOUR_START
  sta dma_dst+1
  lda #<(HW_COLOUR_RAM >> 16)
  sta dma_dst+2
  lda #<(HW_COLOUR_RAM >> 24)
  sta dma_dst+3
  rts
