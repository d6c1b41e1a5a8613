; Where everything lies
;
; $0000-$15ff stays as BASIC left it. Bank 0 from $1600 is ours:
;   $1600 mailbox, then free     $1900 header of the image   $1c00 sector buffer
;   $1700 base page              $1a00 input line            $1e00 stack
;   $1800 names for HDOS         $1b00 variables             $2001 program
;   $b000 tables of the tokenizer, key ring                  $c000-$cfff free, or the software core's
; Banks 4 and 5: screen, font, tokens, transcript, history; the software core.

BASE_PAGE    = $17
STACK_PAGE   = $1e

NAME_PAGE    = $1800    ; HDOS wants names on a page below $7f00
header       = $1900    ; 256 bytes: a copy of the image's header
line         = $1a00    ; 256 bytes: what is typed
sector       = $1c00    ; 512 bytes: the sector read last

SCREEN       = $40000   ; 80 x 25 screen codes
FONT         = $40800   ; 2 KB
TOKENS       = $41000   ; tokens of a line, 4 bytes each
MODELS       = $42000   ; 30 records of 512 bytes
HEADER_COPY  = $45c00
RECENT       = $45d00   ; the model's last 64 tokens, 4 bytes each
TR_CHARS     = $50000   ; transcript: 256 lines of 80 screen codes
TR_COLOURS   = $55000   ; and as many colours
SCAN_NAMES   = $5b200   ; 30 names of 64 bytes
COLOURS      = HW_COLOUR_RAM + $1000 ; behind BASIC's own colours
COLOUR_START = $1000    ; the same, as an offset into colour RAM

; --- Base page. A name that begins with a letter and a digit is scratch and
; lives only inside one routine; callers find what is clobbered under Uses.

p0           = $02      ; far pointers
p1           = $06
p2           = $0a
t0           = $0e      ; 32-bit scratch
t1           = $12
t2           = $16
t3           = $1a
b0           = $1e      ; single bytes
b1           = $1f
b2           = $20
b3           = $21
zero         = $22      ; four bytes, always 0

dma_src      = $26      ; 28-bit addresses
dma_dst      = $2a
dma_len      = $2e      ; 2 bytes
ssn          = $30      ; far pointer to SSNAIL's registers

; printing
str          = $34      ; 2 bytes: the text being printed
out          = $36      ; 2 bytes: routine that takes characters
colour       = $38      ; of text that goes to the transcript
row_col      = $39      ; next column of the row being composed

; transcript
tr_chars     = $3a      ; far pointers to the line being written
tr_cols      = $3e
tr_col       = $42      ; next column
tr_head      = $43      ; line being written
tr_lines     = $44      ; lines written so far, at most 255
tr_up        = $45      ; how far the view is scrolled back
view_rows    = $46      ; rows between title and status line

; keyboard and editor
key_in       = $47      ; ring positions
key_out      = $48
line_len     = $4a
line_cur     = $4b      ; cursor
input_rows   = $4c
hist_next    = $4d      ; history: slot for the next line
hist_count   = $4e
hist_back    = $4f      ; how far back the shown line is, 0 = the draft

; look-ups in the image
lk_low       = $50      ; binary search: first and one behind the last
lk_high      = $54
lk_mid       = $58
lk_ptr       = $5c
lk_piece     = $60
vocab_base   = $64      ; far: vocab table
index_base   = $68      ; far: sorted index
index_count  = $6c
prio_base    = $70      ; far: priorities
bytes_base   = $74      ; far: byte table
found_id     = $78      ; result of a look-up
found_prio   = $7c
lk_text      = $80      ; 2 bytes: text looked up
lk_len       = $82      ; its length
lk_piece_len = $83
lk_common    = $a0      ; how much the text shares with the entry below it
lk_limit     = $a1      ; bytes to compare

; merging
mg_start     = $85      ; chunk in tok_text
mg_end       = $86
mg_best      = $87      ; symbol that begins the best pair
mg_best_lo   = $88
mg_best_mid  = $89
mg_best_hi   = $8a
mg_sym       = $8b

; tokenizer
tok_kind     = $8c
tok_flags    = $8d
tok_cont     = $8f      ; not 0: the text follows others, no begin token
tok_out      = $90      ; far pointer behind the last token written
tok_count    = $94      ; 2 bytes
tok_begin    = $96      ; 4 bytes
tok_finish   = $9a      ; 4 bytes: end token
tok_unknown  = $e4      ; 4 bytes

; loading
blk_ptr      = $a2      ; 2 bytes: block of the file
blk_len      = $a4      ; 2 bytes
ld_done      = $a6      ; bytes loaded
ld_total     = $aa      ; bytes to load
ld_head      = $ae      ; 2 bytes: bytes of the header still to come
file_track   = $b0      ; next sector of the open file
file_sector  = $b1
file_blocks  = $b2      ; 2 bytes: sectors read, against loops
dsk_track    = $b4      ; physical sector in the buffer, 255 = none
dsk_sector   = $b5
dsk_side     = $b6
err_track    = $b7
err_sector   = $b8
dir_track    = $b9
dir_sector   = $ba
dir_entry    = $bb
dir_count    = $bc

; generation; positions fit 16 bits, the context has at most 4095 tokens
gen_pos      = $c0      ; 4 bytes each, as in the runtime block
gen_prompt   = $c4
gen_limit    = $c8
gen_seen     = $cc      ; 2 bytes: tokens shown
gen_text     = $ce      ; not 0: the text has ended, the rest is not shown
gen_asked    = $cf      ; not 0: stop was requested
ctx_used     = $d0      ; 2 bytes: tokens in the context
ctx_max      = $d2      ; 2 bytes
gen_now      = $d4      ; 4 bytes: generated, as last read
frames       = $d8      ; 3 bytes: clock
last_frame   = $db
gen_ticks    = $dc      ; 3 bytes: frames of the last run

; folding
fold_need    = $e0      ; continuation bytes to come
fold_code    = $e1      ; 3 bytes: character so far

error_code   = $e8      ; MSG number of the last failure
core_mb      = $e9      ; MB of memory for images, 2 bytes

; sampling
sm_least     = $ec      ; 4 bytes: key that a candidate must exceed
sm_key       = $f0      ; 4 bytes: key of a logit
sm_first     = $f4      ; 4 bytes: token of the block's first logit
sm_left      = $f8      ; 4 bytes: logits still to come
sm_count     = $fc      ; candidates so far
sm_limit     = $fd      ; and at most
sm_at        = $fe

; --- Variables that need no base page
row_buffer   = $1b00    ; 80 bytes: a row being composed
wrap_chars   = $1b50    ; 80 bytes: a word on its way to the next line
wrap_colours = $1ba0    ; 80 bytes

; --- Buffers in bank 0
BUFFERS      = $b000
mg_next      = $b000    ; per symbol, 256 each: next symbol, 0 = none
mg_prev      = $b100
pair_lo      = $b200    ; priority of the pair that begins here
pair_mid     = $b300
pair_hi      = $b400
made_lo      = $b500    ; token that the pair makes
made_mid     = $b600
made_hi      = $b700
sym_lo       = $b800    ; token of the symbol
sym_mid      = $b900
sym_hi       = $ba00
tok_text     = $bb00    ; text being tokenized
key_ring     = $bc00
HISTORY      = $5a000   ; 16 lines of 256 bytes, length in the last byte; then a draft
wp_key       = $b100    ; WordPiece: the word being looked up
sm_order     = $b000    ; sampling: candidates' slots by falling logit, 128
sm_key0      = $b080    ; by slot: key and token
sm_key1      = $b100
sm_key2      = $b180
sm_key3      = $b200
sm_token0    = $b280
sm_token1    = $b300
sm_token2    = $b380
sm_weight0   = $b400    ; by rank: weight
sm_weight1   = $b480
sm_weight2   = $b500
sm_recent    = $b600    ; 256 bytes: RECENT
sm_logits    = $b700    ; 256 bytes: a block of logits
sm_met       = $b800    ; 256 bytes: low bytes of tokens that were penalised
input_cells  = $b000    ; 320 bytes: the input area, while no text is tokenized
