; The image's header: what is checked before anything is loaded

; Check the header
; Input:  header, core_mb
; Output: C = 1: A = MSG number of what is wrong
; Uses:   A, X, Y, Z; t0, t1
image_check:
  jsr image_begins
  lbne @no_image
  lda header+HDR_VERSION
  cmp #IMG_VERSION
  lbne @version
  lda header+HDR_VERSION+1
  lbne @version
  +copy32 header+HDR_LOAD_ADDR, t0    ; load address + length = end of file
  ldq t0
  clc
  adcq header+HDR_PAYLOAD_LEN
  stq t1
  ldq t1
  cpq header+HDR_SCRATCH
  bne @broken
  +set32 t1, SSN_PAYLOAD
  ldq t1
  cpq t0
  bne @broken
  lda header+HDR_MAX_CTX              ; 1 to 4095 tokens
  ora header+HDR_MAX_CTX+1
  beq @broken
  lda header+HDR_MAX_CTX+1
  cmp #$10
  bcs @broken
  lda header+HDR_MAX_CTX+2
  ora header+HDR_MAX_CTX+3
  bne @broken
  lda header+HDR_ARCH+1
  ora header+HDR_ARCH+2
  ora header+HDR_ARCH+3
  bne @broken
  lda header+HDR_ARCH                 ; one that we know, and the flag fits it
  cmp #ARCH_BERT + 1
  bcs @broken
  cmp #ARCH_BERT
  beq @encoder
  lda #FLAG_ENCODER
@encoder:
  eor header+HDR_FLAGS
  and #FLAG_ENCODER
  beq @broken
  jsr image_addresses
  bcs @broken
  jsr image_megabytes                 ; too big for this machine?
  lda core_mb
  sec
  sbc t0
  lda core_mb+1
  sbc t0+1
  bcc @big
  clc
  rts
@no_image:
  lda #ERR_MAGIC
  bra @bad
@version:
  lda #ERR_VERSION
  bra @bad
@broken:
  lda #ERR_HEADER
  bra @bad
@big:
  lda #ERR_MEMORY
@bad:
  sec
  rts

; Output: Z = 1: the header begins with SSNL
; Uses:   A, X
image_begins:
  ldx #3
@magic:
  lda header,x
  cmp image_magic,x
  bne @no
  dex
  bpl @magic
  lda #0
@no:
  rts
image_magic:
  !text "SSNL"

; Do the header's addresses lie where they must?
; Output: C = 1: no
; Uses:   A, X, Y, Z; t0, t1
image_addresses:
  +set32 t1, SSN_TOKENS
  ldq t1
  cpq header+HDR_TOKENS
  lbne @bad
  lda header+HDR_SCRIPT               ; instructions are 16 bytes
  and #$0f
  bne @bad
  ldx #image_fields_end - image_fields - 1
@field:                               ; payload <= address < end of the file
  ldy image_fields,x
  lda header,y
  sta t0
  lda header+1,y
  sta t0+1
  lda header+2,y
  sta t0+2
  lda header+3,y
  sta t0+3
  jsr image_before_end
  bcs @bad
  lda t0+1
  cmp #<(SSN_PAYLOAD >> 8)
  lda t0+2
  sbc #<(SSN_PAYLOAD >> 16)
  lda t0+3
  sbc #SSN_PAYLOAD >> 24
  bcc @bad
  dex
  bpl @field
  lda header+HDR_NVOCAB+3             ; the vocab table: an offset for every token
  bne @bad
  ldq header+HDR_NVOCAB
  stq t0
  aslq t0
  aslq t0
  ldq t0
  clc
  adcq header+HDR_VOCAB
  stq t0
  jsr image_before_end
  bcs @bad
  ldq header+HDR_SCRATCH              ; the memory holds the file at least
  stq t0
  lda t0+3
  sec
  sbc #SSN_RAM >> 24
  sta t0+3
  ldx #0
  sec
@needed:
  lda header+HDR_MEM_NEEDED,x
  sbc t0,x
  inx
  txa
  eor #4
  bne @needed
  bcc @bad
  clc
  rts
@bad:
  sec
  rts
image_fields:
  !byte HDR_SCRIPT, HDR_VOCAB, HDR_TOKENIZER
image_fields_end:

; Output: C = 0: t0 lies before the end of the file
; Uses:   A
image_before_end:
  lda t0
  cmp header+HDR_SCRATCH
  lda t0+1
  sbc header+HDR_SCRATCH+1
  lda t0+2
  sbc header+HDR_SCRATCH+2
  lda t0+3
  sbc header+HDR_SCRATCH+3
  rts

; Megabytes that the image needs, rounded up
; Output: t0 (16-bit)
; Uses:   A, X, Y, Z
image_megabytes:
  lda #$ff
  ldx #$ff
  ldy #$0f
  ldz #0
  clc
  adcq header+HDR_MEM_NEEDED
  stq t0
  lda t0+2                            ; >> 20
  lsr
  lsr
  lsr
  lsr
  sta t0
  lda t0+3
  asl
  asl
  asl
  asl
  ora t0
  sta t0
  lda t0+3
  lsr
  lsr
  lsr
  lsr
  sta t0+1
  rts

; Print the description, at most A characters
; Uses:   A, X, Y, Z; p2
image_describe:
  pha
  +near p2, header + HDR_DESCRIPTION
  pla
  jmp print_utf8

; Take what the chat and the tokenizer need from a loaded image
; Output: C = 1: A = MSG number: its tokenizer is none that we know
; Uses:   A, X, Y, Z; t0, p0, dma
image_open:
  lda header+HDR_MAX_CTX
  sta ctx_max
  lda header+HDR_MAX_CTX+1
  sta ctx_max+1
  +copy32 header+HDR_VOCAB, vocab_base
  +copy32 header+HDR_TOKENIZER, dma_src
  +near dma_dst, tok_block
  lda #TOK_SIZE
  jsr dma_read
  lda tok_block+TOK_KIND
  sta tok_kind
  lda tok_block+TOK_FLAGS
  sta tok_flags
  +copy32 tok_block+TOK_INDEX, index_base
  +copy32 tok_block+TOK_NINDEX, index_count
  +copy32 tok_block+TOK_PRIORITIES, prio_base
  +copy32 tok_block+TOK_BYTES, bytes_base
  +copy32 tok_block+TOK_BEGIN, tok_begin
  +copy32 tok_block+TOK_END, tok_finish
  +copy32 tok_block+TOK_UNKNOWN, tok_unknown
  lda tok_kind
  cmp #KIND_WORDPIECE + 1
  bcs @unknown
  clc
  rts
@unknown:
  lda #ERR_HEADER
  rts                                 ; C = 1
tok_block:
  !fill TOK_SIZE, 0
