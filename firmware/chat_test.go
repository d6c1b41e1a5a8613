package firmware

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ssnail-kit/emu/core"
	"ssnail-kit/emu/machine"
	"ssnail-kit/host/image"
	"ssnail-kit/host/session"
)

// The same conversation on the machine and in Go: prompts, empty lines, a line
// that the context refuses, a text's end, a full context. The tokens in the
// machine's token buffer equal the session's, turn by turn.
func TestConversation(t *testing.T) {
	for _, c := range []struct {
		image string
		n     int
		lines []string
	}{
		{"stories260K-q8_0.default.ssnail", 20, []string{"Once upon a time", "", "The dog", "", "He said: \"No!\""}},
		{"stories260K-q8_0.default.ssnail", 110, []string{"", "Then", "", "x"}},
		{"gpt2_q8_0_bos.default.ssnail", 12, []string{"Hello world", "", "it isn't  so", strings.Repeat("many words ", 20), "", "", "", "end"}},
	} {
		t.Run(c.image, func(t *testing.T) {
			t.Parallel()
			raw, err := os.ReadFile(filepath.Join(shared(t), "golden", "images", c.image))
			if err != nil {
				t.Fatal(err)
			}
			im, err := image.Open(bytes.NewReader(raw), int64(len(raw)))
			if err != nil {
				t.Fatal(err)
			}
			s, err := session.Open(im, session.Options{Numerics: core.HW})
			if err != nil {
				t.Fatal(err)
			}
			p, err := built()
			if err != nil {
				t.Fatal(err)
			}
			m, err := machine.New(machine.Options{Disk: disk(t, file{"M.SSNL", raw}), StrictCache: true})
			if err != nil {
				t.Fatal(err)
			}
			if err := m.LoadPRG(p.PRG); err != nil {
				t.Fatal(err)
			}
			settle := func() {
				t.Helper()
				for range 50 * 30 {
					if err := m.RunFrame(); err != nil {
						t.Fatal(err)
					}
					if m.Idle() {
						return
					}
				}
				t.Fatalf("the program does not come to rest; screen:\n%s", m.Screen())
			}
			settle()
			m.TypeText("/n " + strconv.Itoa(c.n) + "\n")
			settle()
			for i, line := range c.lines {
				m.TypeText(line + "\n")
				settle()
				_, err := s.Say([]byte(line))
				if err == nil {
					_, err = s.Generate(context.Background(), session.Turn{N: c.n})
				}
				want := s.Tokens()
				base := p.Symbols["BASE_PAGE"] << 8
				n := int(binary.LittleEndian.Uint16(m.Peek(base+p.Symbols["ctx_used"], 2)))
				var got []uint32
				for k := range n {
					got = append(got, binary.LittleEndian.Uint32(m.Peek(image.TokenBuffer+uint32(4*k), 4)))
				}
				if !slices.Equal(got, want) {
					t.Fatalf("line %d %q (Go: %v):\nmachine %d\nGo      %d\n%s", i, line, err, got, want, m.Screen())
				}
				if i == len(c.lines)-1 && len(want) < 2*c.n {
					t.Errorf("only %d tokens: the conversation has not taken place", len(want))
				}
				if err != nil { // refused: the line still stands there
					m.TypeKeys(0x93)
					settle()
				}
			}
		})
	}
}

// Bytes for which there is no memory make the load port's ERROR, and that is
// told.
func TestPortError(t *testing.T) {
	r := newRig(t, machine.Options{})
	r.call("core_find", 0, 0)
	r.pokeWord(r.base("t0"), 0x1000000)
	r.call("core_seek", 0x40, 0)
	r.pokeWord(r.base("dma_src"), r.at("header"))
	r.m.Poke(r.base("dma_len"), []byte{0, 1})
	r.call("core_write", 0, 0)
	if res := r.call("core_flush", 0, 0); !res.C || uint32(res.A) != r.at("ERR_PORT") {
		t.Errorf("C %v, A %d: want ERR_PORT", res.C, res.A)
	}
}
