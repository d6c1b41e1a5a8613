; Rotate adjacent pairs of each head by the same table of angles

rope_table:
  !32 0
rope_heads:
  !32 0
op_rope:
  lda N_+4                            ; head dimension: even, not 0
  lsr
  lbcs op_illegal
  ldq N_+4
  lbeq op_illegal
  lda N_+6                            ; of at most 65535; N0 a multiple of it
  ora N_+7
  lbne op_illegal
  lda N_+2
  ora N_+3
  lbne op_illegal
  ldq N_
  stq rope_heads                      ; N0 - heads: by subtraction, there are few
@whole:
  ldq rope_heads
  beq @fits
  sec
  sbcq N_+4
  stq rope_heads
  bcs @whole
  jmp op_illegal
@fits:
  jsr vector_size
  jsr operand_x
  ldq N_
  stq rope_heads
  ldq N_+4
  jsr size4
  ldy #8
  jsr operand
  jsr check
  ldq place
  stq rope_table
@head:
  ldq rope_heads
  lbeq @done
  sec
  sbcq N_+4
  stq rope_heads
  ldq N_+4
  stq left
  ldq rope_table
  stq src2
@piece:
  jsr piece
  beq @head
  ldq src1
  stq dst
  jsr load_x
  jsr load_y
@pair:
  ldz #0                              ; x0 * c - x1 * s
  ldq (px)
  jsr q_to_u
  ldz #0
  ldq (py)
  jsr q_to_v
  jsr fmul
  jsr t_to_acc
  ldz #4
  ldq (px)
  jsr q_to_u
  ldz #4
  ldq (py)
  jsr q_to_v
  jsr fmul
  lda t_s
  eor #$80
  sta t_s
  jsr fadd
  jsr pack_acc
  ldq pr
  stq (pz)
  ldz #0                              ; x0 * s + x1 * c; v is s
  ldq (px)
  jsr q_to_u
  jsr fmul
  jsr t_to_acc
  ldz #4
  ldq (px)
  jsr q_to_u
  ldz #0
  ldq (py)
  jsr q_to_v
  jsr fmul
  jsr fadd
  jsr pack_acc
  lda pz
  ora #4                              ; a pair does not cross a page
  sta pz
  ldq pr
  stq (pz)
  +next_all 8
  dew cnt
  dew cnt
  lbne @pair
  jsr store_z
  lbra @piece
@done:
  rts
