; The receiver's CRC-32, of a job and of memory

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
