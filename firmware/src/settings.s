; Settings: what the commands and CONFIG.TXT change
;
; Temperature and penalty are kept in hundredths.

set_tokens:                           ; tokens a turn
  !32 120
set_temp:                             ; 0: greedy
  !32 0
set_topk:
  !32 40
set_penalty:
  !32 115
set_seed:
  !32 1
set_eos:
  !byte 0                             ; not 0: show how likely the end token was
set_temp_before:
  !32 80                              ; what /greedy goes back to

; The settings by number: where, the least and the most, decimals
SETTING_BYTES = 12
settings:
  !word set_tokens, 0
  !32 1
  !32 4095
  !word set_temp, 2
  !32 0
  !32 1000
  !word set_topk, 0
  !32 0
  !32 TOPK_MAX
  !word set_penalty, 2
  !32 100
  !32 400
  !word set_seed, 0
  !32 0
  !32 $ffffffff

; Change a setting by the command's argument, or show it
; Input:  X = number of the setting, arg_at
; Output: C = 1: the argument is no number in range
; Uses:   A, X, Y, Z; t0-t2, b0, b1, str, p0, p1
setting_change:
  stx set_number
  jsr arg_start
  bcs @none
  ldx set_number
  jsr setting_entry
  ldy #2                              ; decimals
  lda (p0),y
  jsr arg_number
  bcs @bad
  ldy #4                              ; the least
  jsr setting_bound
  ldq t0
  cpq t1
  bcc @bad
  ldy #8                              ; the most
  jsr setting_bound
  ldq t1
  cpq t0
  bcc @bad
  ldy #0
  lda (p0),y
  sta p1
  iny
  lda (p0),y
  sta p1+1
  ldq t0
  stq (p1)
@none:
  clc
  rts
@bad:
  sec
  rts
set_number:
  !byte 0

; Input:  X = number
; Output: p0 (16-bit) = its entry
; Uses:   A
setting_entry:
  +set16 p0, settings
@next:
  dex
  bmi @done
  lda p0
  clc
  adc #SETTING_BYTES
  sta p0
  bcc @next
  inc p0+1
  bra @next
@done:
  rts

; Input:  Y = offset in the entry at p0
; Output: t1
; Uses:   A, X, Y
setting_bound:
  ldx #0
@byte:
  lda (p0),y
  sta t1,x
  iny
  inx
  cpx #4
  bne @byte
  rts

; --- Arguments of commands

; Skip the spaces before the argument
; Output: arg_at; C = 1: there is none
; Uses:   A, Y
arg_start:
  ldy arg_at
@skip:
  cpy line_len
  bcs @none
  lda line,y
  cmp #' '
  bne @there
  iny
  bra @skip
@there:
  sty arg_at
  clc
@none:
  rts

; Read a decimal number
; Input:  arg_at, A = how many decimals it is scaled by
; Output: C = 0: t0; C = 1: it is none, or too large
; Uses:   A, X, Y, Z; t1, b0, b1
arg_number:
  sta b0                              ; decimals still to come
  lda #0
  sta b1                              ; not 0: behind the point
  ldq zero
  stq t0
  ldy arg_at
  lda line,y
  jsr arg_digit                       ; it begins with a digit or the point
  bcc @next
  cmp #'.'
  bne @bad
  iny                                 ; with a digit behind it
  cpy line_len
  bcs @bad
  lda line,y
  jsr arg_digit
  bcs @bad
  dey
@next:
  cpy line_len
  bcs @end
  lda line,y
  cmp #' '
  beq @end
  cmp #'.'
  beq @point
  jsr arg_digit
  bcs @bad
  ldx b1
  beq @digit
  ldx b0                              ; more decimals than are kept: dropped
  beq @drop
  dec b0
@digit:
  jsr arg_append
  bcs @bad
@drop:
  iny
  bra @next
@point:
  lda b1
  bne @bad
  inc b1
  iny
  bra @next
@end:
  lda b0
  beq @done
  dec b0
  lda #0
  jsr arg_append
  bcc @end
@bad:
  sec
  rts
@done:
  clc
  rts

; Input:  A = character
; Output: C = 0: A = digit; C = 1: none, A kept
arg_digit:
  cmp #'0'
  bcc @none
  cmp #'9' + 1
  bcs @none
  and #$0f
  clc
  rts
@none:
  sec
  rts

; t0 = t0 * 10 + A
; Output: C = 1: too large
; Uses:   A, X, Z; t1
arg_append:
  phy
  sta t1
  lda #0
  sta t1+1
  sta t1+2
  sta t1+3
  ldq t0
  stq HW_MATH_A
  lda #10
  ldx #0
  ldy #0
  ldz #0
  stq HW_MATH_B
  lda HW_PRODUCT+4
  bne @large
  ldq HW_PRODUCT
  clc
  adcq t1
  stq t0
  ply
  rts
@large:
  ply
  sec
  rts
