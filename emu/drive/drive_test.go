package drive

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"ssnail-kit/emu/machine"
	"ssnail-kit/emu/screen"
	"ssnail-kit/mega65/hw"
)

func TestParseScript(t *testing.T) {
	steps, err := ParseScript(strings.NewReader("# a comment\n\nwait \"> \"\ntype \"say \\\"hi\\\"\\r\"\npause 1.5\npause 20ms\npng a.png\n"))
	if err != nil {
		t.Fatal(err)
	}
	if len(steps) != 5 || steps[0].Wait != "> " || string(steps[1].Keys) != "say \"hi\"\r" ||
		steps[2].Pause != 1500*time.Millisecond || steps[3].Pause != 20*time.Millisecond || steps[4].Picture != "a.png" {
		t.Errorf("%+v", steps)
	}
	for text, want := range map[string]string{
		"press x": "line 1", "wait": "wants something", "wait \"": "closing quote", "pause soon": "no time",
		"pause -1s": "out of range", "\ntype \"{NOKEY}\"": "line 2",
	} {
		if _, err := ParseScript(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q in it", text, err, want)
		}
	}
}

func TestDecode(t *testing.T) {
	for in, want := range map[string]string{
		"aZ ~\r": "aZ ~\r", "\x1b[A\x1b[B\x1b[C\x1b[D": "\x91\x11\x1d\x9d", "\x1bOP": "\xf1", "\x7f\x08": "\x14\x14",
		"\x03": "\x03", "\x1b": "\x1b", "\x1b[99;5~x": "x", "\xc3\xa9a": "a", "\n": "\r", "\x1b[3~": "\x14",
	} {
		codes, rest, quit := Decode([]byte(in))
		if string(codes) != want || len(rest) != 0 || quit {
			t.Errorf("Decode(%q) = %q, rest %q, %v; want %q", in, codes, rest, quit, want)
		}
	}
	if codes, rest, _ := Decode([]byte("a\x1b[1")); string(codes) != "a" || string(rest) != "\x1b[1" {
		t.Errorf("half a sequence: %q, rest %q", codes, rest)
	}
	if _, _, quit := Decode([]byte{'a', Leave, 'b'}); !quit {
		t.Error("Ctrl-] does not leave")
	}
}

// rows makes a screen of those lines.
func rows(lines ...string) *screen.Text {
	t := &screen.Text{Cols: 10, Rows: len(lines), Rune: func(c uint16) rune { return hw.RuneOf(byte(c)) }}
	for _, l := range lines {
		for i := range 10 {
			c := byte(' ')
			if i < len(l) {
				c = l[i]
			}
			t.Cells = append(t.Cells, screen.Cell{Code: uint16(hw.ScreenCode(c))})
		}
	}
	return t
}

// A text may run over the end of a row; what stood there before does not count.
func TestWatcher(t *testing.T) {
	for _, c := range []struct {
		text string
		want int
		on   *screen.Text
	}{
		{"a big ball", 1, rows("see a big", "ball")},
		{"elephant", 1, rows("an   eleph", "ant")},
		{"> ", 1, rows(">", "")},
		{"ab", 2, rows("ab ab", "x")},
		{"no", 0, rows("a", "b")},
	} {
		if n := occurrences(c.on, c.text); n != c.want {
			t.Errorf("%q: %d, want %d", c.text, n, c.want)
		}
	}
	w := newWatcher("hi", rows("hi", ""))
	if w.seen(rows("hi", "")) {
		t.Error("an old text was taken for a new one")
	}
	if !w.seen(rows("hi", "hi")) {
		t.Error("the new text was missed")
	}
	w = newWatcher("hi", rows("hi", ""))
	if w.seen(rows("", "x")) || !w.seen(rows("x", "hi")) {
		t.Error("scrolling hides the new text")
	}
}

// counter is a program that shows its count of keys at the top of the screen
// and polls the keyboard: lda $d610, beq, sta, inc $0800.
var counter = []byte{0x00, 0x16,
	0xA9, 0x47, 0x8D, 0x2F, 0xD0, 0xA9, 0x53, 0x8D, 0x2F, 0xD0, // knock
	0xA9, 0x30, 0x8D, 0x00, 0x08, // lda #'0' : sta $0800
	0xAD, 0x10, 0xD6, 0xF0, 0xFB, // poll
	0x8D, 0x10, 0xD6, 0xEE, 0x00, 0x08, 0x80, 0xF3,
}

func boot(t *testing.T) *machine.Machine {
	t.Helper()
	m, err := machine.New(machine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.LoadPRG(counter); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestRunTypesAndEndsAtIdle(t *testing.T) {
	var shots []string
	r := Run{M: boot(t), Steps: []Step{{Wait: "0"}, {Keys: []byte("abc")}, {Picture: "x"}, {Pause: time.Second}, {Keys: []byte("d")}}}
	r.Picture = func(name string, s *screen.Text) error {
		shots = append(shots, s.Line(0))
		return nil
	}
	end, err := r.Do(context.Background())
	if err != nil || end != Idle {
		t.Fatalf("end %v, %v", end, err)
	}
	if l := r.M.Screen().Line(0); !strings.HasPrefix(l, "4") {
		t.Errorf("the screen shows %q", l)
	}
	if len(shots) != 1 || !strings.HasPrefix(shots[0], "3") {
		t.Errorf("pictures: %q", shots)
	}
	if r.M.Time() < time.Second {
		t.Errorf("the pause was left out: %v", r.M.Time())
	}
}

func TestRunEnds(t *testing.T) {
	r := Run{M: boot(t), For: 200 * time.Millisecond}
	if end, err := r.Do(context.Background()); err != nil || end != TimeUp {
		t.Errorf("end %v, %v", end, err)
	}
	r = Run{M: boot(t), Steps: []Step{{Keys: []byte("aa")}}, Until: "2"}
	if end, err := r.Do(context.Background()); err != nil || end != Found {
		t.Errorf("end %v, %v", end, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r = Run{M: boot(t)}
	if end, _ := r.Do(ctx); end != Cut {
		t.Errorf("end %v", end)
	}
}

// An interactive run ends with Ctrl-] and passes the keys before it on.
func TestInteractive(t *testing.T) {
	var out bytes.Buffer
	m := boot(t)
	if err := Interactive(context.Background(), m, bytes.NewReader([]byte("ab\x1d")), screen.NewTerminal(&out)); err != nil {
		t.Fatal(err)
	}
	if out.Len() == 0 {
		t.Error("nothing was drawn")
	}
}

func FuzzParseScript(f *testing.F) {
	f.Add("wait \"> \"\ntype \"x\\r\"\npause 1s\npng a\n")
	f.Fuzz(func(t *testing.T, s string) { ParseScript(strings.NewReader(s)) })
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("\x1b[A\x1bOPx\x1b"))
	f.Fuzz(func(t *testing.T, b []byte) {
		codes, rest, _ := Decode(b)
		if len(codes)+len(rest) > len(b) {
			t.Fatal("more came out than went in")
		}
	})
}
