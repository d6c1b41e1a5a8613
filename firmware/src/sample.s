; Sampling: penalty, temperature, top-k and chance
;
; The core's ARGMAX is greedy. With a temperature the CPU runs one token at a
; time, reads the logits and chooses itself. Everything is whole numbers; the
; kit's sampler package holds the same arithmetic in Go, and a test compares
; the two token by token.

TOPK_MAX    = 128       ; candidates that are kept at most
RECENT_MAX  = 64        ; tokens that the penalty looks at
LOG2E       = 9454846   ; 100 * log2(e), units of 2^-16
SEED_FACTOR = $9e3779b9
SEED_ADD    = $7f4a7c15
OUT_FACTOR  = $9e3779bb

; Begin the random numbers anew
; Input:  set_seed
; Uses:   A, X, Y, Z
random_seed:
  ldq set_seed
  stq HW_MATH_A
  +set32 HW_MATH_B, SEED_FACTOR
  ldq HW_PRODUCT
  clc
  adcq random_add
  stq random_state
  ldq random_state                    ; stq spoils the flags
  bne @done
  +set32 random_state, SEED_FACTOR    ; 0 would stay 0
@done:
  rts
random_add:
  !32 SEED_ADD
random_state:
  !32 1

; A random number: xorshift, scrambled by a multiplication
; Output: Q and HW_PRODUCT
; Uses:   A, X, Y, Z; t0, b0
random:
  ldq random_state
  stq t0
  lda #13
  sta b0
@left:
  aslq t0
  dec b0
  bne @left
  jsr random_mix
  lda #17
  sta b0
@right:
  lsrq t0
  dec b0
  bne @right
  jsr random_mix
  aslq t0
  aslq t0
  aslq t0
  aslq t0
  aslq t0
  jsr random_mix
  stq HW_MATH_A
  +set32 HW_MATH_B, OUT_FACTOR
  ldq HW_PRODUCT
  rts
random_mix:
  ldq t0
  eorq random_state
  stq random_state
  stq t0
  rts

; Forget the model's tokens
; Uses:   A
recent_clear:
  lda #0
  sta recent_count
  sta recent_next
  rts
recent_count:
  !byte 0
recent_next:
  !byte 0

; Remember a token that the model has made
; Input:  t0
; Uses:   A, X, Y, Z; p0
recent_add:
  +set32 p0, RECENT
  lda recent_next
  asl
  asl
  sta p0
  ldq t0
  stq [p0]
  lda recent_next
  inc
  and #RECENT_MAX - 1
  sta recent_next
  lda recent_count
  cmp #RECENT_MAX
  bcs @done
  inc recent_count
@done:
  rts

; Choose a token from the logits
; Output: t2
; Uses:   everything but the chat's variables
sample:
  jsr sample_penalty
  jsr sample_select
  jmp sample_draw

; Penalise the recent tokens' logits in place
; Uses:   A, X, Y, Z; t0-t2, p0, b0-b2, dma
sample_penalty:
  lda set_penalty
  cmp #100
  bne @on
  lda set_penalty+1
  lbeq @off
@on:
  lda recent_count
  lbeq @off
  +set32 t0, 6553600                  ; factors in units of 2^-16: for positive
  ldq set_penalty                     ; logits 1 / penalty
  stq t1
  jsr divide
  ldq t0
  stq factor_positive
  lda #0                              ; for negative ones the penalty
  sta t0
  sta t0+1
  lda set_penalty
  sta t0+2
  lda set_penalty+1
  sta t0+3
  +set32 t1, 100
  jsr divide
  ldq t0
  stq factor_negative
  +set32 dma_src, RECENT
  +near dma_dst, sm_recent
  lda #0
  jsr dma_read
  lda #0                              ; no low byte has been met yet
  tax
@unmet:
  sta sm_met,x
  inx
  bne @unmet
@token:
  stx sm_at
  lda sm_recent,x                     ; each token once: was it there before?
  sta t0
  lda sm_recent+1,x
  sta t0+1
  lda sm_recent+2,x
  sta t0+2
  lda sm_recent+3,x
  sta t0+3
  ldy t0
  lda sm_met,y
  beq @first
@before:
  txa
  beq @first
  dex
  dex
  dex
  dex
  lda sm_recent,x
  cmp t0
  bne @before
  lda sm_recent+1,x
  cmp t0+1
  bne @before
  lda sm_recent+2,x
  cmp t0+2
  bne @before
  bra @next
@first:
  ldy t0
  lda #1
  sta sm_met,y
  ldq t0
  cpq header+HDR_OUTPUT_LEN
  bcs @next
  aslq
  aslq
  clc
  adcq header+HDR_OUTPUT
  stq t0
  jsr core_window
  ldq t0
  stq p0
  ldz #0
  ldq [p0]
  stq t0
  jsr sample_scale
  ldq t0
  stq [p0]
  jsr core_window_end
@next:
  lda sm_at                           ; the last one may be the 64th: count first
  lsr
  lsr
  inc
  cmp recent_count
  bcs @off
  asl
  asl
  tax
  jmp @token
@off:
  rts
factor_positive:
  !32 0
factor_negative:
  !32 0

; Multiply a single by the factor of its sign, cutting
; Input:  t0 = its bits
; Output: t0
; Uses:   A, X, Y, Z; t1, b1, b2
sample_scale:
  lda t0+3
  and #$80
  sta b2                              ; sign
  lda t0+2
  asl
  lda t0+3
  rol
  sta b1                              ; exponent
  beq @done                           ; zero and denormals stay
  lda t0+2
  ora #$80
  sta t0+2
  lda #0
  sta t0+3
  ldq t0
  stq HW_MATH_A
  lda b2
  bmi @negative
  ldq factor_positive
  bra @multiply
@negative:
  ldq factor_negative
@multiply:
  stq HW_MATH_B
  ldq HW_PRODUCT+2
  stq t1
@down:
  lda t1+3
  beq @up
  lsrq t1
  inc b1
  bra @down
@up:
  lda t1+2
  bmi @normal
  aslq t1
  dec b1
  bne @up
  ldq zero                            ; too small
  stq t0
  lda b2
  sta t0+3
@done:
  rts
@normal:
  lda b1
  beq @large                          ; 256, or 255: beyond a single
  cmp #255
  beq @large
  lda t1
  sta t0
  lda t1+1
  sta t0+1
  lda t1+2
  asl
  sta t0+2
  lda b1
  lsr
  ror t0+2
  ora b2
  sta t0+3
  rts
@large:
  +set32 t0, $7f7fffff
  lda t0+3
  ora b2
  sta t0+3
  rts
