; Reciprocal, square root
;
; The divider gives an estimate, whose last digits differ between boards; it is
; corrected by multiplying back.

; v = 1 / u, rounded. u is positive; below 2^-128 the result is an overflow, which
; err counts.
; Uses:   A, X, Y, Z, tmp, tmp2, rem, rc_rest, math unit
recip:
  lda u_q+3
  bmi recip_normal
  ora u_q+2
  ora u_q+1
  beq recip_over
@up:
  aslq u_q                            ; subnormal: exponents from 0 down
  dec u_e
  lda u_q+3
  bpl @up
  lda u_e
  beq recip_normal
  cmp #$ff
  bne recip_over
  jsr recip_normal
  lda v_e
  cmp #255
  beq recip_over
  rts
recip_over:
  inc err
  ldq zeroq
  stq v_q
  sta v_s
  lda #254
  sta v_e
  lda #$80
  sta v_q+3
  rts
recip_normal:
  lda u_q+1
  sta HW_MATH_B
  sta v_q+1
  lda u_q+2
  sta HW_MATH_B+1
  sta v_q+2
  lda u_q+3
  sta HW_MATH_B+2
  sta v_q+3
  lda #0
  sta v_s
  sta v_q
  lda u_q+3
  cmp #$80
  bne @divide
  lda v_q+2
  ora v_q+1
  bne @divide
  lda #254                            ; a power of two: exact
  sec
  sbc u_e
  sta v_e
  lbeq recip_half                     ; (2^127)
  rts
@divide:
  lda #0
  sta HW_MATH_B+3
  sta HW_MATH_A
  sta HW_MATH_A+1
  sta HW_MATH_A+2
  lda #1
  sta HW_MATH_A+3                     ; 2^24 / m, 32 bits behind the point
@wait:
  bit HW_MATH_BUSY
  bmi @wait
  ldq HW_DIV_FRACTION+1
  stq tmp                             ; about 2^48 / m, 25 bits
  stq HW_MATH_A
  ldq zeroq
  sec
  sbcq HW_PRODUCT                     ; what is left of 2^48, mod 2^32
  stq rc_rest
@fix:
  lda rc_rest+3
  bpl @more
  ldq tmp
  deq
  stq tmp
  lda v_q+1
  clc
  adc rc_rest
  sta rc_rest
  lda v_q+2
  adc rc_rest+1
  sta rc_rest+1
  lda v_q+3
  adc rc_rest+2
  sta rc_rest+2
  lda #0
  adc rc_rest+3
  sta rc_rest+3
  bra @fix
@more:
  lda rc_rest
  sec
  sbc v_q+1
  sta tmp2
  lda rc_rest+1
  sbc v_q+2
  sta tmp2+1
  lda rc_rest+2
  sbc v_q+3
  sta tmp2+2
  lda rc_rest+3
  sbc #0
  bmi @exact
  sta tmp2+3
  inq tmp
  ldq tmp2
  stq rc_rest
  bra @more
@exact:
  lda rc_rest                         ; 24 bits and a round bit, sticky = rest
  ora rc_rest+1
  ora rc_rest+2
  sta rem
  ldq tmp
  aslq
  aslq
  aslq
  aslq
  aslq
  aslq
  aslq
  stq v_q
  lda rem
  beq @round
  lda #1
  tsb v_q
@round:
  lda #253
  sec
  sbc u_e
  sta v_e
  lda u_e
  cmp #$ff                            ; -1
  beq @normal
  cmp #253
  bcs recip_half
@normal:
  ldq v_q
  +round v_e
  stq v_q
  rts
recip_half:                           ; 2^126 and above: subnormal results
  lda v_e
  sta xe
  cmp #$80
  lda #0
  bcc @positive
  lda #$ff
@positive:
  sta xe+1
  ldq zeroq
  stq tmp
  lda t_s
  pha
  ldq v_q
  stq t_q
  jsr fnormal
  pla
  sta t_s
  ldq t_q
  stq v_q
  lda t_e
  sta v_e
  rts
rc_rest:
  !32 0

; t = square root of u, rounded. u is positive and normal, or 0.
; Uses:   A, X, Y, Z, tmp, tmp2, rem, sq_m, math unit
fsqrt:
  lda #0
  sta drop                            ; not 0: u_e is negative
  lda u_q+3
  bmi @normal
  ora u_q+2
  ora u_q+1
  bne @tiny
  ldq zeroq
  stq t_q
  sta t_e
  lda u_s
  sta t_s
  rts
@tiny:
  aslq u_q                            ; subnormal: exponents from 0 down
  dec u_e
  lda u_q+3
  bpl @tiny
  inc drop
@normal:
  lda u_s
  bpl @positive
  inc err
@positive:
  lda #0
  sta sq_m
  sta sq_m+1
  sta sq_m+2
  lda u_q+1
  sta sq_m+3
  lda u_q+2
  sta sq_m+4
  lda u_q+3
  sta sq_m+5
  lda #0
  sta sq_m+6
  sta sq_m+7
  aslq sq_m                           ; mantissa * 2^25
  rolq sq_m+4
  lda u_e                             ; an odd exponent takes one more
  sec
  sbc #127
  lsr
  bcc @even
  aslq sq_m
  rolq sq_m+4
@even:
  lda u_e                             ; (e + 127) / 2
  clc
  adc #127
  ldx drop
  beq @whole
  clc
@whole:
  ror
  sta t_e
  ldq zeroq
  stq tmp                             ; root so far
  stq tmp2                            ; bit being tried
  lda #1
  sta tmp2+3
@bit:
  ldq tmp
  orq tmp2
  stq HW_MATH_A
  stq HW_MATH_B
  stq t_q
  ldq sq_m
  sec
  sbcq HW_PRODUCT
  ldq sq_m+4
  sbcq HW_PRODUCT+4
  bcc @no
  ldq t_q
  stq tmp
@no:
  lsrq tmp2
  lda tmp2
  ora tmp2+1
  ora tmp2+2
  ora tmp2+3
  bne @bit
  ldq tmp                             ; is there a rest?
  stq HW_MATH_A
  stq HW_MATH_B
  ldq sq_m
  cpq HW_PRODUCT
  beq @square
  lda #1
  bra @rest
@square:
  lda #0
@rest:
  sta rem
  ldq tmp
  aslq
  aslq
  aslq
  aslq
  aslq
  aslq
  aslq
  stq t_q
  lda rem
  tsb t_q
  ldq t_q
  +round t_e
  stq t_q
  lda #0
  sta t_s
  rts
sq_m:
  !fill 8, 0
