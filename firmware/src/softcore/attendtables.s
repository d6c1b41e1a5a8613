; Attention's tables, of which one must not straddle a page

!align 255, 0, 0
; Where the jumps of weigh.s go: the four cases of a distance, the product below 2
; and above, the sum
ex_jumps:
!for d, 0, 15 {
  !word ex_run1 - 3 * d
}
!for d, 0, 15 {
  !word ex_run2 - 3 * d
}
!for d, 0, 15 {
  !word ex_run3 - 3 * d
}
!for d, 0, 15 {
  !word ex_run4 - 3 * d
}
!for d, 0, 15 {
  !word ex_run5 - 3 * d
}
  !word ex_slow
!for d, 0, 14 {
  !word ex_run5 - 3 * d
}
!for d, 0, 8 {
  !word ex_run7 - 3 * d
}
!for d, 0, 7 {
  !word ex_9 + 11 * d
}
!for d, 0, 7 {
  !word ex_17 + 11 * d
}
ex_tops:                              ; by 0 to 7 bits
!for r, 0, 7 {
  !word ex_chord - r
}

; By the upper byte of a half: its mantissa's upper bits, 0 if it is no number
half_top:
!for sign, 0, 1 {
!for i, 0, 3 {
  !byte i
}
!for e, 1, 30 {
  !byte 4, 5, 6, 7
}
  !fill 4, 0
}
; 131 - its exponent; what is no number seems to lie far above any sum: there is
; no way round looking at it
half_n:
!for sign, 0, 1 {
  !fill 4, 130
!for e, 1, 30 {
  !fill 4, 131 - e
}
  !fill 4, 0
}
