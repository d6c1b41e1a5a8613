; F16 and BF16

; F16 in pa (2 bytes) -> packed single in pr, exact
; Uses:   A, X, Y, Z, tmp, tmp2, math unit
half_to_single:
  lda pa+1
  and #$7c
  beq @tiny
  cmp #$7c
  beq @odd
  lda pa                              ; * 32: exponent and mantissa in place
  sta HW_MATH_A
  lda pa+1
  sta HW_MATH_A+1
  lda #0
  sta HW_MATH_A+2
  sta HW_MATH_A+3
  sta HW_MATH_B+1
  sta HW_MATH_B+2
  sta HW_MATH_B+3
  lda #32
  sta HW_MATH_B
  ldq HW_PRODUCT
  sta pr+1
  stx pr+2
  lda pa+1
  and #$7c
  lsr
  lsr
  clc
  adc #112
  lsr                                 ; 112 is even: bit 7 of pr+2 is right
  sta pr+3
  lda pa+1
  and #$80
  tsb pr+3
  lda #0
  sta pr
  rts
@odd:                                 ; infinity or NaN
  lda pa+1
  and #$80
  ora #$7f
  sta pr+3
  lda pa+1
  and #3
  sta tmp
  lda #0
  sta pr
  lda pa                              ; mantissa << 13
  sta pr+1
  ldx #5
@shift:
  asl pr+1
  rol tmp
  dex
  bne @shift
  lda tmp
  ora pr+1
  beq @infinite
  lda #$40                            ; a NaN becomes quiet
@infinite:
  ora #$80
  ora tmp
  sta pr+2
  rts
@tiny:
  lda pa+1
  and #$80
  sta pr+3
  lda #0
  sta pr
  sta pr+1
  sta pr+2
  lda pa+1
  and #3
  sta tmp+1
  lda pa
  sta tmp
  ora tmp+1
  beq @zero
  lda #113                            ; exponent with bit 10 set
  sta tmp2
@up:
  lda tmp+1
  and #4
  bne @normal
  asl tmp
  rol tmp+1
  dec tmp2
  bra @up
@normal:
  lda tmp+1                           ; 10 bits to the top of 23
  and #3
  sta tmp+1
  ldx #5
@left:
  asl tmp
  rol tmp+1
  dex
  bne @left
  lda tmp
  sta pr+1
  lda tmp2
  lsr
  bcc @even
  smb7 tmp+1
@even:
  tsb pr+3
  lda tmp+1
  sta pr+2
@zero:
  rts

; Packed single in pa -> F16 in pr (2 bytes), to nearest even; what becomes no
; number is counted in err
; Uses:   A, X, Y, Z, tmp, tmp2, pa
single_to_half:
  lda pa+3
  and #$80
  sta tmp2                            ; sign
  lda pa+2
  asl
  lda pa+3
  rol
  cmp #113
  lbcc @tiny
  cmp #143
  bcs @large
  lda pa+3
  and #$7f
  sta pa+3
  lda #$ff                            ; + $fff + lowest bit kept
  sta tmp
  lda #$0f
  sta tmp+1
  lda #0
  sta tmp+2
  sta tmp+3
  lda pa+1
  and #$20
  beq @add
  lda #0
  sta tmp
  lda #$10
  sta tmp+1
@add:
  ldq pa
  clc
  adcq tmp
  stq pa                              ; >> 13
  lda pa+1
  sta tmp
  lda pa+2
  sta tmp+1
  lda pa+3
  sta tmp+2
  ldx #5
@shift:
  lsr tmp+2
  ror tmp+1
  ror tmp
  dex
  bne @shift
  lda tmp+1
  sec
  sbc #$c0                            ; 112 << 10
  and #$7f
  cmp #$7c                            ; rounded up to infinity
  bcc @finite
  inc err
@finite:
  ora tmp2
  sta pr+1
  lda tmp
  sta pr
  rts
@large:
  inc err
  cmp #255
  bne @infinity
  lda pa+2
  and #$7f
  ora pa+1
  ora pa
  beq @infinity
  lda pa+1                            ; NaN: quiet, with its upper ten bits
  lsr
  lsr
  lsr
  lsr
  lsr
  sta pr
  lda pa+2
  asl
  asl
  asl
  ora pr
  sta pr
  lda pa+2
  lsr
  lsr
  lsr
  lsr
  lsr
  and #3
  ora #$7e
  ora tmp2
  sta pr+1
  rts
@infinity:
  lda tmp2
  ora #$7c
  sta pr+1
  lda #0
  sta pr
  rts
@tiny:                                ; 24 bits >> 126 - exponent
  sta tmp2+1
  cmp #0
  bne @leading
  lda #0                              ; subnormal single: far below
  sta pr
  lda tmp2
  sta pr+1
  rts
@leading:
  lda #126
  sec
  sbc tmp2+1
  cmp #26
  bcc @count
  lda #26
@count:
  sta tmp2+1
  lda pa
  sta tmp
  lda pa+1
  sta tmp+1
  lda pa+2
  ora #$80
  sta tmp+2
  lda #0
  sta tmp+3
  sta tmp2+2                          ; last bit out, below it sticky
@right:
  lsrq tmp
  ror tmp2+2
  bcc @clean
  lda #1
  tsb tmp2+2
@clean:
  dec tmp2+1
  bne @right
  lda tmp2+2
  cmp #$80
  bcc @down
  bne @up
  lda tmp
  lsr
  bcc @down
@up:
  inc tmp
  bne @down
  inc tmp+1
@down:
  lda tmp
  sta pr
  lda tmp+1
  ora tmp2
  sta pr+1
  rts
