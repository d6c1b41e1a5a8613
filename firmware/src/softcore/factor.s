; Products of normal numbers, without unpacking them to the base page
;
; Whatever is not so simple (zeros, subnormal numbers, infinities, an exponent out of
; range) goes to a routine that can do anything.

; The packed single in Q becomes factor .to (HW_MATH_A or HW_MATH_B, whose lowest
; byte is 0 already), t_e the exponent of its product with a number whose exponent
; is at .other. Goes to .any if it is not that simple.
; Output: Z = its sign in bit 7
; Uses:   A
!macro factor .to, .other, .any {
  sta .to+1
  stx .to+2
  tya
  ora #$80
  sta .to+3
  tya
  asl
  tza
  rol
  lbeq .any
  cmp #255
  lbeq .any
  clc
  adc .other
  bcs @high
  sec
  sbc #127
  lbcc .any
  lbeq .any
  bra @go
@high:
  adc #128                            ; C = 1: 129
  lbcs .any
  cmp #253
  lbcs .any
@go:
  sta t_e
}

; The product of two mantissas, rounded
; Input:  math unit, t_e = exponent if the product is below 2^63
; Output: Q, A = 0; t_e
product_round:
  ldq HW_PRODUCT+4
  bmi @top
  aslq
  +round_product t_e
  rts
@top:
  inc t_e
  +round_product t_e
  rts
; Output: Q = packed single, with the sign of t_s
; Uses:   pr
product_pack:
  jsr product_round
  stx pr
  sty pr+1
  lda t_s
  asl
  lda t_e
  ror
  sta pr+3
  tza
  bcs @keep
  and #$7f
@keep:
  sta pr+2
  ldq pr
  rts
