; SiLU, GELU and exp: 256 chords of equal width each
;
; y = c0[i] + c1[i] * x, i = floor((x - lo) * k), every operation rounded.

CHORD_BANK   = 5        ; the coefficients: 3 times 256 pairs c0, c1
CHORD_PLACE  = $c000
CHORD_BYTES  = 3 * 2048
chord_ptr    = $e6      ; 4 bytes

; chord_ptr = chord A of the function, Q = its slope c1
!macro chord_at {
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
}

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
chord_fixed:            ; for SiLU and GELU: chords a unit * 2^24, upper end * 2^27
  !32 $0aaaaaab, $60000000
  !32 $15555555, $30000000
ch_factor    = $40      ; 4 bytes each: those of the function chosen
ch_half      = $44
ch_top       = $48      ; exponent from which on x may lie outside

; Choose SiLU or GELU
; Input:  X = 0 SiLU, 1 GELU
; Uses:   A, X, Y, Z
chord_choose_fast:
  jsr chord_choose
  lda #CHORD_BANK
  sta chord_ptr+2
  lda #0
  sta chord_ptr+3
  ldx #130
  lda chord_base
  cmp #>CHORD_PLACE
  beq @silu
  dex
  stx ch_top
  ldq chord_fixed+8
  stq ch_factor
  ldq chord_fixed+12
  stq ch_half
  rts
@silu:
  stx ch_top
  ldq chord_fixed
  stq ch_factor
  ldq chord_fixed+4
  stq ch_half
  rts

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
  jsr unpack_acc
  ldq chord_lo
  jsr q_to_t
  jsr fadd
  jsr acc_to_u
  ldq chord_k
  jsr q_to_v
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
  +chord_at
  jsr q_to_u
  ldq chord_x
  jsr q_to_v
  jsr fmul
  ldz #0
  ldq [chord_ptr]
  jsr q_to_acc
  jmp fadd

; SiLU or GELU of a number that needs no care
; Input:  Q = packed single
; Output: C = 0: acc, a normal number. C = 1: left to chord_pass
; Uses:   A, X, Y, Z, u, t, shift_ptr, math unit
;
; The chord is found in fixed point, wrong by less than 2^-13 of its width, the
; roundings of single precision among that; so wherever the next chord is
; farther than 2^-8 away, it is the same.
chord_fast:
  sta u_q+1
  stx u_q+2
  stz u_s
  tya
  asl
  tza
  rol
  cmp ch_top
  bcs @no
  cmp #106                            ; 2^-21
  bcs @inside
@no:
  sec
  rts
@inside:
  sta u_e
  tya
  ora #$80
  sta u_q+3
  lda #131                            ; |x| * 2^27
  sec
  sbc u_e
  asl
  asl
  sta shift_ptr
  ldq u_q
  stq HW_MATH_A
  ldz #0
  ldq (shift_ptr)
  stq HW_MATH_B
  ldq ch_half
  bbs7 u_s, @minus
  clc
  adcq HW_PRODUCT+4
  bra @number
@minus:
  sec
  sbcq HW_PRODUCT+4
@number:
  stq HW_MATH_A
  ldq ch_factor
  stq HW_MATH_B
  lda HW_PRODUCT+5
  inc
  cmp #2
  bcc @no
  lda HW_PRODUCT+6                    ; the chord * 8
  and #$f8
  sta chord_ptr
  lda HW_PRODUCT+7
  clc
  adc chord_base
  sta chord_ptr+1
  lda #0
  sta HW_MATH_B
  ldz #4
  ldq [chord_ptr]
  +factor HW_MATH_B, u_e, @no
  tza
  eor u_s
  sta t_s
  ldq u_q
  stq HW_MATH_A
  jsr product_round
  stq t_q
  ldz #0
  ldq [chord_ptr]
  sta acc_q+1
  stx acc_q+2
  stz acc_s
  tya
  asl
  tza
  rol
  lbeq @no
  sta acc_e
  tya
  ora #$80
  sta acc_q+3
  jsr fadd
  lda acc_q+3
  eor #$80
  asl
  rts                                 ; C = no leading one

; SiLU and GELU: 0 below, x above
; Input:  pa
; Output: pr
; Uses:   everything of float.s, pa, pb, sp_x
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
  jsr unpack_u                        ; an infinity or a NaN is noticed
  rts

op_silumul:
  jsr vector_xyz
  ldx #0
  jsr chord_choose_fast
  lda #<silu_element
  ldx #>silu_element
  jmp two_operands
silu_element:
  ldz #0
  ldq (px)
  jsr chord_fast
  bcs silu_any
  lda #0
  sta HW_MATH_B
  ldq acc_q
  stq HW_MATH_A
  ldz #0
  ldq (py)
  +factor HW_MATH_B, acc_e, silu_any
  tza
  eor acc_s
  sta t_s
  jmp product_pack
silu_any:
  jsr element_pair
  ldq pb
  stq chord_y
  jsr chord_pass
  ldq pr
  jsr q_to_u
  ldq chord_y
  jsr q_to_v
  jsr fmul
  jsr pack_t
  ldq pr
  rts
chord_y:
  !32 0

op_gelu:
  jsr vector_size
  jsr operand_x
  jsr operand_z
  ldx #1
  jsr chord_choose_fast
  lda #<gelu_element
  ldx #>gelu_element
  jmp one_operand
gelu_element:
  ldz #0
  ldq (px)
  jsr chord_fast
  bcs @any
  jsr pack_acc
  bra @out
@any:
  +word_at px, pa
  jsr chord_pass
@out:
  ldq pr
  rts
