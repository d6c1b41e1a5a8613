; The vector x of Q8_0 and Q4_0 rows, quantised and remembered: the next matrix
; often has the same one

; Quantise x into XQ, unless it stands there, or is too long for it
; Output: xq_valid, not 0: it does
; Uses:   everything of float.s and divide.s, src2, left, pz
quantise_x:
  ldq N_
  aslq
  aslq
  stq xq_bytes
  lda N_+2
  ora N_+3
  bne @long
  lda N_+1
  cmp #>(XQ_MAX * 32)
  bcc @short
  bne @long
  lda N_
  bne @long
@short:
  lda xq_valid
  beq @new
  ldq gv_x
  cpq xq_x
  bne @new
  ldq N_
  cpq xq_n
  bne @new
  rts
@long:
  lda #0
  sta xq_valid
  rts
@new:
  ldq gv_x
  stq xq_x
  stq src2
  ldq N_
  stq xq_n
  stq left
  +set16 pz, XQ
@block:
  lda left
  ora left+1
  beq @done
  lda left
  sec
  sbc #32
  sta left
  bcs @same
  dec left+1
@same:
  jsr quantise_block
  bra @block
@done:
  lda #1
  sta xq_valid
  rts

; The next block of x at src2 -> 40 bytes at (pz): vout, xsum, qd_m, qd_e
; Output: src2, pz behind theirs
; Uses:   everything of float.s and divide.s
quantise_block:
  +set_size 128
  ldq src2
  stq place
  lda #<BUF_X
  ldx #>BUF_X
  jsr fetch
  +add16to28 src2, size
  +set16 srcp, BUF_X
  jsr quantise
  ldy #31
@values:
  lda vout,y
  sta (pz),y
  dey
  bpl @values
  ldy #32
  ldx #0
@rest:
  lda xsum,x                          ; qd_m and qd_e follow it
  sta (pz),y
  iny
  inx
  cpx #7
  bne @rest
  lda pz
  clc
  adc #40
  sta pz
  bcc @done
  inc pz+1
@done:
  rts

