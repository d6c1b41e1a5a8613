; DEQROW: a row of weights as singles

op_deqrow:
  ldq N_
  stq left
  lda ins+1
  jsr row_bytes                       ; bytes of N0 elements in format a
  jsr operand_x
  jsr vector_size
  jsr operand_z
@piece:
  jsr piece
  lbeq @done
  lda ins+1
  beq @single
  cmp #8
  lbeq @blocks8
  cmp #2
  lbeq @blocks4
  lsr size+1
  ror size
  jsr load_w
  +set16 px, BUF_W
@half:
  ldy #0
  lda (px),y
  sta pa
  iny
  lda (px),y
  sta pa+1
  lda ins+1
  cmp #1
  bne @bf16
  jsr half_to_single
  bra @put
@bf16:
  ldq zeroq
  stq pr
  lda pa
  sta pr+2
  lda pa+1
  sta pr+3
@put:
  ldq pr
  stq (pz)
  +next4 pz
  inw px
  inw px
  jsr count
  bne @half
  asl size
  rol size+1
  bra @store
@single:
  ldq src1
  stq place
  lda #<BUF_Z
  ldx #>BUF_Z
  jsr fetch
  +add16to28 src1, size
@store:
  jsr store_z
  lbra @piece
@blocks8:
  lda #34
  bra @blocks
@blocks4:
  lda #18
@blocks:
  sta flag                            ; bytes of a block
  lda piece_n                         ; blocks = n / 32
  sta cnt2
  lda piece_n+1
  ldx #5
@divide:
  lsr
  ror cnt2
  dex
  bne @divide
  lda cnt2                            ; at most 8 blocks of 34 bytes
  sta HW_MATH_A
  lda flag
  sta HW_MATH_B
  ldx #2
  lda #0
@clear:
  sta HW_MATH_A+1,x
  sta HW_MATH_B+1,x
  dex
  bpl @clear
  lda size
  pha
  lda size+1
  pha
  lda HW_PRODUCT
  sta size
  lda HW_PRODUCT+1
  sta size+1
  jsr load_w
  pla
  sta size+1
  pla
  sta size
  +set16 px, BUF_W
@block:
  jsr deq_block
  lda px
  clc
  adc flag
  sta px
  bcc @samepage
  inc px+1
@samepage:
  dec cnt2
  bne @block
  lbra @store
@done:
  rts

; size bytes of weights at src1 -> BUF_W
; Output: src1 behind them
; Uses:   A, X, Y, Z
load_w:
  ldq src1
  stq place
  lda #<BUF_W
  ldx #>BUF_W
  jsr fetch
  +add16to28 src1, size
  rts

; One block of Q8_0 or Q4_0 at (px) -> 32 singles at (pz)
; Input:  flag = 34 or 18
; Uses:   everything of float.s, xe, py
deq_block:
  ldy #0
  lda (px),y
  sta pa
  iny
  lda (px),y
  sta pa+1
  jsr half_to_single
  ldq pr
  stq pa
  jsr unpack_v                        ; fmul leaves v alone
  lda #0
  sta flag2
@next:
  lda flag2
  ldy flag
  cpy #34
  beq @byte
  and #$0f
  clc
  adc #2
  tay
  lda flag2
  and #$10
  bne @upper
  lda (px),y
  and #$0f
  bra @nibble
@upper:
  lda (px),y
  lsr
  lsr
  lsr
  lsr
@nibble:
  sec
  sbc #8
  bra @value
@byte:
  clc
  adc #2
  tay
  lda (px),y
@value:
  ldx #0
  sta pa
  cmp #0
  bpl @positive
  dex
@positive:
  stx pa+1
  stx pa+2
  stx pa+3
  jsr int_to_acc
  jsr acc_to_u
  jsr fmul
  jsr pack_t
  ldq pr
  stq (pz)
  +next4 pz
  inc flag2
  lda flag2
  cmp #32
  bne @next
  rts

; Bytes of elements in a weight format
; Input:  A = format, left = elements
; Output: val; an unknown format or part of a block is an illegal instruction
; Uses:   A, X, Y, Z, tmp
row_bytes:
  cmp #0
  beq @four
  cmp #1
  beq @two
  cmp #30
  beq @two
  cmp #8
  beq @q8
  cmp #2
  beq @q4
@illegal:
  jmp op_illegal
@four:
  ldq left
  jmp size4
@two:
  ldq left
  cpz #$10
  bcc @small
  ldz #$10
@small:
  aslq
  stq val
  rts
@q8:
  lda #34
  bra @block
@q4:
  lda #18
@block:
  sta tmp
  lda left
  and #31
  bne @illegal
  ldq left
  lsrq
  lsrq
  lsrq
  lsrq
  lsrq
  stq HW_MATH_A
  lda tmp
  ldx #0
  ldy #0
  ldz #0
  stq HW_MATH_B
  ldq HW_PRODUCT                      ; below 2^33: what does not fit must not look small
  stq val
  lda HW_PRODUCT+4
  beq @fits
  lda #$ff
  sta val+3
@fits:
  rts
