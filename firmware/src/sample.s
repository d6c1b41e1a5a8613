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

; Find the greatest logits
; Output: sm_count candidates, sm_order, sm_key..., sm_token...
; Uses:   A, X, Y, Z; t0, sm_..., dma
; A key is a logit's bits so changed that keys sort like numbers.
sample_select:
  lda set_topk
  bne sample_greatest
  lda #TOPK_MAX

; Find the A greatest
sample_greatest:
  sta sm_limit
  ldq zero
  stq sm_least
  stq sm_first
  sta sm_count
  ldq header+HDR_OUTPUT_LEN
  stq sm_left
  ldq header+HDR_OUTPUT
  stq t0
  jsr core_window
  ldq t0
  stq sample_at
@block:
  ldq sample_at
  stq dma_src
  +near dma_dst, sm_logits
  lda #0
  jsr dma_read
  lda sm_left+1                       ; 64 logits, or what is left
  ora sm_left+2
  ora sm_left+3
  bne @full
  lda sm_left
  cmp #64
  bcs @full
  asl
  asl
  bra @end
@full:
  lda #0
@end:
  sta sample_end
  jsr sample_block
  lda #64
  ldx #0
  ldy #0
  ldz #0
  clc
  adcq sm_first
  stq sm_first
  inc sample_at+1
  bne @left
  inc sample_at+2
  bne @left
  inc sample_at+3
@left:
  ldq sm_left
  sec
  sbcq sample_64
  stq sm_left
  bcc @done
  ldq sm_left
  bne @block
@done:
  jmp core_window_end
sample_at:
  !32 0
sample_64:
  !32 64
sample_end:
  !byte 0

; Look through a block of logits
; Input:  sm_logits, sample_end (0 = 256 bytes), sm_first
; Uses:   A, X, Y, Z; t0, sm_...
sample_block:
  ldx #0
@logit:
  lda sm_logits+3,x
  bmi @negative
  ora #$80
  cmp sm_least+3
  bcc @next
  bne @positive
  lda sm_logits+2,x
  cmp sm_least+2
  bcc @next
  bne @positive
  lda sm_logits+1,x
  cmp sm_least+1
  bcc @next
  bne @positive
  lda sm_least
  cmp sm_logits,x
  bcc @positive
@next:
  inx
  inx
  inx
  inx
  cpx sample_end
  bne @logit
  rts
@negative:
  eor #$ff
  cmp sm_least+3
  bcc @next
  bne @below
  lda sm_logits+2,x
  eor #$ff
  cmp sm_least+2
  bcc @next
  bne @below
  lda sm_logits+1,x
  eor #$ff
  cmp sm_least+1
  bcc @next
  bne @below
  lda sm_logits,x
  eor #$ff
  cmp sm_least
  bcc @next
  beq @next
@below:
  lda #$ff
  ldy #$ff
  bra @key
@positive:
  lda #0
  ldy #$80
@key:
  sta sample_flip
  lda sm_logits,x
  eor sample_flip
  sta sm_key
  lda sm_logits+1,x
  eor sample_flip
  sta sm_key+1
  lda sm_logits+2,x
  eor sample_flip
  sta sm_key+2
  sty sample_flip
  lda sm_logits+3,x
  eor sample_flip
  sta sm_key+3
  stx sm_at
  jsr sample_insert
  ldx sm_at
  bra @next
sample_flip:
  !byte 0

; Put a logit among the candidates
; Input:  sm_key, sm_first, sm_at = place in the block
; Uses:   A, X, Y, Z; t0
sample_insert:
  ldy sm_count
  cpy sm_limit
  beq @replace
  inc sm_count
  tya
  tax                                 ; a new slot
  bra @slot
@replace:                             ; the last one's slot
  dey
  ldx sm_order,y
@slot:
  stx t0
  lda sm_key
  sta sm_key0,x
  lda sm_key+1
  sta sm_key1,x
  lda sm_key+2
  sta sm_key2,x
  lda sm_key+3
  sta sm_key3,x
  lda sm_at
  lsr
  lsr
  clc
  adc sm_first
  sta sm_token0,x
  lda sm_first+1
  adc #0
  sta sm_token1,x
  lda sm_first+2
  adc #0
  sta sm_token2,x
  sty sample_end_rank                 ; binary search for its rank: behind all that
  lda #0                              ; are not smaller
  sta t0+1
@search:
  cpy t0+1
  beq @move
  tya
  clc
  adc t0+1
  lsr
  taz
  tax
  lda sm_order,x
  tax
  lda sm_key3,x
  cmp sm_key+3
  bcc @smaller
  bne @greater
  lda sm_key2,x
  cmp sm_key+2
  bcc @smaller
  bne @greater
  lda sm_key1,x
  cmp sm_key+1
  bcc @smaller
  bne @greater
  lda sm_key0,x
  cmp sm_key
  bcc @smaller
@greater:
  inz
  stz t0+1
  bra @search
@smaller:
  tza
  tay
  bra @search
@move:                                ; those behind it move back
  ldx sample_end_rank
@back:
  cpx t0+1
  beq @place
  lda sm_order-1,x
  sta sm_order,x
  dex
  bra @back
@place:
  lda t0
  sta sm_order,y
  lda sm_count
  cmp sm_limit
  bne @done
  tay
  ldx sm_order-1,y
  lda sm_key0,x
  sta sm_least
  lda sm_key1,x
  sta sm_least+1
  lda sm_key2,x
  sta sm_least+2
  lda sm_key3,x
  sta sm_least+3
@done:
  rts
sample_end_rank:
  !byte 0

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
