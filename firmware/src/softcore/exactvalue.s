; One weight or x of an exact sum: mantissa, exponent, sign

; Packed single pa -> ex_m, ex_e, ex_s
; Output: err counts infinities and NaNs
; Uses:   A
exact_single:
  lda pa+3
  sta ex_s
  lda pa
  sta ex_m
  lda pa+1
  sta ex_m+1
  lda #0
  sta ex_m+3
  lda pa+2
  asl
  lda pa+3
  rol
  sta ex_e
  beq @tiny
  cmp #255
  beq @odd
  lda pa+2
  ora #$80
  sta ex_m+2
  rts
@odd:
  inc err
@tiny:
  inc ex_e
  lda pa+2
  and #$7f
  sta ex_m+2
  rts

; MATH_A = ex_m << .bits, 1 or more, and return
!macro shifted .bits {
  ldq ex_m
!for i, 1, .bits {
  aslq
}
  stq HW_MATH_A
  rts
}

; MATH_A = ex_m << (ex_e & 7)
; Uses:   A, X, Y, Z
exact_shift:
  lda ex_e
  and #7
  asl
  tax
  jmp (exact_shifts,x)
exact_shifts:
  !word shift0, shift1, shift2, shift3, shift4, shift5, shift6, shift7
shift0:
  ldq ex_m
  stq HW_MATH_A
  rts
shift1:
  +shifted 1
shift2:
  +shifted 2
shift3:
  +shifted 3
shift4:
  +shifted 4
shift5:
  +shifted 5
shift6:
  +shifted 6
shift7:
  +shifted 7

; The weight at (pz) -> ex_m, ex_e, ex_s
weight_f32:
  +word_at pz, pa
  +next4 pz
  lbra exact_single
weight_bf16:
  ldy #0
  lda (pz),y
  sta pa+2
  iny
  lda (pz),y
  sta pa+3
  tya
  dec
  sta pa
  sta pa+1
  inw pz
  inw pz
  lbra exact_single
weight_f16:
  ldy #0
  tya
  sta ex_m+2
  sta ex_m+3
  lda (pz),y
  sta ex_m
  iny
  lda (pz),y
  sta ex_s
  and #3
  sta ex_m+1
  inw pz
  inw pz
  lda ex_s
  and #$7c
  beq @tiny
  cmp #$7c
  bne @finite
  inc err
@finite:
  lsr
  lsr
  clc
  adc #125
  sta ex_e
  lda ex_m+1
  ora #4
  sta ex_m+1
  rts
@tiny:
  lda #126
  sta ex_e
  rts
