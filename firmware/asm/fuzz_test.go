package asm

import (
	"bytes"
	"os"
	"testing"
)

// FuzzAssemble: any text is either refused with places or gives a program
// whose parts add up, that prints for ca65, and that assembles to the same
// bytes again.
func FuzzAssemble(f *testing.F) {
	for _, name := range []string{"opcodes.txt", "statements.txt"} {
		for i, r := range readTable(f, name) {
			if name == "statements.txt" || i%16 == 0 {
				src, _ := program([]row{r})
				f.Add([]byte(src))
			}
		}
	}
	for _, c := range refused {
		f.Add([]byte(head + c.src))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) > 1<<14 {
			return
		}
		read := func(name string) ([]byte, error) {
			if name != "t.s" {
				return nil, os.ErrNotExist
			}
			return src, nil
		}
		r, err := Assemble("t.s", read, nil)
		if err != nil {
			for _, e := range err.(ErrorList) {
				if e.Line < 1 || e.File == "" || e.Msg == "" {
					t.Fatalf("error without a place: %+v", e)
				}
			}
			return
		}
		sum := 0
		for _, m := range r.Modules {
			sum += m.Bytes
		}
		if sum != len(r.Code) || r.Origin+sum > topOfMap {
			t.Fatalf("modules have %d bytes, the program %d", sum, len(r.Code))
		}
		end := r.Origin
		for _, x := range r.Routines() {
			if x.Start >= x.End || x.Start < end || x.End > r.Origin+sum {
				t.Fatalf("routine %+v", x)
			}
			end = x.End
		}
		r.ViceLabels()
		r.Source(CA65, "t.prg")
		again, err := Assemble("t.s", read, nil)
		if err != nil || !bytes.Equal(again.Code, r.Code) {
			t.Fatalf("assembled again: %v", err)
		}
	})
}
