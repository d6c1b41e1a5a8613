; Encoders: every line becomes a vector, and the nearest earlier lines are shown
;
; A vector is scaled to length 1 and kept in units of 2^-14 with 2^14 added, so
; that all numbers are positive; the multiplier knows no sign, and what the
; addition puts into a product of sums is taken out at the end. Lines and
; vectors lie in SSNAIL's RAM behind the image.

EN_MAX      = 100       ; lines that are kept at most
EN_SLOT     = 4096      ; bytes a line: vector, sum of its numbers, text
EN_SUM      = 1920
EN_TEXT     = 2048      ; 255 characters and the length
EN_ONE      = $4000     ; 1.0

en_vector   = $b000     ; 1920 bytes: the line's vector
en_block    = $b800     ; 256 bytes: of the model's output
en_other    = $b900     ; 256 bytes: of another line's vector

; Make room for lines behind the image
; Output: en_room = how many lines can be kept
; Uses:   A, X, Y, Z; t0, t1
encoder_reset:
  lda #0
  sta en_count
  sta en_next
  lda #$ff                            ; from the next 4 KB line on
  ldx #$0f
  ldy #0
  ldz #0
  clc
  adcq header+HDR_MEM_NEEDED
  stq t0
  lda #0
  sta t0
  lda t0+1
  and #$f0
  sta t0+1
  lda core_soft
  beq @ssnail
  lda SOFT_FREE+2                     ; up to what the software core has rewritten
  sta t1+2
  lda SOFT_FREE+1
  sta t1+1
  lda #0
  sta t1
  lda SOFT_FREE+3
  sec
  sbc #>(SSN_RAM >> 16)
  sta t1+3
  bra @end
@ssnail:
  lda #0                              ; the RAM at SSN_RAM: 8 or 64 MB
  sta t1
  sta t1+1
  sta t1+3
  ldz #SSN_SDRAM_SIZE
  lda [ssn],z
  bne @sdram
  ldz #SSN_HYPER_SIZE
  lda [ssn],z
@sdram:
  ldx #4
@megabytes:
  asl
  rol t1+3
  dex
  bne @megabytes
  sta t1+2
@end:
  ldq t1
  sec
  sbcq t0
  stq t1                              ; bytes that are free
  lda #0
  bcc @room
  lda t1+2
  ora t1+3
  and #$f8                            ; half a megabyte is room for more than 100
  bne @plenty
  lda t1+3
  bne @plenty
  lda t1+1                            ; >> 12
  lsr
  lsr
  lsr
  lsr
  sta t1+1
  lda t1+2
  asl
  asl
  asl
  asl
  ora t1+1
  cmp #EN_MAX
  bcc @room
@plenty:
  lda #EN_MAX
@room:
  sta en_room
  lda t0+3
  clc
  adc #>(SSN_RAM >> 16)
  sta t0+3
  +copy32 t0, en_base
  rts
en_room:
  !byte 0
en_count:
  !byte 0
en_next:
  !byte 0                             ; slot for the next line
en_base:
  !32 0

; Embed the line and show what it is near to
; Input:  line, line_len, not empty
; Output: C = 1: refused, nothing has changed
; Uses:   everything but the chat's variables
encoder_turn:
  jsr tokenize
  lda #0
  sta ctx_used
  sta ctx_used+1
  jsr turn_room
  bcs @refused
  lda #INPUT_COLOUR
  jsr transcript_fresh
  jsr turn_echo
  jsr transcript_draw
  jsr edit_hide
  jsr core_append
  bcs @error
  ldq zero
  stq gen_pos
  stq gen_limit
  jsr core_runtime
  bcs @error
  lda #0
  sta gen_seen
  sta gen_seen+1
  jsr clock_start
  ldq header+HDR_SCRIPT
  stq t0
  jsr core_go
@wait:
  jsr clock_tick
  jsr core_busy
  bne @wait
  lda frames
  sta gen_ticks
  lda frames+1
  sta gen_ticks+1
  lda frames+2
  sta gen_ticks+2
  jsr core_error
  cmp #SSN_ERR_NONE
  bne @fault
  lda #0
  sta ctx_used
  sta ctx_used+1
  jsr encoder_vector
  jsr encoder_search
  jsr encoder_show
  jsr encoder_keep
  jsr transcript_draw
  clc
@refused:
  rts
@fault:
  sta core_code
  lda #ERR_CORE
@error:
  jmp turn_error

; Fetch the model's output, scaled to length 1
; Output: en_vector, en_sum, en_bytes
; Uses:   A, X, Y, Z; t0-t3, p0, b0-b3, dma
encoder_vector:
  lda header+HDR_OUTPUT_LEN           ; two bytes a number
  asl
  sta en_bytes
  lda header+HDR_OUTPUT_LEN+1
  rol
  sta en_bytes+1
  lda #0                              ; the greatest exponent
  sta en_exponent
  +set16 en_pass, encoder_exponent
  jsr encoder_pass
  ldq zero
  stq en_square
  sta en_square+4
  +set16 en_pass, encoder_whole
  jsr encoder_pass
  jsr encoder_root                    ; t1 = length
  lda t1
  ora t1+1
  ora t1+2
  beq @scaled
  ldq zero
  stq t0
  lda #$80
  sta t0+3
  jsr divide                          ; 2^31 / length
@scaled:
  lda t1
  ora t1+1
  ora t1+2
  bne @factor
  ldq zero
  stq t0
@factor:
  +copy32 t0, en_factor

; Scale the numbers of en_vector to units of 2^-14, add 2^14, sum them
encoder_unit:
  ldq zero
  stq en_sum
  +set16 p0, en_vector
  jsr encoder_counter
@number:
  ldy #1
  lda (p0),y
  sta b2                              ; sign
  and #$7f
  tax
  dey
  lda (p0),y
  ldy #0
  ldz #0
  stq HW_MATH_A
  ldq en_factor
  stq HW_MATH_B
  ldq HW_PRODUCT                      ; (q * factor + 2^16) >> 17
  clc
  adcq en_half
  stq t0
  lda t0+2
  lsr t0+3
  ror
  tax
  lda t0+3
  sta t0+1
  stx t0
  bit b2
  bmi @negative
  lda #<EN_ONE
  clc
  adc t0
  sta t0
  lda #>EN_ONE
  adc t0+1
  sta t0+1
  bra @store
@negative:
  lda #<EN_ONE
  sec
  sbc t0
  sta t0
  lda #>EN_ONE
  sbc t0+1
  sta t0+1
@store:
  ldy #0
  lda t0
  sta (p0),y
  iny
  lda t0+1
  sta (p0),y
  lda t0
  ldx t0+1
  ldy #0
  ldz #0
  clc
  adcq en_sum
  stq en_sum
  inw p0
  inw p0
  dew t3
  bne @number
  rts

en_half:
  !32 $10000
en_factor:
  !32 0
en_sum:
  !32 0
en_bytes:
  !word 0
en_exponent:
  !byte 0
en_square:
  !fill 5, 0

; t3 = how many numbers a vector has
; Uses:   A
encoder_counter:
  lda header+HDR_OUTPUT_LEN
  sta t3
  lda header+HDR_OUTPUT_LEN+1
  sta t3+1
  rts

; Call en_pass for every number of the output
; Output of en_pass: t0 = its mantissa with the leading 1, 0 for zero; b1 =
;         exponent, b2 bit 7 = sign; p0 = next place in en_vector
; Uses:   A, X, Y, Z; t0, t3, p0, b1, b2, dma
encoder_pass:
  +set16 p0, en_vector
  jsr encoder_counter
  +copy32 header+HDR_OUTPUT, en_from
  lda #0
  sta en_at
@number:
  lda en_at
  bne @there
  +copy32 en_from, dma_src            ; the next 64
  inc en_from+1
  bne @read
  inc en_from+2
@read:
  +near dma_dst, en_block
  lda #0
  jsr dma_read
@there:
  ldx en_at
  lda en_block+3,x
  sta b2
  lda en_block+2,x
  asl
  lda b2
  rol
  sta b1
  lda #0
  sta t0+3
  lda en_block,x
  sta t0
  lda en_block+1,x
  sta t0+1
  lda en_block+2,x
  ora #$80
  sta t0+2
  lda b1
  bne @number_ready
  ldq zero                            ; zero and denormals
  stq t0
@number_ready:
  jsr encoder_call
  lda en_at
  clc
  adc #4
  sta en_at
  dew t3
  bne @number
  rts
encoder_call:
  jmp (en_pass)
en_pass:
  !word 0
en_from:
  !32 0
en_at:
  !byte 0

; Pass 1: the greatest exponent
encoder_exponent:
  lda b1
  cmp en_exponent
  bcc @done
  sta en_exponent
@done:
  rts

; Pass 2: 15 bits and a sign of each, the greatest one using them all; the sum
; of squares
encoder_whole:
  lda en_exponent
  sec
  sbc b1
  clc
  adc #9
  cmp #24
  bcc @shift
  lda #24
@shift:
  sta b0
@right:
  lsrq t0
  dec b0
  bne @right
  ldq t0
  stq HW_MATH_A
  stq HW_MATH_B
  ldq HW_PRODUCT
  clc
  adcq en_square
  stq en_square
  bcc @low
  inc en_square+4
@low:
  ldy #0
  lda t0
  sta (p0),y
  iny
  lda b2
  and #$80
  ora t0+1
  sta (p0),y
  inw p0
  inw p0
  rts

; The square root of en_square (40 bits)
; Output: t1, at most 20 bits
; Uses:   A, X, Y, Z; t0, t1
encoder_root:
  ldq zero
  stq t1
  +set32 t0, $80000                   ; bit by bit from the top
@bit:
  ldq t1
  orq t0
  stq HW_MATH_A
  stq HW_MATH_B
  lda HW_PRODUCT+4                    ; its square against the number
  cmp en_square+4
  bcc @keep
  bne @next
  ldq en_square
  cpq HW_PRODUCT
  bcc @next
@keep:
  ldq t1
  orq t0
  stq t1
@next:
  lsrq t0
  ldq t0
  bne @bit
  rts

; --- Earlier lines

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
