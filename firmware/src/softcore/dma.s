; Blocks in and out of attic RAM

; Read
; Input:  place = 28-bit address, size = how many bytes (may be 0), A low, X high = CPU
;         address in the window or above it
; Uses:   A, X, Y, Z
fetch:
  sta dma_dst
  cpx #$c0
  bcs @low
  sta dma_dst
  txa
  clc
  adc #>WINDOW_SHIFT
  tax
  lda #WINDOW_BANK
  bra @bank
@low:
  lda #0
@bank:
  stx dma_dst+1
  sta dma_dst+2
  lda #0
  sta dma_dst_mb
  lda place
  sta dma_src
  lda place+1
  sta dma_src+1
  lda place+2
  and #$0f
  sta dma_src+2
  jsr dma_megabyte
  sta dma_src_mb
  lda size
  sta dma_len
  lda size+1
  sta dma_len+1
  ora size
  beq dma_none
  lda dma_src+2                       ; up to the megabyte's end?
  cmp #$0f
  bne dma_go
  lda dma_src
  clc
  adc size
  sta dma_rest
  lda dma_src+1
  adc size+1
  bcc dma_go
  sta dma_rest+1
  ora dma_rest
  beq dma_go
  lda size                             ; first part: size - rest
  sec
  sbc dma_rest
  sta dma_len
  lda size+1
  sbc dma_rest+1
  sta dma_len+1
  jsr dma_go
  lda dma_dst
  clc
  adc dma_len
  sta dma_dst
  lda dma_dst+1
  adc dma_len+1
  sta dma_dst+1
  lda #0
  sta dma_src
  sta dma_src+1
  sta dma_src+2
  inc dma_src_mb
dma_second:
  lda dma_rest
  sta dma_len
  lda dma_rest+1
  sta dma_len+1
; Start the list
; Uses:   A
dma_go:
  lda #WINDOW_BANK
  sta HW_DMA_LIST_BANK
  lda #0
  sta HW_DMA_LIST_MB
  lda #>(dma_list + WINDOW_SHIFT)
  sta HW_DMA_LIST_HI
  lda #<dma_list
  sta HW_DMA_ENHANCED
dma_none:
  rts

; Write
; Input:  place, size, A low, X high = CPU address, as for fetch
; Uses:   A, X, Y, Z
store:
  sta dma_src
  cpx #$c0
  bcs @low
  txa
  clc
  adc #>WINDOW_SHIFT
  tax
  lda #WINDOW_BANK
  bra @bank
@low:
  lda #0
@bank:
  stx dma_src+1
  sta dma_src+2
  lda #0
  sta dma_src_mb
  lda place
  sta dma_dst
  lda place+1
  sta dma_dst+1
  lda place+2
  and #$0f
  sta dma_dst+2
  jsr dma_megabyte
  sta dma_dst_mb
  lda size
  sta dma_len
  lda size+1
  sta dma_len+1
  ora size
  beq dma_none
  lda dma_dst+2
  cmp #$0f
  bne dma_go
  lda dma_dst
  clc
  adc size
  sta dma_rest
  lda dma_dst+1
  adc size+1
  bcc dma_go
  sta dma_rest+1
  ora dma_rest
  beq dma_go
  lda size
  sec
  sbc dma_rest
  sta dma_len
  lda size+1
  sbc dma_rest+1
  sta dma_len+1
  jsr dma_go
  lda dma_src
  clc
  adc dma_len
  sta dma_src
  lda dma_src+1
  adc dma_len+1
  sta dma_src+1
  lda #0
  sta dma_dst
  sta dma_dst+1
  sta dma_dst+2
  inc dma_dst_mb
  jmp dma_second

; Output: A = megabyte of place
; Uses:   Y
dma_megabyte:
  lda place+2
  lsr
  lsr
  lsr
  lsr
  sta dma_rest
  lda place+3
  asl
  asl
  asl
  asl
  ora dma_rest
  rts
dma_rest:
  !word 0

; The list must not straddle a page: only its low byte is written with the start
!align 31, 0, 0
dma_list:
  !byte $0b                           ; F018B
  !byte $80
dma_src_mb:
  !byte 0
  !byte $81
dma_dst_mb:
  !byte 0
  !byte 0
  !byte 0                             ; copy
dma_len:
  !word 0
dma_src:
  !byte 0, 0, 0
dma_dst:
  !byte 0, 0, 0
  !byte 0
  !word 0

; Is the memory there?
; Input:  place = 28-bit address, val = bytes (32 bits)
; Output: returns only if it is: else the job ends with an address fault
; Uses:   A, X, Y, Z, tmp
MEMORY_END = HW_ATTIC + HW_ATTIC_SIZE
check:
  lda place+3
  cmp #<(HW_ATTIC >> 24)
  bne @bad
  lda place+2
  cmp #<(HW_ATTIC_SIZE >> 16)
  bcc @inside
  bne @bad
  lda place                            ; nothing at the very end is fine
  ora place+1
  bne @bad
@inside:
  lda val+3
  bne @far
  ldq place
  clc
  adcq val
  stq tmp
  lda tmp+3
  cmp #<(HW_ATTIC >> 24)
  bne @far
  lda tmp+2
  cmp #<(HW_ATTIC_SIZE >> 16)
  bcc @good
  bne @far
  lda tmp
  ora tmp+1
  bne @far
@good:
  rts
@far:                                 ; the first byte that is not there
  lda #0
  sta SOFT_FAULT_ADDR
  sta SOFT_FAULT_ADDR+1
  lda #<(MEMORY_END >> 16)
  sta SOFT_FAULT_ADDR+2
  lda #<(MEMORY_END >> 24)
  sta SOFT_FAULT_ADDR+3
  lda #SSN_ERR_ADDRESS
  jmp fault
@bad:
  ldq place
  stq SOFT_FAULT_ADDR
  lda #SSN_ERR_ADDRESS
  jmp fault
