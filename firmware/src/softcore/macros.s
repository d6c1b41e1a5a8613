; Macros: only what reads better than the instructions it stands for

!macro set16 .to, .value {
  lda #<(.value)
  sta .to
  lda #>(.value)
  sta .to+1
}
!macro set_size .n {
  lda #<(.n)
  sta size
  lda #>(.n)
  sta size+1
}
; a pointer to the next word
!macro next4 .p {
  lda .p
  clc
  adc #4
  sta .p
  bcc @same
  inc .p+1
@same:
}
; the word at (.p), or .d behind it
!macro word_at .p, .to {
  ldz #0
  ldq (.p)
  stq .to
}
!macro word_behind .p, .d, .to {
  ldz #.d
  ldq (.p)
  stq .to
}
; .to = 28-bit variable + 16-bit .n
!macro add16to28 .to, .n {
  lda .to
  clc
  adc .n
  sta .to
  lda .to+1
  adc .n+1
  sta .to+1
  bcc @done
  inc .to+2
  bne @done
  inc .to+3
@done:
}
; 1.0
!macro set_one .to {
  lda #0
  sta .to
  sta .to+1
  lda #$80
  sta .to+2
  lda #$3f
  sta .to+3
}
!macro set_val .n {
  lda #<(.n)
  sta val
  lda #>(.n)
  sta val+1
  lda #0
  sta val+2
  sta val+3
}
