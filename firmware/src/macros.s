; Macros: only what reads better than the instructions it stands for

; a 32-bit constant into four bytes
!macro set32 .to, .value {
  lda #<(.value)
  sta .to
  lda #<((.value) >> 8)
  sta .to+1
  lda #<((.value) >> 16)
  sta .to+2
  lda #<((.value) >> 24)
  sta .to+3
}

; a 16-bit constant, or the address of something in bank 0
!macro set16 .to, .value {
  lda #<(.value)
  sta .to
  lda #>(.value)
  sta .to+1
}

; an address in bank 0 into a 28-bit pointer
!macro near .to, .value {
  +set16 .to, .value
  lda #0
  sta .to+2
  sta .to+3
}

; 32 bits from one place to another; A, X, Y, Z are lost
!macro copy32 .from, .to {
  ldq .from
  stq .to
}

; print a text
!macro say .text {
  lda #<(.text)
  ldx #>(.text)
  jsr print
}
