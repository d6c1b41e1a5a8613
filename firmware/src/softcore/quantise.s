; Q8_0 quantisation of a block of 32 values

amax         = $44      ; 4 bytes
xsum         = $48      ; 4 bytes: -128 * sum of the biased values
qd_m         = $4c      ; 2 bytes: mantissa of the f16 scale, left-aligned; 0 = scale 0
qd_e         = $4e      ; its exponent + 104 (mod 256)
qn           = $4f
qsum         = $50      ; 2 bytes
qid          = $52      ; not 0: 1/d is not finite
qv           = $53      ; 253 - exponent of 1/d
qy           = $54      ; where the value at hand lies
qslow        = $55      ; bit 7: 1/d is subnormal or very large

vout         = $bc00    ; 32 bytes: values + 128

; 1/127: floor(n * RECIP127 / 2^38) is n / 127 or one more
RECIP127     = 2164392969

; Quantise
; Input:  srcp
; Output: vout, xsum, qd_m, qd_e
; Uses:   everything of float.s and divide.s
quantise:
  lda #0
  sta amax
  sta amax+1
  sta amax+2
  sta amax+3
  sta qid
  ldy #127
@scan:
  lda (srcp),y
  and #$7f
  cmp amax+3
  bcc @skip3
  bne @take3
  dey
  lda (srcp),y
  cmp amax+2
  bcc @skip2
  bne @take2
  dey
  lda (srcp),y
  cmp amax+1
  bcc @skip1
  bne @take1
  dey
  lda (srcp),y
  cmp amax
  bcc @next
  sta amax
  bra @next
@skip1:
  dey
  bra @next
@skip2:
  dey
  dey
  bra @next
@skip3:
  dey
  dey
  dey
  bra @next
@take3:
  sta amax+3
  dey
  lda (srcp),y
@take2:
  sta amax+2
  dey
  lda (srcp),y
@take1:
  sta amax+1
  dey
  lda (srcp),y
  sta amax
@next:
  dey
  bpl @scan
  +unpack amax, u_q
  lda u_q+3
  ora u_q+2
  ora u_q+1
  lbeq quantise_zero
  lda u_q+3
  bmi @normal
@tiny:                                ; subnormal: scale it, exponents from 0 down
  aslq u_q
  dec u_e
  lda u_q+3
  bpl @tiny
  lda #1
  sta flag
  bra @divide
@normal:
  lda #0
  sta flag
@divide:
  ldq u_q                             ; d = amax / 127: n = mantissa << 8
  stq HW_MATH_A
  lda #<RECIP127
  ldx #<(RECIP127 >> 8)
  ldy #<(RECIP127 >> 16)
  ldz #<(RECIP127 >> 24)
  stq HW_MATH_B
  ldq HW_PRODUCT+4
  lsrq
  lsrq
  lsrq
  lsrq
  lsrq
  lsrq
  stq tmp
  lsr                                 ; rest = q + 128 * (q & 1) mod 256
  lda #0
  ror
  clc
  adc tmp
  bpl @rest
  clc                                 ; below 0: q was one too large
  adc #127
  sta rem
  ldq tmp
  deq
  stq tmp
  lda rem
@rest:
  sta rem
  ldq tmp                             ; 25 or 26 bits
  cpz #2
  bcs @wide
  aslq
  aslq
  aslq
  aslq
  aslq
  aslq
  aslq
  stq u_q
  lda #7
  bra @exponent
@wide:
  aslq
  aslq
  aslq
  aslq
  aslq
  aslq
  stq u_q
  lda #6
@exponent:
  sta drop
  lda rem
  beq @sticky
  lda #1
  tsb u_q
@sticky:
  lda flag
  bne quantise_tiny                   ; d is subnormal
  lda u_e
  sec
  sbc drop
  sta u_e
  beq quantise_tiny
  bcc quantise_tiny
  ldq u_q
  +round u_e
  stq u_q
  bra quantise_scale
quantise_tiny:                        ; d below 2^-126
  lda u_e
  ldx flag
  beq @value
  sec
  sbc drop
@value:
  sta xe
  lda #$ff                            ; xe is negative, or 0
  ldx xe
  bne @high
  lda #0
@high:
  sta xe+1
  ldq zeroq
  stq tmp
  ldq u_q
  stq t_q
  jsr fnormal
  jsr t_to_u
  lda u_q+3
  ora u_q+2
  ora u_q+1
  lbeq quantise_zero                  ; d = 0
  lda #0                              ; its f16 is 0
  sta qd_m
  sta qd_m+1
  sta qd_e
  lda err                             ; 1/d may not be finite: then all values are 0
  pha
  lda #0
  sta err
  sta u_s
  jsr recip
  lda err
  sta qid
  pla
  sta err
  lda qid
  lbne quantise_none
  jmp quantise_values
; qd = f16(d)
quantise_scale:
  lda u_e
  cmp #142 + 1                        ; 65536 and above is an infinity
  bcc @fits
  inc err
  lda #142
@fits:
  sec
  sbc #127 - 14
  bcc @tiny
  lda #13
  bra @bits
@tiny:
  neg
  clc
  adc #13
  cmp #26
  bcc @bits
  lda #26
@bits:
  sta qn                              ; bits to drop from the 24 of the mantissa
  sta rem
  lda u_q+1
  sta tmp
  lda u_q+2
  sta tmp+1
  lda u_q+3
  sta tmp+2
  lda #0
  sta tmp+3
  sta tmp2                            ; bit 7 = last bit out, below it sticky
@drop:
  lsrq tmp
  ror tmp2
  bcc @clean
  lda #1
  tsb tmp2
@clean:
  dec rem
  bne @drop
  lda tmp2
  cmp #$80
  bcc @down
  bne @up
  lda tmp
  lsr
  bcc @down
@up:
  inq tmp
@down:
  lda tmp
  ora tmp+1
  beq @none
  lda u_e
  clc
  adc qn
  sec
  sbc #127 + 8 - 104
  sta qd_e
  lda tmp+1                           ; up to 2^11 now
  cmp #$08
  bcc @align
  lda u_e
  cmp #142                            ; rounded up to 65536
  bne @align
  inc err
@align:
  lda tmp+1
  bmi @aligned
  asl tmp
  rol tmp+1
  dec qd_e
  bra @align
@none:
  sta qd_e
@aligned:
  lda tmp
  sta qd_m
  lda tmp+1
  sta qd_m+1
  jsr recip
; The values: v = 1/d, which stays in the math unit
;
; What decides is the top byte of a product: its integer bits and the one of a
; half. Rounding the product to a single changes that byte only by a carry from
; below; where one may come, and for numbers that are not normal, it is rounded.
quantise_values:
  lda #0
  sta v_s
  sta qsum
  sta qsum+1
  sta qslow
  sta HW_MATH_A
  ldq v_q
  stq HW_MATH_B
  lda #253
  sec
  sbc v_e
  sta qv
  bcc @slow
  lda v_q+3
  bmi @fast
@slow:
  smb7 qslow
@fast:
  ldx #31
  stx qn
  lda #124
@value:
  sta qy
  bbs7 qslow, @any
  taz
  ldq (srcp)
  stz u_s
  sta HW_MATH_A+1
  stx HW_MATH_A+2
  tya
  ora #$80
  sta HW_MATH_A+3
  tya
  asl
  tza
  rol
  beq @any                            ; zero or subnormal
  sec
  sbc qv                              ; 1.xxx * 2^(X - 1), or twice that
  tax
  bcs @product
  cpx #<-2
  bcc @small
@product:
  ldy HW_PRODUCT+6
  tya
  ora #$80
  inc
  beq @any                            ; a carry may come up
  tya
  asl
  lda HW_PRODUCT+7
  bmi @top
  rol
  bra @byte
@top:
  inx
@byte:                                ; q = ((top byte >> 7-X) + 1) >> 1
  cpx #8
  bcs @small                          ; X < 0
  cpx #0
  beq @one
@place:
  cpx #7
  bcs @shifted
@shift:
  lsr
  inx
  cpx #7
  bne @shift
@shifted:
  inc
  lsr
  bra @sign
@any:
  lda qy
  taz
  ldq (srcp)
  jsr q_to_u
  jsr fmul                            ; leaves 1/d where it is
  lda t_e
  sec
  sbc #126
  bcc @small
  beq @one
  tax
  lda t_q+3
  bra @place
@small:                               ; below a half
  lda #0
  bra @sign
@one:
  lda #1
@sign:
  bbr7 u_s, @positive
  neg
@positive:
  clc
  adc #128
  ldx qn
  sta vout,x
  clc
  adc qsum
  sta qsum
  bcc @low
  inc qsum+1
@low:
  lda qy
  sec
  sbc #4
  dec qn
  lbpl @value
  lda qsum+1                          ; xsum = -(qsum << 7)
  lsr
  sta tmp+2
  lda qsum
  ror
  sta tmp+1
  lda #0
  ror
  sta tmp
  lda #0
  sta tmp+3
  ldq zeroq
  sec
  sbcq tmp
  stq xsum
  rts
quantise_zero:
  lda #0
  sta qd_m
  sta qd_m+1
  sta qd_e
quantise_none:
  ldx #31
  lda #128
@fill:
  sta vout,x
  dex
  bpl @fill
  lda #0                              ; 32 * 128 * -128
  sta xsum
  sta xsum+1
  lda #$f8
  sta xsum+2
  lda #$ff
  sta xsum+3
  rts
