package asm

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// two sources: a macro file and a root that uses it.
func twoFiles(name string) ([]byte, error) {
	switch name {
	case "main.s":
		return []byte("!cpu m65\nbase = $20\n!src \"m.s\"\n* = $2001\nstart:\n  +put 5\n@l: dex\n  bne @l\nalias:\nsecond: ; two labels\n  rts\nend:\n"), nil
	case "m.s":
		return []byte("!macro put .v {\n  lda #.v\n@l: sta base,x\n  bne @l\n}\n"), nil
	}
	return nil, fmt.Errorf("no file %s", name)
}

func TestResult(t *testing.T) {
	r, err := Assemble("main.s", twoFiles, nil)
	if err != nil {
		t.Fatal(err)
	}
	wantRoutines := []Routine{{"start", 0x2001, 0x200A, "main.s", 5}, {"second", 0x200A, 0x200B, "main.s", 10}}
	if d := cmp.Diff(wantRoutines, r.Routines()); d != "" {
		t.Errorf("routines (-want +got):\n%s", d)
	}
	// What a macro makes belongs to the line that calls it.
	if d := cmp.Diff([]Module{{"main.s", 10}, {"m.s", 0}}, r.Modules); d != "" {
		t.Errorf("modules (-want +got):\n%s", d)
	}
	for addr, want := range map[int]string{0x2001: "main.s:6", 0x2006: "main.s:6", 0x2007: "main.s:7", 0x200A: "main.s:11"} {
		file, line, ok := r.LineAt(addr)
		if got := fmt.Sprintf("%s:%d", file, line); !ok || got != want {
			t.Errorf("LineAt($%04x) = %s %v, want %s", addr, got, ok, want)
		}
	}
	for _, addr := range []int{0x2000, 0x200B} {
		if _, _, ok := r.LineAt(addr); ok {
			t.Errorf("LineAt($%04x) found a line outside the program", addr)
		}
	}
	want := "al 002001 .start\nal 002007 .start@l\nal 00200a .alias\nal 00200a .second\nal 00200b .end\n"
	if got := string(r.ViceLabels()); got != want {
		t.Errorf("labels:\n%swant:\n%s", got, want)
	}
	if v, ok := r.Lookup("base"); !ok || v != 0x20 {
		t.Errorf("base = %d %v", v, ok)
	}
	if _, ok := r.Lookup("nothing"); ok {
		t.Error("found a symbol that is not there")
	}
}

// The ca65 source keeps comments, columns and blank lines, and says in ca65's
// words what the source says.
func TestCA65Layout(t *testing.T) {
	src := `; head
!cpu m65

ONE   = 1       ; one
* = $2001
!macro put .p, .v {  ; store
  lda #<(.v)
@l:
  sta .p+1      ; high
}
start:  lda [ONE],z : inx   ; both
	ldq ($12)
!if ONE = 1 { ; yes
  !byte 'a', 1 | 2&3
} else if ONE < 3 {
  !text "a\"b"
} else {
  !fill 3 - 1, -1
} ; end
!for .i, 2, 5 { !byte .i*2 }
  +put ONE+1, $1234
`
	want := `; head
.setcpu "4510"
.include "45gs02.inc" ; the 45GS02's instructions beyond the 4510

ONE   = 1       ; one
.segment "LOADADDR"
  .word $2001
.segment "CODE"
  .org $2001
.macro put _p, _v ; store
  .local @l
  lda #<(_v)
@l:
  sta _p+1      ; high
.endmacro
start:  lda_far ONE         ; both
        inx
        ldq {($12),z}
.if ONE = 1 ; yes
  .byte 'a', 1 | (2&3)
.elseif ONE < 3
  .byte "a", $22, "b"
.else
  .res 3 - 1, -1
.endif ; end
.repeat 4, _i
  .byte (2 + _i)*2
.endrepeat
  put ONE+1, $1234
`
	r, err := assembleText(src)
	if err != nil {
		t.Fatal(err)
	}
	got := string(r.Source(CA65, "t.prg")["t.s"])
	if d := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// A root in a folder of its own finds its files from the top of the sources,
// in both assemblers.
func TestRootInFolder(t *testing.T) {
	r, err := Assemble("sub/main.s", func(name string) ([]byte, error) {
		switch name {
		case "sub/main.s":
			return []byte(head + "!src \"lib.s\"\n!src \"sub/part.s\"\n"), nil
		case "lib.s":
			return []byte("from_lib:\n  rts\n"), nil
		case "sub/part.s":
			return []byte("  jmp from_lib\n"), nil
		}
		return nil, fmt.Errorf("no file %s", name)
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	eachDialect(t, func(t *testing.T, d Dialect) {
		if got := fmt.Sprintf("% x", outside(t, r, d)); got != "01 20 60 4c 01 20" {
			t.Errorf("got %s", got)
		}
	})
}
