; CONFIG.TXT in the card's folder SSNAIL: settings and a default model
;
; One setting a line, as a command without its slash: "temp 0.8", "n 200",
; "model STORIES". "=" may stand for the space, # begins a comment.

CONFIG_MAX = 1024       ; bytes that are read

; Read and obey it
; Output: the settings; config_model
; Uses:   everything but the chat's variables
config_read:
  lda #0
  sta config_model
  jsr hdos_present
  bcc @none
  ldx #config_name_end - config_name - 1
@name:
  lda config_name,x
  sta src_name,x
  dex
  bpl @name
  lda #SOURCE_FOLDER
  sta src_kind
  jsr source_open
  bcs @none
  lda #0
  sta line_len
  +set16 t2, CONFIG_MAX / 512         ; blocks at most
@block:
  jsr source_next
  bcs @end
  lda blk_len
  ora blk_len+1
  beq @end
@byte:
  ldy #0
  lda (blk_ptr),y
  jsr config_byte
  inw blk_ptr
  dew blk_len
  lda blk_len
  ora blk_len+1
  bne @byte
  dec t2
  bne @block
@end:
  lda #10                             ; the last line may have no end
  jsr config_byte
  jsr hdos_root
@none:
  lda #0
  sta line_len
  sta line_cur
  rts
config_name:
  !text "CONFIG.TXT"
  !byte 0
config_name_end:

; Take one character of the file
; Input:  A
; Uses:   everything but t2, blk_...
config_byte:
  cmp #10
  beq @line
  cmp #13
  beq @line
  cmp #'='
  bne @char
  lda #' '
@char:
  cmp #9
  bne @visible
  lda #' '
@visible:
  ldx line_len
  bne @inside
  cmp #' '                            ; before the line's first word: spaces, and the
  beq @ignore                         ; mark that some editors begin a file with
  cmp #$80
  bcs @ignore
@inside:
  cpx #80                             ; no setting is longer
  bcs @ignore
  sta line+1,x
  inc line_len
@ignore:
  rts
@line:
  lda line_len
  beq @ignore
  lda line+1
  cmp #'#'
  beq @done
  inc line_len                        ; as if a slash had been typed
  jsr config_words
@done:
  lda #0
  sta line_len
  rts

; Obey a line: the settings only, and "model"
; Input:  line+1, line_len
; Uses:   everything but t2, blk_...
config_words:
  +copy32 t2, config_saved
  ldx #0
@try:
  ldy #0
@compare:
  lda config_keys,x
  beq @word
  eor line+1,y                        ; capitals do as well
  and #$df
  bne @next
  inx
  iny
  bra @compare
@next:                                ; to the next word: over the rest of this one
  lda config_keys,x
  beq @next_word
  inx
  bra @next
@word:
  iny                                 ; in the line, the word began at 1
  cpy line_len
  bcs @next_word
  lda line,y
  cmp #' '
  bne @next_word
  sty arg_at
  lda config_keys+1,x
  cmp #CONFIG_MODEL
  beq @model
  tax
  jsr setting_change
  bra @done
@next_word:
  inx                                 ; its end and its number
  inx
  lda config_keys,x
  bne @try
@done:
  +copy32 config_saved, t2
  rts
@model:
  jsr arg_start
  bcs @done
  ldx #0
  ldy arg_at
@copy:
  cpy line_len
  bcs @copied
  lda line,y
  sta config_model,x
  iny
  inx
  cpx #63
  bne @copy
@copied:
  dex                                 ; without the spaces at its end: there is a
  lda config_model,x                  ; character before them
  cmp #' '
  beq @copied
  inx
  lda #0
  sta config_model,x
  bra @done
CONFIG_MODEL = 255
config_saved:
  !32 0
config_model:
  !fill 64, 0                         ; the model's name or its beginning; empty: none
config_keys:
  !text "n"
  !byte 0, 0
  !text "temp"
  !byte 0, 1
  !text "topk"
  !byte 0, 2
  !text "penalty"
  !byte 0, 3
  !text "seed"
  !byte 0, 4
  !text "model"
  !byte 0, CONFIG_MODEL
  !byte 0

; Is the model named by CONFIG.TXT in the list?
; Output: C = 0: model_chosen; C = 1: no
; Uses:   everything but the chat's variables
config_choose:
  lda config_model
  beq @none
  lda #0
  sta model_chosen
  lda #NEAR_NONE
  sta config_near
@model:
  lda model_chosen
  cmp model_count
  bcs @last
  jsr model_fetch
  lda src_fault
  bne @next
  ldx #0
@compare:
  lda config_model,x
  beq @found                          ; the name, or its beginning
  jsr upper
  sta b0
  lda src_name,x
  jsr upper
  cmp b0
  bne @short
  inx
  bra @compare
@short:                               ; some hypervisors tell the short name of a
  cmp #'~'                            ; long one: STORIE~1.SSN. It may be meant, if it
  bne @next                           ; is the only one that does
  ldx #NEAR_SEVERAL
  lda config_near
  cmp #NEAR_NONE
  bne @near
  ldx model_chosen
@near:
  stx config_near
@next:
  inc model_chosen
  bra @model
@last:
  lda config_near
  cmp #NEAR_SEVERAL
  bcs @none
  sta model_chosen
@found:
  clc
  rts
@none:
  lda #0
  sta model_chosen
  sec
  rts
NEAR_SEVERAL = $fe
NEAR_NONE    = $ff
config_near:
  !byte 0                             ; number of a model with a short name like it

; Input:  A = character
; Output: A, a letter in upper case
upper:
  cmp #'a'
  bcc @done
  cmp #'z' + 1
  bcs @done
  and #$df
@done:
  rts
