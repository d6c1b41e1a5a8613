; The token buffer and the runtime block, which CPU and script share

; Read a word of the token buffer
; Input:  A low, X high = index
; Output: t0
; Uses:   A, X, Y, Z; p0
core_token:
  stx p0+1
  asl
  rol p0+1
  asl
  rol p0+1
  sta p0
  lda p0+1
  clc
  adc #<(SSN_TOKENS >> 8)
  sta p0+1
  lda #<(SSN_TOKENS >> 16)
  sta p0+2
  lda #<(SSN_TOKENS >> 24)
  sta p0+3
  ldz #0
  ldq [p0]
  stq t0
  rts

; Append the tokens of TOKENS to the token buffer
; Input:  ctx_used = where, tok_count = how many (at most 1024)
; Output: C = 1: A = MSG number
; Uses:   A, X, Y, Z; t0, dma
core_append:
  lda ctx_used
  sta t0
  lda ctx_used+1
  asl t0
  rol
  asl t0
  rol
  clc
  adc #<(SSN_TOKENS >> 8)
  sta t0+1
  lda #<(SSN_TOKENS >> 16)
  sta t0+2
  lda #<(SSN_TOKENS >> 24)
  sta t0+3
  lda #0
  jsr core_seek
  bcs @late
  +set32 dma_src, TOKENS
  lda tok_count+1                     ; 4 bytes each, 128 at a time
  sta b1
  lda tok_count
  sta b0
@part:
  lda b1
  bne @full
  lda b0
  beq @done
  cmp #128
  bcc @rest
@full:
  lda b0
  sec
  sbc #128
  sta b0
  bcs @words
  dec b1
@words:
  +set16 dma_len, 512
  bra @write
@rest:
  asl
  sta dma_len
  lda #0
  rol
  asl dma_len
  rol
  sta dma_len+1
  lda #0
  sta b0
@write:
  jsr core_write
  bcs @late
  inc dma_src+1
  inc dma_src+1
  bra @part
@done:
  jmp core_flush
@late:
  rts

; Write the runtime block
; Input:  gen_pos, gen_prompt, gen_limit
; Output: C = 1: A = MSG number
; Uses:   A, X, Y, Z; t0, dma
core_runtime:
  +set32 t0, SSN_RAM + HDR_POS
  lda #0
  jsr core_seek
  bcs @late
  +near dma_src, BASE_PAGE * 256 + gen_pos
  +set16 dma_len, 12
  jsr core_write
  bcs @late
  +near dma_src, core_zeros           ; generated, stop request, stop reason
  +set16 dma_len, 12
  jsr core_write
  bcs @late
  jmp core_flush
@late:
  rts
core_zeros:
  !fill 12, 0

; Overwrite the token just published
; Input:  t2 = token, gen_prompt = its index
; Output: C = 1: A = MSG number
; Uses:   A, X, Y, Z; t0, dma
core_replace:
  lda gen_prompt
  sta t0
  lda gen_prompt+1
  asl t0
  rol
  asl t0
  rol
  clc
  adc #<(SSN_TOKENS >> 8)
  sta t0+1
  lda #<(SSN_TOKENS >> 16)
  sta t0+2
  lda #<(SSN_TOKENS >> 24)
  sta t0+3
  lda #0
  jsr core_seek
  bcs @late
  +near dma_src, BASE_PAGE * 256 + t2
  +set16 dma_len, 4
  jsr core_write
  bcs @late
  jmp core_flush
@late:
  rts
