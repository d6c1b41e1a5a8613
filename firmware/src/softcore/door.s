; In and out of the window, and how time is shared
;
; A job runs as a coroutine on its own stack: after about two frames it leaves
; for the caller from wherever it calls breathe, and the next call of SOFT_RUN
; goes on there.

SLICE        = 2        ; frames
DOOR_FN      = $1fe0
DOOR_B       = $1fe1

; The door: copied to SOFT_DOOR, hence no absolute address of its own in it
door:
  stx DOOR_FN
  tba
  sta DOOR_B
  lda #0                              ; megabytes first
  ldx #$0f
  tay
  ldz #$0f
  map
  lda #>WINDOW_OFFSET
  ldx #$e0 + WINDOW_OFFSET_HIGH       ; blocks $2000, $4000, $6000
  ldy #>WINDOW_OFFSET
  ldz #$30 + WINDOW_OFFSET_HIGH       ; $8000, $a000
  map
  eom
  clv
  jsr enter
  lda #0
  tax
  tay
  taz
  map
  eom
  lda DOOR_B
  tab
  rts
door_end:
!if door_end - door > $c0 {
  !error "the door is too long"
}
  !fill 256 - (door_end - door), 0

; What is added to CPU addresses is WINDOW_BANK * $10000 + WINDOW_SHIFT
WINDOW_OFFSET      = WINDOW_SHIFT
WINDOW_OFFSET_HIGH = WINDOW_BANK

; Input:  DOOR_FN
enter:
  cld
  lda #BASE
  tab
  ldz #0
  lda $fffa                           ; the caller's NMI routine is out of sight
  sta caller_nmi
  lda $fffb
  sta caller_nmi+1
  lda #<nmi
  sta $fffa
  lda #>nmi
  sta $fffb
  ldx DOOR_FN
  jsr (functions,x)
  lda caller_nmi
  sta $fffa
  lda caller_nmi+1
  sta $fffb
  rts
nmi:
  rti
caller_nmi:
  !word 0
functions:
  !word soft_init, soft_go, soft_prepare, soft_run, soft_estimate

; Once after loading
soft_init:
  ldx #0
  txa
@clear:
  sta BASE * 256,x
  sta STATE,x
  sta SOFT_BLOCK,x
  inx
  cpx #$20                            ; the block; then the rest of both pages
  bne @clear
@pages:
  sta BASE * 256,x
  sta STATE,x
  inx
  bne @pages
  lda #>shift_table
  sta shift_ptr+1
  lda chords_moved                    ; once: then other code stands there
  bne @moved
  inc chords_moved
  jsr chord_move
@moved:
  jsr table_clear
  jmp column_code
chords_moved:
  !byte 0

; Start a job
soft_go:
  ldq SOFT_JOB
  stq ip
  lda #<(job - 1)
  ldx #>(job - 1)
; Start a coroutine
; Input:  A low, X high = its address - 1
start_job:
  sta STACK * 256 + $fe
  stx STACK * 256 + $ff
  lda #$fd
  sta own_sp
  lda #1
  sta busy
  sta SOFT_STATE
  lda #0
  sta SOFT_ERROR
  sta err
  sta xq_valid                        ; the caller may have written anything
  ldq zeroq
  stq SOFT_FAULT_PC
  stq SOFT_FAULT_ADDR
  rts

; Work on it
soft_run:
  lda busy
  beq @idle
  lda HW_FRAME_COUNTER
  sta tick
  tsx
  stx caller_sp
  tsy
  sty caller_sp+1
  ldy #STACK
  ldx own_sp
  tys
  txs
@idle:
  rts

; Give the caller a turn if the slice is over. Instructions call it at least
; every few milliseconds.
; Uses:   A, X, Y, Z
breathe:
  lda HW_FRAME_COUNTER
  sec
  sbc tick
  cmp #SLICE
  bcs yield
  rts
yield:
  tsx
  stx own_sp
; The job's way out
leave:
  ldx caller_sp
  ldy caller_sp+1
  tys
  txs
  ldz #0
  rts

; A job is over
; Input:  A = error code
job_end:
  sta SOFT_ERROR
  lda #0
  sta busy
  sta SOFT_STATE
  bra leave
