package firmware

import (
	"math/rand/v2"
	"strings"
	"testing"

	"ssnail-kit/emu/machine"
)

// The input line against a model of it: random keys, all lengths up to 255.
func TestEditor(t *testing.T) {
	r := newRig(t, machine.Options{})
	rng := rand.New(rand.NewPCG(31, 32))
	var text []byte
	cursor := 0
	r.line("")
	r.m.Poke(r.base("line_cur"), []byte{0})
	for step := range 3000 {
		ok := true
		var res result
		var key string
		switch k := rng.IntN(16); {
		case k < 9:
			c := byte('!' + rng.IntN(90))
			key = "insert"
			res = r.call("edit_insert", c, 0)
			if ok = len(text) < 255; ok {
				text = append(text[:cursor], append([]byte{c}, text[cursor:]...)...)
				cursor++
			}
		case k < 11:
			key = "delete"
			res = r.call("edit_delete", 0, 0)
			if ok = cursor > 0; ok {
				text = append(text[:cursor-1], text[cursor:]...)
				cursor--
			}
		case k < 13:
			key = "left"
			res = r.call("edit_left", 0, 0)
			if ok = cursor > 0; ok {
				cursor--
			}
		case k < 14:
			key = "right"
			res = r.call("edit_right", 0, 0)
			if ok = cursor < len(text); ok {
				cursor++
			}
		case k < 15:
			key = "home"
			res = r.call("edit_home", 0, 0)
			if cursor > 0 {
				cursor = 0
			} else {
				cursor = len(text)
			}
		default:
			if rng.IntN(60) > 0 {
				continue
			}
			key = "clear"
			res = r.call("edit_clear", 0, 0)
			text, cursor = text[:0], 0
		}
		if res.C == ok {
			t.Fatalf("step %d, %s: carry %v, want %v", step, key, res.C, !ok)
		}
		n := int(r.byteAt(r.base("line_len")))
		got := string(r.m.Peek(r.at("line"), n))
		if got != string(text) || int(r.byteAt(r.base("line_cur"))) != cursor {
			t.Fatalf("step %d, %s: machine %q at %d, want %q at %d", step, key, got, r.byteAt(r.base("line_cur")), text, cursor)
		}
	}
}

// wrap is what the transcript makes of a text: lines of at most 80 characters,
// broken at spaces where there are any.
func wrap(text string) []string {
	lines := []string{""}
	for _, c := range text {
		cur := &lines[len(lines)-1]
		switch {
		case c == '\n':
			lines = append(lines, "")
			continue
		case len(*cur) < 80:
		case c == ' ':
			lines = append(lines, "")
			continue
		default:
			at := strings.LastIndexByte(*cur, ' ')
			tail := ""
			if at > 0 {
				tail = (*cur)[at+1:]
				*cur = (*cur)[:at+1]
			}
			lines = append(lines, tail)
			cur = &lines[len(lines)-1]
		}
		*cur += string(c)
	}
	return lines
}

// The transcript against that model, over the end of its ring of 256 lines.
func TestTranscript(t *testing.T) {
	r := newRig(t, machine.Options{})
	rng := rand.New(rand.NewPCG(41, 42))
	r.call("transcript_clear", 0, 0)
	r.call("transcript_begin", 1, 0)
	var text strings.Builder
	for range 2200 {
		n := 1 + rng.IntN(9)
		if rng.IntN(60) == 0 {
			n = 70 + rng.IntN(120)
		}
		word := strings.Repeat(string(rune('A'+rng.IntN(26))), n)
		switch rng.IntN(12) {
		case 0:
			word += "\n"
		case 1:
			word += "  "
		default:
			word += " "
		}
		text.WriteString(word)
		for i := range len(word) {
			r.call("transcript_emit", word[i], 0)
		}
	}
	want := wrap(text.String())
	if len(want) < 270 {
		t.Fatalf("only %d lines: the ring is not gone round", len(want))
	}
	head := int(r.byteAt(r.base("tr_head")))
	if (len(want)-1)&0xFF != head {
		t.Fatalf("the last line is %d, want %d", head, (len(want)-1)&0xFF)
	}
	for i := max(0, len(want)-256); i < len(want); i++ {
		b := r.m.Peek(r.at("TR_CHARS")+uint32(i&0xFF)*80, 80)
		if got := strings.TrimRight(string(b), " "); got != strings.TrimRight(want[i], " ") { // capitals are their own screen codes
			t.Fatalf("line %d: %q, want %q", i, got, want[i])
		}
	}
	// The view scrolls back to the oldest line and no farther.
	for range 20 {
		r.call("transcript_scroll", 21, 0)
	}
	up, rows := int(r.byteAt(r.base("tr_up"))), int(r.byteAt(r.base("view_rows")))
	if up != 256-rows {
		t.Errorf("scrolled back %d lines with %d rows, want %d", up, rows, 256-rows)
	}
	for range 20 {
		r.call("transcript_scroll", 0xEB, 0) // 21 down
	}
	if up := r.byteAt(r.base("tr_up")); up != 0 {
		t.Errorf("still scrolled back %d lines", up)
	}
}

// Program and buffers leave 4 KB below $d000.
func TestRoomBelowIO(t *testing.T) {
	p, err := built()
	if err != nil {
		t.Fatal(err)
	}
	if end, limit := p.Symbols["program_end"], p.Symbols["BUFFERS"]; end > limit {
		t.Errorf("the program ends at $%X, its buffers begin at $%X", end, limit)
	}
	if end := p.Symbols["key_ring"] + 256; end > 0xC000 {
		t.Errorf("the buffers end at $%X, less than 4 KB below $D000", end)
	}
}
