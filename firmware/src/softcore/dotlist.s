; What DMA puts into the code of dot.s: the lists, and x

; A quantised block of x into the code
; Input:  py = block in XQ; without one, the next of src2 is quantised
; Output: py behind it
; Uses:   A, X, Y, Z, px, pz, tmp, tmp2
dot_patch_one:
  lda #<(pairs_a + WINDOW_SHIFT)
  ldx #>(pairs_a + WINDOW_SHIFT)
  jsr dot_patch
  stq dot_start
  lda tmp2+1
  sta tail_a + TAIL_X
  lda tmp2+2
  sta tail_a + TAIL_X_HIGH
  lda tmp2+3
  sta dot_exponent
  rts
; The same, for the second block of a pass
dot_patch_two:
  lda #<(pairs_b + WINDOW_SHIFT)
  ldx #>(pairs_b + WINDOW_SHIFT)
  jsr dot_patch
  stq dot_start + 4
  lda tmp2+1
  sta tail_b + TAIL_X
  lda tmp2+2
  sta tail_b + TAIL_X_HIGH
  lda tmp2+3
  sta dot_exponent+1
  rts
; Input:  A low, X high = where, in the bank of the window
; Output: Q = start value; tmp2+1 mantissa of the scale (2 bytes), tmp2+3 its exponent
; Uses:   A, X, Y, Z, px, pz, tmp, tmp2
dot_patch:
  clc
  adc #PAIR_ODD_X
  sta xl_odd_to
  bcc @same
  inx
  clc
@same:
  stx xl_odd_to+1
  adc #PAIR_EVEN_X - PAIR_ODD_X
  sta xl_even_to
  bcc @page
  inx
@page:
  stx xl_even_to+1
  lda xq_valid
  bne @quantised
  +set16 pz, XQ
  jsr quantise_block
  +set16 py, XQ
@quantised:
  lda py
  ldx py+1
  sta xl_even
  stx xl_even+1
  inc
  bne @odd
  inx
@odd:
  sta xl_odd
  stx xl_odd+1
  lda #WINDOW_BANK
  sta HW_DMA_LIST_BANK
  lda #0
  sta HW_DMA_LIST_MB
  lda #>(x_list + WINDOW_SHIFT)
  sta HW_DMA_LIST_HI
  lda #<x_list
  sta HW_DMA_ENHANCED
  ldz #36                             ; mantissa >> 5
  lda (py),z
  asl
  sta tmp2
  inz
  lda (py),z
  rol
  sta tmp2+1
  lda #0
  rol
  sta tmp2+2
  ldx #2
@shift:
  asl tmp2
  rol tmp2+1
  rol tmp2+2
  dex
  bne @shift
  inz
  lda (py),z
  clc
  adc #45
  sta tmp2+3
  ldz #32
  ldq (py)
  clc
  adcq dot_bias
  sta tmp+1
  stx tmp+2
  sty tmp+3
  lda #0
  sta tmp
  lda py
  clc
  adc #40
  sta py
  bcc @done
  inc py+1
@done:
  ldq tmp
  rts
dot_bias:
  !32 $700000                         ; 2^23 - 2^20

!align 63, 0, 0
row_list:
  !byte $0b                           ; F018B
  !byte $80
rl_mb:
  !byte 0
  !byte $81, 0, $85, PAIR_BYTES, 0    ; a byte every PAIR_BYTES
  !byte 4                             ; copy, and a job follows
  !word 33
rl_even:
  !byte 0, 0, 0
  !word pairs_a + PAIR_EVEN_W + WINDOW_SHIFT
  !byte WINDOW_BANK, 0
  !word 0
  !byte 0
  !byte 4
  !word 33
rl_odd:
  !byte 0, 0, 0
  !word pairs_a + PAIR_ODD_W + WINDOW_SHIFT
  !byte WINDOW_BANK, 0
  !word 0
  !byte $85, 1, 0
  !byte 0
  !word 14
rl_extras:
  !byte 0, 0, 0
  !word BASE * 256 + extras + WINDOW_SHIFT
  !byte WINDOW_BANK, 0
  !word 0
!align 63, 0, 0
x_list:
  !byte $0b
  !byte $80, 0, $81, 0, $83, 2, $85, PAIR_BYTES, 0
  !byte 4
  !word 16
xl_odd:
  !byte 0, 0, 0
xl_odd_to:
  !word 0
  !byte WINDOW_BANK, 0
  !word 0
  !byte 0
  !byte 0
  !word 16
xl_even:
  !byte 0, 0, 0
xl_even_to:
  !word 0
  !byte WINDOW_BANK, 0
  !word 0
