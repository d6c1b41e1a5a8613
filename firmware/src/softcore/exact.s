; Rows of F16, BF16 and F32 weights: the exact sum of exact products, rounded
; once to double and then to single
;
; A single is M * 2^(E - 150) with M below 2^24. With E = 8 o + r both factors
; become integers M << r, and their product belongs 8 (o + o') bits up in a sum
; of 76 bytes, two's complement, whose lowest bit is 2^-300.

WIDE         = $40      ; the sum
WIDE_BYTES   = 76
ex_m         = $90      ; weight: M, then M << r
ex_e         = $94
ex_s         = $95
ex_row       = $96
ex_left      = $98      ; 4 bytes: columns of the row still to do
ex_x         = $9c      ; 4 bytes: x of the next chunk
ex_n         = $a0      ; 2 bytes: columns of this chunk
ex_ready     = $a2      ; not 0: XS holds the only chunk
ex_w         = $a4      ; 4 bytes: the next weights
ex_top       = $a8      ; 8 bytes: the sum's highest ones
ex_bias      = $b0      ; 2 bytes: biased exponent if bit 63 of the lowest 8 bytes leads
ex_bytes     = $b2      ; bytes of the sum

XS           = SCORES   ; x of a chunk: M << r, o, sign, 8 bytes each
CHUNK        = 512      ; columns

; A tile of rows
; Input:  gv_tile, gv_w, gv_x
; Output: RESULTS; gv_w behind the tile
; Uses:   everything of float.s, px, pz, cnt, cnt2, sp_x, element
exact_tile:
  lda #0
  sta ex_row
  sta ex_ready
  ldq gv_w
  stq ex_w
@row:
  ldx #WIDE_BYTES - 1
  lda #0
@clear:
  sta WIDE,x
  dex
  bpl @clear
  ldq gv_x
  stq ex_x
  ldq N_
  stq ex_left
@chunk:
  jsr exact_chunk_size
  lbeq @round
  lda ex_ready
  bne @ready
  jsr exact_x
  lda N_+1                            ; all columns in one chunk?
  cmp #>CHUNK
  bcc @only
  bne @ready
  lda N_
  bne @ready
@only:
  lda N_+2
  ora N_+3
  bne @ready
  inc ex_ready
@ready:
  +set16 px, XS
@piece:
  lda ex_n
  ora ex_n+1
  beq @chunk
  jsr breathe
  lda ex_n+1                          ; up to 256 weights
  bne @full
  lda ex_n
  ldx #0
  bra @size
@full:
  lda #0
  ldx #1
@size:
  sta cnt
  stx cnt+1
  sta size
  stx size+1
  lda ex_n
  sec
  sbc cnt
  sta ex_n
  lda ex_n+1
  sbc cnt+1
  sta ex_n+1
  asl size
  rol size+1
  lda ins+1
  bne @two
  asl size
  rol size+1
@two:
  ldq ex_w
  stq place
  lda #<BUF_W
  ldx #>BUF_W
  jsr fetch
  +add16to28 ex_w, size
  +set16 pz, BUF_W
  jsr exact_products
  bra @piece
@round:
  lda #<-110
  sta ex_bias
  lda #>-110
  sta ex_bias+1
  lda #WIDE_BYTES
  sta ex_bytes
  jsr exact_round
  lda ex_row                          ; to RESULTS + 4 * row
  asl
  asl
  sta pz
  lda ex_row
  and #$c0
  asl
  rol
  rol
  clc
  adc #>RESULTS
  sta pz+1
  ldq pr
  stq (pz)
  inc ex_row
  lda ex_row
  cmp gv_tile
  lbne @row
  ldq ex_w
  stq gv_w
  rts

; ex_n = min(ex_left, CHUNK), which leaves ex_left
; Output: Z = 1: nothing is left
; Uses:   A
exact_chunk_size:
  lda ex_left+2
  ora ex_left+3
  bne @full
  lda ex_left+1
  cmp #>CHUNK
  bcs @full
  sta ex_n+1
  lda ex_left
  sta ex_n
  ora ex_n+1
  beq @none
  lda #0
  sta ex_left
  sta ex_left+1
  lda #1
@none:
  rts
@full:
  lda #0
  sta ex_n
  lda #>CHUNK
  sta ex_n+1
  lda ex_left+1
  sec
  sbc #>CHUNK
  sta ex_left+1
  bcs @more
  lda ex_left+2
  bne @low
  dec ex_left+3
@low:
  dec ex_left+2
@more:
  lda #1
  rts

; ex_n values of x -> XS
; Output: ex_x behind them
; Uses:   A, X, Y, Z, px, pz, pa, cnt, cnt2, size, ex_m, ex_e, ex_s, math unit
exact_x:
  +set16 pz, XS
  lda ex_n
  sta cnt2
  lda ex_n+1
  sta cnt2+1
@piece:
  lda cnt2
  ora cnt2+1
  lbeq @done
  lda cnt2+1
  bne @full
  lda cnt2
  ldx #0
  bra @size
@full:
  lda #0
  ldx #1
@size:
  sta cnt
  stx cnt+1
  sta size
  stx size+1
  lda cnt2
  sec
  sbc cnt
  sta cnt2
  lda cnt2+1
  sbc cnt+1
  sta cnt2+1
  asl size
  rol size+1
  asl size
  rol size+1
  ldq ex_x
  stq place
  lda #<BUF_X
  ldx #>BUF_X
  jsr fetch
  +add16to28 ex_x, size
  +set16 px, BUF_X
@next:
  +word_at px, pa
  jsr exact_single
  jsr exact_shift
  ldq HW_MATH_A
  stq (pz)
  ldy #4
  lda ex_e
  lsr
  lsr
  lsr
  sta (pz),y
  iny
  lda ex_s
  sta (pz),y
  +next4 px
  lda pz
  clc
  adc #8
  sta pz
  bcc @samepage
  inc pz+1
@samepage:
  jsr count
  bne @next
  lbra @piece
@done:
  rts
