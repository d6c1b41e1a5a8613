; Which earlier lines are similar

; The three nearest
; Output: en_best: slot, product (4 bytes) each; slot 255 = none
; Uses:   A, X, Y, Z; t0-t3, p0, p1, dma
encoder_search:
  ldx #14
  lda #$ff
@none:
  sta en_best,x
  dex
  bpl @none
  lda #0
  sta en_slot
@line:
  lda en_slot
  cmp en_count
  beq @done
  jsr encoder_product
  jsr encoder_rank
  inc en_slot
  bra @line
@done:
  rts
en_slot:
  !byte 0
en_best:
  !fill 15, 0

; The product of the line's vector and that of slot en_slot
; Output: t2, in units of 2^-28, signed
; Uses:   A, X, Y, Z; t0-t3, p0, dma
encoder_product:
  ldq zero
  stq t2
  +set16 p0, en_vector
  jsr encoder_counter
  lda en_slot
  jsr encoder_address
  ldq t0
  stq en_from
  ldx #0
@number:
  txa
  bne @there
  phx
  +copy32 en_from, dma_src            ; the next 128
  inc en_from+1
  +near dma_dst, en_other
  lda #0
  jsr dma_read
  ldq zero
  stq HW_MATH_A
  stq HW_MATH_B
  plx
@there:
  ldy #0
  lda (p0),y
  sta HW_MATH_A
  iny
  lda (p0),y
  sta HW_MATH_A+1
  lda en_other,x
  sta HW_MATH_B
  inx
  lda en_other,x
  sta HW_MATH_B+1
  inx
  phx
  ldq HW_PRODUCT
  clc
  adcq t2
  stq t2
  plx
  inw p0
  inw p0
  dew t3
  bne @number
  lda en_slot                         ; take out what the added 2^14 made:
  jsr encoder_address                 ; 2^14 * (sum + sum) - n * 2^28
  lda t0+1
  clc
  adc #>EN_SUM
  sta t0+1
  lda #<EN_SUM
  sta t0
  ldq t0
  stq p1
  ldz #0
  ldq [p1]
  clc
  adcq en_sum
  stq t0
  ldx #14
@shift:
  aslq t0
  dex
  bne @shift
  ldq t2
  sec
  sbcq t0
  stq t2
  lda header+HDR_OUTPUT_LEN
  asl
  asl
  asl
  asl
  clc
  adc t2+3
  sta t2+3
  rts

; Put slot en_slot among the three if it is nearer; of equally near ones the
; earlier stays before
; Input:  t2
; Uses:   A, X, Y, Z; t0, b0
encoder_rank:
  lda #0
  sta b0
@place:
  ldx b0
  lda en_best,x
  cmp #$ff
  beq @here
  lda en_best+1,x
  sta t0
  lda en_best+2,x
  sta t0+1
  lda en_best+3,x
  sta t0+2
  lda en_best+4,x
  sta t0+3
  lda t2+3                            ; signed: compare with the top bits turned
  eor #$80
  sta t1+3
  lda t0+3
  eor #$80
  sta t0+3
  lda t2
  sta t1
  lda t2+1
  sta t1+1
  lda t2+2
  sta t1+2
  ldq t0
  cpq t1
  bcc @here                           ; that one is farther
  lda b0
  clc
  adc #5
  sta b0
  cmp #15
  bne @place
  rts
@here:
  ldx #9                              ; the others move down
@move:
  cpx b0
  bmi @put
  lda en_best,x
  sta en_best+5,x
  dex
  bpl @move
@put:
  ldx b0
  lda en_slot
  sta en_best,x
  lda t2
  sta en_best+1,x
  lda t2+1
  sta en_best+2,x
  lda t2+2
  sta en_best+3,x
  lda t2+3
  sta en_best+4,x
  rts

; Print the nearest lines with their cosine
; Uses:   A, X, Y, Z; t0-t2, p0-p2, b0, b1, dma
encoder_show:
  lda #REPLY_COLOUR
  jsr transcript_fresh
  lda en_count
  bne @some
  lda #NOTE_COLOUR
  jsr transcript_begin
  +say msg_first_line
  rts
@some:
  lda #0
  sta en_at
@line:
  ldx en_at
  lda en_best,x
  cmp #$ff
  beq @done
  lda en_best+1,x
  sta t0
  lda en_best+2,x
  sta t0+1
  lda en_best+3,x
  sta t0+2
  lda en_best+4,x
  sta t0+3
  lda #' '
  jsr emit
  jsr encoder_cosine
  lda #' '
  jsr emit
  ldx en_at
  lda en_best,x
  jsr encoder_address
  lda t0+1
  clc
  adc #>EN_TEXT
  sta t0+1
  ldq t0
  stq p2
  ldz #255
  lda [p2],z
  jsr print_utf8
  lda #10
  jsr emit
  lda en_at
  clc
  adc #5
  sta en_at
  cmp #15
  bne @line
@done:
  rts

; Print t0 / 2^28 with three decimals and a sign
; Uses:   as print_number
encoder_cosine:
  lda #' '
  bit t0+3
  bpl @positive
  ldq zero
  sec
  sbcq t0
  stq t0
  lda #'-'
@positive:
  jsr emit
  ldq t0                              ; (|x| * 1000 + 2^27) >> 28
  stq HW_MATH_A
  +set32 HW_MATH_B, 1000
  ldq HW_PRODUCT
  clc
  adcq en_27
  stq t0
  lda HW_PRODUCT+4
  adc #0
  sta t1
  lda HW_PRODUCT+5
  adc #0
  sta t1+1
  lda t0+3                            ; bits 28-43
  lsr
  lsr
  lsr
  lsr
  sta t0
  lda t1
  asl
  asl
  asl
  asl
  ora t0
  sta t0
  lda t1
  lsr
  lsr
  lsr
  lsr
  sta t0+1
  lda #0
  sta t0+2
  sta t0+3
  +set32 t1, 1000
  jsr divide                          ; t0 = 0 or 1, t2 = thousandths
  lda t0
  ora #'0'
  jsr emit
  lda #'.'
  jsr emit
  +copy32 t2, t0
  +set32 t1, 100
  jsr divide
  lda t0
  ora #'0'
  jsr emit
  +copy32 t2, t0
  +set32 t1, 10
  jsr divide
  lda t0
  ora #'0'
  jsr emit
  lda t2
  ora #'0'
  jmp emit
en_27:
  !32 $8000000

; Keep the line; the oldest one makes room
; Uses:   A, X, Y, Z; t0, dma
encoder_keep:
  lda en_room
  lbeq @done
  lda en_next
  jsr encoder_address
  +near dma_src, en_vector
  ldq t0
  stq dma_dst
  lda en_bytes
  sta dma_len
  lda en_bytes+1
  sta dma_len+1
  lda #0
  jsr dma_copy
  +near dma_src, en_sum
  ldq t0
  stq dma_dst
  lda #<EN_SUM
  sta dma_dst
  lda dma_dst+1
  clc
  adc #>EN_SUM
  sta dma_dst+1
  +set16 dma_len, 4
  lda #0
  jsr dma_copy
  lda line_len
  sta line+255
  +near dma_src, line
  ldq t0
  stq dma_dst
  lda dma_dst+1
  clc
  adc #>EN_TEXT
  sta dma_dst+1
  +set16 dma_len, 256
  lda #0
  jsr dma_copy
  lda en_next
  inc
  cmp en_room
  bcc @next
  lda #0
@next:
  sta en_next
  lda en_count
  cmp en_room
  bcs @done
  inc en_count
@done:
  rts

; Input:  A = slot
; Output: t0 = its address
; Uses:   A, X, Y, Z
encoder_address:
  sta t0+1                            ; * 4096
  lda #0
  sta t0
  sta t0+2
  sta t0+3
  ldx #4
@shift:
  asl t0+1
  rol t0+2
  dex
  bne @shift
  ldq t0
  clc
  adcq en_base
  stq t0
  rts
