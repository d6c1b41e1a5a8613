; Attention's kernel: eight sums += one factor times eight F16 values
;
; A sum lives in a base page of its own, so that one piece of code serves all
; eight, with everything in the base page: the loop moves the base page along.
; How far a product lies below its sum is known before it is multiplied; it
; chooses the code that adds it (kernelplus.s, kernelminus.s).
;
; A product of a single and a half: the single's mantissa, shifted to bits 5-28,
; times the half's at bits 8-18 gives a product whose top is bit 47 or 46, so
; that bytes 2-5 are guard byte and mantissa. Bytes 0 and 3 of the second factor
; stay 0 all the while. Exponents are trusted: see at_factors.

SLOTS        = $c8      ; base pages of the sums
s_q          = $00      ; a sum: guard byte, always 0, and mantissa
s_e          = $04      ; exponent, biased; 0: the sum is 0, whatever s_q holds
s_s          = $05      ; sign, bit 7
s_d          = $06      ; distance
s_t          = $08      ; terms
s_u          = $0c
s_data       = $20      ; values, wherever slot_low and slot_high say
k_a          = $80      ; in the core's own page: 4 bytes, for slow
k_page       = $84

; 8 sums += factor * values
; Input:  math unit: first factor = mantissa << 5, bytes 0 and 3 of the second 0;
;         kernel_last+1 = base page of the last sum to do;
;         slot_low+1, slot_high+1 = where a value's bytes lie in a sum's page;
;         slot_n1+1, slot_n2+1 = 140 - the factor's exponent;
;         slot_sign = KERNEL_PLUS or KERNEL_MINUS, the factor's sign
; Output: err counts infinities and NaNs among the values
; Uses:   A, X, Y, Z, second factor
KERNEL_PLUS  = $30      ; bmi
KERNEL_MINUS = $10      ; bpl
kernel:
kernel_last:
  lda #SLOTS + 7
  tab
slot:
slot_low:
  lda s_data
  sta HW_MATH_B+1
slot_high:
  ldx s_data+1
  lda half_top,x
  sta HW_MATH_B+2
  txa
  eor s_s
slot_sign:
  bmi slot_minus
  lda half_n,x
  clc
slot_n1:
  adc #0                              ; no carry
  adc s_e                             ; distance + 256
  bcc slot_larger
  asl
  tax
  jmp (plus_table,x)
slot_larger:                          ; (a short branch is the shorter way on)
  jmp plus_larger
slot_minus:
  lda half_n,x
  clc
slot_n2:
  adc #0
  adc s_e
  bcc @larger
  asl
  tax
  jmp (minus_table,x)
@larger:
  jmp minus_larger

; The first time: 8 sums = 0 + factor * values
; Input, output, uses: as kernel; first_n+1, first_low+1, first_high+1, first_sign as
;         slot_n1 ... slot_sign
kernel_first:
  lda kernel_last+1
  tab
first:
first_low:
  lda s_data
  sta HW_MATH_B+1
first_high:
  ldx s_data+1
  lda half_top,x
  sta HW_MATH_B+2
  txa
first_sign:
  eor #0
  sta s_s
  lda half_n,x
  clc
first_n:
  adc #0
  neg                                 ; exponent of a product below 2
  sta s_e
  ldq HW_PRODUCT+2
  bmi @high
  aslq
  bpl first_rare
  cmp #$80
  bcc @store
  beq @tie
@up:
  inx
  beq @carry
@store:
  stx s_q+1
  sty s_q+2
  stz s_q+3
  tba
  dec
  tab
  cmp #SLOTS - 1
  bne first
  lda #BASE
  tab
  rts
@high:
  inc s_e
  cmp #$80
  bcc @store
  bne @up
@tie:
  lda HW_PRODUCT+1
  ora HW_PRODUCT
  bne @up
  txa
  lsr
  bcs @up
  bra @store
@carry:
  iny
  bne @store
  inz
  bne @store
  ldz #$80
  inc s_e
  bra @store
first_rare:                           ; 0, subnormal or no number: the rest from 0 on
  tba
  pha
@clear:
  lda #0
  sta s_e
  sta s_s
  tba
  dec
  tab
  cmp #SLOTS - 1
  bne @clear
  pla
  tab
  lda first_sign+1
  asl
  lda #KERNEL_PLUS
  bcc @sign
  lda #KERNEL_MINUS
@sign:
  sta slot_sign
  lda first_n+1
  sta slot_n1+1
  sta slot_n2+1
  lda first_low+1
  sta slot_low+1
  lda first_high+1
  sta slot_high+1
  jmp slow

; The next sum, or the end
!macro next_slot {
  tba
  dec
  tab
  cmp #SLOTS - 1
  lbne slot
  lda #BASE
  tab
  rts
}

; The sum at hand the slow way: any distance, any product
slow:
  ldx slot_high+1
  lda 0,x
  tax
  and #$7c
  cmp #$7c
  lbeq slow_odd
  txa
  ldy slot_sign
  cpy #KERNEL_PLUS
  beq @sign
  eor #$80
@sign:
  sta BASE * 256 + t_s
  lda half_n,x
  clc
  adc slot_n1+1
  neg                                 ; exponent of a product below 2
  inc                                 ; counted from bit 47
  sta BASE * 256 + xe
  lda #0
  sta BASE * 256 + xe+1
  lda s_e
  sta BASE * 256 + acc_e
  lda s_s
  sta BASE * 256 + acc_s
  ldq s_q
  stq BASE * 256 + acc_q
  ldq HW_MATH_A
  stq BASE * 256 + k_a
  ldq HW_PRODUCT+2
  stq BASE * 256 + t_q
  tba
  sta BASE * 256 + k_page
  lda #BASE
  tab
  lda #0
  sta tmp
  sta tmp+1
  lda HW_PRODUCT
  sta tmp+2
  lda HW_PRODUCT+1
  sta tmp+3
  ora tmp+2
  ora t_q
  ora t_q+1
  ora t_q+2
  ora t_q+3
  beq @zero
  jsr fnormal
  jsr fadd
@zero:
  lda k_page
  tab
  ldq BASE * 256 + acc_q
  stq s_q
  lda BASE * 256 + acc_e
  sta s_e
  lda BASE * 256 + acc_s
  sta s_s
  ldq BASE * 256 + k_a
  stq HW_MATH_A
  lda #0
  sta HW_MATH_B
  sta HW_MATH_B+3
  +next_slot
slow_odd:                             ; infinity or NaN
  inc BASE * 256 + err
  +next_slot
