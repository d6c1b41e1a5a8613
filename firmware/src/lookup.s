; Look-ups in the image's tables: which token has this text, how soon is it merged
;
; The index holds token ids ordered by their text, so a text is found by binary
; search. Three words and a few bytes are read from the image for each probe.

; Find a text in the index
; Input:  lk_text (bank 0), lk_len (1-254)
; Output: C = 0: found_id
;         C = 1: none; lk_low = entries that sort before the text, lk_common =
;         how many bytes the last of these shares with it
; Uses:   A, X, Y, Z; lk_...
lookup:
  ldq index_count
  stq lk_high
; The same among the first lk_high entries
lookup_below:
  ldq zero
  stq lk_low
  sta lk_common
lookup_probe:
  ldq lk_low
  cpq lk_high
  lbeq lookup_none
  clc
  adcq lk_high
  lsrq
  stq lk_mid
  aslq
  aslq
  clc
  adcq index_base
  stq lk_ptr
  ldz #0
  ldq [lk_ptr]
  stq found_id
  aslq
  aslq
  clc
  adcq vocab_base
  stq lk_ptr
  ldz #0
  ldq [lk_ptr]                        ; where the piece begins
  sta lk_piece_len
  stx lk_limit
  clc
  adcq vocab_base
  stq lk_piece
  ldz #4                              ; its length: the next one's begin - its own
  lda [lk_ptr],z
  sec
  sbc lk_piece_len
  sta lk_piece_len
  inz
  lda [lk_ptr],z
  sbc lk_limit
  beq @short
  lda #255                            ; longer than anything looked up
  sta lk_piece_len
@short:
  lda lk_len
  cmp lk_piece_len
  bcc @limit
  lda lk_piece_len
@limit:
  sta lk_limit
  ldy #0
  ldz #0
@byte:
  cpy lk_limit
  beq @alike
  lda (lk_text),y
  cmp [lk_piece],z
  bne @differ
  iny
  inz
  bra @byte
@alike:                               ; one is the beginning of the other
  lda lk_len
  cmp lk_piece_len
  beq lookup_found
@differ:
  bcs @above
  ldq lk_mid
  stq lk_high
  lbra lookup_probe
@above:
  sty lk_common
  ldq lk_mid
  inq
  stq lk_low
  lbra lookup_probe
lookup_found:
  clc
  rts
lookup_none:
  sec
  rts

; The merge priority of a token
; Input:  found_id
; Output: C = 0: found_prio (24 bits)
;         C = 1: no merge makes it
; Uses:   A, X, Y, Z; lk_ptr
priority:
  lda tok_flags
  and #TOK_WIDE
  bne @wide
  ldq found_id
  aslq
  clc
  adcq prio_base
  stq lk_ptr
  ldz #0
  lda [lk_ptr],z
  sta found_prio
  inz
  lda [lk_ptr],z
  sta found_prio+1
  lda #0
  sta found_prio+2
  lda found_prio
  and found_prio+1
  bra @check
@wide:
  ldq found_id
  aslq
  aslq
  clc
  adcq prio_base
  stq lk_ptr
  ldz #0
  ldq [lk_ptr]
  stq found_prio
  tza
@check:
  cmp #$ff
  beq @none
  clc
  rts
@none:
  sec
  rts

; The text of a token
; Input:  t0 = token
; Output: p2 = where its text lies (far), A = its length, at most 255; 0 for
;         tokens beyond the vocabulary
; Uses:   A, X, Y, Z; p1
token_text:
  ldq t0
  cpq header+HDR_NVOCAB
  bcs @none
  aslq
  aslq
  clc
  adcq vocab_base
  stq p1
  ldz #0
  ldq [p1]
  stq p2
  ldz #4
  lda [p1],z
  sec
  sbc p2
  pha
  inz
  lda [p1],z
  sbc p2+1
  beq @short
  pla
  lda #255
  pha
@short:
  ldq p2
  clc
  adcq vocab_base
  stq p2
  pla
  rts
@none:
  lda #0
  rts
