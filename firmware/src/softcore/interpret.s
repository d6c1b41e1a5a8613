; Fetch, decode, registers, jumps, faults

; The job: a coroutine
job:
  jsr breathe
  lda ip                              ; the instruction
  and #$0f
  bne @alignment
  ldq ip
  stq place
  +set_size 16
  ldq len16
  stq val
  jsr check
  lda #<ins
  ldx #>ins
  jsr fetch
  ldq ip
  clc
  adcq len16
  stq ip_next
  lda ip_next+3
  and #$0f
  sta ip_next+3
  lda ins
  cmp #OP_CVT16 + 1
  bcs @illegal
  cmp #OP_GEMV                        ; instructions that may write over the vector
  beq @run                            ; last quantised
  cmp #OP_DEQROW
  bcs @forget
  cmp #OP_STR
  beq @forget
  cmp #OP_COPY
  bne @run
@forget:
  ldx #0
  stx xq_valid
@run:
  asl
  tax
  jsr (operations,x)
  lda err
  bne @number
  ldq ip_next
  stq ip
  bra job
@alignment:
  ldq ip
  stq SOFT_FAULT_ADDR
  lda #SSN_ERR_ALIGNMENT
  bra fault
@number:
  lda #SSN_ERR_NUMBER
  bra fault
@illegal:
op_illegal:
  lda #SSN_ERR_ILLEGAL
; Input:  A = error code
fault:
  pha
  ldq ip
  stq SOFT_FAULT_PC
  pla
  jmp job_end
len16:
  !32 16

operations:
  !word op_nop, op_halt, op_nop, op_copy, op_illegal, op_illegal, op_illegal, op_setn
  !word op_li, op_ldr, op_str, op_addi, op_lea, op_beq, op_bne, op_blt
  !word op_gemv, op_deqrow, op_argmax, op_illegal, op_illegal, op_illegal, op_illegal, op_illegal
  !word op_illegal, op_illegal, op_illegal, op_illegal, op_illegal, op_illegal, op_illegal, op_illegal
  !word op_vadd, op_vmul, op_rmsnorm, op_silumul, op_rope, op_attn, op_layernorm, op_gelu
  !word op_meanrows, op_cvt16

op_halt:
  lda #SSN_ERR_NONE
  jmp job_end
op_nop:
  rts

; Address of an operand
; Input:  Y = its offset in ins
; Output: place
; Uses:   A, X
operand:
  lda ins+3,y
  bmi @relative
  and #$0f
  sta place+3
  lda ins,y
  sta place
  lda ins+1,y
  sta place+1
  lda ins+2,y
  sta place+2
  rts
@relative:
  and #$0f
  asl
  asl
  tax
  lda ins,y
  clc
  adc A_,x
  sta place
  lda ins+1,y
  adc A_+1,x
  sta place+1
  lda ins+2,y
  adc A_+2,x
  sta place+2
  lda #0
  adc A_+3,x
  and #$0f
  sta place+3
  rts

; Input:  A = register
; Output: val
; Uses:   A, X
get_r:
  asl
  asl
  and #$3c
  tax
  lda R_,x
  sta val
  lda R_+1,x
  sta val+1
  lda R_+2,x
  sta val+2
  lda R_+3,x
  sta val+3
  rts

; val -> R[a], if that is not R15
; Uses:   A, X
put_r:
  lda ins+1
  asl
  asl
  and #$3c
  cmp #$3c
  beq @done
  tax
  lda val
  sta R_,x
  lda val+1
  sta R_+1,x
  lda val+2
  sta R_+2,x
  lda val+3
  sta R_+3,x
@done:
  rts

op_setn:
  ldx #11
@copy:
  lda ins+4,x
  sta N_,x
  dex
  bpl @copy
  rts

op_li:
  ldq ins+12
  stq val
  bra put_r

; the word at place(X)
ldr_str:
  ldy #4
  jsr operand
  ldq len4
  stq val
  jsr check
  +set_size 4
  rts
len4:
  !32 4
word:
  !32 0
op_ldr:
  jsr ldr_str
  lda #<word
  ldx #>word
  jsr fetch
  ldq word
  stq val
  bra put_r
op_str:
  jsr ldr_str
  lda ins+1
  jsr get_r
  ldq val
  stq word
  lda #<word
  ldx #>word
  jmp store

op_addi:
  lda ins+2
  jsr get_r
  ldq val
  clc
  adcq ins+12
  stq val
  jmp put_r

op_lea:
  ldy #4
  jsr operand
  lda ins+2
  jsr get_r
  ldq val
  stq HW_MATH_A
  ldq ins+12
  stq HW_MATH_B
  ldq HW_PRODUCT
  clc
  adcq place
  stq val
  lda ins+1
  asl
  asl
  and #$3c
  tax
  lda val
  sta A_,x
  lda val+1
  sta A_+1,x
  lda val+2
  sta A_+2,x
  lda val+3
  and #$0f
  sta A_+3,x
  rts

; Compare R[a] with R[b]
; Output: Z, C as after CPQ
; Uses:   A, X, Y, Z, val, tmp
compare:
  lda ins+2
  jsr get_r
  ldq val
  stq tmp
  lda ins+1
  jsr get_r
  ldq val
  cpq tmp
  rts
op_beq:
  jsr compare
  beq jump
  rts
op_bne:
  jsr compare
  bne jump
  rts
op_blt:
  jsr compare
  bcc jump
  rts
jump:
  ldy #4
  jsr operand
  ldq place
  stq ip_next
  rts

; n bytes, through a buffer, from the end that an overlap asks for
op_copy:
  ldq zeroq
  stq val
  lda ins+12
  sta val
  lda ins+13
  sta val+1
  ldy #4
  jsr operand
  jsr check
  ldq place
  stq src1
  ldy #8
  jsr operand
  jsr check
  ldq place
  stq dst
  ldq val
  stq left
  ldq src1
  cpq dst
  bcc @backward
@forward:
  jsr copy_len
  beq @done
  jsr copy_piece
  jsr copy_left
  ldq src1
  clc
  adcq val
  stq src1
  ldq dst
  clc
  adcq val
  stq dst
  bra @forward
@backward:
  ldq src1
  clc
  adcq left
  stq src1
  ldq dst
  clc
  adcq left
  stq dst
@down:
  jsr copy_len
  beq @done
  ldq src1
  sec
  sbcq val
  stq src1
  ldq dst
  sec
  sbcq val
  stq dst
  jsr copy_piece
  jsr copy_left
  bra @down
@done:
  rts
; Output: val = size = min(left, 1024), Z = 1: nothing is left
; Uses:   A, X, Y, Z
copy_len:
  jsr breathe
  lda left+1
  cmp #4
  bcc @rest
  lda #4
  sta size+1
  lda #0
  sta size
  bra @val
@rest:
  sta size+1
  lda left
  sta size
@val:
  lda size
  sta val
  lda size+1
  sta val+1
  ora size
  rts
; size bytes from src1 to dst
; Uses:   A, X, Y, Z
copy_piece:
  ldq src1
  stq place
  lda #<BUF_X
  ldx #>BUF_X
  jsr fetch
  ldq dst
  stq place
  lda #<BUF_X
  ldx #>BUF_X
  jmp store
; val bytes less are left
; Uses:   A, X, Y, Z
copy_left:
  ldq left
  sec
  sbcq val
  stq left
  rts
