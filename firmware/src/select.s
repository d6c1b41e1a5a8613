; Finding the greatest logits
;
; The candidates lie in slots; sm_order holds the slots by falling logit. Most
; logits are refused by one or two compares with the least of a full list.

; Find the greatest logits, as many as top-k says
; Output: sm_count candidates, sm_order, sm_key..., sm_token...
; Uses:   A, X, Y, Z; t0, sm_..., dma
; A key is a logit's bits so changed that keys sort like numbers.
; From one token to the next the logits' level changes little: what is half an
; octave below the last token's least candidate is not looked at. Should too few
; be left, all are looked at again.
sample_select:
  lda set_topk
  bne @limit
  lda #TOPK_MAX
@limit:
  sta sm_limit
  ldq select_guess
  jsr sample_above
  lda sm_count
  cmp sm_limit
  beq @enough
  ldq select_guess
  beq @guess                          ; there are no more
  ldq zero
  jsr sample_above
  lda sm_count
  cmp sm_limit
  bne @none
@enough:
  ldq sm_least
  sec
  sbcq select_half
  bcs @guess
@none:
  ldq zero
@guess:
  stq select_guess
  rts
select_guess:
  !32 0
select_half:
  !32 $400000

; Find the A greatest
sample_greatest:
  sta sm_limit
  ldq zero

; Find the sm_limit greatest of those whose keys are above Q
sample_above:
  stq sm_least
  ldq zero
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
