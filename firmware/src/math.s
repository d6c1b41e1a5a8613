; 32-bit numbers, decimal digits, and the clock

; Output the number in t0 in decimal
; Input:  t0, out
; Uses:   A, X, Y, Z, t0, t1, p0, b0, b1
print_number:
  ldx #0
  stx b1                              ; no digit yet
@place:
  stx b0
  lda powers,x
  sta t1
  lda powers+1,x
  sta t1+1
  lda powers+2,x
  sta t1+2
  lda powers+3,x
  sta t1+3
  lda #0
  sta number_digit
@subtract:
  ldq t0
  sec
  sbcq t1
  bcc @digit
  stq t0
  inc number_digit
  bra @subtract
@digit:
  lda number_digit
  bne @show
  ldx b0
  cpx #36                             ; the last digit is always shown
  beq @show
  bit b1
  bpl @skip
@show:
  lda #$80
  sta b1
  lda number_digit
  ora #$30
  jsr emit
@skip:
  ldx b0
  inx
  inx
  inx
  inx
  cpx #40
  bne @place
  rts
powers:
  !32 1000000000, 100000000, 10000000, 1000000, 100000, 10000, 1000, 100, 10, 1
number_digit:
  !byte 0

; Output t0 / 100 with two decimals
; Uses:   as print_number, t2
print_hundredths:
  +set32 t1, 100
  jsr divide
  lda t2
  pha
  jsr print_number
  lda #'.'
  jsr emit
  pla
  ldx #'0'
@tens:
  cmp #10
  bcc @ones
  sbc #10
  inx
  bra @tens
@ones:
  pha
  txa
  jsr emit
  pla
  ora #'0'
  jmp emit

; Output a 16-bit number
; Input:  A low, X high, out
; Uses:   as print_number
print_word:
  sta t0
  stx t0+1
  lda #0
  sta t0+2
  sta t0+3
  jmp print_number

; Output A as two hexadecimal digits
; Uses:   A, X, Y
print_hex:
  pha
  lsr
  lsr
  lsr
  lsr
  jsr @nibble
  pla
  and #$0f
@nibble:
  tax
  lda hex_digits,x
  jmp emit
hex_digits:
  !text "0123456789ABCDEF"

; Advance the clock by the frames that have passed. Waiting loops call it at
; least five times a second.
; Output: frames
; Uses:   A
clock_tick:
  lda HW_FRAME_COUNTER
  pha
  sec
  sbc last_frame
  clc
  adc frames
  sta frames
  lda frames+1
  adc #0
  sta frames+1
  lda frames+2
  adc #0
  sta frames+2
  pla
  sta last_frame
  rts

; Start the clock at 0
; Uses:   A
clock_start:
  lda HW_FRAME_COUNTER
  sta last_frame
  lda #0
  sta frames
  sta frames+1
  sta frames+2
  rts

; Divide: t0 = t0 / t1, t2 = remainder. The hardware's divider gives an
; estimate that differs between boards; this is exact.
; Uses:   A, X, Y, Z; b0
divide:
  ldq zero
  stq t2
  lda #32
  sta b0
@bit:
  aslq t0
  rolq t2
  ldq t2
  sec
  sbcq t1
  bcc @less
  stq t2
  inc t0
@less:
  dec b0
  bne @bit
  rts
