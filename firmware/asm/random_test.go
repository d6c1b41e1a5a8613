package asm

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// randomExpr writes an expression over the given names; spaces and
// parentheses come as they may.
func randomExpr(r *rand.Rand, depth int, names []string) string {
	if depth == 0 || r.IntN(5) == 0 {
		if len(names) > 0 && r.IntN(3) == 0 {
			return names[r.IntN(len(names))]
		}
		return []string{"0", "1", "2", "3", "7", "10", "$ff", "$1234", "%1010", "'a'", "65535", "$123456"}[r.IntN(12)]
	}
	sub := func() string { return randomExpr(r, depth-1, names) }
	switch r.IntN(6) {
	case 0:
		return "(" + sub() + ")"
	case 1:
		return []string{"-", "<", ">", "^", "!"}[r.IntN(5)] + sub()
	}
	op := []string{"+", "-", "*", "/", "%", "&", "|", "<<", ">>", "=", "!=", "<", ">", "<=", ">="}[r.IntN(15)]
	if r.IntN(2) == 0 {
		op = " " + op + " "
	} else if op == "%" {
		op = "% " // else a binary number
	}
	return sub() + op + sub()
}

// Random expressions, bare, as a macro's values and in loops, mean the same to
// all three assemblers.
func TestOutsideRandomExpressions(t *testing.T) {
	r := rand.New(rand.NewPCG(45, 2))
	var b strings.Builder
	b.WriteString(head + "one = 1\nbig = $4321\n")
	names := []string{"one", "big", "here"}
	b.WriteString("here:\n")
	// accept keeps text that assembles behind what is there already.
	kept := 0
	accept := func(text string) {
		if _, err := assembleText(b.String() + text); err == nil {
			b.WriteString(text)
			kept++
		}
	}
	for i := range 60 {
		params := []string{".p", ".q"}
		body := ""
		for range 1 + r.IntN(3) {
			body += fmt.Sprintf("  !32 %s\n", randomExpr(r, 3, params))
		}
		if r.IntN(2) == 0 {
			body += fmt.Sprintf("  ldq %s\n", randomExpr(r, 2, params))
		}
		text := fmt.Sprintf("!macro m%d .p, .q {\n%s}\n", i, body)
		for range 3 {
			text += fmt.Sprintf("  +m%d %s, %s\n", i, randomExpr(r, 2, names), randomExpr(r, 2, names))
		}
		accept(text)
		accept(fmt.Sprintf("!for .i, %d, %d { !32 %s }\n", r.IntN(4), r.IntN(4), randomExpr(r, 3, []string{".i", "one"})))
		for range 3 {
			accept(fmt.Sprintf("  !32 %s\n", randomExpr(r, 4, names)))
			accept(fmt.Sprintf("  !byte <%s, %s\n", randomExpr(r, 2, names), randomExpr(r, 2, names)))
			accept(fmt.Sprintf("  lda %s\n", randomExpr(r, 2, names)))
			accept(fmt.Sprintf("  lda #<%s\n", randomExpr(r, 3, names)))
		}
	}
	if kept < 150 {
		t.Fatalf("only %d of the random lines assemble", kept)
	}
	res, err := assembleText(b.String())
	if err != nil {
		t.Fatal(err)
	}
	want := append([]byte{0x01, 0x20}, res.Code...)
	eachDialect(t, func(t *testing.T, d Dialect) {
		got := outside(t, res, d)
		if got == nil || bytes.Equal(got, want) {
			return
		}
		for i := range min(len(got), len(want)) {
			if got[i] != want[i] {
				_, line, _ := res.LineAt(res.Origin + i - 2)
				t.Fatalf("line %d: %s\nat $%04x: got % x, want % x\n%s", line, strings.Split(b.String(), "\n")[line-1], res.Origin+i-2,
					got[i:min(i+8, len(got))], want[i:min(i+8, len(want))], res.Source(d, "out.prg")["t.s"])
			}
		}
		t.Fatalf("%d bytes, want %d", len(got), len(want))
	})
}
