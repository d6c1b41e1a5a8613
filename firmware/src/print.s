; Text output
;
; `out` names the routine that takes characters: row_emit (the row being
; composed) or transcript_emit. Both keep t0-t2, p0, p1, b0-b3.

; Print a text
; Input:  A low, X high: ASCII, NUL-terminated
; Uses:   A, X, Y, Z; str
print:
  sta str
  stx str+1
@next:
  ldy #0
  lda (str),y
  beq @end
  jsr emit
  inw str
  bra @next
@end:
  rts

; Print one character
; Input:  A = ASCII
; Uses:   A, X, Y, Z
emit:
  jmp (BASE_PAGE * 256 + out)         ; base page addresses do not reach jmp

; Print A bytes of UTF-8 at p2 (far), folded; unfinished characters are dropped
; Input:  p2, A = how many at most; a NUL ends it too
; Uses:   A, X, Y, Z; fold, p2
print_utf8:
  sta utf8_left
  lda fold_need                       ; the model's stream goes on later
  pha
  jsr fold_reset
@next:
  lda utf8_left
  beq @end
  dec utf8_left
  ldz #0
  lda [p2],z
  beq @end
  inw p2
  jsr fold_byte
  bra @next
@end:
  pla
  sta fold_need
  rts
utf8_left:
  !byte 0
