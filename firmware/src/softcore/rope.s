; Rotate adjacent pairs of each head by the same table of angles

rope_table:
  !32 0
rope_heads:
  !32 0
rope_pair:
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
  +word_at px, pa                     ; x0 * c - x1 * s
  jsr unpack_u
  +word_at py, pa
  jsr unpack_v
  jsr fmul
  jsr t_to_acc
  +word_behind px, 4, pa
  jsr unpack_u
  +word_behind py, 4, pa
  jsr unpack_v
  jsr fmul
  lda t_s
  eor #$80
  sta t_s
  jsr fadd
  jsr pack_acc
  ldq pr
  stq rope_pair
  +word_at px, pa                     ; x0 * s + x1 * c; v is s
  jsr unpack_u
  jsr fmul
  jsr t_to_acc
  +word_behind px, 4, pa
  jsr unpack_u
  +word_at py, pa
  jsr unpack_v
  jsr fmul
  jsr fadd
  jsr pack_acc
  ldq rope_pair
  stq (pz)
  +next4 pz
  ldq pr
  stq (pz)
  +next4 pz
  +next4 px
  +next4 px
  +next4 py
  +next4 py
  jsr count
  jsr count
  lbne @pair
  jsr store_z
  lbra @piece
@done:
  rts
