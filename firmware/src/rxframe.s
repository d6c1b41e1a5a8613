; What the receiver changes of the machine, and the frame that puts it back

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
