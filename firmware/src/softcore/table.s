; The table of rewritten matrices

; Remember that ins' matrix stands rewritten at dst
; Output: SOFT_FREE = dst
; Uses:   A, X, Y, Z, sp_x, dst
table_enter:
  ldq dst
  stq SOFT_FREE
  lda table_count
  jsr table_entry
  ldq ins+4
  stq (sp_x)
  +next4 sp_x
  lda rw_bias+3                       ; a page; its low byte: 1 for a bias of 2^24
  and #1
  sta dst
  ldq dst
  stq (sp_x)
  inc table_count
  rts

; Input:  A = number of an entry
; Output: sp_x
; Uses:   A
table_entry:
  sta sp_x
  lda #0
  asl sp_x
  rol
  asl sp_x
  rol
  asl sp_x
  rol
  clc
  adc #>TABLE
  sta sp_x+1
  rts

; Find the matrix that stands at src1
; Output: C = 0: Q = where it stands rewritten; C = 1: nowhere
; Uses:   A, X, Y, Z, cnt2, sp_x
table_find:
  lda table_count
  beq @none
  sta cnt2
  lda table_hint
@try:
  cmp table_count
  bcc @inside
  lda #0
@inside:
  sta table_hint
  inc table_hint
  jsr table_entry
  ldz #0
  ldq (sp_x)
  cpq src1
  beq @found
  lda table_hint
  dec cnt2
  bne @try
@none:
  sec
  rts
@found:
  ldz #4
  ldq (sp_x)
  clc
  rts
