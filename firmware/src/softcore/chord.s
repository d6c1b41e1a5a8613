; SiLU, GELU and exp: 256 chords of equal width each
;
; y = c0[i] + c1[i] * x, i = floor((x - lo) * k), every operation rounded.

CHORD_BANK   = 5        ; the coefficients: 3 times 256 pairs c0, c1
CHORD_PLACE  = $c000
CHORD_BYTES  = 3 * 2048
chord_ptr    = $e6      ; 4 bytes

; Move the coefficients out of the window: their place is needed
; Uses:   A, X, Y, Z
chord_move:
  +set_size CHORD_BYTES
  lda #<CHORD_PLACE
  sta place
  lda #>CHORD_PLACE
  sta place+1
  lda #CHORD_BANK
  sta place+2
  lda #0
  sta place+3
  lda #<chords
  ldx #>chords
  jmp store

chord_lo:
  !32 0                 ; minus the lower end
chord_hi:
  !32 0
chord_k:
  !32 0
chord_base:
  !byte 0               ; page of the function's coefficients
chord_x:
  !32 0
chord_ends:             ; lower end, minus it, upper end, chords a unit
  !32 $c1400000, $41400000, $41400000, $412aaaab ; SiLU: -12 to 12
  !32 $c0c00000, $40c00000, $40c00000, $41aaaaab ; GELU: -6 to 6
  !32 $c1800000, $41800000, $00000000, $41800000 ; exp: -16 to 0
chord_low:
  !32 0

; Choose a function
; Input:  X = 0 SiLU, 1 GELU, 2 exp
; Uses:   A, X, Y
chord_choose:
  txa
  asl
  asl
  asl
  clc
  adc #>CHORD_PLACE
  sta chord_base
  txa
  asl
  asl
  asl
  asl
  tax
  ldy #0
@copy:
  lda chord_ends,x
  sta chord_low,y
  inx
  iny
  cpy #4
  bne @copy
  ldy #0
@more:
  lda chord_ends,x
  sta chord_lo,y
  inx
  iny
  cpy #12
  bne @more
  rts

; The function of the packed single pa, whose value lies between the ends
; Output: acc
; Uses:   u, v, t, pa, tmp, sp_x
chord:
  ldq pa
  stq chord_x
  +unpack pa, acc_q
  ldq chord_lo
  stq pa
  jsr unpack_t
  jsr fadd
  jsr acc_to_u
  ldq chord_k
  stq pa
  jsr unpack_v
  jsr fmul
  lda t_e
  sec
  sbc #127
  bcc @first
  cmp #8
  bcs @last
  tax
  lda t_q+3
@shift:
  cpx #7
  beq @index
  lsr
  inx
  bra @shift
@first:
  lda #0
  bra @index
@last:
  lda #255
@index:
  sta chord_ptr
  lda #0
  asl chord_ptr
  rol
  asl chord_ptr
  rol
  asl chord_ptr
  rol
  clc
  adc chord_base
  sta chord_ptr+1
  lda #CHORD_BANK
  sta chord_ptr+2
  lda #0
  sta chord_ptr+3
  ldz #4
  ldq [chord_ptr]
  stq pa
  jsr unpack_u
  ldq chord_x
  stq pa
  jsr unpack_v
  jsr fmul
  ldz #0
  ldq [chord_ptr]
  stq pa
  jsr unpack_acc
  jmp fadd

; SiLU and GELU: 0 below, x above
; Input:  pa
; Output: pr
chord_pass:
  ldq chord_low
  stq pb
  jsr fcompare
  cmp #$ff
  beq @zero
  ldq chord_hi
  stq pb
  jsr fcompare
  cmp #$ff
  bne @same
  jsr chord
  jmp pack_acc
@zero:
  ldq zeroq
  stq pr
  rts
@same:
  ldq pa
  stq pr
  +unpack pa, u_q                     ; an infinity or a NaN is noticed
  rts

op_silumul:
  jsr vector_xyz
  ldx #0
  jsr chord_choose
  lda #<silu_element
  ldx #>silu_element
  jmp two_operands
silu_element:
  ldq pb
  stq chord_y
  jsr chord_pass
  ldq pr
  stq pa
  jsr unpack_u
  ldq chord_y
  stq pa
  jsr unpack_v
  jsr fmul
  jmp pack_t
chord_y:
  !32 0

op_gelu:
  jsr vector_size
  jsr operand_x
  jsr operand_z
  ldx #1
  jsr chord_choose
  lda #<chord_pass
  ldx #>chord_pass
  jmp one_operand
