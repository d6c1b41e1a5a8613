; Vectors, a piece of 256 values at a time: VADD, VMUL, CVT16, DEQROW, ARGMAX
;
; All of a piece is read before any of it is written, so a result may overlap
; its operands within a piece; elsewhere it must be the operand itself.

element:
  !word 0               ; the routine that works on one element

; N0 values -> left, their bytes -> val
; Uses:   A, X, Y, Z
vector_size:
  ldq N_
  stq left
size4:
  cpz #$10                            ; more than any memory: let check refuse it
  bcc @small
  ldz #$10
@small:
  aslq
  aslq
  stq val
  rts

; Operands X, Y and Z of N0 values each -> src1, src2, dst; all are checked
vector_xyz:
  jsr vector_size
  jsr operand_x
  jsr operand_y
operand_z:
  ldy #12
  jsr operand
  jsr check
  ldq place
  stq dst
  rts
operand_x:
  ldy #4
  jsr operand
  jsr check
  ldq place
  stq src1
  rts
operand_y:
  ldy #8
  jsr operand
  jsr check
  ldq place
  stq src2
  rts

; The next piece
; Input:  left
; Output: Z = 1: nothing is left; else piece_n = cnt = values, size = bytes,
;         px, py, pz at the buffers; left is less
; Uses:   A, X, Y, Z
piece:
  jsr breathe
  lda left+1
  ora left+2
  ora left+3
  beq @rest
  lda #0
  ldx #1
  bra @size
@rest:
  lda left
  beq @none
  ldx #0
@size:
  sta piece_n
  stx piece_n+1
  sta cnt
  stx cnt+1
  sta size
  stx size+1
  asl size
  rol size+1
  asl size
  rol size+1
  lda left
  sec
  sbc piece_n
  sta left
  lda left+1
  sbc piece_n+1
  sta left+1
  bcs @same
  lda left+2
  bne @low
  dec left+3
@low:
  dec left+2
@same:
  jsr piece_start
  lda #1
@none:
  rts
piece_start:
  +set16 px, BUF_X
  +set16 py, BUF_Y
  +set16 pz, BUF_Z
  rts

; One less in cnt
; Output: Z = 1: it was the last one
; Uses:   A
count:
  lda cnt
  bne @low
  dec cnt+1
@low:
  dec cnt
  lda cnt
  ora cnt+1
  rts

; The piece's size bytes of an operand into its buffer
load_x:
  ldq src1
  stq place
  lda #<BUF_X
  ldx #>BUF_X
  jsr fetch
  +add16to28 src1, size
  rts
load_y:
  ldq src2
  stq place
  lda #<BUF_Y
  ldx #>BUF_Y
  jsr fetch
  +add16to28 src2, size
  rts
store_z:
  ldq dst
  stq place
  lda #<BUF_Z
  ldx #>BUF_Z
  jsr store
  +add16to28 dst, size
  rts

; Let element work on all of src1 (pa), and src2 (pb), to dst (pr)
; Input:  A low, X high = the routine
two_operands:
  sta element
  stx element+1
@piece:
  jsr piece
  beq @done
  jsr load_x
  jsr load_y
@next:
  +word_at px, pa
  +word_at py, pb
  jsr (element)
  ldq pr
  stq (pz)
  +next4 px
  +next4 py
  +next4 pz
  jsr count
  lbne @next
  jsr store_z
  bra @piece
@done:
  rts
; Let element work on src1 (pa) to dst (pr)
one_operand:
  sta element
  stx element+1
@piece:
  jsr piece
  beq @done
  jsr load_x
@next:
  +word_at px, pa
  jsr (element)
  ldq pr
  stq (pz)
  +next4 px
  +next4 pz
  jsr count
  bne @next
  jsr store_z
  bra @piece
@done:
  rts

op_vadd:
  jsr vector_xyz
  lda #<add_element
  ldx #>add_element
  jmp two_operands
add_element:
  +unpack pa, acc_q
  +unpack pb, t_q
  jsr fadd
  jmp pack_acc

op_vmul:
  jsr vector_xyz
  lda #<mul_element
  ldx #>mul_element
  jmp two_operands
mul_element:
  +unpack pa, u_q
  +unpack pb, v_q
  jsr fmul
  jmp pack_t

op_cvt16:
  jsr vector_size
  jsr operand_x
  lsrq val
  jsr operand_z
@piece:
  jsr piece
  beq @done
  jsr load_x
  jsr to_halves
  lsr size+1
  ror size
  jsr store_z
  bra @piece
@done:
  rts
; cnt singles at (px) -> halves at (pz)
to_halves:
  +word_at px, pa
  jsr single_to_half
  ldy #0
  lda pr
  sta (pz),y
  iny
  lda pr+1
  sta (pz),y
  inw pz
  inw pz
  +next4 px
  jsr count
  bne to_halves
  rts

; Index of the first maximum
op_argmax:
  jsr vector_size
  jsr operand_x
  lda left
  ora left+1
  ora left+2
  ora left+3
  lbeq op_illegal
  ldq zeroq
  stq total                           ; index
  stq dst                             ; of the best
  lda #0
  sta flag                            ; no best yet
@piece:
  jsr piece
  beq @done
  jsr load_x
@next:
  +word_at px, pa
  lda pa+2                            ; finite?
  asl
  lda pa+3
  rol
  cmp #255
  beq @odd
  lda flag
  beq @best
  jsr fcompare
  cmp #1
  bne @same
@best:
  inc flag
  bne @any
  inc flag
@any:
  ldq pa
  stq pb
  ldq total
  stq dst
@same:
  inq total
  +next4 px
  jsr count
  bne @next
  bra @piece
@odd:
  inc err
  rts
@done:
  ldq dst
  stq val
  jmp put_r

; One row of weights as singles
op_deqrow:
  ldq N_
  stq left
  lda ins+1
  jsr row_bytes                       ; bytes of N0 elements in format a
  jsr operand_x
  jsr vector_size
  jsr operand_z
@piece:
  jsr piece
  lbeq @done
  lda ins+1
  beq @single
  cmp #8
  lbeq @blocks8
  cmp #2
  lbeq @blocks4
  lsr size+1
  ror size
  jsr load_w
  +set16 px, BUF_W
@half:
  ldy #0
  lda (px),y
  sta pa
  iny
  lda (px),y
  sta pa+1
  lda ins+1
  cmp #1
  bne @bf16
  jsr half_to_single
  bra @put
@bf16:
  ldq zeroq
  stq pr
  lda pa
  sta pr+2
  lda pa+1
  sta pr+3
@put:
  ldq pr
  stq (pz)
  +next4 pz
  inw px
  inw px
  jsr count
  bne @half
  asl size
  rol size+1
  bra @store
@single:
  ldq src1
  stq place
  lda #<BUF_Z
  ldx #>BUF_Z
  jsr fetch
  +add16to28 src1, size
@store:
  jsr store_z
  lbra @piece
@blocks8:
  lda #34
  bra @blocks
@blocks4:
  lda #18
@blocks:
  sta flag                            ; bytes of a block
  lda piece_n                         ; blocks = n / 32
  sta cnt2
  lda piece_n+1
  ldx #5
@divide:
  lsr
  ror cnt2
  dex
  bne @divide
  lda cnt2                            ; at most 8 blocks of 34 bytes
  sta HW_MATH_A
  lda flag
  sta HW_MATH_B
  ldx #2
  lda #0
@clear:
  sta HW_MATH_A+1,x
  sta HW_MATH_B+1,x
  dex
  bpl @clear
  lda size
  pha
  lda size+1
  pha
  lda HW_PRODUCT
  sta size
  lda HW_PRODUCT+1
  sta size+1
  jsr load_w
  pla
  sta size+1
  pla
  sta size
  +set16 px, BUF_W
@block:
  jsr deq_block
  lda px
  clc
  adc flag
  sta px
  bcc @samepage
  inc px+1
@samepage:
  dec cnt2
  bne @block
  lbra @store
@done:
  rts

load_w:
  ldq src1
  stq place
  lda #<BUF_W
  ldx #>BUF_W
  jsr fetch
  +add16to28 src1, size
  rts

; One block of Q8_0 or Q4_0 at (px) -> 32 singles at (pz)
; Input:  flag = 34 or 18
; Uses:   everything of float.s, xe, py
deq_block:
  ldy #0
  lda (px),y
  sta pa
  iny
  lda (px),y
  sta pa+1
  jsr half_to_single
  ldq pr
  stq pa
  jsr unpack_v                        ; fmul leaves v alone
  lda #0
  sta flag2
@next:
  lda flag2
  ldy flag
  cpy #34
  beq @byte
  and #$0f
  clc
  adc #2
  tay
  lda flag2
  and #$10
  bne @upper
  lda (px),y
  and #$0f
  bra @nibble
@upper:
  lda (px),y
  lsr
  lsr
  lsr
  lsr
@nibble:
  sec
  sbc #8
  bra @value
@byte:
  clc
  adc #2
  tay
  lda (px),y
@value:
  ldx #0
  sta pa
  cmp #0
  bpl @positive
  dex
@positive:
  stx pa+1
  stx pa+2
  stx pa+3
  jsr int_to_acc
  jsr acc_to_u
  jsr fmul
  jsr pack_t
  ldq pr
  stq (pz)
  +next4 pz
  inc flag2
  lda flag2
  cmp #32
  bne @next
  rts

; Bytes of elements in a weight format
; Input:  A = format, left = elements
; Output: val; an unknown format or part of a block is an illegal instruction
; Uses:   A, X, Y, Z, tmp
row_bytes:
  cmp #0
  beq @four
  cmp #1
  beq @two
  cmp #30
  beq @two
  cmp #8
  beq @q8
  cmp #2
  beq @q4
@illegal:
  jmp op_illegal
@four:
  ldq left
  jmp size4
@two:
  ldq left
  cpz #$10
  bcc @small
  ldz #$10
@small:
  aslq
  stq val
  rts
@q8:
  lda #34
  bra @block
@q4:
  lda #18
@block:
  sta tmp
  lda left
  and #31
  bne @illegal
  ldq left
  lsrq
  lsrq
  lsrq
  lsrq
  lsrq
  stq HW_MATH_A
  lda tmp
  ldx #0
  ldy #0
  ldz #0
  stq HW_MATH_B
  ldq HW_PRODUCT                      ; below 2^33: what does not fit must not look small
  stq val
  lda HW_PRODUCT+4
  beq @fits
  lda #$ff
  sta val+3
@fits:
  rts
