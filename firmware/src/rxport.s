; The receiver's ways to memory: SSNAIL's load port, and DMA

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
