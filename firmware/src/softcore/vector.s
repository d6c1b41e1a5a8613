; Vectors, a piece of 256 values at a time: VADD, VMUL, CVT16
;
; All of a piece is read before any of it is written, so a result may overlap
; its operands within a piece; elsewhere it must be the operand itself.

element:
  !word 0               ; the routine that works on one element

; px, py and pz, which point to the same place of three buffers, .n bytes on
!macro next_all .n {
  lda px
  clc
  adc #.n
  sta px
  sta py
  sta pz
  bcc @same
  inc px+1
  inc py+1
  inc pz+1
@same:
}

; N0 values -> left, their bytes -> val
; Uses:   A, X, Y, Z
vector_size:
  ldq N_
  stq left
; Input:  Q = values
; Output: val
; Uses:   A, X, Y, Z
size4:
  cpz #$10                            ; more than any memory: let check refuse it
  bcc @small
  ldz #$10
@small:
  aslq
  aslq
  stq val
  rts

; Operands X, Y and Z of N0 values each -> src1, src2, dst; all are checked.
; The same of one operand whose bytes are in val
; Uses:   A, X, Y, Z, val, left, place, tmp
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
; px, py, pz at the buffers
; Uses:   A
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

; The piece's size bytes of an operand into its buffer, of a result out of it
; Output: src1, src2 or dst behind them
; Uses:   A, X, Y, Z
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

; Let element work on all of src1 and src2 to dst. It finds the operands at (px)
; and (py) and returns the result in Q.
; Input:  A low, X high = the routine, which leaves px, py, pz, cnt alone
two_operands:
  sta element
  stx element+1
@piece:
  jsr piece
  beq @done
  jsr load_x
  jsr load_y
@next:
  jsr (element)
  stq (pz)
  +next_all 4
  dew cnt
  bne @next
  jsr store_z
  bra @piece
@done:
  rts
; The same on src1 alone
one_operand:
  sta element
  stx element+1
@piece:
  jsr piece
  beq @done
  jsr load_x
@next:
  jsr (element)
  stq (pz)
  +next_all 4
  dew cnt
  bne @next
  jsr store_z
  bra @piece
@done:
  rts

op_vadd:
  jsr vector_xyz
  lda #<vadd_element
  ldx #>vadd_element
  jmp two_operands
vadd_element:
  jsr element_pair
  jsr add_element
  ldq pr
  rts
; The operands at (px) and (py) -> pa, pb
; Uses:   A, X, Y, Z
element_pair:
  +word_at px, pa
  +word_at py, pb
  rts
; pr = pa + pb
; Uses:   A, X, Y, Z, acc, t, math unit
add_element:
  jsr unpack_acc
  ldq pb
  jsr q_to_t
  jsr fadd
  jmp pack_acc

op_vmul:
  jsr vector_xyz
  lda #<vmul_element
  ldx #>vmul_element
  jmp two_operands
vmul_element:
  jsr element_pair
  jsr mul_element
  ldq pr
  rts
; pr = pa * pb
; Uses:   A, X, Y, Z, u, v, t, tmp, xe, math unit
mul_element:
  jsr unpack_u
  ldq pb
  jsr q_to_v
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
; Output: px, pz behind them
; Uses:   A, X, Y, Z, pa, pr, cnt, tmp, tmp2, math unit
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
