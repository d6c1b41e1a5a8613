; The receiver: a program of its own that takes blocks off the serial line
;
; The PC loads it by the serial monitor, starts it, and from then on loads
; blocks into four slots in banks 4 and 5 while this program works on those
; that are complete: it checks a block's CRC-32, sends it through SSNAIL's load
; port or copies it, and checks what has arrived. CPU and line work at the same
; time, so everything here takes short steps: while a DMA runs the monitor
; cannot reach memory, and its FIFO holds 64 bytes.
;
; A slot ends with a job of 16 bytes, the block lies right before it, and the
; job's last byte is the last one loaded:
;   0  address where the block goes, 4 bytes
;   4  length, 3 bytes, at most SLOT_DATA; of a check at most $ffff
;   7  JOB_ flags
;   8  CRC-32 of the block, or of the memory to check
;   12 low 16 bits of the CRC-32 of bytes 0-11
;   14 number of the job, complemented
;   15 number of the job, 1-255; this program clears it when it has finished
;
; Everything of the machine that is changed is kept in a frame, so that the
; program that is pushed can return to what was running before.
;
; rxport.s moves bytes, rxcrc.s checks them, rxframe.s keeps and puts back.

!cpu m65

!src "hw.inc"
!src "macros.s"

RX_PAGE      = $16      ; base page; the mailbox is filled only at the end
CRC_TABLES   = $1b00    ; four of 256 bytes
FRAME_HOME   = $cf00    ; the frame, while another program runs
TAIL_AT      = $1700    ; the frame's last part, when that has ended

SLOT_JOBS    = $47ff0   ; the first slot's job; the others follow
SLOT_STEP    = $8000
SLOT_COUNT   = 4
SLOT_DATA    = $7ff0    ; room before the job

JOB_PORT     = 1        ; through the load port, not by copying
JOB_CHECK    = 2        ; there is no block: check memory

DONE         = 0        ; results
BAD_LINE     = 1        ; the block is not what was sent
NOT_READY    = 2        ; the load port does not get READY
PORT_ERROR   = 3        ; the load port reports ERROR
BAD_MEMORY   = 4        ; memory holds something else afterwards
BAD_JOB      = 5        ; the job itself is damaged or impossible

PIECE        = 256      ; bytes a DMA moves at most
RX_VERSION   = 1

IO_PAGE      = $d000
PICTURE      = 31       ; registers of that page that the picture is made of

; --- Base page
p            = $20      ; far: job in its slot
src          = $24
dst          = $28
ssn          = $2c
crc          = $30      ; 4 bytes
count        = $34      ; 2 bytes
left         = $36
piece        = $38      ; 2 bytes
slot         = $3a
tries        = $3b      ; 3 bytes
job          = $40      ; 16 bytes: a copy of the job
job_length   = job + 4
job_flags    = job + 7
job_crc      = job + 8
job_check    = job + 12
job_seq      = job + 15
RX_STATUS    = RX_PAGE * 256 + $e0
status       = $e0      ; 16 bytes, read by the PC: "SSRV", version, SSNAIL's id,
                        ; 2 bytes 0, number and result of each slot's last job

* = $1700

  jmp rx_fresh                        ; what was running is kept in the frame
  jmp rx_again                        ; the frame in FRAME_HOME stays, frame_sp is set
  jmp rx_launch                       ; run the program whose address is in the frame

; Start, leaving a way back
; Input:  frame_pc, frame_map, frame_kind; the rest of the CPU's registers as
;         they were; $0000-$1fff not mapped
rx_fresh:
  php
  sei
  cld
  sta frame_a
  stx frame_x
  sty frame_y
  stz frame_z
  tba
  sta frame_b
  pla
  sta frame_p
  tsx
  stx frame_sp
  tsy
  sty frame_sp+1
  lda frame_kind
  beq @keep
  ldx #$f0                            ; nothing to return to: a stack out of the way
  stx frame_sp
  lda #$01
  sta frame_sp+1
@keep:
  jsr rx_stack
  jsr rx_environment
  jsr rx_picture
  ldx #0
@copy:
  lda frame_code,x
  sta FRAME_HOME,x
  inx
  cpx #frame_end - frame_code
  bne @copy
  bra rx_start

; Start again over a program that was launched from here
; Input:  frame_sp
rx_again:
  sei
  cld
  jsr rx_stack
  jsr rx_environment
  jsr rx_picture_back

; From here on nothing depends on what was before
rx_start:
  lda #RX_PAGE
  tab
  +set32 ssn, SSN_REGS
  lda #$10                            ; the RAM that SSNAIL uses at $8000000
  trb HW_SDRAM_SELECT
  ldz #SSN_ID
  lda [ssn],z
  sta status+5
  cmp #SSN_PRESENT
  bne @tables
  ldz #SSN_SDRAM_SIZE
  lda [ssn],z
  beq @tables
  lda #$10
  tsb HW_SDRAM_SELECT
@tables:
  jsr crc_prepare
  ldx #9                              ; no slot has a job
  lda #0
@clear:
  sta status + 6,x
  dex
  bpl @clear
  ldx #SLOT_COUNT - 1
@slot:
  jsr slot_find
  ldz #15
  lda #0
  sta [p],z
  dex
  bpl @slot
  lda #RX_VERSION
  sta status+4
  ldx #3                              ; ready: last of all, its name
@name:
  lda rx_name,x
  sta status,x
  dex
  bpl @name

; Look at one slot after the other
rx_loop:
  lda slot
  inc
  and #SLOT_COUNT - 1
  sta slot
  tax
  jsr slot_find
  ldz #15
  lda [p],z
  beq rx_loop
  ldx #15
@job:
  txa
  taz
  lda [p],z
  sta job,x
  dex
  bpl @job
  jsr job_do
  pha
  lda slot
  asl
  tax
  pla
  sta status + 9,x
  lda job_seq                         ; the number makes the result valid
  sta status + 8,x
  ldx slot
  jsr slot_find
  ldz #15
  lda #0
  sta [p],z
  bra rx_loop
rx_name:
  !text "SSRV"

; Take the stack of the frame
; Uses:   A, X, Y, Z
rx_stack:
  plx                                 ; the caller, who stands on the old one
  plz
  ldy frame_sp+1
  tys
  txa
  ldx frame_sp
  txs
  tax
  phz
  phx
  rts

; Input:  X = slot
; Output: p = its job
; Uses:   A
slot_find:
  lda #<SLOT_JOBS
  sta p
  txa
  lsr
  clc
  adc #^SLOT_JOBS
  sta p+2
  txa
  and #1
  beq @first
  lda #$80
@first:
  ora #$7f
  sta p+1
  lda #0
  sta p+3
  rts

; Do the job
; Output: A = result
; Uses:   everything
job_do:
  lda job+14
  eor #$ff
  cmp job_seq
  bne @bad
  +near src, RX_PAGE * 256 + job
  lda #12
  sta count
  lda #0
  sta count+1
  jsr crc_memory
  lda crc
  cmp job_check
  bne @bad
  lda crc+1
  cmp job_check+1
  bne @bad
  lda job_length+2
  bne @bad
  lda job_flags
  and #JOB_CHECK
  bne job_verify
  lda job_length                      ; longer than a slot?
  cmp #<(SLOT_DATA + 1)
  lda job_length+1
  sbc #>(SLOT_DATA + 1)
  bcs @bad
  jsr job_block
  jsr crc_memory
  jsr crc_compare
  bne @line
  lda job_flags
  and #JOB_PORT
  bne @port
  jsr job_send
  bra job_verify
@port:
  lda #SSN_CLEAR_ERROR
  jsr port_seek
  bcs @late
  jsr job_send
  bcs @late
  lda #0                              ; a second commit sends what is pending
  jsr port_seek
  bcs @late
  jsr port_ready
  bcs @late
  ldz #SSN_LOAD_COMMIT
  lda [ssn],z
  and #SSN_LOAD_ERROR
  beq job_verify
  lda #PORT_ERROR
  rts
@late:
  lda #NOT_READY
  rts
@line:
  lda #BAD_LINE
  rts
@bad:
  lda #BAD_JOB
  rts

; Is memory what it should be?
; Output: A = result
job_verify:
  +set32 src, $8ffffc0                ; the CPU keeps a line of this RAM: another
  ldz #0                              ; address makes it read anew
  lda [src],z
  jsr job_target
  ldq dst
  stq src
  jsr crc_memory
  jsr crc_compare
  bne @bad
  lda #DONE
  rts
@bad:
  lda #BAD_MEMORY
  rts

; Output: src, count = the block in its slot
; Uses:   A
job_block:
  lda job_length
  sta count
  lda job_length+1
  sta count+1
  lda p
  sec
  sbc count
  sta src
  lda p+1
  sbc count+1
  sta src+1
  lda p+2
  sbc #0
  sta src+2
  lda #0
  sta src+3
  rts

; Output: dst, count = where it goes
; Uses:   A, X, Y, Z
job_target:
  lda job_length
  sta count
  lda job_length+1
  sta count+1
  ldq job
  stq dst
  rts

; Send the block to its address or through the load port
; Output: C = 1: the port was not ready
; Uses:   A, X, Y, Z
job_send:
  jsr job_target
  jsr job_block
  lda count
  sta left
  lda count+1
  sta left+1
@piece:
  lda #<PIECE
  sta piece
  lda #>PIECE
  sta piece+1
  lda left+1
  bne @move
  sta piece+1
  lda left
  sta piece
  beq @done
@move:
  lda job_flags
  and #JOB_PORT
  beq @copy
  jsr port_ready
  bcs @late
  +set32 dst, SSN_REGS + SSN_LOAD_DATA
  lda #8                              ; the destination stands still
@copy:
  jsr dma_piece
  lda src
  clc
  adc piece
  sta src
  lda src+1
  adc piece+1
  sta src+1
  lda src+2
  adc #0
  sta src+2
  lda dst
  clc
  adc piece
  sta dst
  lda dst+1
  adc piece+1
  sta dst+1
  lda dst+2
  adc #0
  sta dst+2
  lda left
  sec
  sbc piece
  sta left
  lda left+1
  sbc piece+1
  sta left+1
  bra @piece
@done:
  clc
@late:
  rts

!src "rxport.s"
!src "rxcrc.s"

; Run the program
; Input:  the frame in FRAME_HOME; no variable of the base page is needed, the
;         mailbox and its text lie there now
rx_launch:
  sei
  lda #0
  tab
  ldz #0
  ldx FRAME_HOME + frame_sp - frame_code
  ldy FRAME_HOME + frame_sp - frame_code + 1
  tys
  txs
  jmp FRAME_HOME

!src "rxframe.s"

!if * > CRC_TABLES + $400 {
  !error "the receiver reaches beyond its tables"
}
