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

; Packed single pa -> ex_m, ex_e, ex_s
exact_single:
  lda pa+3
  sta ex_s
  lda pa
  sta ex_m
  lda pa+1
  sta ex_m+1
  lda #0
  sta ex_m+3
  lda pa+2
  asl
  lda pa+3
  rol
  sta ex_e
  beq @tiny
  cmp #255
  beq @odd
  lda pa+2
  ora #$80
  sta ex_m+2
  rts
@odd:
  inc err
@tiny:
  inc ex_e
  lda pa+2
  and #$7f
  sta ex_m+2
  rts

; MATH_A = ex_m << (ex_e & 7)
; Uses:   A, X, Y, Z
exact_shift:
  lda ex_e
  and #7
  asl
  tax
  jmp (exact_shifts,x)
exact_shifts:
  !word shift0, shift1, shift2, shift3, shift4, shift5, shift6, shift7
shift0:
  ldq ex_m
  stq HW_MATH_A
  rts
shift1:
  ldq ex_m
  aslq
  stq HW_MATH_A
  rts
shift2:
  ldq ex_m
  aslq
  aslq
  stq HW_MATH_A
  rts
shift3:
  ldq ex_m
  aslq
  aslq
  aslq
  stq HW_MATH_A
  rts
shift4:
  ldq ex_m
  aslq
  aslq
  aslq
  aslq
  stq HW_MATH_A
  rts
shift5:
  ldq ex_m
  aslq
  aslq
  aslq
  aslq
  aslq
  stq HW_MATH_A
  rts
shift6:
  ldq ex_m
  aslq
  aslq
  aslq
  aslq
  aslq
  aslq
  stq HW_MATH_A
  rts
shift7:
  ldq ex_m
  aslq
  aslq
  aslq
  aslq
  aslq
  aslq
  aslq
  stq HW_MATH_A
  rts

; The weight at (pz) -> ex_m, ex_e, ex_s
weight_f32:
  +word_at pz, pa
  +next4 pz
  lbra exact_single
weight_bf16:
  ldy #0
  lda (pz),y
  sta pa+2
  iny
  lda (pz),y
  sta pa+3
  tya
  dec
  sta pa
  sta pa+1
  inw pz
  inw pz
  lbra exact_single
weight_f16:
  ldy #0
  tya
  sta ex_m+2
  sta ex_m+3
  lda (pz),y
  sta ex_m
  iny
  lda (pz),y
  sta ex_s
  and #3
  sta ex_m+1
  inw pz
  inw pz
  lda ex_s
  and #$7c
  beq @tiny
  cmp #$7c
  bne @finite
  inc err
@finite:
  lsr
  lsr
  clc
  adc #125
  sta ex_e
  lda ex_m+1
  ora #4
  sta ex_m+1
  rts
@tiny:
  lda #126
  sta ex_e
  rts

; cnt products of weights at (pz) and x at (px) into the sum
exact_products:
  lda ins+1
  beq @f32
  cmp #1
  beq @f16
  lda #<weight_bf16
  ldx #>weight_bf16
  bra @set
@f16:
  lda #<weight_f16
  ldx #>weight_f16
  bra @set
@f32:
  lda #<weight_f32
  ldx #>weight_f32
@set:
  sta element
  stx element+1
@next:
  jsr (element)
  jsr exact_shift
  ldz #0
  ldq (px)
  stq HW_MATH_B
  lda ex_e
  lsr
  lsr
  lsr
  clc
  ldy #4
  adc (px),y
  tax
  iny
  lda (px),y
  eor ex_s
  bmi @minus
  clc
!for i, 0, 7 {
  lda WIDE + i,x
  adc HW_PRODUCT + i
  sta WIDE + i,x
}
  bcc @done
@carry:
  inc WIDE + 8,x
  bne @done
  inx
  cpx #WIDE_BYTES - 8
  bcc @carry
  bra @done
@minus:
  sec
!for i, 0, 7 {
  lda WIDE + i,x
  sbc HW_PRODUCT + i
  sta WIDE + i,x
}
  bcs @done
@borrow:
  lda WIDE + 8,x
  dec WIDE + 8,x
  cmp #0
  bne @done
  inx
  cpx #WIDE_BYTES - 8
  bcc @borrow
@done:
  lda px
  clc
  adc #8
  sta px
  bcc @samepage
  inc px+1
@samepage:
  jsr count
  lbne @next
  rts

; The sum, rounded to 53 bits and then to a single -> pr
; Input:  ex_bytes bytes at WIDE, ex_bias
; Uses:   everything of float.s
exact_round:
  lda #0
  sta t_s
  ldx ex_bytes
  lda WIDE - 1,x
  bpl @positive
  sta t_s
  ldy ex_bytes
  ldx #0
  sec
@negate:
  lda #0
  sbc WIDE,x
  sta WIDE,x
  inx
  dey
  bne @negate
@positive:
  ldx ex_bytes
  dex
@find:
  lda WIDE,x
  bne @top
  dex
  bpl @find
  ldq zeroq                           ; exactly 0
  stq pr
  rts
@top:
  cpx #7
  bcs @window
  ldx #7
@window:
  stx sp_x
  ldy #0                              ; 8 bytes: tmp and t_q
  txa
  sec
  sbc #7
  tax
@copy:
  lda WIDE,x
  sta BASE * 256 + ex_top,y
  inx
  iny
  cpy #8
  bne @copy
  lda #0                              ; sticky: what lies below
  ldx sp_x
  cpx #8
  bcc @rest
  txa
  sec
  sbc #8
  tax
  lda #0
@below:
  ora WIDE,x
  dex
  bpl @below
@rest:
  sta rem
  ldq ex_top
  stq tmp
  ldq ex_top+4
  stq t_q
  lda sp_x                            ; exponent if bit 63 leads: 8 (top - 7) + bias
  sec
  sbc #7
  sta xe
  lda #0
  sta xe+1
  asl xe
  rol xe+1
  asl xe
  rol xe+1
  asl xe
  rol xe+1
  lda xe
  clc
  adc ex_bias
  sta xe
  lda xe+1
  adc ex_bias+1
  sta xe+1
@up:
  lda t_q+3
  bmi @round
  aslq tmp
  rolq t_q
  lda xe
  bne @low
  dec xe+1
@low:
  dec xe
  bra @up
@round:
  lda tmp+1                           ; 53 bits are kept: bit 10 is the first lost
  and #$04
  beq @down
  lda tmp+1
  and #$03
  ora tmp
  ora rem
  bne @more
  lda tmp+1
  and #$08                            ; a tie: to even
  beq @down
@more:
  lda tmp+1
  and #$f8
  clc
  adc #8
  sta tmp+1
  bcc @rounded
  inc tmp+2
  bne @rounded
  inc tmp+3
  bne @rounded
  inq t_q
  bne @rounded
  lda #$80                            ; 2^64
  sta t_q+3
  inc xe
  bne @rounded
  inc xe+1
  bra @rounded
@down:
  lda tmp+1
  and #$f8
  sta tmp+1
@rounded:
  lda #0
  sta tmp
  jsr fnormal
  jmp pack_t
