; Attention of one head in any dimension and format, one value at a time

; Input:  at_block and what follows it, src2 = the head's query, dst = its result
; Output: src2, dst behind theirs; err
; Uses:   everything of float.s and chord.s, px, py, pz, cnt, buffers
attend_any:
  lda at_dim                          ; its query to BUF_X
  sta size
  lda at_dim+1
  sta size+1
  ldq src2
  stq place
  lda #<BUF_X
  ldx #>BUF_X
  jsr fetch
  +add16to28 src2, size
  ldq at_block                        ; scores
  jsr at_begin
  +set16 pz, SCORES
@score:
  jsr at_row
  +set16 px, BUF_X
  +set16 py, KV_BUF
  jsr acc_zero
  lda at_block+16
  sta cnt
  lda at_block+17
  sta cnt+1
@dot:
  +word_at px, pa
  jsr unpack_u
  jsr at_value
  jsr unpack_v
  jsr fmul
  jsr fadd
  +next4 px
  jsr count
  bne @dot
  jsr acc_to_u
  ldq at_scale
  stq pa
  jsr unpack_v
  jsr fmul
  jsr pack_t
  ldq pr
  stq (pz)
  +next4 pz
  jsr at_next
  bne @score
  jsr softmax
  lda at_block+16                     ; values
  sta cnt
  lda at_block+17
  sta cnt+1
  +set16 px, OUTS
@clear:
  ldq zeroq
  stq (px)
  +next4 px
  ldq zeroq
  stq (px)
  +next4 px
  jsr count
  bne @clear
  ldq at_block+4
  jsr at_begin
  +set16 pz, SCORES
@sum:
  jsr at_row
  +word_at pz, at_wt
  +next4 pz
  +set16 px, OUTS
  +set16 py, KV_BUF
  lda at_block+16
  sta cnt
  lda at_block+17
  sta cnt+1
@add:
  ldq at_wt
  stq pa
  jsr unpack_u
  jsr at_value
  jsr unpack_v
  jsr fmul
  ldz #0
  ldq (px)
  stq acc_q
  ldy #4
  lda (px),y
  sta acc_e
  iny
  lda (px),y
  sta acc_s
  jsr fadd
  ldq acc_q
  stq (px)
  ldy #4
  lda acc_e
  sta (px),y
  iny
  lda acc_s
  sta (px),y
  +next4 px
  +next4 px
  jsr count
  lbne @add
  jsr at_next
  lbne @sum
  +set16 px, OUTS                     ; pack in place, then store
  +set16 pz, OUTS
  lda at_block+16
  sta cnt
  lda at_block+17
  sta cnt+1
@pack:
  ldz #0
  ldq (px)
  stq acc_q
  ldy #4
  lda (px),y
  sta acc_e
  iny
  lda (px),y
  sta acc_s
  jsr pack_acc
  ldq pr
  stq (pz)
  +next4 px
  +next4 px
  +next4 pz
  jsr count
  bne @pack
  lda at_dim
  sta size
  lda at_dim+1
  sta size+1
  ldq dst
  stq place
  lda #<OUTS
  ldx #>OUTS
  jsr store
  +add16to28 dst, size
  rts

; Begin with the first row
; Input:  Q = a cache
; Output: at_cache = its first row, at this head's part; at_t = rows
; Uses:   A, X, Y, Z, math unit
at_begin:
  jsr at_kv_part
; All rows are still to come
; Output: at_t
; Uses:   A
at_rewind:
  lda at_steps
  sta at_t
  lda at_steps+1
  sta at_t+1
  rts
; The row at hand to KV_BUF
; Output: at_cache at the next row
; Uses:   A, X, Y, Z
at_row:
  jsr breathe
  lda at_slice
  sta size
  lda at_slice+1
  sta size+1
  ldq at_cache
  stq place
  clc
  adcq at_stride
  stq at_cache
  lda #<KV_BUF
  ldx #>KV_BUF
  jmp fetch
; One row less in at_t
; Output: Z = 1: that was the last row
; Uses:   A
at_next:
  lda at_t
  bne @low
  dec at_t+1
@low:
  dec at_t
  lda at_t
  ora at_t+1
  rts
; The cache's value at (py) -> pa
; Output: py behind it
; Uses:   A, X, Y, Z, pr, tmp, tmp2, math unit
at_value:
  lda at_size
  cmp #2
  bne @single
  ldy #0
  lda (py),y
  sta pa
  iny
  lda (py),y
  sta pa+1
  inw py
  inw py
  jsr half_to_single
  ldq pr
  stq pa
  rts
@single:
  +word_at py, pa
  +next4 py
  rts
