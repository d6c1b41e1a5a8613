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
  ldq at_block+16                     ; 1 / sqrt(head dimension)
  stq pa
  jsr int_to_acc
  jsr acc_to_u
  jsr fsqrt
  jsr t_to_u
  jsr recip
  +move6 v_q, t_q
  jsr pack_t
  ldq pr
  stq at_scale
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
at_mask:
  lda place+3
  and #$0f
  sta place+3
  rts

; One head
attend:
  lda at_size                         ; F16 and a multiple of eight: the fast way
  cmp #2
  lbne attend_any
  lda at_block+16
  and #7
  lbne attend_any
  jsr at_query
  jsr at_range
  lbcs attend_any
  lda #0                              ; scores, eight dimensions at a time
  sta at_part
@score:
  jsr at_factors
  ldq at_block
  jsr at_begin
  +set16 pz, SCORES
@row:
  jsr at_next_row
  lda at_part
  bne @more
  jsr score_first
  bra @scored
@more:
  +word_at pz, pa
  jsr unpack_acc
  jsr score_more
@scored:
  lda at_part                         ; the last part: scale
  clc
  adc #8
  cmp at_block+16
  bne @keep
  jsr acc_to_u
  ldq at_scale
  stq pa
  +unpack pa, v_q
  jsr fmul
  +pack t_q, pr
  bra @put
@keep:
  +pack acc_q, pr
@put:
  ldq pr
  stq (pz)
  +next4 pz
  jsr at_next
  lbne @row
  lda at_part
  clc
  adc #8
  sta at_part
  cmp at_block+16
  lbne @score
  lda err
  lbne @done
  jsr softmax
  lda #0
  sta at_part
@value:
  ldx #47
  lda #0
@clear:
  sta k_out,x
  dex
  bpl @clear
  ldq at_block+4
  jsr at_begin
  +set16 pz, SCORES
@weight:
  jsr at_next_row
  ldz #0
  ldq (pz)
  beq @nothing                        ; weight 0
  stq pa
  lda #0
  sta k_w
  +unpack pa, k_w
  ldq k_w
  lsrq
  lsrq
  lsrq
  stq k_w
  jsr value8
@nothing:
  +next4 pz
  jsr at_next
  bne @weight
  +set16 pz, OUTS                     ; eight results
  ldx #k_out
@pack:
  phx
  lda 0,x
  sta t_q
  lda 1,x
  sta t_q+1
  lda 2,x
  sta t_q+2
  lda 3,x
  sta t_q+3
  lda 4,x
  sta t_e
  lda 5,x
  sta t_s
  jsr pack_t
  ldq pr
  stq (pz)
  +next4 pz
  pla
  clc
  adc #6
  tax
  cpx #k_out + 48
  bne @pack
  +set_size 32
  ldq dst
  stq place
  lda #<OUTS
  ldx #>OUTS
  jsr store
  +add16to28 dst, size
  lda at_part
  clc
  adc #8
  sta at_part
  cmp at_block+16
  lbne @value
@done:
  rts
at_part:
  !byte 0               ; first dimension at work

; The head's query to BUF_X
at_query:
  lda at_dim
  sta size
  lda at_dim+1
  sta size+1
  ldq src2
  stq place
  lda #<BUF_X
  ldx #>BUF_X
  jsr fetch
  +add16to28 src2, size
  rts

; Are all exponents of the query such that no product or sum leaves the range of
; normal numbers?
; Output: C = 1: no
at_range:
  +set16 px, BUF_X
  ldx at_block+16
@next:
  ldy #2
  lda (px),y
  asl
  iny
  lda (px),y
  rol
  beq @zero
  cmp #48                             ; 2^-79; halves reach down to 2^-24
  bcc @no
  cmp #200                            ; 2^73; halves reach 2^16
  bcs @no
@good:
  +next4 px
  dex
  bne @next
  clc
  rts
@zero:
  dey
  lda (px),y
  dey
  ora (px),y
  dey
  ora (px),y
  beq @good
  bra @no
@no:
  lda src2                            ; attend_any reads it again
  sec
  sbc at_dim
  sta src2
  lda src2+1
  sbc at_dim+1
  sta src2+1
  bcs @same
  lda src2+2
  bne @low
  dec src2+3
@low:
  dec src2+2
@same:
  sec
  rts

; Eight values of the query from at_part on -> k_q
at_factors:
  lda at_part
  sta px
  lda #0
  asl px
  rol
  asl px
  rol
  clc
  adc #>BUF_X
  sta px+1
  ldx #0
@next:
  phx
  +word_at px, pa
  jsr unpack_u
  ldq u_q
  lsrq
  lsrq
  lsrq
  stq tmp
  plx
  lda tmp
  sta k_q,x
  lda tmp+1
  sta k_q+1,x
  lda tmp+2
  sta k_q+2,x
  lda tmp+3
  sta k_q+3,x
  lda u_e
  sta k_q+4,x
  lda u_s
  sta k_q+5,x
  txa
  clc
  adc #6
  tax
  +next4 px
  cpx #48
  bne @next
  rts

; k_ptr = the next row's values from at_part on
; Short rows are read several at a time, of long ones only the head's part.
at_next_row:
  lda at_rows
  beq @load
  dec at_rows
  lda k_ptr
  clc
  adc at_stride
  sta k_ptr
  bcc @done
  inc k_ptr+1
@done:
  rts
@load:
  jsr breathe
  lda at_stride+1
  ora at_stride+2
  ora at_stride+3
  bne @one
  lda at_stride
  bmi @one
  sta HW_MATH_A
  lda #0
  sta HW_MATH_A+1
  sta HW_MATH_A+2
  sta HW_MATH_A+3
  sta HW_MATH_B+1
  sta HW_MATH_B+2
  sta HW_MATH_B+3
  lda #16                             ; 16 rows of at most 127 bytes
  ldx at_t+1
  bne @some
  cmp at_t
  bcc @some
  lda at_t
@some:
  sta HW_MATH_B
  dec
  sta at_rows
  lda at_part                         ; the part stands 2 * at_part bytes on
  asl
  sta at_skip
  lda HW_PRODUCT
  sta size
  lda HW_PRODUCT+1
  sta size+1
  ldq at_cache                        ; the head's part stands in the row
  stq place
  +add16to28 at_cache, size
  bra @fetch
@one:
  lda #0
  sta at_skip
  +set_size 16
  ldq at_cache
  stq place
  clc
  adcq at_stride
  stq at_cache
  ldq place
  clc
  adcq at_offset
  stq place
@fetch:
  lda #<KV_BUF
  ldx #>KV_BUF
  jsr fetch
  lda at_skip
  sta k_ptr
  lda #>KV_BUF
  sta k_ptr+1
  rts
at_rows:
  !byte 0               ; rows in KV_BUF behind the one at hand
at_skip:
  !byte 0               ; from the head's part of a row in KV_BUF to the dimensions at work
at_offset:
  !32 0                 ; bytes of the parts before
