; The one door to the SSNAIL core
;
; Everything that touches SSNAIL goes through here: detect, write bytes, GO,
; poll, errors, reading back. A core in software can stand behind the same
; entries: core_find, core_seek, core_write, core_flush, core_go, core_busy,
; core_error, core_stop, core_view. It does, when core_soft is not 0: soft.s.

READY_FRAMES = 150      ; how long READY may take, in frames (3 s)

; Is SSNAIL there, and with which memory?
; Output: C = 0 yes: core_mb = MB for images, the right RAM is at $8000000
;         C = 1 no
; Uses:   A, Z; t0
core_find:
  jsr core_present
  bcs @absent
  lda #$10                            ; HyperRAM, or SDRAM when SSNAIL reports it
  trb HW_SDRAM_SELECT
  ldz #SSN_HYPER_SIZE
  lda [ssn],z
  sta core_mb
  lda #0
  sta core_mb+1
  ldz #SSN_SDRAM_SIZE
  lda [ssn],z
  beq @found
  clc
  adc core_mb
  sta core_mb
  lda #0
  adc #0
  sta core_mb+1
  lda #$10
  tsb HW_SDRAM_SELECT
@found:
  clc
@absent:
  rts

; Output: C = 1: no SSNAIL in this machine
; Uses:   A, Z
core_present:
  ldz #SSN_ID
  lda [ssn],z
  cmp #SSN_PRESENT
  bne @absent
  ldz #SSN_VERSION
  lda [ssn],z
  cmp #1
  bne @absent
  clc
  rts
@absent:
  sec
  rts

; Wait until the load port has room for 512 bytes and no job runs
; Output: C = 1: it took too long, A = MSG number
; Uses:   A, Z
core_ready:
  lda core_soft
  bne @ready
  ldz #SSN_LOAD_COMMIT
  lda [ssn],z
  bmi @ready
  jsr clock_start
@wait:
  jsr clock_tick
  ldz #SSN_LOAD_COMMIT
  lda [ssn],z
  bmi @ready
  lda frames
  cmp #READY_FRAMES
  bcc @wait
  lda #ERR_READY
  rts                                 ; C = 1
@ready:
  clc
  rts

; Point the load port at an address; what is pending goes to the old one
; Input:  t0 = address, A = 0 or SSN_CLEAR_ERROR
; Output: C = 1: not ready, A = MSG number
; Uses:   A, Z
core_seek:
  ldx core_soft
  beq @port
  +copy32 t0, core_pointer
  clc
  rts
@port:
  pha
  jsr core_ready
  bcs @late
  lda t0
  ldz #SSN_LOAD_POINTER
  sta [ssn],z
  lda t0+1
  inz
  sta [ssn],z
  lda t0+2
  inz
  sta [ssn],z
  lda t0+3
  and #$0f
  sta t0+3
  pla
  ora t0+3
  inz
  sta [ssn],z
  clc
  rts
@late:
  plz
  rts

; Write bytes at the load port's pointer
; Input:  dma_src (28-bit), dma_len (1-512)
; Output: C = 1: not ready, A = MSG number
; Uses:   A, X, Y, Z; dma_dst
core_write:
  lda core_soft
  bne core_copy
  jsr core_ready
  bcs @late
  ldq ssn
  stq dma_dst
  lda #SSN_LOAD_DATA
  sta dma_dst
  lda #DMA_HOLD
  jsr dma_copy
  clc
@late:
  rts

; Without a load port bytes go straight to the RAM, at most to the end of a
; megabyte at a time
core_copy:
  +copy32 core_pointer, dma_dst
  lda #0
  sta core_rest
  sta core_rest+1
  lda dma_dst+2
  and #$0f
  cmp #$0f
  bne @whole
  lda dma_dst
  clc
  adc dma_len
  tax
  lda dma_dst+1
  adc dma_len+1
  bcc @whole
  stx core_rest                       ; what lies beyond
  sta core_rest+1
  lda dma_len
  sec
  sbc core_rest
  sta dma_len
  lda dma_len+1
  sbc core_rest+1
  sta dma_len+1
@whole:
  lda #0
  jsr dma_copy
  lda dma_len
  ldx dma_len+1
  ldy #0
  ldz #0
  clc
  adcq core_pointer
  stq core_pointer
  lda core_rest
  ora core_rest+1
  beq @done
  +copy32 core_pointer, dma_dst
  lda dma_len
  ldx dma_len+1
  ldy #0
  ldz #0
  clc
  adcq dma_src
  stq dma_src
  lda core_rest
  sta dma_len
  lda core_rest+1
  sta dma_len+1
  lda #0
  sta core_rest
  sta core_rest+1
  bra @whole
@done:
  clc
  rts
core_rest:
  !word 0
core_pointer:
  !32 0                               ; where the next bytes go

; Finish writing: what is pending goes to RAM
; Output: C = 1: A = MSG number (not ready, or ERROR: bytes went nowhere)
; Uses:   A, Z; t0
core_flush:
  lda core_soft
  clc
  beq @port
  rts
@port:
  +set32 t0, SSN_RAM
  lda #0
  jsr core_seek
  bcs @late
  jsr core_ready
  bcs @late
  ldz #SSN_LOAD_COMMIT
  lda [ssn],z
  and #SSN_LOAD_ERROR
  beq @good
  lda #ERR_PORT
  sec
  rts
@good:
  clc
@late:
  rts

; Start a job
; Input:  t0 = address of its first instruction
; Uses:   A, Z
core_go:
  lda core_soft
  beq @ssnail
  +copy32 t0, SOFT_JOB
  ldx #SOFT_GO
  jmp SOFT_DOOR
@ssnail:
  ldz #SSN_JOB
  lda t0
  sta [ssn],z
  inz
  lda t0+1
  sta [ssn],z
  inz
  lda t0+2
  sta [ssn],z
  inz
  lda t0+3
  sta [ssn],z
  lda #SSN_GO
  ldz #SSN_CONTROL
  sta [ssn],z
  rts

; Output: Z flag = 1: idle. The software core works while it is asked, for two
;         frames at most.
; Uses:   A, X, Y, Z
core_busy:
  lda core_soft
  beq @ssnail
  ldx #SOFT_RUN
  jsr SOFT_DOOR
  lda SOFT_STATE
  rts
@ssnail:
  ldz #SSN_STATUS
  lda [ssn],z
  and #SSN_BUSY
  rts

; Output: A = error code of the last job, 0 = none
; Uses:   Z
core_error:
  lda core_soft
  beq @ssnail
  lda SOFT_ERROR
  rts
@ssnail:
  ldz #SSN_ERROR
  lda [ssn],z
  rts

; Ask the running job to stop after its token. The load port is closed while a
; job runs, so this word goes into the RAM itself.
; Uses:   A, X, Y, Z; p0
core_stop:
  +set32 p0, SSN_RAM + HDR_STOP_REQUEST
  lda #1
  ldx #0
  ldy #0
  ldz #0
  stq [p0]
  rts

; Read a word of the runtime block, which the script changes. The CPU's view of
; this RAM is cached by line, so another line is read first.
; Input:  A = offset in the header
; Output: t0
; Uses:   A, X, Y, Z; p0
core_view:
  pha
  +set32 p0, SSN_RAM + HDR_DESCRIPTION
  ldz #0
  lda [p0],z
  pla
  sta p0
  ldz #0
  ldq [p0]
  stq t0
  rts

; Make the RAM at an address visible: the window at $8000000 shows either SDRAM
; or HyperRAM. Until core_window_end nothing else of SSNAIL's RAM may be read.
; Input:  t0 = SSNAIL address
; Output: t0 = where the CPU sees it
; Uses:   A
core_window:
  lda t0+3
  cmp #>(SSN_HYPER >> 16)
  bcc @done
  lda #$10                            ; HyperRAM behind the SDRAM
  trb HW_SDRAM_SELECT
  lda t0+3
  sec
  sbc #>((SSN_HYPER - SSN_RAM) >> 16)
  sta t0+3
@done:
  rts

; Back to the RAM in which images begin
; Uses:   A, Z
core_window_end:
  lda core_soft
  bne @done
  ldz #SSN_SDRAM_SIZE
  lda [ssn],z
  beq @done
  lda #$10
  tsb HW_SDRAM_SELECT
@done:
  rts
