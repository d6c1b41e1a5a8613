; Exact sums: adding products, rounding at the end

; cnt products of weights at (pz) and x at (px) into the sum
; Output: px, pz behind them
; Uses:   A, X, Y, Z, pa, cnt, element, ex_m, ex_e, ex_s, math unit
exact_products:
  lda ins+1
  beq @f32
  cmp #1
  beq @f16
  lda #<weight_bf16
  ldx #>weight_bf16
  bra @set
@f16:
  lda #<weight_f16
  ldx #>weight_f16
  bra @set
@f32:
  lda #<weight_f32
  ldx #>weight_f32
@set:
  sta element
  stx element+1
@next:
  jsr (element)
  jsr exact_shift
  ldz #0
  ldq (px)
  stq HW_MATH_B
  lda ex_e
  lsr
  lsr
  lsr
  clc
  ldy #4
  adc (px),y
  tax
  iny
  lda (px),y
  eor ex_s
  bmi @minus
  clc
!for i, 0, 7 {
  lda WIDE + i,x
  adc HW_PRODUCT + i
  sta WIDE + i,x
}
  bcc @done
@carry:
  inc WIDE + 8,x
  bne @done
  inx
  cpx #WIDE_BYTES - 8
  bcc @carry
  bra @done
@minus:
  sec
!for i, 0, 7 {
  lda WIDE + i,x
  sbc HW_PRODUCT + i
  sta WIDE + i,x
}
  bcs @done
@borrow:
  lda WIDE + 8,x
  dec WIDE + 8,x
  cmp #0
  bne @done
  inx
  cpx #WIDE_BYTES - 8
  bcc @borrow
@done:
  lda px
  clc
  adc #8
  sta px
  bcc @samepage
  inc px+1
@samepage:
  jsr count
  lbne @next
  rts

; The sum, rounded to 53 bits and then to a single -> pr
; Input:  ex_bytes bytes at WIDE, ex_bias
; Uses:   everything of float.s
exact_round:
  lda #0
  sta t_s
  ldx ex_bytes
  lda WIDE - 1,x
  bpl @positive
  sta t_s
  ldy ex_bytes
  ldx #0
  sec
@negate:
  lda #0
  sbc WIDE,x
  sta WIDE,x
  inx
  dey
  bne @negate
@positive:
  ldx ex_bytes
  dex
@find:
  lda WIDE,x
  bne @top
  dex
  bpl @find
  ldq zeroq                           ; exactly 0
  stq pr
  rts
@top:
  cpx #7
  bcs @window
  ldx #7
@window:
  stx sp_x
  ldy #0                              ; 8 bytes: tmp and t_q
  txa
  sec
  sbc #7
  tax
@copy:
  lda WIDE,x
  sta BASE * 256 + ex_top,y
  inx
  iny
  cpy #8
  bne @copy
  lda #0                              ; sticky: what lies below
  ldx sp_x
  cpx #8
  bcc @rest
  txa
  sec
  sbc #8
  tax
  lda #0
@below:
  ora WIDE,x
  dex
  bpl @below
@rest:
  sta rem
  ldq ex_top
  stq tmp
  ldq ex_top+4
  stq t_q
  lda sp_x                            ; exponent if bit 63 leads: 8 (top - 7) + bias
  sec
  sbc #7
  sta xe
  lda #0
  sta xe+1
  asl xe
  rol xe+1
  asl xe
  rol xe+1
  asl xe
  rol xe+1
  lda xe
  clc
  adc ex_bias
  sta xe
  lda xe+1
  adc ex_bias+1
  sta xe+1
@up:
  lda t_q+3
  bmi @round
  aslq tmp
  rolq t_q
  lda xe
  bne @low
  dec xe+1
@low:
  dec xe
  bra @up
@round:
  lda tmp+1                           ; 53 bits are kept: bit 10 is the first lost
  and #$04
  beq @down
  lda tmp+1
  and #$03
  ora tmp
  ora rem
  bne @more
  lda tmp+1
  and #$08                            ; a tie: to even
  beq @down
@more:
  lda tmp+1
  and #$f8
  clc
  adc #8
  sta tmp+1
  bcc @rounded
  inc tmp+2
  bne @rounded
  inc tmp+3
  bne @rounded
  inq t_q
  bne @rounded
  lda #$80                            ; 2^64
  sta t_q+3
  inc xe
  bne @rounded
  inc xe+1
  bra @rounded
@down:
  lda tmp+1
  and #$f8
  sta tmp+1
@rounded:
  lda #0
  sta tmp
  jsr fnormal
  jmp pack_t
