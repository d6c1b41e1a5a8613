// Package asm assembles the MEGA65 program and prints its source for other
// assemblers.
//
// The language is a subset of ACME's, chosen so that ACME assembles it without
// a word and ca65 can say the same. What either of the two would take silently
// for something else is an error here.
//
//	name:                       label, in the leftmost column
//	@name:                      cheap local label, until the next label; a macro's are its own
//	NAME = expr                 constant
//	* = expr                    where the program starts; once, before the first byte
//	lda+1 expr   lda+2 expr     base page, absolute, whatever the value is
//	!byte !word !32             expressions; !byte takes 'c' too
//	!text "abc", 13             bytes and strings; \" \\ \' \n \r \t \0
//	!fill n, v                  n times v (0)
//	!align mask, low, v         v ($ea) until the address & mask = low
//	!src "file"                 read another file of the set
//	!if e { } else if e { } else { }   !ifdef NAME { }   !ifndef NAME { }
//	!for i, first, last { }     also downwards
//	!macro name .a, .b { }      call: +name x, y
//	!error "text"   !cpu m65
//
// Instructions are those of mega65/isa with the names it gives. Expressions
// are 32-bit integers: decimal, $hex, %binary, 'c', names, * (not in an
// instruction), and, binding tightest first: ! - (unary) | * / % | + - |
// << >> | < > ^ (unary: low, high, bank byte) | <= < >= > | != | = | & | the bar.
//
// Base page or absolute: where an instruction has both, a value that is known
// when the line is read decides; one that is defined further down takes the
// absolute form. If it then turns out to be a base page address, that is an
// error (ACME would only warn): define it first, or write +1 or +2.
//
// Refused on purpose: nop (it is a prefix; write eom), aug, ina, dea, zones,
// anonymous labels, * in instructions (the two assemblers count bbr's from
// different places), numbers with leading zeros as addresses, symbols without
// a colon, names that either assembler reserves, eom or two neg right before
// an instruction that they would turn into a 32-bit one, and cld twice.
package asm
