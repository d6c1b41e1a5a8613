package firmware

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"ssnail-kit/disk/d81"
	"ssnail-kit/emu/machine"
	"ssnail-kit/host/image"
	"ssnail-kit/mega65/hw"
)

// file is an image on a disk.
type file struct {
	name string
	data []byte
}

func disk(t *testing.T, files ...file) []byte {
	t.Helper()
	d, err := d81.New("TEST", "tt")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if err := d.Add(f.name, d81.SEQ, f.data); err != nil {
			t.Fatal(err)
		}
	}
	return d.Bytes()
}

// screen starts the program, types keys, and returns what stands on the screen
// when the program waits for more, lines joined by spaces so that wrapping
// does not matter.
func screen(t *testing.T, opt machine.Options, keys string) string {
	t.Helper()
	m := begin(t, opt)
	step(t, m, keys)
	return words(m)
}

// begin starts the program.
func begin(t *testing.T, opt machine.Options) *machine.Machine {
	t.Helper()
	p, err := built()
	if err != nil {
		t.Fatal(err)
	}
	m, err := machine.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.LoadPRG(p.PRG); err != nil {
		t.Fatal(err)
	}
	return m
}

// step types keys and runs until the program waits for more.
func step(t *testing.T, m *machine.Machine, keys string) {
	t.Helper()
	k, err := machine.ParseKeys(keys)
	if err != nil {
		t.Fatal(err)
	}
	m.TypeKeys(k...)
	for range 50 * 40 {
		if err := m.RunFrame(); err != nil {
			t.Fatal(err)
		}
		if m.Idle() {
			return
		}
	}
	t.Fatalf("the program does not come to rest; screen:\n%s", m.Screen())
}

// words are the screen's words, a space between them.
func words(m *machine.Machine) string {
	return strings.Join(strings.Fields(m.Screen().String()), " ")
}

// toy is a model whose script is what the test wants.
func toy(t *testing.T, patch func(img []byte), script ...image.Instruction) []byte {
	t.Helper()
	img := toyImage(t, rand.New(rand.NewPCG(9, 9)), image.SentencePiece, false)
	for i, in := range script {
		b := in.Encode()
		copy(img[image.HeaderSize+i*image.InstructionBytes:], b[:])
	}
	if patch != nil {
		patch(img)
	}
	return img
}

func word(img []byte, off int, v uint32) { binary.LittleEndian.PutUint32(img[off:], v) }

// faultAt is a script that moves on a position a job, makes no token that means
// anything, and fails at position n.
func faultAt(n uint32) []image.Instruction {
	slot := func(i uint32) uint32 { return image.Payload + i*image.InstructionBytes }
	return []image.Instruction{
		{Op: image.LDR, A: 1, X: image.Base + image.OffPos},
		{Op: image.LI, A: 2, Z: n},
		{Op: image.BEQ, A: 1, B: 2, X: slot(9)},
		{Op: image.ADDI, A: 1, B: 1, Z: 1},
		{Op: image.STR, A: 1, X: image.Base + image.OffPos},
		{Op: image.LI, A: 3, Z: 1},
		{Op: image.STR, A: 3, X: image.Base + image.OffGenerated},
		{Op: image.STR, A: 3, X: image.Base + image.OffStopReason},
		{Op: image.HALT},
		{Op: 0x7F},
	}
}

// What can fail is told in words, with what to do.
func TestFailuresInWords(t *testing.T) {
	good := toy(t, nil, image.Instruction{Op: image.HALT})
	brokenChain := disk(t, file{"M.SSNL", good})
	{ // the tenth sector of the file links off the disk
		at := d81.TS{Track: 40, Sector: 3}.Offset()
		ts := d81.TS{Track: brokenChain[at+3], Sector: brokenChain[at+4]}
		for range 9 {
			o := ts.Offset()
			ts = d81.TS{Track: brokenChain[o], Sector: brokenChain[o+1]}
		}
		brokenChain[ts.Offset()] = 90
	}
	for _, c := range []struct {
		name string
		opt  machine.Options
		keys string
		want []string
	}{
		{"no SSNAIL", machine.Options{NoSSNAIL: true}, "", []string{"SSNAIL is missing.", "the file SOFTCORE. On a PC, ssnail-kit disk", "Press a key for BASIC."}},
		{"empty disk", machine.Options{Disk: disk(t)}, "", []string{"There is no model", "ssnail-kit disk MODEL.gguf", "Press a key"}},
		{"no disk, no card", machine.Options{}, "", []string{"There is no model", "Press a key"}},
		{"other SEQ files", machine.Options{Disk: disk(t, file{"README", []byte("hello")}, file{"B", make([]byte, 600)})}, "", []string{"There is no model"}},
		{"model behind others", machine.Options{Disk: disk(t, file{"README", []byte("hello")}, file{"M.SSNL", good})}, "", []string{"toy", "ready", "context 0 of 512"}},
		{"version", machine.Options{Disk: disk(t, file{"M.SSNL", toy(t, func(b []byte) { b[image.OffVersion] = 2 })})}, "\\r",
			[]string{"M.SSNL", "broken", "newer format"}},
		{"length", machine.Options{Disk: disk(t, file{"M.SSNL", toy(t, func(b []byte) { b[image.OffPayloadLen] ^= 1 })})}, "\\r",
			[]string{"M.SSNL", "broken", "does not add up"}},
		{"short file", machine.Options{Disk: disk(t, file{"M.SSNL", good[:len(good)-300]})}, "", []string{"M.SSNL", "ends too early"}},
		{"broken chain", machine.Options{Disk: brokenChain}, "", []string{"M.SSNL", "chain of sectors is broken at track 90, sector"}},
		{"too big for an R3", machine.Options{Board: hw.BoardR3, Disk: disk(t, file{"M.SSNL", toy(t, func(b []byte) { word(b, image.OffMemNeeded, 9<<20) })})}, "",
			[]string{"too big", "needs 9 MB of memory", "there are 8 MB", "--wtype"}},
		{"the same on an R6", machine.Options{Board: hw.BoardR6, Disk: disk(t, file{"M.SSNL", toy(t, func(b []byte) { word(b, image.OffMemNeeded, 9<<20) })})}, "",
			[]string{"context 0 of 512"}},
		{"unknown instruction", machine.Options{Disk: disk(t, file{"M.SSNL", toy(t, nil, image.Instruction{Op: 0x7F})})}, "a\\r",
			[]string{"SSNAIL stopped with error $02: an instruction it does not know.", "/reset"}},
		{"address fault", machine.Options{Disk: disk(t, file{"M.SSNL", toy(t, nil, image.Instruction{Op: image.LDR, A: 1, X: 0x1000000})})}, "a\\r",
			[]string{"error $01: an address outside its memory."}},
		{"usable afterwards", machine.Options{Disk: disk(t, file{"M.SSNL", toy(t, nil, image.Instruction{Op: 0x7F})})}, "a\\r/temp 0.5\\r",
			[]string{"error $02", "temp 0.50"}},
		{"line too long for the context", machine.Options{Disk: disk(t, file{"M.SSNL", toy(t, func(b []byte) { word(b, image.OffMaxCtx, 4) })})}, "xx xx xx\\r",
			[]string{"This line has", "room for 4", "> xx xx xx"}},
		{"unknown command", machine.Options{Disk: disk(t, file{"M.SSNL", good})}, "/nonsense\\r", []string{"There is no such command"}},
		{"number out of range", machine.Options{Disk: disk(t, file{"M.SSNL", good})}, "/penalty 9\\r", []string{"from 1.00 to 4.00"}},
		{"no number", machine.Options{Disk: disk(t, file{"M.SSNL", good})}, "/n x\\r", []string{"from 1 to 4095"}},
		{"a point is no number", machine.Options{Disk: disk(t, file{"M.SSNL", good})}, "/temp .\\r/temp .5\\r", []string{"from 0.00 to 10.00", "temp 0.50"}},
		{"unknown architecture", machine.Options{Disk: disk(t, file{"M.SSNL", toy(t, func(b []byte) { b[image.OffArch] = 3 })})}, "\\r",
			[]string{"M.SSNL", "broken", "does not add up"}},
		{"an encoder that says it is a decoder", machine.Options{Disk: disk(t, file{"M.SSNL", toy(t, func(b []byte) { b[image.OffArch] = byte(image.Bert) })})}, "\\r",
			[]string{"M.SSNL", "broken", "does not add up"}},
		{"a decoder that says it is an encoder", machine.Options{Disk: disk(t, file{"M.SSNL", toy(t, func(b []byte) { b[image.OffFlags] = image.FlagEncoder })})}, "\\r",
			[]string{"M.SSNL", "broken", "does not add up"}},
		{"fault within a prompt", machine.Options{Disk: disk(t, file{"M.SSNL", toy(t, nil, faultAt(3)...)})}, "xx xx xx\\rx\\r", // the second line is shorter
			[]string{"error $02", "afresh. x RETURN goes on context 4 of 512"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := screen(t, c.opt, c.keys)
			for _, w := range c.want {
				if !strings.Contains(got, w) {
					t.Errorf("%q is not on the screen:\n%s", w, got)
				}
			}
		})
	}
}

// Several models: the list, the keys, and coming back to it.
func TestModelList(t *testing.T) {
	a := toy(t, func(b []byte) { copy(b[image.OffDescription:], "first\x00") }, image.Instruction{Op: image.HALT})
	b := toy(t, func(b []byte) { copy(b[image.OffDescription:], "second\x00") }, image.Instruction{Op: image.HALT})
	two := disk(t, file{"A.SSNL", a}, file{"B.SSNL", b})
	card := fstest.MapFS{
		"C.SSNAIL":             {Data: a},
		"SSNAIL/d long.ssnail": {Data: b},
		"SSNAIL/other.txt":     {Data: []byte("no model")},
	}
	many := fstest.MapFS{}
	for i := range 34 {
		many[fmt.Sprintf("SSNAIL/STORY%02d.SSNAIL", i)] = &fstest.MapFile{Data: a}
	}
	for _, c := range []struct {
		name string
		opt  machine.Options
		keys string
		want []string
	}{
		{"list", machine.Options{Disk: two}, "", []string{"Which model", "A.SSNL first", "B.SSNL second", "fits"}},
		{"first", machine.Options{Disk: two}, "\\r", []string{"SSNAIL first", "context 0"}},
		{"second", machine.Options{Disk: two}, "{DOWN}{DOWN}\\r", []string{"SSNAIL second", "context 0"}},
		{"and back", machine.Options{Disk: two}, "{DOWN}\\r/model\\r{UP}\\r", []string{"SSNAIL first"}},
		{"no choice", machine.Options{Disk: two}, "\\r/model\\r{DOWN}{STOP}/tok a\\r", []string{"SSNAIL first", "tokens: 1"}},
		{"card", machine.Options{SD: card}, "", []string{"C.SSNAIL first", "D LONG.SSNAIL second"}},
		{"folder of the card", machine.Options{SD: card, Disk: two}, "{DOWN}{DOWN}{DOWN}\\r", []string{"SSNAIL second", "context 0"}},
		{"more than the list holds", machine.Options{SD: many, Disk: two}, "", []string{"STORY13.SSNAIL", "1 of 30", "6 more have no place"}},
		{"scrolled", machine.Options{SD: many}, strings.Repeat("{DOWN}", 20), []string{"21 of 30", "STORY05.SSNAIL", "STORY20.SSNAIL"}},
		{"to the end", machine.Options{SD: many, Disk: two}, strings.Repeat("{DOWN}", 60), []string{"30 of 30", "STORY12.SSNAIL", "STORY27.SSNAIL"}},
		{"and up again", machine.Options{SD: many, Disk: two}, strings.Repeat("{DOWN}", 29) + strings.Repeat("{UP}", 28), []string{"2 of 30", "B.SSNL second", "STORY14.SSNAIL"}},
		{"a choice behind the first screen", machine.Options{SD: many, Disk: two}, strings.Repeat("{DOWN}", 29) + strings.Repeat("{UP}", 28) + "\\r", []string{"SSNAIL second", "context 0"}},

		{"back to BASIC", machine.Options{Disk: two}, "{STOP}", []string{"READY."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := screen(t, c.opt, c.keys)
			for _, w := range c.want {
				if !strings.Contains(got, w) {
					t.Errorf("%q is not on the screen:\n%s", w, got)
				}
			}
		})
	}
}

// CONFIG.TXT: a default model and settings; nonsense in it does no harm.
func TestConfig(t *testing.T) {
	a := toy(t, func(b []byte) { copy(b[image.OffDescription:], "first\x00") }, image.Instruction{Op: image.HALT})
	b := toy(t, func(b []byte) { copy(b[image.OffDescription:], "second\x00") }, image.Instruction{Op: image.HALT})
	two := disk(t, file{"A.SSNL", a}, file{"B.SSNL", b})
	for _, c := range []struct{ name, text, want string }{
		{"model", "# ours\nmodel b\n", "SSNAIL second"},
		{"settings", "model=A.SSNL\r\ntemp = 0.7\r\nn=55\r\ntopk 12\r\npenalty 1.3\r\nseed=77", "n 55 temp 0.70 topk 12 penalty 1.30 seed 77"},
		{"nonsense", "\x00\xff= = =\nmodel\nmodel=\ntemp hot\nquit\nn 99999\n" + strings.Repeat("x", 2000), "Which model"},
		{"no such model", "model zz\n", "Which model"},
		{"as an editor on the PC leaves it", "\uFEFF  TEMP=0.7  \r\n\tN = 55 \r\n Model = b.ssnl \r\n", "SSNAIL second"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			keys := ""
			if c.name == "settings" {
				keys = "/seed\\r"
			}
			got := screen(t, machine.Options{Disk: two, SD: fstest.MapFS{"SSNAIL/CONFIG.TXT": {Data: []byte(c.text)}}}, keys)
			if !strings.Contains(got, c.want) {
				t.Errorf("%q is not on the screen:\n%s", c.want, got)
			}
		})
	}
}

// A load port that never becomes READY ends in words, not in a hang: here a
// job that does not end keeps it closed.
func TestReadyTimesOut(t *testing.T) {
	r := newRig(t, machine.Options{})
	r.call("core_find", 0, 0)
	in := image.Instruction{Op: image.BEQ, A: 15, B: 15, X: image.JobSlots}.Encode()
	r.m.Poke(image.JobSlots, in[:])
	r.pokeWord(r.base("t0"), image.JobSlots)
	r.call("core_go", 0, 0)
	res := r.call("core_ready", 0, 0)
	if !res.C || uint32(res.A) != r.at("ERR_READY") {
		t.Fatalf("C %v, A %d: want ERR_READY", res.C, res.A)
	}
	if s := float64(res.Cycles) / hw.ClockHz; s < 2 || s > 4 {
		t.Errorf("it gave up after %.1f s, want 3", s)
	}
}

// A push leaves a note: the image is in memory already, and a first line is
// there. It is honoured once.
func TestMailbox(t *testing.T) {
	img := toy(t, nil, image.Instruction{Op: image.HALT})
	for _, c := range []struct {
		name  string
		flags byte
		image []byte
		want  string
	}{
		{"image and line", 5, img, "tokens: 1||"},
		{"image", 1, img, "context 0 of 512"},
		{"spoilt image", 1, append([]byte("XXXX"), img[4:]...), "There is no model"},
		{"nothing", 0, img, "There is no model"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, err := built()
			if err != nil {
				t.Fatal(err)
			}
			m, err := machine.New(machine.Options{Board: hw.BoardR3})
			if err != nil {
				t.Fatal(err)
			}
			if err := m.LoadPRG(p.PRG); err != nil {
				t.Fatal(err)
			}
			m.Poke(image.Base, c.image[:image.HeaderSize])
			m.Poke(image.Payload, c.image[image.HeaderSize:])
			m.Poke(hw.Mailbox, append([]byte("SSKP\x01"), c.flags))
			m.Poke(hw.MailboxText, []byte("/tok ab\x00"))
			for range 50 * 20 {
				if err := m.RunFrame(); err != nil {
					t.Fatal(err)
				}
				if m.Idle() {
					break
				}
			}
			if got := strings.Join(strings.Fields(m.Screen().String()), " "); !strings.Contains(got, c.want) {
				t.Errorf("%q is not on the screen:\n%s", c.want, got)
			}
			for i, b := range m.Peek(hw.Mailbox, 16) {
				if b != 0 {
					t.Errorf("byte %d of the mailbox is still $%02X", i, b)
				}
			}
		})
	}
}

// A disk that was changed between the list and the choice is noticed before
// anything is loaded.
func TestDiskChanged(t *testing.T) {
	r := newRig(t, machine.Options{Disk: disk(t, file{"M.SSNL", toy(t, nil, image.Instruction{Op: image.HALT})})})
	r.call("core_find", 0, 0)
	if res := r.call("models_scan", 0, 0); res.C {
		t.Fatalf("models_scan: error %d", res.A)
	}
	if res := r.call("model_load", 0, 0); res.C {
		t.Fatalf("model_load: error %d", res.A)
	}
	before := r.m.Stats().LoadBytes
	r.m.Poke(r.at("MODELS")+image.OffDescription, []byte("another"))
	if res := r.call("model_load", 0, 0); !res.C || uint32(res.A) != r.at("ERR_CHANGED") {
		t.Errorf("C %v, A %d: want ERR_CHANGED", res.C, res.A)
	}
	if n := r.m.Stats().LoadBytes; n != before {
		t.Errorf("%d bytes were loaded all the same", n-before)
	}
}

// Card and disk may hold less when the list is asked for again: the model that
// is loaded goes on, with its text, and the choice stays among what is there.
func TestModelsGone(t *testing.T) {
	img := toy(t, nil, image.Instruction{Op: image.HALT})
	for _, c := range []struct {
		name        string
		first, then string // before and after files go
		left        int
		want        []string
	}{
		{"all", "", "/model\\r/tok ab\\r", 0, []string{"3 tokens: 1||", "There is no model", "4|b|", "ready"}},
		{"all but one", "", "/model\\r", 1, []string{"\u2192 A.SSNAIL"}},
		{"a listed one", "/model\\r", "\\r{STOP}", 2, []string{"3 tokens: 1||", "The file is not on the card any more", "ready"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			names := []string{"A.SSNAIL", "B.SSNAIL", "C.SSNAIL"}
			card := fstest.MapFS{}
			for _, n := range names {
				card[n] = &fstest.MapFile{Data: img}
			}
			m := begin(t, machine.Options{SD: card})
			step(t, m, "{DOWN}{DOWN}\\r/tok x\\r"+c.first)
			for _, n := range names[c.left:] {
				delete(card, n)
			}
			step(t, m, c.then)
			got := words(m)
			for _, w := range c.want {
				if !strings.Contains(got, w) {
					t.Errorf("%q is not on the screen:\n%s", w, got)
				}
			}
		})
	}
}

// After /quit the program is still in memory: SYS starts it afresh.
func TestStartsTwice(t *testing.T) {
	img := toy(t, nil, image.Instruction{Op: image.HALT})
	two := disk(t, file{"A.SSNL", img}, file{"B.SSNL", img})
	for _, c := range []struct{ name, keys, want string }{
		{"another model", "{DOWN}\\r/tok ab\\r", "toy The model goes on with what you type. RETURN on an empty line lets it go on, RUN/STOP stops it, /reset starts afresh, /quit leads back to BASIC. 3 tokens: 1|| 84| a| 4|b| ready context 0 of 512"},
		{"no choice", "{STOP}", "READY."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := begin(t, machine.Options{Disk: two})
			step(t, m, "\\r/tok x\\r/quit\\r")
			step(t, m, "sys 8209\\r")
			if got := words(m); !strings.Contains(got, "Which model") {
				t.Fatalf("no list:\n%s", got)
			}
			step(t, m, c.keys)
			if got := words(m); !strings.Contains(got, c.want) {
				t.Errorf("%q is not on the screen:\n%s", c.want, got)
			}
		})
	}
}

// A core may know error codes that the program does not.
func TestUnknownCoreError(t *testing.T) {
	r := newRig(t, machine.Options{})
	r.m.Poke(r.at("core_code"), []byte{0x7F})
	r.call("transcript_begin", 1, 0)
	r.call("error_print", byte(r.at("ERR_CORE")), 0)
	r.call("transcript_draw", 0, 0)
	want := "SSNAIL stopped with error $7F: this program does not know why. The text so far is kept; /reset starts afresh."
	if got := strings.Join(strings.Fields(r.m.Screen().String()), " "); !strings.Contains(got, want) {
		t.Errorf("%q is not on the screen:\n%s", want, got)
	}
}
