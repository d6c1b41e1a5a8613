; DMA: every block that is moved or filled

DMA_HOLD = $08          ; subcommand: the destination stands still

; Copy
; Input:  dma_src, dma_dst (28-bit), dma_len (16-bit, not 0), A = subcommand
;         neither side may cross a 1 MB line
; Uses:   A
dma_copy:
  sta dma_list_sub
  lda #0
  bra dma_start

; Fill
; Input:  dma_dst, dma_len, A = value
; Uses:   A
dma_fill:
  sta dma_src
  lda #0
  sta dma_list_sub
  lda #3
dma_start:
  sta dma_list_cmd
  lda dma_len
  sta dma_list_len
  lda dma_len+1
  sta dma_list_len+1
  lda dma_src
  sta dma_list_src
  lda dma_src+1
  sta dma_list_src+1
  lda dma_src+2
  and #$0f
  sta dma_list_src+2
  lda dma_src+3                       ; megabyte = bits 20-27
  asl
  asl
  asl
  asl
  sta dma_list_src_mb
  lda dma_src+2
  lsr
  lsr
  lsr
  lsr
  ora dma_list_src_mb
  sta dma_list_src_mb
  lda dma_dst
  sta dma_list_dst
  lda dma_dst+1
  sta dma_list_dst+1
  lda dma_dst+2
  and #$0f
  sta dma_list_dst+2
  lda dma_dst+3
  asl
  asl
  asl
  asl
  sta dma_list_dst_mb
  lda dma_dst+2
  lsr
  lsr
  lsr
  lsr
  ora dma_list_dst_mb
  sta dma_list_dst_mb
  lda #0                              ; the list is in bank 0
  sta HW_DMA_LIST_BANK
  sta HW_DMA_LIST_MB
  lda #>dma_list
  sta HW_DMA_LIST_HI
  lda #<dma_list
  sta HW_DMA_ENHANCED
  rts

; An enhanced list that names its own format: the state of $d703 is not ours
dma_list:
  !byte $0b                           ; F018B
  !byte $80
dma_list_src_mb:
  !byte 0
  !byte $81
dma_list_dst_mb:
  !byte 0
  !byte 0
dma_list_cmd:
  !byte 0
dma_list_len:
  !word 0
dma_list_src:
  !byte 0, 0, 0
dma_list_dst:
  !byte 0, 0, 0
dma_list_sub:
  !byte 0
  !word 0

; Read up to 256 bytes of the image into bank 0
; Input:  dma_src (28-bit), dma_dst (bank 0), A = how many, 0 = 256
; Uses:   A; dma_len
; A block may cross a 1 MB line: then it is read in two parts.
dma_read:
  sta dma_len
  ldx #0
  cmp #0
  bne @short
  inx
@short:
  stx dma_len+1
  lda dma_src+2                       ; does [dma_src, +len) cross?
  and #$0f
  cmp #$0f
  bne @whole
  lda dma_src+1
  cmp #$ff
  bne @whole
  lda dma_len                         ; bytes beyond the line = src + len - $10000
  clc
  adc dma_src
  sta dma_rest
  lda dma_len+1
  adc #0
  beq @whole
  lda dma_rest
  beq @whole
  lda dma_len                         ; first part: up to the line
  sec
  sbc dma_rest
  sta dma_len
  lda #0
  sta dma_len+1
  jsr dma_copy
  lda dma_dst                         ; second part
  clc
  adc dma_len
  sta dma_dst
  lda dma_dst+1
  adc #0
  sta dma_dst+1
  lda #0
  sta dma_src
  sta dma_src+1
  lda dma_src+2
  clc
  adc #1
  sta dma_src+2
  lda dma_src+3
  adc #0
  sta dma_src+3
  lda dma_rest
  sta dma_len
@whole:
  lda #0
  jmp dma_copy
dma_rest:
  !byte 0
