; BASIC stub, entry, and leaving the machine as it was found
;
; Nothing is taken for granted at entry: speed, I/O personality, base page, Z,
; memory map, screen mode, interrupts and the DMA list format may be anything
; that lets BASIC's SYS reach us. Everything that is changed is put back.

  !word stub_end, 10                  ; link to the next line, line number
  !byte $fe, $02                      ; BANK
  !text "0:"
  !byte $9e                           ; SYS
  !byte $30 + start / 1000 % 10, $30 + start / 100 % 10, $30 + start / 10 % 10, $30 + start % 10, 0
stub_end:
  !word 0

; Input:  any state of the machine, this code visible in bank 0
; Output: does not return; quit does
start:
  php
  sei
  cld
  pla
  sta saved_p
  stz saved_z
  tba
  sta saved_b
  tsx
  stx saved_sp
  tsy
  sty saved_sp+1
  lda #$47                            ; MEGA65 I/O
  sta HW_KNOCK
  lda #$53
  sta HW_KNOCK
  see                                 ; a stack of our own: the machine's stays untouched
  ldy #STACK_PAGE
  tys
  ldx #$ff
  txs
  jsr map_off
  ldz #0
  lda #0
  tab                                 ; $00 and $01 are the CPU port only in page 0
  lda $00
  sta saved_port
  lda $01
  sta saved_port+1
  lda #$2f
  sta $00
  lda #$35                            ; I/O at $d000, RAM everywhere else
  sta $01
  lda #BASE_PAGE
  tab
  jsr save_registers
  lda HW_ROMBANK                      ; no ROM at $8000-$cfff and $e000
  and #$46
  sta HW_ROMBANK
  lda HW_CONTROLB                     ; 40 MHz, by registers that can be read back
  ora #$40
  sta HW_CONTROLB
  lda HW_CONTROLC
  ora #$40
  sta HW_CONTROLC
  ldx #1                              ; RESTORE must not lead into BASIC's memory
@vector:
  lda $fffa,x
  sta saved_nmi,x
  dex
  bpl @vector
  +set16 $fffa, restore_key
  ldx #2                              ; all of our base page starts as 0
  lda #0
@clear:
  sta BASE_PAGE * 256,x
  inx
  bne @clear
  +set32 ssn, SSN_REGS
  jsr take_mailbox
  jsr screen_on
  jsr keyboard_flush
  jmp chat

; What RESTORE does: nothing
restore_key:
  rti

; Back to BASIC
; Input:  the state saved by start
; Output: does not return here
quit:
  sei
  jsr keyboard_flush
  jsr close_sources
  jsr restore_registers
  ldx #1
@vector:
  lda saved_nmi,x
  sta $fffa,x
  dex
  bpl @vector
  lda #0
  tab
  lda saved_port
  sta $00
  lda saved_port+1
  sta $01
  jsr map_back
  ldx saved_sp
  ldy saved_sp+1
  tys
  txs
  lda saved_p
  and #$20
  bne @narrow
  cle
@narrow:
  lda saved_b
  tab
  ldz saved_z
  lda saved_p
  pha
  plp
  rts

; Remember the memory map and switch it off
; HDOS knows the map. An emulator without HDOS keeps the one it has.
; Uses:   A, X, Y, Z
map_off:
  lda #$74                            ; get the map: 6 bytes
  ldy #>NAME_PAGE
  sta HW_HYPER_TRAP
  clv
  lda #0
  rol                                 ; C = 1: it is there
  sta saved_map_known
  beq @done
  ldx #5
@copy:
  lda NAME_PAGE,x
  sta saved_map,x
  dex
  bpl @copy
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
@done:
  clv
  rts

; Put the memory map back
; Uses:   A, X, Y
map_back:
  lda saved_map_known
  beq @done
  ldx #5
@copy:
  lda saved_map,x
  sta NAME_PAGE,x
  dex
  bpl @copy
  lda #$76                            ; set the map
  ldy #>NAME_PAGE
  sta HW_HYPER_TRAP
  clv
@done:
  rts

REGISTERS    = 37       ; entries of the list
REGISTERS_D6 = 34       ; the first one outside $d0xx

; Copy the registers in the list to saved_registers
; Uses:   A, X, t0
save_registers:
  ldx #0
@next:
  jsr register_address
  ldy #0
  lda (t0),y
  sta saved_registers,x
  inx
  cpx #REGISTERS
  bne @next
  rts

; Put them back; the last one is the switch that would recompute the others
; Uses:   A, X, Y, t0
restore_registers:
  lda #$80
  trb HW_HOTREG
  ldx #0
@next:
  jsr register_address
  lda saved_registers,x
  ldy #0
  cpx #0                              ; bit 7 of $d011 is part of the raster
  bne @write                          ; interrupt's line, unreadable: hands off
  eor HW_CONTROL1
  and #$7f
  beq @skip
  lda saved_registers
  and #$7f
@write:
  sta (t0),y
@skip:
  inx
  cpx #REGISTERS
  bne @next
  rts

; Input:  X = place in the list
; Output: t0 = address
; Uses:   A
register_address:
  lda register_list,x
  sta t0
  lda #$d0
  cpx #REGISTERS_D6
  bcc @high
  lda register_pages - REGISTERS_D6,x
@high:
  sta t0+1
  rts

; $d0xx first, then those of other pages, $d05d last
register_list:
  !byte $11, $15, $16, $18, $20, $21, $30, $31, $48, $49, $4a, $4b, $4c, $4d, $4e, $4f, $54
  !byte $58, $59, $5a, $5b, $5c, $5e, $60, $61, $62, $63, $64, $65, $68, $69, $6a, $7b, $80
  !byte $89, $fe, $5d
register_pages:
  !byte $d6, $d7, $d0

saved_registers:
  !fill REGISTERS, 0
saved_p:
  !byte 0
saved_z:
  !byte 0
saved_b:
  !byte 0
saved_sp:
  !word 0
saved_port:
  !word 0
saved_nmi:
  !word 0
saved_map_known:
  !byte 0
saved_map:
  !fill 6, 0

; Honour what a push has left, once
; Output: mail_flags, line and line_len (a first line)
; Uses:   A, X
take_mailbox:
  ldx #3
@check:
  lda HW_MAILBOX,x
  cmp mail_word,x
  bne @clear
  dex
  bpl @check
  lda HW_MAILBOX+5
  sta mail_flags
  and #4
  beq @clear
  ldx #0
@text:
  lda HW_MAILBOX_TEXT,x
  beq @end
  sta line,x
  inx
  cpx #240
  bne @text
@end:
  stx line_len
  stx line_cur
@clear:
  ldx #15
  lda #0
@wipe:
  sta HW_MAILBOX,x
  dex
  bpl @wipe
  rts
mail_word:
  !text "SSKP"
mail_flags:
  !byte 0                             ; 1 loaded through the port, 2 in attic RAM, 4 a first line
