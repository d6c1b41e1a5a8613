; The folder: a stream of UTF-8 to printable ASCII
;
; Characters may be split across tokens, so the state is kept between calls.

; Begin a new stream
; Uses:   A
fold_reset:
  lda #0
  sta fold_need
  rts

; Take one byte; what it completes is printed
; Input:  A = byte, out
; Uses:   A, X, Y, Z; fold_..., b3
fold_byte:
  sta b3
  lda fold_need
  beq fold_first
  lda b3
  and #$c0
  cmp #$80
  beq fold_more
  lda #0                              ; broken off: this byte is read afresh
  sta fold_need
  lda #'?'
  jsr emit
fold_first:
  lda b3
  bmi @lead
  jmp fold_ascii
@lead:
  ldx #0
  stx fold_code+1
  stx fold_code+2
  cmp #$c0
  bcc fold_unknown
  cmp #$f8
  bcs fold_unknown
  ldx #1
  ldy #$1f
  cmp #$e0
  bcc @keep
  inx
  ldy #$0f
  cmp #$f0
  bcc @keep
  inx
  ldy #$07
@keep:
  stx fold_need
  sty fold_code
  and fold_code
  sta fold_code
  rts
fold_unknown:
  lda #'?'
  jmp emit

; A continuation byte: six bits more
fold_more:
  lda b3
  asl
  asl
  ldx #6
@shift:
  asl
  rol fold_code
  rol fold_code+1
  rol fold_code+2
  dex
  bne @shift
  dec fold_need
  beq @complete
  rts
@complete:
  lda fold_code+2
  bne fold_unknown
  lda fold_code+1
  beq @latin
  ldx #0                              ; the list of those with their own spelling
@search:
  lda fold_table+1,x                  ; high byte, 0 ends it
  beq fold_unknown
  cmp fold_code+1
  bne @next
  lda fold_table,x
  cmp fold_code
  beq @found
@next:
  inx
  inx
  inx
  bra @search
@found:
  lda fold_table+2,x
  bpl @char
  and #$7f                            ; one of the words
  tax
@word:
  lda fold_words,x
  beq @end
  phx
  jsr emit
  plx
  inx
  bra @word
@end:
  rts
@char:
  jmp emit
@latin:
  lda fold_code
  bpl fold_ascii
  sec
  sbc #$a0
  bcc fold_unknown
  tax
  lda fold_latin,x
  bpl @char
  and #$7f
  tax
  bra @word

; Input:  A = byte below $80
fold_ascii:
  cmp #9
  beq @pass
  cmp #10
  beq @pass
  cmp #' '
  bcc fold_unknown
  cmp #$7f
  beq fold_unknown
@pass:
  jmp emit

; Words, and their offsets with bit 7 set
fold_words:
  !text "..."
  !byte 0
  !text "(TM)"
  !byte 0
  !text "oe"
  !byte 0
  !text "OE"
  !byte 0
  !text "(c)"
  !byte 0
  !text "(R)"
  !byte 0
  !text "AE"
  !byte 0
  !text "ae"
  !byte 0
  !text "ss"
  !byte 0
W_DOTS = $80
W_TM   = $84
W_OE_S = $89
W_OE   = $8c
W_C    = $8f
W_R    = $93
W_AE   = $97
W_AE_S = $9a
W_SS   = $9d

fold_table:                           ; code point, spelling
  !byte $18, $20, $27, $19, $20, $27, $1a, $20, $27, $1b, $20, $27, $32, $20, $27
  !byte $1c, $20, $22, $1d, $20, $22, $1e, $20, $22, $33, $20, $22
  !byte $10, $20, $2d, $11, $20, $2d, $12, $20, $2d, $13, $20, $2d, $14, $20, $2d, $15, $20, $2d, $12, $22, $2d
  !byte $26, $20, W_DOTS, $22, $20, $2a, $22, $21, W_TM, $52, $01, W_OE, $53, $01, W_OE_S
  !byte 0, 0

fold_latin:                           ; $a0-$ff
  !text " ????????"
  !byte W_C
  !text "?"
  !byte $22                           ; angle quotes
  !text "??"
  !byte W_R
  !text "????????."
  !text "???"
  !byte $22
  !text "????"
  !text "AAAAAA"
  !byte W_AE
  !text "CEEEEIIIIDNOOOOOxOUUUUYT"
  !byte W_SS
  !text "aaaaaa"
  !byte W_AE_S
  !text "ceeeeiiiidnooooo/ouuuuyty"
