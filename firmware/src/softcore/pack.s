; Packed and unpacked singles; integers, comparison, the table of shifts

; Unpack the single at .from into .q, .q+4, .q+5
!macro unpack .from, .q {
  lda .from+3
  sta .q+5
  lda .from
  sta .q+1
  lda .from+1
  sta .q+2
  lda .from+2
  asl
  lda .from+3
  rol
  sta .q+4
  beq @tiny
  cmp #$ff
  beq @odd
  lda .from+2
  ora #$80
  bra @store
@odd:
  inc err
  lda #$80
  bra @store
@tiny:
  lda .from+2
  and #$7f
  sta .q+3
  ora .from+1
  ora .from
  beq @done
  inc .q+4
  bra @done
@store:
  sta .q+3
@done:
}

; Pack .q into the single at .to
!macro pack .q, .to {
  lda .q+1
  sta .to
  lda .q+2
  sta .to+1
  lda .q+5
  asl
  lda .q+4
  ror
  sta .to+3
  lda .q+3
  bpl @tiny
  bcs @keep
  and #$7f
  bra @keep
@tiny:
  lda .q+5
  and #$80
  sta .to+3
  lda .q+3
@keep:
  sta .to+2
}

; copy six bytes
!macro move6 .from, .to {
  ldq .from
  stq .to
  lda .from+4
  sta .to+4
  lda .from+5
  sta .to+5
}

; The packed single in Q -> .q, and back to the caller
!macro unpack_q .q {
  sta .q+1
  stx .q+2
  stz .q+5
  tya
  asl
  tza
  rol
  sta .q+4
  beq @tiny
  cmp #$ff
  beq @odd
  tya
  ora #$80
  sta .q+3
  rts
@odd:
  inc err
  lda #$80
  sta .q+3
  rts
@tiny:
  tya
  and #$7f
  sta .q+3
  ora .q+2
  ora .q+1
  beq @done
  inc .q+4
@done:
  rts
}

; The packed single pa, or Q, -> u, v, acc, t; acc, t -> pr
; Uses:   A, X, Y, Z; packing: A
unpack_u:
  ldq pa
q_to_u:
  +unpack_q u_q
unpack_v:
  ldq pa
q_to_v:
  +unpack_q v_q
unpack_acc:
  ldq pa
q_to_acc:
  +unpack_q acc_q
unpack_t:
  ldq pa
q_to_t:
  +unpack_q t_q
pack_acc:
  +pack acc_q, pr
  rts
pack_v:
  +move6 v_q, t_q
pack_t:
  +pack t_q, pr
  rts
acc_to_u:
  +move6 acc_q, u_q
  rts
acc_to_v:
  +move6 acc_q, v_q
  rts
t_to_acc:
  +move6 t_q, acc_q
  rts
u_to_v:
  +move6 u_q, v_q
  rts
t_to_u:
  +move6 t_q, u_q
  rts
acc_zero:
  ldq zeroq
  stq acc_q
  sta acc_e
  sta acc_s
  rts

; Signed 32-bit integer in pa -> acc
; Uses:   A, X, Y, Z
int_to_acc:
  lda #127 + 31
  sta acc_e
  lda pa+3
  sta acc_s
  bmi @negative
  ldq pa
  beq @zero
  bra @test
@negative:
  ldq zeroq
  sec
  sbcq pa
@test:
  bmi @round
@up:
  dec acc_e
  aslq
  bpl @up
@round:
  cmp #$80                            ; below the guard byte is nothing
  +round_end acc_e
  stq acc_q
  rts
@zero:
  stq acc_q
  lda #0
  sta acc_e
  sta acc_s
  rts

; Compare the packed singles pa and pb, no NaNs
; Output: A = 0 equal, 1 pa > pb, $ff pa < pb; +0 = -0
; Uses:   X, Y, Z
fcompare:
  lda pa+3
  eor pb+3
  bmi @signs
  ldq pa
  cpq pb
  beq @equal
  bcs @larger
  lda pa+3
  bmi @above
@below:
  lda #$ff
  rts
@larger:
  lda pa+3
  bmi @below
@above:
  lda #1
  rts
@signs:
  ldq pa
  aslq
  bne @differ
  ldq pb
  aslq
  beq @equal
@differ:
  lda pa+3
  bmi @below
  bra @above
@equal:
  lda #0
  rts

; 2^(32-d) for d = 0-25, in 4 bytes each: what shifts right by d
!align 255, 0, 0
shift_table:
  !32 0
!for d, 1, 26 {
  !32 1 << (32 - d)
}
