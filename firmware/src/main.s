; ssnail-kit: chat with a language model on a MEGA65 with SSNAIL
;
; Root of the sources. Reading order is the order of this list: what the rest
; stands on comes first, the chat that ties it together last.

!cpu m65

!src "hw.inc"           ; the machine's addresses (made by the kit)
!src "image.inc"        ; the image's layout (made by the kit)
!src "memory.s"         ; where everything lies
!src "macros.s"

* = HW_BASIC_START

!src "start.s"          ; BASIC stub, entry, restoring the machine
!src "dma.s"
!src "math.s"           ; 32-bit numbers, decimal output, clock
!src "screen.s"         ; VIC-IV set-up, single rows
!src "print.s"          ; text output to a row or to the transcript
!src "transcript.s"     ; the scrolling text
!src "keyboard.s"
!src "editor.s"         ; the input line
!src "core.s"           ; the one door to SSNAIL
!src "tokens.s"         ; token buffer and runtime block
!src "soft.s"           ; or to a core in software
!src "image.s"          ; the header, checked
!src "f011.s"           ; sectors of the disk
!src "d81.s"            ; directory and files
!src "hdos.s"           ; the SD card
!src "source.s"         ; files, whatever holds them
!src "loader.s"         ; image into SSNAIL's memory
!src "models.s"         ; what disk and card hold
!src "list.s"           ; the start screen
!src "lookup.s"         ; find a piece in the image's index
!src "merge.s"          ; SentencePiece and BPE merging
!src "tokenizer.s"      ; text to tokens
!src "fold.s"           ; UTF-8 to ASCII
!src "status.s"         ; title and status line
!src "generate.s"       ; a turn of the model
!src "settings.s"       ; what commands change
!src "sample.s"         ; choosing by chance: random numbers, penalty
!src "select.s"         ; the greatest logits
!src "draw.s"           ; weights, and a draw
!src "encoder.s"        ; each line a vector
!src "vector.s"         ; of length 1
!src "similar.s"        ; earlier lines that are near
!src "commands.s"
!src "config.s"         ; CONFIG.TXT
!src "turn.s"           ; what is said goes to the model
!src "chat.s"           ; the main loop
!src "messages.s"       ; all words

screen_codes:
!src "screencodes.inc"  ; $20-$7f
font:
!src "font.inc"
program_end:
