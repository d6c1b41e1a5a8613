; Keyboard: the hardware's queue, and a longer one of our own
;
; The hardware queue holds few keys. Waiting loops call key_pump, so nothing
; typed while the model speaks is lost, and RUN/STOP is seen at once.

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
  sta key_stop
  rts

; Move keys from the hardware's queue to ours. RUN/STOP empties ours and sets
; key_stop instead.
; Uses:   A, X
key_pump:
  ldx key_in
  inx
  cpx key_out
  beq @full
  lda HW_KEY_ASCII
  beq @full
  sta HW_KEY_ASCII                    ; take it off
  cmp #KEY_RUNSTOP
  beq @stop
  ldx key_in
  sta key_ring,x
  inc key_in
  bra key_pump
@stop:
  lda key_in
  sta key_out
  lda #1
  sta key_stop
  bra key_pump
@full:
  rts

; Wait for a key
; Output: A = key; RUN/STOP comes as KEY_RUNSTOP
; Uses:   X
key_wait:
  jsr key_pump
  lda key_stop
  bne @stop
  ldx key_out
  cpx key_in
  beq key_wait
  lda key_ring,x
  inc key_out
  rts
@stop:
  lda #0
  sta key_stop
  lda #KEY_RUNSTOP
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
