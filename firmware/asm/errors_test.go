package asm

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// Sources that must be refused: text behind "!cpu m65 / * = $2001", and what
// the error must say. " // " separates lines; the first line of the text is
// line 3.
var refused = []struct{ src, want string }{
	// What ACME takes silently for a label or only warns about.
	{"  nop", "t.s:3: nop: opcode $ea is a prefix"},
	{"  aug", "t.s:3: aug: write map"},
	{"  ina", "t.s:3: ina: write inc"},
	{"  cmpq $12", "t.s:3: cmpq: write cpq"},
	{"inx // loop // dex", `t.s:4: "loop" is no instruction; a label needs a colon`},
	{"  loop:", "t.s:3: label loop must stand in the leftmost column"},
	{"  lda late // late = $40", "t.s:3: base page address $40 is used before it is defined"},
	{"a1 = late // late = $40 // lda a1", "t.s:5: base page address $40 is used before it is defined"},
	{"!byte %101", "t.s:3: binary number %101 has 3 digits"},
	{"  bra * // x1:", "t.s:3: * in an instruction"},
	{"  bbr3 $40,*+10", "t.s:3: * in an instruction"},
	{"!byte 1, *", "t.s:3: * behind the first value"},
	{"!macro m .a { // !byte .a // } // +m *", "t.s:6: * as a macro's value"},
	{"  jmp loop // lda (5),q", "t.s:4: expected y or z"},
	{"  lda ($ff),y", "t.s:3: pointer at $ff wraps around"},
	{"  ldq [$ff]", "t.s:3: pointer at $ff wraps around"},
	{"!byte 3>>>2", "t.s:3: >>> may be one operator or several"},
	{"!byte 3<>2", "t.s:3: <> may be one operator or several"},
	{"  lda $0040", "t.s:3: base page address $40 written with leading zeros"},
	{"!ifdef later { // } // later = 1", "t.s:3: later is defined further down, in t.s:5"},
	// Prefixes.
	{"  eom // lda ($12),z", "t.s:4: eom right before lda (n),z"},
	{"  neg // neg // lda $12", "t.s:5: two neg right before lda"},
	{"  cld // cld // rts", "t.s:4: cld twice"},
	{"  eom // x1: // sta ($12),z", "t.s:5: eom right before sta (n),z"},
	// Names.
	{"  jmp nowhere", "t.s:3: nowhere is not defined"},
	{"  lda #one+two // one = three", "t.s:3: two is not defined\nt.s:4: three is not defined"},
	{"one = two // two = one // !byte one", "is defined by itself"},
	{"x1: // x1:", "t.s:4: x1 is defined in t.s:3 already"},
	{"x1: // @l: // @l:", "t.s:5: x1@l is defined in t.s:4 already"},
	{"x1: // @l: // x2: // bra @l", "t.s:6: x2@l is not defined"},
	{"lda = 5", "t.s:3: lda cannot be a name: it is an instruction"},
	{"Tab = 5", "t.s:3: Tab cannot be a name: it is an instruction"},
	{"x = 5", "t.s:3: x cannot be a name: it is a register"},
	{"lda_far = 5", "t.s:3: lda_far cannot be a name"},
	{"x1 = 5 // !macro x1 { // }", "t.s:4: macro x1 has the name of a label or constant"},
	{"!macro x1 { // } // x1:", "t.s:5: x1 is a macro already"},
	{"  lda .x", "t.s:3: .x is no parameter"},
	// Operands.
	{"  stx $1234,x", "t.s:3: stx has no addressing mode n,x"},
	{"  lda ($12)", "t.s:3: lda has no addressing mode (n)"},
	{"  ldq #1", "t.s:3: ldq has no addressing mode #n"},
	{"  ldq ($12),z", "t.s:3: ldq has no addressing mode (n),z"},
	{"  inx 5", "t.s:3: inx has no addressing mode n"},
	{"  jmp", "t.s:3: jmp has no addressing mode no operand"},
	{"  lda #256", "t.s:3: value 256 ($100) does not fit 1 byte"},
	{"  lda #-129", "t.s:3: value -129"},
	{"  lda ($100),y", "t.s:3: value 256 ($100) is not a base page address"},
	{"  lda+1 $100", "t.s:3: value 256 ($100) is not a base page address"},
	{"  lda $10000", "t.s:3: value 65536 ($10000) is not an address"},
	{"  lda -1", "t.s:3: value -1"},
	{"  jsr+1 $12", "t.s:3: jsr n has no form for +1"},
	{"  lda+3 $12", "t.s:3: lda+: expected +1 (base page) or +2 (absolute)"},
	{"x1: // !fill 127 // bra x1", "t.s:5: bra reaches -128 to 127 bytes, the target is -129 away: use lbra"},
	{"  bne x1 // !fill 128 // x1:", "t.s:3: bne reaches -128 to 127 bytes, the target is 128 away: use lbne"},
	{"  bbs0 $12,x1 // !fill 128 // x1:", "t.s:3: bbs0 reaches -128 to 127 bytes, the target is 128 away"},
	{"  lda [$12", `t.s:3: expected "]", found the end of the line`},
	{"  lda ($12,y)", "t.s:3: no such addressing mode"},
	{"  lda #1 2", `t.s:3: expected the end of the statement, found "2"`},
	// Data.
	{"!byte 256", "t.s:3: value 256"},
	{"!word 65536", "t.s:3: value 65536"},
	{`!byte "ab"`, "t.s:3: text of 2 characters among numbers: use !text"},
	{`!text "ab`, `t.s:3: a quoted text has no closing "`},
	{"!text \"\xc3\xa4\"", "t.s:3: byte $c3 in a quoted text"},
	{`!text "\x41"`, "t.s:3: unknown escape"},
	{"!byte 'ab'", "t.s:3: expected one character between single quotes, found 2"},
	{"!32 $100000000", "t.s:3: $100000000 is no hexadecimal number of at most 32 bits"},
	{"!32 $ffffffff+1", "t.s:3: value 4294967296 needs more than 32 bits"},
	{"!32 $ffffffff*$ffffffff", "needs more than 32 bits"},
	{"!byte 1/0", "t.s:3: division by zero"},
	{"!byte -1>>1", "t.s:3: -1 >> 1: shift a positive number by 0 to 31"},
	{"!byte 1<<32", "t.s:3: 1 << 32"},
	{"!byte 007", "t.s:3: decimal number 007 has a leading zero"},
	{"!fill -1", "t.s:3: cannot fill -1 bytes"},
	{"!fill $e000", "t.s:3: the program runs beyond $ffff"},
	{"!fill late // late = 1", "t.s:3: the number of bytes depends on a name that is defined further down"},
	{"!align 6, 0", "t.s:3: !align 6, 0: expected a mask of ones"},
	{"!pet \"a\"", "t.s:3: !pet is not in the subset"},
	// Blocks.
	{"!if late { // } // late = 1", "t.s:3: the condition depends on a name that is defined further down"},
	{"!if 1 { // inx", "has no closing brace"},
	{"}", "t.s:3: a closing brace without an opening one"},
	{"!for i, 1 { // }", "t.s:3: !for takes a name, a first and a last value"},
	{"!for i, 0, 1 { // x1: // }", "t.s:4: label x1 in a macro or loop"},
	{"!for i, 0, 9999999 { // }", "loops or macros run away"},
	{"!macro m .a, .a { // }", "t.s:3: macro m has two parameters .a"},
	{"!macro m { // } // +m 1", "t.s:5: macro m takes 0 values, found 1"},
	{"  +m 1", "t.s:3: macro m is not defined, or further down"},
	{"!macro m { // +m // } // +m", "macros call macros more than"},
	{"!macro m .a { // lda #.a // } // +m 256", "t.s:4: value 256 ($100) does not fit 1 byte(s) (in macro m, called from t.s:6)"},
	{`!src "t.s"`, "t.s:2: the program's start is set already"},
	{`!src "none.s"`, `t.s:3: read "none.s": file does not exist`},
	{`!error "too big"`, "t.s:3: too big"},
	{"* = $3000", "t.s:3: the program's start is set already, to $2001"},
	{"-", "t.s:3: anonymous labels"},
	{"  lda #\x80", "t.s:3: unexpected character"},
	{"//comment", "t.s:3: comments start with a semicolon"},
}

func TestRefused(t *testing.T) {
	for _, c := range refused {
		src := head + strings.ReplaceAll(c.src, " // ", "\n") + "\n"
		_, err := assembleText(src)
		if err == nil {
			t.Errorf("%q: no error, want %q", c.src, c.want)
			continue
		}
		if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %q, want %q", c.src, err, c.want)
		}
		var list ErrorList
		if !errors.As(err, &list) || len(list) == 0 || len(list) > maxErrors {
			t.Errorf("%q: error is no list of at most %d: %v", c.src, maxErrors, err)
		}
	}
}

func TestRefusedWithoutHead(t *testing.T) {
	for src, want := range map[string]string{
		"":                              "t.s:1: nothing to assemble",
		"!cpu m65\n lda #1\n":           "t.s:2: code or data before the program's start is set",
		"* = $2001\n lda #1\n":          "t.s:2: instruction before !cpu m65",
		"!cpu 6510\n":                   `t.s:1: expected m65, found "6510"`,
		"* = $10000\n":                  "t.s:1: the program's start $10000 is not within",
		"a:\n":                          "t.s:1: a cannot be a name",
		"x1:\n":                         "t.s:1: label x1 stands before the program's start is set",
		"* = *\n":                       "t.s:1: * has no value before",
		"\x00":                          "t.s:1: zero byte",
		"!byte " + deep("(", 100) + "1": "t.s:1: expression is nested more than",
		deep("!if 1 {\n", 100):          "blocks are nested more than",
		"x1 = " + deep("-", 100) + "1":  "t.s:1: expression is nested more than",
	} {
		_, err := assembleText(src)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: got %v, want %q", src, err, want)
		}
	}
}

func deep(s string, n int) string { return strings.Repeat(s, n) }

// Errors in a file that is read by another one carry its name.
func TestErrorsNameTheFile(t *testing.T) {
	_, err := Assemble("main.s", func(name string) ([]byte, error) {
		switch name {
		case "main.s":
			return []byte(head + "!src \"lib/a.s\"\n"), nil
		case "lib/a.s":
			return []byte("; a\n  lda #300\n  frob\n"), nil
		}
		return nil, fmt.Errorf("no file %s", name)
	}, nil)
	if want := `lib/a.s:3: "frob" is no instruction; a label needs a colon right behind it`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestDefinesDecideIfdef(t *testing.T) {
	src := head + "!ifdef DEBUG {\n!byte DEBUG\n} else {\n!byte 0\n}\n"
	read := func(string) ([]byte, error) { return []byte(src), nil }
	for want, defines := range map[byte]map[string]int64{0: nil, 7: {"DEBUG": 7}} {
		r, err := Assemble("t.s", read, defines)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Code) != 1 || r.Code[0] != want {
			t.Errorf("defines %v: % x", defines, r.Code)
		}
		eachDialect(t, func(t *testing.T, d Dialect) {
			if got := outside(t, r, d); len(got) != 3 || got[2] != want {
				t.Errorf("%v: % x, want %d", d, got, want)
			}
		})
	}
}
