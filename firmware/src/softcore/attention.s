; ATTN: one query against the rows of the caches

at_block:
  !fill 32, 0           ; K cache, V cache, heads, KV heads, head dimension, format
at_steps:
  !32 0                 ; rows
at_size:
  !byte 0               ; bytes of a value
at_head:
  !word 0
at_kv:
  !word 0               ; KV head of this head
at_group:
  !word 0               ; query heads of a KV head
at_count:
  !word 0               ; heads of this group so far
at_dim:
  !32 0                 ; bytes of a head's query
at_slice:
  !word 0               ; bytes of a row's part of one head
at_stride:
  !32 0                 ; bytes of a row
at_cache:
  !32 0
at_t:
  !word 0
at_scale:
  !32 0                 ; rsqrt(head dimension)
at_scaled:
  !word 0               ; of this head dimension
at_max:
  !32 0
at_wt:
  !32 0
OUTS         = BUF_Y    ; 2 KB with BUF_Z: unpacked results, 8 bytes each

op_attn:
  ldq len32
  stq val
  jsr operand_x
  +set_size 32
  ldq src1
  stq place
  lda #<at_block
  ldx #>at_block
  jsr fetch
  lda at_block+8                      ; what this core can do: 16-bit numbers
  ora at_block+9
  lbeq op_illegal
  lda at_block+12
  ora at_block+13
  lbeq op_illegal
  lda at_block+10
  ora at_block+11
  ora at_block+14
  ora at_block+15
  ora at_block+18
  ora at_block+19
  ora at_block+21
  ora at_block+22
  ora at_block+23
  lbne op_illegal
  lda at_block+16                     ; head dimension 1 to 256
  ora at_block+17
  lbeq op_illegal
  lda at_block+17
  beq @dim
  cmp #1
  lbne op_illegal
  lda at_block+16
  lbne op_illegal
@dim:
  lda at_block+20
  cmp #2
  lbcs op_illegal
  ldx #4                              ; format 1: F16
  cmp #0
  beq @single
  ldx #2
@single:
  stx at_size
  ldq at_block+8                      ; group = heads / KV heads, by subtraction
  stq val
  ldq zeroq
  stq tmp
@divide:
  ldq val
  sec
  sbcq at_block+12
  bcc @divided
  stq val
  inq tmp
  bra @divide
@divided:
  lda tmp
  sta at_group
  lda tmp+1
  sta at_group+1
  ora tmp
  lbeq op_illegal                     ; fewer heads than KV heads
  ldq tmp                             ; (heads - 1) / group < KV heads, that is
  stq HW_MATH_A                       ; heads <= group * KV heads
  ldq at_block+12
  stq HW_MATH_B
  ldq HW_PRODUCT
  cpq at_block+8
  lbcc op_illegal
  lda ins+1                           ; rows = R[a] + 1, at most 1024
  jsr get_r
  inq val
  ldq val
  beq @toolong
  stq at_steps
  lda val+2
  ora val+3
  bne @toolong
  lda val+1
  cmp #>SCORES_MAX
  bcc @steps
  bne @toolong
  lda val
  beq @steps
@toolong:
  jmp op_illegal
@steps:
  ldq at_block+16                     ; sizes
  aslq
  aslq
  stq at_dim
  lda at_size
  ldx #0
  ldy #0
  ldz #0
  stq HW_MATH_A
  ldq at_block+16
  stq HW_MATH_B
  ldq HW_PRODUCT
  sta at_slice
  stx at_slice+1
  stq HW_MATH_A
  ldq at_block+12
  stq HW_MATH_B
  ldq HW_PRODUCT
  stq at_stride
  stq HW_MATH_A
  ldq at_steps
  stq HW_MATH_B
  ldq HW_PRODUCT
  stq val
  lda HW_PRODUCT+4
  beq @caches
  lda #$ff
  sta val+3
@caches:
  ldq at_block
  stq place
  jsr at_mask
  ldq place
  stq at_block
  jsr check
  ldq at_block+4
  stq place
  jsr at_mask
  ldq place
  stq at_block+4
  jsr check
  ldq at_block+8                      ; heads * head dimension * 4
  stq HW_MATH_A
  ldq at_dim
  stq HW_MATH_B
  ldq HW_PRODUCT
  stq val
  jsr operand_y
  jsr operand_z
  lda at_block+16                     ; 1 / sqrt(head dimension), unless it is known
  cmp at_scaled
  bne @scale
  lda at_block+17
  cmp at_scaled+1
  beq @scaled
@scale:
  ldq at_block+16
  stq pa
  sta at_scaled
  stx at_scaled+1
  jsr int_to_acc
  jsr acc_to_u
  jsr fsqrt
  jsr t_to_u
  jsr recip
  +move6 v_q, t_q
  jsr pack_t
  ldq pr
  stq at_scale
@scaled:
  ldx #2
  jsr chord_choose
  ldq zeroq
  sta at_head
  sta at_head+1
  sta at_kv
  sta at_kv+1
  sta at_count
  sta at_count+1
@head:
  jsr attend
  lda err
  bne @done
  inc at_count                        ; the next head, perhaps of the next group
  bne @low
  inc at_count+1
@low:
  lda at_count
  cmp at_group
  bne @same
  lda at_count+1
  cmp at_group+1
  bne @same
  lda #0
  sta at_count
  sta at_count+1
  inc at_kv
  bne @same
  inc at_kv+1
@same:
  inc at_head
  bne @more
  inc at_head+1
@more:
  lda at_head
  cmp at_block+8
  bne @head
  lda at_head+1
  cmp at_block+9
  bne @head
@done:
  rts
len32:
  !32 32
; Cut an address to 28 bits
; Input, output: place
; Uses:   A
at_mask:
  lda place+3
  and #$0f
  sta place+3
  rts

