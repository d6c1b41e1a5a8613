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

; Point the load port at the job's address
; Input:  A = 0 or SSN_CLEAR_ERROR
; Output: C = 1: not ready
; Uses:   A, Z
port_seek:
  pha
  jsr port_ready
  bcs @late
  ldz #SSN_LOAD_POINTER
  lda job
  sta [ssn],z
  inz
  lda job+1
  sta [ssn],z
  inz
  lda job+2
  sta [ssn],z
  inz
  pla
  ora job+3
  sta [ssn],z
  rts                                 ; C = 0 from port_ready
@late:
  plz
  rts

; Wait until the load port has room for 512 bytes
; Output: C = 1: it took too long
; Uses:   A, Z
port_ready:
  lda #0
  sta tries
  sta tries+1
  lda #$f0                            ; a million looks, about a second
  sta tries+2
  ldz #SSN_LOAD_COMMIT
@look:
  lda [ssn],z
  bmi @ready
  inw tries
  bne @look
  inc tries+2
  bne @look
  sec
  rts
@ready:
  clc
  rts

; Move bytes; neither side may cross a 1 MB line
; Input:  src, dst, piece, A = subcommand
; Uses:   A
dma_piece:
  sta dma_sub
  lda piece
  sta dma_len
  lda piece+1
  sta dma_len+1
  lda src                             ; from chip RAM
  sta dma_from
  lda src+1
  sta dma_from+1
  lda src+2
  sta dma_from+2
  lda dst
  sta dma_to
  lda dst+1
  sta dma_to+1
  lda dst+2
  and #$0f
  sta dma_to+2
  lda dst+3
  asl
  asl
  asl
  asl
  sta dma_mb
  lda dst+2
  lsr
  lsr
  lsr
  lsr
  ora dma_mb
  sta dma_mb
  lda #0
  sta HW_DMA_LIST_BANK
  sta HW_DMA_LIST_MB
  lda #>dma_list
  sta HW_DMA_LIST_HI
  lda #<dma_list
  sta HW_DMA_ENHANCED
  rts
dma_list:
  !byte $0b, $80, $00, $81            ; F018B, source in megabyte 0
dma_mb:
  !byte 0, 0
  !byte 0                             ; copy
dma_len:
  !word 0
dma_from:
  !byte 0, 0, 0
dma_to:
  !byte 0, 0, 0
dma_sub:
  !byte 0
  !word 0

; Make the tables: entry x is the CRC of byte x, one table for each of its bytes
; Uses:   A, X, Y; crc
crc_prepare:
  ldx #0
@entry:
  stx crc
  lda #0
  sta crc+1
  sta crc+2
  sta crc+3
  ldy #8
@bit:
  lsr crc+3
  ror crc+2
  ror crc+1
  ror crc
  bcc @next
  lda crc
  eor #$20                            ; the polynomial, reflected: $edb88320
  sta crc
  lda crc+1
  eor #$83
  sta crc+1
  lda crc+2
  eor #$b8
  sta crc+2
  lda crc+3
  eor #$ed
  sta crc+3
@next:
  dey
  bne @bit
  lda crc
  sta CRC_TABLES,x
  lda crc+1
  sta CRC_TABLES+$100,x
  lda crc+2
  sta CRC_TABLES+$200,x
  lda crc+3
  sta CRC_TABLES+$300,x
  inx
  bne @entry
  rts

; CRC-32 of memory
; Input:  src, count
; Output: crc; src and count are used up
; Uses:   A, X, Z
crc_memory:
  lda #$ff
  sta crc
  sta crc+1
  sta crc+2
  sta crc+3
  ldz #0
  lda count+1
  beq @rest
@page:
  jsr crc_bytes                       ; Z = 0: to the end of 256
  inc src+1
  bne @same
  inw src+2
@same:
  dec count+1
  bne @page
@rest:
  lda count
  beq @done
  neg                                 ; the last bytes: begin that far before the
  sta piece                           ; end of 256, with the pointer moved back
  taz
  lda src
  sec
  sbc piece
  sta src
  lda src+1
  sbc #0
  sta src+1
  lda src+2
  sbc #0
  sta src+2
  lda src+3
  sbc #0
  sta src+3
  jsr crc_bytes
@done:
  ldx #3
@invert:
  lda crc,x
  eor #$ff
  sta crc,x
  dex
  bpl @invert
  rts

; The bytes from [src]+Z up to 256 into the CRC
; Output: Z = 0
; Uses:   A, X
crc_bytes:
  lda [src],z
  eor crc
  tax
  lda crc+1
  eor CRC_TABLES,x
  sta crc
  lda crc+2
  eor CRC_TABLES+$100,x
  sta crc+1
  lda crc+3
  eor CRC_TABLES+$200,x
  sta crc+2
  lda CRC_TABLES+$300,x
  sta crc+3
  inz
  bne crc_bytes
  rts

; Output: Z flag = 1: the CRC is the job's
; Uses:   A, X
crc_compare:
  ldx #3
@byte:
  lda crc,x
  cmp job_crc,x
  bne @done
  dex
  bpl @byte
  inx
@done:
  rts

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

; --- From here on the code is used before the tables, which may overwrite it
rx_once:
!if rx_once > CRC_TABLES {
  !error "the receiver reaches into its tables"
}

; Memory map off, I/O and bank 0 visible, 40 MHz
; Output: B = 0; the old state is in the frame
; Uses:   A, X, Y, Z
rx_environment:
  lda #0
  tab
  lda $00
  sta frame_port
  lda $01
  sta frame_port+1
  lda #$2f
  sta $00
  lda #$35
  sta $01
  lda #0
  ldx #$0f                            ; megabytes first
  tay
  ldz #$0f
  map
  eom
  lda #0
  tax
  taz
  map
  eom
  lda #$47                            ; MEGA65 I/O
  sta HW_KNOCK
  lda #$53
  sta HW_KNOCK
  lda HW_ROMBANK
  sta frame_rombank
  and #$46
  sta HW_ROMBANK
  lda HW_CONTROLB
  sta frame_controlb
  ora #$40
  sta HW_CONTROLB
  lda HW_CONTROLC
  sta frame_controlc
  ora #$40
  sta HW_CONTROLC
  lda HW_SDRAM_SELECT
  sta frame_ram
  rts

; Keep what the picture is made of
; Uses:   A, X; registers of the page $d0 by self-modification
rx_picture:
  ldx #PICTURE - 1
@next:
  lda rx_registers,x
  sta @read+1
@read:
  lda IO_PAGE
  sta frame_picture,x
  dex
  bpl @next
  rts

; Show the picture that was there before the program that is replaced, so that
; the new one can return to it
; Uses:   A, X
rx_picture_back:
  lda #$80                            ; no register may recompute others
  trb HW_HOTREG
  ldx #PICTURE - 1
@next:
  lda rx_registers,x
  sta @write+1
  lda FRAME_HOME + frame_picture - frame_code,x
  cpx #PICTURE - 1                    ; bit 7 of $d011 is no setting of the picture
  bne @write
  and #$7f
@write:
  sta IO_PAGE
  dex
  bpl @next
  rts

rx_registers:                         ; $d05d is written last, $d011 first
  !byte $5d, $7b, $6a, $69, $68, $65, $64, $63, $62, $61, $60, $5e, $5c, $5b, $5a, $59, $58
  !byte $4f, $4e, $4d, $4c, $4b, $4a, $49, $48, $21, $20, $18, $16, $15, $11

; The frame lies in FRAME_HOME while another program runs, which must leave it
; alone. Its code calls the program; when that returns, the last part goes to a
; page that every memory map shows, puts the machine back and continues what
; was running before.
frame_code:
  jsr $0000                           ; the PC fills in the program's address
frame_back:
  sei
  cld
  lda #0
  tab
  sta FRAME_HOME + frame_active - frame_code
  lda FRAME_HOME + frame_kind - frame_code
  beq @return
  lda #$7e                            ; nothing to return to: reset
  sta HW_HYPER_TRAP
  clv
@forever:
  bra @forever
@return:
  ldx #0
@copy:
  lda FRAME_HOME + frame_tail - frame_code,x
  sta TAIL_AT,x
  inx
  cpx #frame_end - frame_tail
  bne @copy
  jmp TAIL_AT

frame_tail:
  ldx TAIL_AT + frame_sp - frame_tail
  ldy TAIL_AT + frame_sp - frame_tail + 1
  tys
  txs
  lda TAIL_AT + frame_pc - frame_tail + 1
  pha
  lda TAIL_AT + frame_pc - frame_tail
  pha
  lda TAIL_AT + frame_p - frame_tail
  pha
  lda TAIL_AT + frame_ram - frame_tail
  sta HW_SDRAM_SELECT
  lda TAIL_AT + frame_controlc - frame_tail
  sta HW_CONTROLC
  lda TAIL_AT + frame_controlb - frame_tail
  sta HW_CONTROLB
  lda TAIL_AT + frame_rombank - frame_tail
  sta HW_ROMBANK
  lda TAIL_AT + frame_port - frame_tail
  sta $00
  lda TAIL_AT + frame_port - frame_tail + 1
  sta $01
  lda TAIL_AT + frame_b - frame_tail
  tab
  lda TAIL_AT + frame_map - frame_tail
  ldx TAIL_AT + frame_map - frame_tail + 1
  ldy TAIL_AT + frame_map - frame_tail + 2
  ldz TAIL_AT + frame_map - frame_tail + 3
  map
  lda TAIL_AT + frame_a - frame_tail
  ldx TAIL_AT + frame_x - frame_tail
  ldy TAIL_AT + frame_y - frame_tail
  ldz TAIL_AT + frame_z - frame_tail
  eom
  rti

frame_name:
  !text "SSFR"
frame_active:
  !byte 1
frame_kind:
  !byte 0                             ; not 0: nothing to return to
frame_pc:
  !word 0
frame_map:
  !32 0                               ; MAPL, MAPH
frame_sp:
  !word 0
frame_a:
  !byte 0
frame_x:
  !byte 0
frame_y:
  !byte 0
frame_z:
  !byte 0
frame_b:
  !byte 0
frame_p:
  !byte 0
frame_port:
  !word 0
frame_rombank:
  !byte 0
frame_controlb:
  !byte 0
frame_controlc:
  !byte 0
frame_ram:
  !byte 0
frame_picture:
  !fill PICTURE, 0
frame_end:
!if * > CRC_TABLES + $400 {
  !error "the receiver reaches beyond its tables"
}
