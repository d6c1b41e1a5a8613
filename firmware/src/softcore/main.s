; The software core: SSNAIL's instructions on the 45GS02, in hw numerics
;
; Root of the sources. README.md says how a program calls it.

!cpu m65

!src "hw.inc"           ; the machine's addresses (made by the kit)
!src "image.inc"        ; the image's layout (made by the kit)
!src "softcore/entries.s" ; functions and parameters
!src "softcore/layout.s"  ; where everything lies
!src "softcore/macros.s"

* = WINDOW

!src "softcore/door.s"    ; in and out, slices of time
!src "softcore/float.s"   ; single precision
!src "softcore/pack.s"    ; unpacking, packing, comparing; a table that begins a page
!src "softcore/divide.s"  ; reciprocal, square root
!src "softcore/half.s"    ; F16, BF16
!src "softcore/dma.s"     ; blocks in and out of attic RAM
!src "softcore/interpret.s" ; fetch, decode, registers, jumps, faults
!src "softcore/factor.s"  ; products of normal numbers
!src "softcore/vector.s"  ; pieces of vectors: VADD, VMUL, CVT16
!src "softcore/deqrow.s"
!src "softcore/argmax.s"
!src "softcore/norm.s"    ; RMSNORM, LAYERNORM, MEANROWS
!src "softcore/chord.s"   ; SiLU, GELU, exp
!src "softcore/rope.s"
!src "softcore/quantise.s"
!src "softcore/xvector.s" ; the vector quantised last
!src "softcore/gemv.s"    ; matrix times vector
!src "softcore/dot.s"     ; the products of a row
!src "softcore/dotlist.s" ; what is put into them
!src "softcore/tile.s"    ; Q8_0 and Q4_0 rows, two blocks at a time
!src "softcore/rewrite.s" ; a block of them as dot.s wants it
!src "softcore/exact.s"   ; F16, BF16 and F32 rows
!src "softcore/exactvalue.s"
!src "softcore/exactsum.s"
!src "softcore/columncode.s" ; rewritten F16 rows: unrolled code
!src "softcore/column.s"  ; and its use
!src "softcore/attention.s"
!src "softcore/kernel.s"  ; eight sums += factor * values
!src "softcore/kernelplus.s"
!src "softcore/kernelminus.s"
!src "softcore/rows.s"    ; of F16 caches, to the kernel's places
!src "softcore/head.s"    ; one head over F16 caches: scores
!src "softcore/weigh.s"   ; exponentials
!src "softcore/weighsum.s" ; and their sum
!src "softcore/values.s"  ; and values
!src "softcore/attendtables.s"
!src "softcore/attendany.s"
!src "softcore/softmax.s"
!src "softcore/prepare.s" ; weights rewritten for speed: which
!src "softcore/repack.s"  ; how
!src "softcore/table.s"   ; and where they are
!src "softcore/estimate.s" ; how long a token will take
chords:
!src "chords.inc"         ; coefficients (made by the kit)
soft_end:
code_end = chords + ROWS * ROW_BYTES + 1 ; and the code that takes their place
