; Keyboard: the hardware's queue, and a longer one of our own
;
; The hardware queue holds few keys. Waiting loops call key_pump, so nothing
; typed while the model speaks is lost. Keys take effect in the order in which
; they were typed; only a RUN/STOP that is held down comes at once.

; Forget everything typed
; Uses:   A, X
keyboard_flush:
  lda #0
  sta HW_KEY_EVENT_MODS
  ldx #0
@pop:
  lda HW_KEY_ASCII
  beq @empty
  sta HW_KEY_ASCII
  dex
  bne @pop
@empty:
  lda #0
  sta key_in
  sta key_out
  rts

; Move keys from the hardware's queue to ours
; Uses:   A, X
key_pump:
  ldx key_in
  inx
  cpx key_out
  beq @done
  lda HW_KEY_ASCII
  beq @done
  sta HW_KEY_ASCII                    ; take it off
  ldx key_in
  sta key_ring,x
  inc key_in
  bra key_pump
@done:
  rts

; Is the user stopping something?
; Output: C = 1: yes; the key is taken
; Uses:   A, X
key_stopped:
  jsr key_pump
  ldx key_out
  cpx key_in
  beq @held
  lda key_ring,x
  cmp #KEY_RUNSTOP
  beq @typed
@held:                                ; the key itself, whatever was typed before
  lda CIA_PORT_A
  pha
  lda #$7f
  sta CIA_PORT_A
  lda CIA_PORT_B
  tax
  pla
  sta CIA_PORT_A
  txa
  bmi @no
  jsr keyboard_flush
  sec
  rts
@typed:
  inc key_out
  rts                                 ; C = 1
@no:
  clc
  rts
CIA_PORT_A = $dc00      ; keyboard matrix: RUN/STOP is row 7, column 7
CIA_PORT_B = $dc01

; Wait for a key
; Output: A = key
; Uses:   X
key_wait:
  jsr key_pump
  ldx key_out
  cpx key_in
  beq key_wait
  lda key_ring,x
  inc key_out
  rts

; A short tone: this key does nothing
; Uses:   A
beep:
  lda #15
  sta $d418
  lda #$30
  sta $d401
  lda #$0a                            ; attack 0, decay 10
  sta $d405
  lda #0                              ; no sustain: it ends by itself
  sta $d406
  lda #$10
  sta $d404
  lda #$11                            ; triangle, gate
  sta $d404
  rts
