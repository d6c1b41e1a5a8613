; The model's output as a vector of length 1
;
; Two passes over the numbers: the greatest exponent, then 15 bits of each by
; that exponent. The length is the root of the sum of squares.

; Fetch the model's output, scaled to length 1
; Output: en_vector, en_sum, en_bytes
; Uses:   A, X, Y, Z; t0-t3, p0, b0-b3, dma
encoder_vector:
  lda header+HDR_OUTPUT_LEN           ; two bytes a number
  asl
  sta en_bytes
  lda header+HDR_OUTPUT_LEN+1
  rol
  sta en_bytes+1
  lda #0                              ; the greatest exponent
  sta en_exponent
  +set16 en_pass, encoder_exponent
  jsr encoder_pass
  ldq zero
  stq en_square
  sta en_square+4
  +set16 en_pass, encoder_whole
  jsr encoder_pass
  jsr encoder_root                    ; t1 = length
  lda t1
  ora t1+1
  ora t1+2
  beq @scaled
  ldq zero
  stq t0
  lda #$80
  sta t0+3
  jsr divide                          ; 2^31 / length
@scaled:
  lda t1
  ora t1+1
  ora t1+2
  bne @factor
  ldq zero
  stq t0
@factor:
  +copy32 t0, en_factor

; Scale the numbers of en_vector to units of 2^-14, add 2^14, sum them
encoder_unit:
  ldq zero
  stq en_sum
  +set16 p0, en_vector
  jsr encoder_counter
@number:
  ldy #1
  lda (p0),y
  sta b2                              ; sign
  and #$7f
  tax
  dey
  lda (p0),y
  ldy #0
  ldz #0
  stq HW_MATH_A
  ldq en_factor
  stq HW_MATH_B
  ldq HW_PRODUCT                      ; (q * factor + 2^16) >> 17
  clc
  adcq en_half
  stq t0
  lda t0+2
  lsr t0+3
  ror
  tax
  lda t0+3
  sta t0+1
  stx t0
  bit b2
  bmi @negative
  lda #<EN_ONE
  clc
  adc t0
  sta t0
  lda #>EN_ONE
  adc t0+1
  sta t0+1
  bra @store
@negative:
  lda #<EN_ONE
  sec
  sbc t0
  sta t0
  lda #>EN_ONE
  sbc t0+1
  sta t0+1
@store:
  ldy #0
  lda t0
  sta (p0),y
  iny
  lda t0+1
  sta (p0),y
  lda t0
  ldx t0+1
  ldy #0
  ldz #0
  clc
  adcq en_sum
  stq en_sum
  inw p0
  inw p0
  dew t3
  bne @number
  rts

en_half:
  !32 $10000
en_factor:
  !32 0
en_sum:
  !32 0
en_bytes:
  !word 0
en_exponent:
  !byte 0
en_square:
  !fill 5, 0

; t3 = how many numbers a vector has
; Uses:   A
encoder_counter:
  lda header+HDR_OUTPUT_LEN
  sta t3
  lda header+HDR_OUTPUT_LEN+1
  sta t3+1
  rts

; Call en_pass for every number of the output
; Output of en_pass: t0 = its mantissa with the leading 1, 0 for zero; b1 =
;         exponent, b2 bit 7 = sign; p0 = next place in en_vector
; Uses:   A, X, Y, Z; t0, t3, p0, b1, b2, dma
encoder_pass:
  +set16 p0, en_vector
  jsr encoder_counter
  +copy32 header+HDR_OUTPUT, en_from
  lda #0
  sta en_at
@number:
  lda en_at
  bne @there
  +copy32 en_from, dma_src            ; the next 64
  inc en_from+1
  bne @read
  inc en_from+2
@read:
  +near dma_dst, en_block
  lda #0
  jsr dma_read
@there:
  ldx en_at
  lda en_block+3,x
  sta b2
  lda en_block+2,x
  asl
  lda b2
  rol
  sta b1
  lda #0
  sta t0+3
  lda en_block,x
  sta t0
  lda en_block+1,x
  sta t0+1
  lda en_block+2,x
  ora #$80
  sta t0+2
  lda b1
  bne @number_ready
  ldq zero                            ; zero and denormals
  stq t0
@number_ready:
  jsr encoder_call
  lda en_at
  clc
  adc #4
  sta en_at
  dew t3
  bne @number
  rts
encoder_call:
  jmp (en_pass)
en_pass:
  !word 0
en_from:
  !32 0
en_at:
  !byte 0

; Pass 1: the greatest exponent
encoder_exponent:
  lda b1
  cmp en_exponent
  bcc @done
  sta en_exponent
@done:
  rts

; Pass 2: 15 bits and a sign of each, the greatest one using them all; the sum
; of squares
encoder_whole:
  lda en_exponent
  sec
  sbc b1
  clc
  adc #9
  cmp #24
  bcc @shift
  lda #24
@shift:
  sta b0
@right:
  lsrq t0
  dec b0
  bne @right
  ldq t0
  stq HW_MATH_A
  stq HW_MATH_B
  ldq HW_PRODUCT
  clc
  adcq en_square
  stq en_square
  bcc @low
  inc en_square+4
@low:
  ldy #0
  lda t0
  sta (p0),y
  iny
  lda b2
  and #$80
  ora t0+1
  sta (p0),y
  inw p0
  inw p0
  rts

; The square root of en_square (40 bits)
; Output: t1, at most 20 bits
; Uses:   A, X, Y, Z; t0, t1
encoder_root:
  ldq zero
  stq t1
  +set32 t0, $80000                   ; bit by bit from the top
@bit:
  ldq t1
  orq t0
  stq HW_MATH_A
  stq HW_MATH_B
  lda HW_PRODUCT+4                    ; its square against the number
  cmp en_square+4
  bcc @keep
  bne @next
  ldq en_square
  cpq HW_PRODUCT
  bcc @next
@keep:
  ldq t1
  orq t0
  stq t1
@next:
  lsrq t0
  ldq t0
  bne @bit
  rts
