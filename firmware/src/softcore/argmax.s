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
  lda #0
  sta flag                            ; no best yet
@piece:
  jsr piece
  beq @done
  jsr load_x
@next:
  +word_at px, pa
  lda pa+2                            ; finite?
  asl
  lda pa+3
  rol
  cmp #255
  beq @odd
  lda flag
  beq @best
  jsr fcompare
  cmp #1
  bne @same
@best:
  inc flag
  bne @any
  inc flag
@any:
  ldq pa
  stq pb
  ldq total
  stq dst
@same:
  inq total
  +next4 px
  jsr count
  bne @next
  bra @piece
@odd:
  inc err
  rts
@done:
  ldq dst
  stq val
  jmp put_r

