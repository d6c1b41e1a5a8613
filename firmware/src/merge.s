; SentencePiece and byte-level BPE: merging
;
; A chunk of text starts as one symbol a byte. Again and again the pair of
; neighbours with the lowest priority, the leftmost of equal ones, becomes one
; symbol. What a pair would make is looked up once and cached at its left
; symbol; after a merge only the two new neighbours are looked up. A symbol is
; named by the position of its first byte; 0 as "next" ends the list.

; Append the tokens of a chunk
; Input:  tok_text from mg_start to mg_end (not included; 0 = 256), not empty
; Output: tokens at tok_out, tok_count
; Uses:   A, X, Y, Z; t0, p0, p1, lk_..., mg_...
merge:
  lda #>tok_text
  sta lk_text+1
  ldx mg_start
@symbol:                              ; one symbol a byte
  stx mg_sym
  lda tok_text,x
  jsr byte_token
  ldx mg_sym
  lda t0
  sta sym_lo,x
  lda t0+1
  sta sym_mid,x
  lda t0+2
  sta sym_hi,x
  txa
  dec
  sta mg_prev,x
  inx
  txa
  sta mg_next-1,x
  cpx mg_end
  bne @symbol
  dex
  lda #0
  sta mg_next,x
  ldx mg_start                        ; what every pair would make
@pair:
  jsr merge_offer
  ldx mg_sym
  lda mg_next,x
  tax
  bne @pair

merge_again:
  lda #$ff
  sta mg_best_lo
  sta mg_best_mid
  sta mg_best_hi
  ldx mg_start
@scan:
  lda pair_hi,x
  cmp mg_best_hi
  bcc @better
  bne @next
  lda pair_mid,x
  cmp mg_best_mid
  bcc @better
  bne @next
  lda pair_lo,x
  cmp mg_best_lo
  bcs @next
@better:
  stx mg_best
  lda pair_lo,x
  sta mg_best_lo
  lda pair_mid,x
  sta mg_best_mid
  lda pair_hi,x
  sta mg_best_hi
@next:
  lda mg_next,x
  tax
  bne @scan
  lda mg_best_hi                      ; no pair is left
  cmp #$ff
  beq merge_emit
  ldx mg_best                         ; the right symbol goes into the left one
  lda made_lo,x
  sta sym_lo,x
  lda made_mid,x
  sta sym_mid,x
  lda made_hi,x
  sta sym_hi,x
  ldy mg_next,x
  lda mg_next,y
  sta mg_next,x
  beq @last
  tay
  txa
  sta mg_prev,y
@last:
  jsr merge_offer
  ldx mg_best
  cpx mg_start
  beq merge_again
  lda mg_prev,x
  tax
  jsr merge_offer
  bra merge_again

; Hand out the symbols' tokens
merge_emit:
  ldx mg_start
@symbol:
  stx mg_sym
  lda sym_hi,x
  cmp #$ff
  beq @unknown
  sta t0+2
  lda sym_lo,x
  sta t0
  lda sym_mid,x
  sta t0+1
  lda #0
  sta t0+3
  bra @emit
@unknown:                             ; BPE drops what no token stands for
  lda tok_kind
  cmp #KIND_BPE
  beq @next
  ldq tok_unknown
  stq t0
  tza
  bmi @next
@emit:
  jsr token_append
@next:
  ldx mg_sym
  lda mg_next,x
  tax
  bne @symbol
  rts

; Look up what the pair that begins at a symbol would make
; Input:  X = left symbol
; Output: pair_..., made_... at X; mg_sym = X
; Uses:   A, X, Y, Z; lk_...
merge_offer:
  stx mg_sym
  ldy mg_next,x
  beq @none
  lda sym_hi,x                        ; a byte without a token merges with nothing
  cmp #$ff
  beq @none
  lda sym_hi,y
  cmp #$ff
  beq @none
  lda mg_next,y                       ; length of both together
  bne @end
  lda mg_end
@end:
  sec
  sbc mg_sym
  beq @none
  cmp #255
  beq @none
  sta lk_len
  stx lk_text
  jsr lookup
  bcs @none
  jsr priority
  bcs @none
  ldx mg_sym
  lda found_prio
  sta pair_lo,x
  lda found_prio+1
  sta pair_mid,x
  lda found_prio+2
  sta pair_hi,x
  lda found_id
  sta made_lo,x
  lda found_id+1
  sta made_mid,x
  lda found_id+2
  sta made_hi,x
  rts
@none:
  ldx mg_sym
  lda #$ff
  sta pair_lo,x
  sta pair_mid,x
  sta pair_hi,x
  rts

; The token that a byte starts as
; Input:  A = byte
; Output: t0, $ffffffff if there is none
; Uses:   A, X, Y, Z; p0
byte_token:
  ldx #0
  stx t0+1
  stx t0+2
  stx t0+3
  asl
  rol t0+1
  asl
  rol t0+1
  sta t0
  ldq t0
  clc
  adcq bytes_base
  stq p0
  ldz #0
  ldq [p0]
  stq t0
  rts

; Append a token to the line's tokens
; Input:  t0
; Uses:   A, X, Y, Z
token_append:
  ldq t0
  stq [tok_out]
  lda tok_out
  clc
  adc #4
  sta tok_out
  bcc @same
  inc tok_out+1
@same:
  inw tok_count
  rts
