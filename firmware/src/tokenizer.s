; Text to tokens, from the image's tables alone
;
; The Go tokenizer of the image package is the specification; tests compare the
; two call by call.

; Tokenize the input line
; Input:  line, line_len, tok_cont (not 0: no begin token; it follows other text)
; Output: TOKENS, tok_count
; Uses:   A, X, Y, Z; t0, p0, p1, lk_..., mg_..., tok_...
tokenize:
  +set32 tok_out, TOKENS
  lda #0
  sta tok_count
  sta tok_count+1
  ldx tok_kind
  cpx #KIND_WORDPIECE
  beq @begin
  lda tok_cont
  bne @text
@begin:
  ldq tok_begin
  jsr token_maybe
@text:
  lda line_len
  beq @end
  lda tok_kind
  asl
  tax
  jsr (tokenizers,x)
@end:
  ldq tok_finish

; Append the token in Q unless it is "none"
token_maybe:
  stq t0
  tza
  bmi @none
  jmp token_append
@none:
  rts

tokenizers:
  !word tokenize_spm, tokenize_bpe, tokenize_wordpiece

; SentencePiece: a space in front, one chunk
tokenize_spm:
  lda #' '
  sta tok_text
  ldy #0
@copy:
  lda line,y
  sta tok_text+1,y
  iny
  cpy line_len
  bne @copy
  iny
  sty mg_end                          ; 0 = 256
  lda #0
  sta mg_start
  jmp merge

; Byte-level BPE: chunks of GPT-2's rule, each merged by itself
tokenize_bpe:
  ldy #0
@copy:
  lda line,y
  sta tok_text,y
  iny
  cpy line_len
  bne @copy
  lda #0
  sta mg_end
@chunk:
  lda mg_end
  sta mg_start
  cmp line_len
  beq @done
  jsr bpe_chunk
  jsr merge
  bra @chunk
@done:
  rts

; Where does the chunk at mg_start end?
; Input:  tok_text, line_len, mg_start
; Output: mg_end
; Uses:   A, X, Y; b0
bpe_chunk:
  ldx mg_start
  lda tok_text,x
  cmp #$27                            ; 's 't 'm 'd 're 've 'll
  bne @no_contraction
  jsr bpe_contraction
  bcc @end
@no_contraction:
  ldx mg_start
  lda tok_text,x
  cmp #' '                            ; one space may lead what is no space
  bne @run
  inx
  cpx line_len
  beq @back
  lda tok_text,x
  jsr char_class
  cmp #CLASS_SPACE
  bne @run
@back:
  ldx mg_start
@run:
  lda tok_text,x
  jsr char_class
  sta b0
@more:
  inx
  cpx line_len
  beq @end
  lda tok_text,x
  jsr char_class
  cmp b0
  beq @more
  lda b0                              ; white space before other text leaves its
  cmp #CLASS_SPACE                    ; last character for the next chunk, unless
  bne @end                            ; it is that alone
  dex
  cpx mg_start
  bne @end
  inx
@end:
  stx mg_end
  rts

; Input:  mg_start, where an apostrophe stands
; Output: C = 0: X = end of the contraction; C = 1: there is none
; Uses:   A, X, Y
bpe_contraction:
  ldx mg_start
  inx
  cpx line_len
  beq @none
  lda tok_text,x
  ldy #bpe_single_end - bpe_single - 1
@single:
  cmp bpe_single,y
  beq @one
  dey
  bpl @single
  inx
  cpx line_len
  beq @none
  ldy #2
@double:
  cmp bpe_first,y
  bne @other
  lda tok_text,x
  cmp bpe_second,y
  beq @one
  lda tok_text-1,x
@other:
  dey
  bpl @double
@none:
  sec
  rts
@one:
  inx
  clc
  rts
bpe_single:
  !text "stmd"
bpe_single_end:
bpe_first:
  !text "rvl"
bpe_second:
  !text "eel"

CLASS_SYMBOL = 0
CLASS_LETTER = 1
CLASS_DIGIT  = 2
CLASS_SPACE  = 3

; Input:  A = character
; Output: A = its class
char_class:
  cmp #' '
  beq @space
  bcc @control
  cmp #'0'
  bcc @symbol
  cmp #'9' + 1
  bcc @digit
  ora #$20
  cmp #'a'
  bcc @symbol
  cmp #'z' + 1
  bcs @symbol
  lda #CLASS_LETTER
  rts
@digit:
  lda #CLASS_DIGIT
  rts
@control:
  cmp #9
  bcc @symbol
  cmp #14
  bcs @symbol
@space:
  lda #CLASS_SPACE
  rts
@symbol:
  lda #CLASS_SYMBOL
  rts

WORD_MAX = 100          ; a longer word is unknown

; WordPiece: words of letters and digits, every other character alone
tokenize_wordpiece:
  lda #0
  sta mg_start
@word:
  ldx mg_start
  cpx line_len
  beq @done
  lda line,x
  jsr char_class
  inx
  stx mg_end
  cmp #CLASS_SPACE
  beq @next
  cmp #CLASS_SYMBOL
  beq @one
@letters:
  cpx line_len
  beq @whole
  lda line,x
  jsr char_class
  cmp #CLASS_LETTER
  beq @letter
  cmp #CLASS_DIGIT
  bne @whole
@letter:
  inx
  bra @letters
@whole:
  stx mg_end
@one:
  jsr wordpiece_word
@next:
  lda mg_end
  sta mg_start
  bra @word
@done:
  rts

; Append the tokens of one word, or the unknown one if any part is in no token
; Input:  line from mg_start to mg_end
; Uses:   A, X, Y, Z; t0, t1, b0, b1, lk_...
wordpiece_word:
  lda mg_end
  sec
  sbc mg_start
  sta lk_len
  ldq tok_out                         ; to take its tokens back
  stq t1
  lda tok_count
  sta b0
  lda tok_count+1
  sta b1
  lda lk_len
  cmp #WORD_MAX + 1
  bcs @unknown
  lda #' '                            ; what begins a word has a space before it
  sta wp_key
  ldx mg_start
  ldy #1
@copy:
  lda line,x
  cmp #'A'
  bcc @as_is
  cmp #'Z' + 1
  bcs @as_is
  pha
  lda tok_flags
  and #TOK_LOWERCASE
  cmp #1
  pla
  bcc @as_is
  ora #$20
@as_is:
  sta wp_key,y
  iny
  inx
  cpx mg_end
  bne @copy
  inc lk_len
  +set16 lk_text, wp_key
  lda #2                              ; the space alone begins no word
  sta wp_least
  lda lk_len
  sta wp_rest
@piece:
  lda wp_rest
  beq @done
  sta lk_len
  jsr wordpiece_longest
  bcs @unknown
  ldq found_id
  stq t0
  jsr token_append
  lda wp_rest
  sec
  sbc lk_len
  sta wp_rest
  lda lk_text
  clc
  adc lk_len
  sta lk_text
  lda #1
  sta wp_least
  bra @piece
@done:
  rts
@unknown:
  ldq t1
  stq tok_out
  lda b0
  sta tok_count
  lda b1
  sta tok_count+1
  ldq tok_unknown
  jmp token_maybe
wp_least:
  !byte 0
wp_rest:
  !byte 0

; The longest token that a text begins with
; Input:  lk_text, lk_len, wp_least
; Output: C = 0: found_id, lk_len; C = 1: there is none
; Uses:   A, X, Y, Z; lk_...
; A search that fails tells how much of the text can be in the index at most.
wordpiece_longest:
  ldq index_count
  stq lk_high
@try:
  lda lk_len
  cmp wp_least
  bcc @none
  jsr lookup_below
  bcc @found
  lda lk_common
  cmp lk_len
  bcc @shorter
  lda lk_len                          ; only in an index that is out of order
  dec
@shorter:
  sta lk_len
  ldq lk_low
  stq lk_high
  bra @try
@none:
  sec
@found:
  rts
