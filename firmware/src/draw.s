; Weighing the candidates, and drawing one

; Weigh the candidates
; Input:  t1 = temperature in hundredths
; Output: sm_weight..., t3 = their sum
; Uses:   A, X, Y, Z; t0-t2, b0, b1, sm_at
sample_weigh:
  +set32 t0, LOG2E
  jsr divide
  ldq t0
  stq sample_factor
  ldx sm_order
  jsr sample_fixed
  ldq t0
  stq t2                              ; the greatest
  ldq zero
  stq t3                              ; sum of weights
  sta sm_at
@weight:
  ldy sm_at
  ldx sm_order,y
  jsr sample_fixed
  ldq t2
  sec
  sbcq t0
  stq HW_MATH_A
  ldq sample_factor
  stq HW_MATH_B
  ldq zero
  stq t0
  lda HW_PRODUCT+5                    ; whole part: how often it is halved
  ora HW_PRODUCT+6
  ora HW_PRODUCT+7
  bne @store
  lda HW_PRODUCT+4
  cmp #24
  bcs @store
  sta b0
  ldx HW_PRODUCT+3
  lda exp2_low,x
  sta t0+1
  lda exp2_high,x
  sta t0+2
  lda b0
  beq @store
@halve:
  lsrq t0
  dec b0
  bne @halve
@store:
  ldx sm_at
  lda t0
  sta sm_weight0,x
  lda t0+1
  sta sm_weight1,x
  lda t0+2
  sta sm_weight2,x
  ldq t0
  clc
  adcq t3
  stq t3
  inc sm_at
  lda sm_at
  cmp sm_count
  bne @weight
  rts

; Draw from the candidates by their weights
; Output: t2 = token
; Uses:   A, X, Y, Z; t0-t3, b0-b2, sm_...
sample_draw:
  ldq set_temp
  stq t1
  jsr sample_weigh
  jsr random
  stq HW_MATH_A
  ldq t3
  stq HW_MATH_B
  ldq HW_PRODUCT+4
  stq t1
  lda #0
  sta sm_at
  sta t0+3
@choose:
  ldx sm_at
  lda sm_weight0,x
  sta t0
  lda sm_weight1,x
  sta t0+1
  lda sm_weight2,x
  sta t0+2
  ldq t1
  cpq t0
  bcc @chosen
  sec
  sbcq t0
  stq t1
  inc sm_at
  lda sm_at
  cmp sm_count
  bne @choose
  dec sm_at
@chosen:
  ldy sm_at
  ldx sm_order,y
  lda sm_token0,x
  sta t2
  lda sm_token1,x
  sta t2+1
  lda sm_token2,x
  sta t2+2
  lda #0
  sta t2+3
  rts
sample_factor:
  !32 0

; Show how likely the end token was, if it had 5 % or more among the candidates
; Input:  the logits, out
; Uses:   everything but the chat's variables
sample_end_token:
  lda #TOPK_MAX
  jsr sample_greatest
  +set32 t1, 100
  jsr sample_weigh
  ldy #0
@candidate:
  ldx sm_order,y
  lda sm_token0,x
  cmp header+HDR_EOS
  bne @next
  lda sm_token1,x
  cmp header+HDR_EOS+1
  bne @next
  lda sm_token2,x
  cmp header+HDR_EOS+2
  beq @found
@next:
  iny
  cpy sm_count
  bne @candidate
  rts
@found:
  lda sm_weight0,y
  sta t0
  lda sm_weight1,y
  sta t0+1
  lda sm_weight2,y
  sta t0+2
  lda #0
  sta t0+3
  ldq t0
  stq HW_MATH_A
  lda #100
  ldx #0
  ldy #0
  ldz #0
  stq HW_MATH_B
  ldq HW_PRODUCT
  stq t0
  ldq t3
  stq t1
  jsr divide                          ; per cent
  lda t0
  cmp #5
  bcc @rare
  +say msg_eos_share
  jsr print_number
  +say msg_eos_end
@rare:
  rts

; A candidate's logit in units of 2^-16, cut towards zero
; Input:  X = slot
; Output: t0, signed; beyond +-32767 it stays there
; Uses:   A, X, Y, Z; b0, b1
sample_fixed:
  ldy #0
  lda sm_key3,x
  sta b1                              ; bit 7: positive
  bmi @positive
  dey
@positive:
  sty b0
  lda sm_key0,x
  eor b0
  sta t0
  lda sm_key1,x
  eor b0
  sta t0+1
  lda sm_key2,x
  eor b0
  sta t0+2
  lda sm_key3,x
  eor b0
  sta t0+3
  lda t0+2                            ; exponent
  asl
  lda t0+3
  rol
  beq @zero
  tay
  lda #0
  sta t0+3
  lda t0+2
  ora #$80
  sta t0+2
  tya
  sec
  sbc #134
  beq @sign
  bcs @left
  neg                                 ; to the right
  cmp #24
  bcs @zero
  sta b0
@right:
  lsrq t0
  dec b0
  bne @right
  bra @sign
@left:
  cmp #8
  bcs @large
  sta b0
@shift:
  aslq t0
  dec b0
  bne @shift
  bra @sign
@zero:
  ldq zero
  stq t0
  rts
@large:
  +set32 t0, $7fffffff
@sign:
  lda b1
  bmi @done
  ldq zero
  sec
  sbcq t0
  stq t0
@done:
  rts

exp2_low:                             ; 65535 * 2^(-j/256)
exp2_high = exp2_low + 256
!src "exp2.inc"
