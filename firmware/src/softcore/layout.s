; Where the core's working space lies
;
; $2000-$bfff is a window onto chip RAM $46000-$4ffff. $0000-$1fff, $c000-$cfff
; and $e000-$ffff are bank 0.

WINDOW       = $2000
WINDOW_BANK  = 4        ; chip RAM address = bank, CPU address + WINDOW_SHIFT
WINDOW_SHIFT = $4000

BASE         = $bf      ; base page
STACK        = $be      ; stack page
STATE        = $bd00    ; registers and instruction
MISC         = $bc00

; --- Buffers
BUF_X        = $c000    ; 1 KB: a piece of the first operand, 256 singles
BUF_Y        = $c400    ; 1 KB: of the second
BUF_Z        = $c800    ; 1 KB: of a result
BUF_W        = $cc00    ; 1 KB: weights as they come
PIECE        = 256      ; singles in a piece
SCORES       = $e000    ; 4 KB: a head's scores, 1024 singles
KV_BUF       = $f000    ; 2 KB: rows of a cache
SCORES_MAX   = 1024
TABLE        = $f800    ; 1 KB: rewritten matrices, old address and new
XQ           = KV_BUF   ; the quantised x, 40 bytes a block; no ATTN comes in between
XQ_MAX       = 48       ; blocks

; --- Base page. Unpacked numbers have 6 bytes: guard byte, 24 bits of mantissa
; with its leading one, biased exponent, sign (bit 7).
; A zero has exponent 0, a subnormal number exponent 1 and no leading one.
acc_q        = $00      ; sums
acc_e        = $04
acc_s        = $05
sp_x         = $06      ; 2 bytes
t_q          = $08      ; products, terms
t_e          = $0c
t_s          = $0d
u_q          = $10      ; factors
u_e          = $14
u_s          = $15
cnt          = $16      ; 2 bytes: elements to do
v_q          = $18
v_e          = $1c
v_s          = $1d
piece_n      = $1e      ; 2 bytes: elements of this piece
shift_ptr    = $20      ; pointer into shift_table, which begins a page
err          = $22      ; not 0: NaN or infinity seen
zeroq        = $24      ; four bytes, always 0
pa           = $28      ; packed operands and result
pb           = $2c
pr           = $30
tmp          = $34      ; 64 bits of scratch
tmp2         = $38
xe           = $3c      ; 16-bit exponent in slow paths
drop         = $3e      ; bits to lose
rem          = $3f      ; sticky bits
srcp         = $40      ; 2 bytes: a block of 32 packed singles
; $40-$df belongs to the instruction at work
px           = $e0      ; pointers to the operands
py           = $e2
pz           = $e4
; $e6-$e9 belongs to the instruction at work, too
size          = $ea      ; 2 bytes: of a transfer
val          = $ec      ; 4 bytes
left         = $f0      ; 4 bytes: elements still to come
place         = $f4      ; 4 bytes: 28-bit
tick         = $f8      ; frame counter when the call began
busy         = $f9      ; not 0: a job runs
cnt2         = $fc      ; 2 bytes
flag         = $fe
flag2        = $ff
pz_rows      = $fe      ; 2 bytes: where rewritten weights go

; --- State
R_           = $bd00    ; 16 registers of 4 bytes
A_           = $bd40
N_           = $bd80    ; 3
ins          = $bd90    ; 16 bytes: the instruction
ip           = $bda0    ; 4 bytes each
ip_next      = $bda4
src1         = $bda8    ; operands of vector instructions
src2         = $bdac
dst          = $bdb0
total        = $bdb4
own_sp       = $bdb8
caller_sp    = $bdba    ; 2 bytes
