; ARGMAX: index of the first maximum
op_argmax:
  jsr vector_size
  jsr operand_x
  lda left
  ora left+1
  ora left+2
  ora left+3
  lbeq op_illegal
  ldq zeroq
  stq total                           ; index
  stq dst                             ; of the best
  lda #$ff                            ; smaller than any other
  sta pb
  sta pb+1
  sta pb+3
  lda #$7f
  sta pb+2
@piece:
  jsr piece
  lbeq @done
  jsr load_x
@next:
  ldz #0                              ; most are smaller: the words tell
  ldq (px)
  bmi @negative
  cpq pb                              ; (a negative best is a larger word)
  beq @same
  bcs @maybe
  bbr7 pb+3, @same
  bra @maybe
@negative:
  cpz #$ff                            ; an infinity or a NaN?
  beq @maybe
  bbr7 pb+3, @same
  cpq pb
  bcc @maybe
@same:
  +next4 px
  dew cnt
  bne @next
  lda piece_n                         ; the first of the next piece
  clc
  adc total
  sta total
  lda piece_n+1
  adc total+1
  sta total+1
  bcc @piece
  inc total+2
  bne @piece
  inc total+3
  bra @piece
@maybe:
  stq pa
  lda pa+2                            ; finite?
  asl
  lda pa+3
  rol
  cmp #255
  beq @odd
  jsr fcompare
  cmp #1
  bne @same
  ldq pa
  stq pb
  lda px                              ; number in this piece
  sta dst
  lda px+1
  sec
  sbc #>BUF_X
  lsr
  ror dst
  lsr
  ror dst
  sta dst+1
  lda #0
  sta dst+2
  sta dst+3
  ldq dst
  clc
  adcq total
  stq dst
  bra @same
@odd:
  inc err
  rts
@done:
  ldq dst
  stq val
  jmp put_r

