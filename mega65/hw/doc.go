// Package hw holds the facts of the MEGA65 that the kit needs in more than one
// place: addresses, register names, board ids, keyboard codes, character codes
// and the font of the program. The assembler's constants and the emulator use
// the same names, so that there is one source of truth.
//
// Sources: the MEGA65 book (appendices on the memory map, DMAgic, the 45IO27
// and the 45GS02 registers) and the VHDL of the public core. Figures that no public
// document fixes yet, those of SSNAIL's error codes, are marked as ours.
package hw
