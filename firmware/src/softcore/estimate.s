; How long a token takes, from the image's script
;
; Cycles, DMA included, as measured; every instruction is counted once. The kit's
; estimate has the same numbers.

EST_STEP     = 1500     ; any instruction
EST_BLOCK    = 32       ; a weight of Q8_0 and Q4_0
EST_COLUMN   = 90       ; a weight of F16 rows that are rewritten
EST_EXACT    = 270      ; other weights
EST_ROW      = 1700     ; a row of weights that are not in blocks
EST_X        = 180      ; a value of x
EST_SCORE    = 300      ; a value of K and V a step
EST_STEPS    = 650      ; a step of a head

es_sum:
  !32 0, 0              ; cycles, 64 bits
es_costs:               ; by instruction from OP_DEQROW on: cycles a value
  !word 650, 65, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 ; DEQROW, ARGMAX
  !word 430, 430, 740, 900, 760, 0, 2150, 710, 0, 420 ; VADD ... CVT16

; Input:  SOFT_POSITION
; Output: SOFT_TIME
soft_estimate:
  lda busy                            ; not while an instruction is in ins
  beq @idle
  rts
@idle:
  ldq zeroq
  stq es_sum
  stq es_sum+4
  jsr header_to_buffer
  ldq BUF_X+HDR_SCRIPT
  stq ip
  ldq BUF_X+HDR_WEIGHTS
  stq rw_end
@next:
  ldq ip
  cpq rw_end
  lbcs @end
  stq place
  clc
  adcq len16
  stq ip
  +set_size 16
  lda #<ins
  ldx #>ins
  jsr fetch
  lda ins
  beq @next
  +set_val EST_STEP
  jsr es_add
  lda ins
  cmp #OP_SETN
  beq @setn
  cmp #OP_GEMV
  beq @gemv
  cmp #OP_ATTN
  lbeq @attn
  cmp #OP_CVT16 + 1
  bcs @next
  sec
  sbc #OP_DEQROW
  bcc @next
  ldq zeroq
  stq val
  lda ins
  sec
  sbc #OP_DEQROW
  asl
  tax
  lda es_costs,x
  sta val
  lda es_costs+1,x
  sta val+1
  ldq rw_n
  jsr es_times
  bra @next
@setn:
  ldq ins+4
  stq rw_n
  ldq ins+8
  stq rw_n+4
  lbra @next
@gemv:
  +set_val EST_X
  ldq rw_n
  jsr es_times
  lda ins+1
  cmp #8
  beq @block
  cmp #2
  beq @block
  +set_val EST_ROW
  ldq rw_n+4
  jsr es_times
  lda ins+1
  cmp #1
  bne @exact
  lda rw_n+2
  ora rw_n+3
  bne @exact
  ldq rw_n
  deq
  cpx #>COLUMNS
  bcs @exact
  lda #EST_COLUMN
  ldx #0
  bra @weights
@block:
  lda #EST_BLOCK
  ldx #0
  bra @weights
@exact:
  lda #<EST_EXACT
  ldx #>EST_EXACT
@weights:
  ldy #0
  ldz #0
  stq HW_MATH_A                       ; cycles a row: at most 2^32
  ldq rw_n
  stq HW_MATH_B
  ldq HW_PRODUCT
  stq val
  ldq rw_n+4
  jsr es_times
  lbra @next
@attn:
  ldy #4
  lda ins+7
  lbmi @next
  jsr operand
  +set_size 32
  lda #<at_block
  ldx #>at_block
  jsr fetch
  +set_val EST_SCORE                  ; a head's step
  ldq val
  stq HW_MATH_A
  ldq at_block+16
  stq HW_MATH_B
  +set_val EST_STEPS
  ldq HW_PRODUCT
  clc
  adcq val
  stq HW_MATH_A
  ldq at_block+8                      ; times heads
  stq HW_MATH_B
  ldq HW_PRODUCT
  stq val
  ldq SOFT_POSITION
  inq
  jsr es_times
  lbra @next
@end:
  lda es_sum+5                        ; / 405000, as (sum >> 8) / 1582
  ora es_sum+6
  ora es_sum+7
  bne @long
  ldq es_sum+1
  stq HW_MATH_A
  +set_val 1582
  ldq val
  stq HW_MATH_B
@wait:
  bit HW_MATH_BUSY
  bmi @wait
  ldq HW_DIV_WHOLE
  stq SOFT_TIME
  ldz #0
  rts
@long:
  lda #$ff
  sta SOFT_TIME
  sta SOFT_TIME+1
  sta SOFT_TIME+2
  sta SOFT_TIME+3
  rts

; es_sum += val * Q
es_times:
  stq HW_MATH_A
  ldq val
  stq HW_MATH_B
  ldq HW_PRODUCT
  clc
  adcq es_sum
  stq es_sum
  ldq HW_PRODUCT+4
  adcq es_sum+4
  stq es_sum+4
  rts
; es_sum += val
es_add:
  lda #1
  ldx #0
  ldy #0
  ldz #0
  bra es_times
