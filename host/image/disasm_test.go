package image_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"ssnail-kit/host/image"
)

// TestDisassemble pins the listing of the toy image, so it shows every kind of
// name: buffers, weights, caches, rows that a LEA chose, labels, loops.
func TestDisassemble(t *testing.T) {
	var b bytes.Buffer
	if err := image.Disassemble(&b, open(t, toyImage(t, toySPM()))); err != nil {
		t.Fatal(err)
	}
	const want = `
LDR       R0 = pos                                                           20         0
loop1:
| LEA       A0 = tokens + R0*4                                                 16         0
| LDR       R1 = A0:tokens[R0]                                                 20         0
| SETN      N0=32 N1=32 N2=1e-05                                               16         0
| LEA       A1 = token_embd + R1*34                                            16         0
| DEQROW    Q8_0 x = A1:token_embd[R1]                                         50       128
| LEA       A2 = rope + R0*128                                                 16         0
| RMSNORM   xb = x, blk.0.attn_norm                                           272       128
| GEMV      Q8_0 q = blk.0.attn_q . xb                                       1232       128
| LEA       A3 = K cache 0 + R0*64                                             16         0
| LEA       A4 = V cache 0 + R0*64                                             16         0
| GEMV      Q8_0 k = blk.0.attn_k . xb                                       1232       128
| GEMV      Q8_0 A4:V cache 0[R0] = blk.0.attn_v . xb as F16                 1232        64
| VADD      q = q + blk.0.attn_q.bias                                         272       128
| ROPE      q by A2:rope[R0]                                                  272       128
| CVT16     A3:K cache 0[R0] = k                                              144        64
| ATTN      att = q over K cache 0, V cache 0, rows 0..R0                     304       128  +128 a row
| GEMV      Q8_0 x += blk.0.attn_output . att                                1360       128
| RMSNORM   xb = x, blk.0.ffn_norm                                            272       128
| GEMV      Q8_0 hb = blk.0.ffn_gate . xb                                    1232       128
| GEMV      Q8_0 hb2 = blk.0.ffn_up . xb                                     1232       128
| SILUMUL   hb = hb, hb2                                                      272       128
| GEMV      Q8_0 x += blk.0.ffn_down . hb                                    1360       128
| RMSNORM   xb = x, output_norm                                               272       128
| SETN      N0=32 N1=17                                                        16         0
| GEMV      Q8_0 logits = token_embd . xb                                     722        68
| ADDI      R0 = R0 +1                                                         16         0
| BLT       R0, R9, loop1                                                      16         0
HALT                                                                         16         0
; per token: 11896 bytes read and 128 for each earlier token, 1988 written
`
	var got strings.Builder
	got.WriteString("\n")
	for _, line := range strings.Split(strings.TrimSpace(b.String()), "\n")[3:] {
		if line[0] == '8' {
			line = strings.TrimLeft(line[8:], " ")
		}
		got.WriteString(strings.Replace(line, "|  ", "| ", 1) + "\n")
	}
	if strings.Join(strings.Fields(got.String()), " ") != strings.Join(strings.Fields(want), " ") {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
	if head := strings.SplitN(b.String(), "\n", 3); head[0] != "; toy" || head[1] != "; llama, 29 instructions from $8005000, context 4, 17 tokens" {
		t.Errorf("header lines %q", head[:2])
	}
}

func TestSymbols(t *testing.T) {
	syms, err := open(t, toyImage(t, toySPM())).Symbols()
	if err != nil {
		t.Fatal(err)
	}
	var end uint32
	for _, s := range syms.List() {
		if s.Addr < end {
			t.Errorf("%s at $%X begins before $%X", s.Name, s.Addr, end)
		}
		end = s.Addr + s.Size
		if got := syms.Name(s.Addr); got != s.Name {
			t.Errorf("$%X is %q, want %q", s.Addr, got, s.Name)
		}
		if s.Size > 1 && syms.Name(s.Addr+1) != s.Name+"+$1" {
			t.Errorf("$%X is %q", s.Addr+1, syms.Name(s.Addr+1))
		}
	}
	if got := syms.Name(0x1234); got != "$0001234" {
		t.Errorf("an address outside is %q", got)
	}
}

// A script that is no forward pass keeps the names that the header gives.
func TestForeignScript(t *testing.T) {
	file := toyImage(t, toySPM())
	file[image.HeaderSize+8*image.InstructionBytes] = byte(image.NOP) // one GEMV less
	syms, err := open(t, file).Symbols()
	if err != nil {
		t.Fatal(err)
	}
	names := make(map[string]bool)
	for _, s := range syms.List() {
		names[s.Name] = true
	}
	if !names["vocab"] || !names["logits"] || !names["script"] || names["blk.0.attn_k"] {
		t.Errorf("names %v", names)
	}
}

// TestGoldenListings compares the listing's sum per token with what the
// reference counted in whole runs.
func TestGoldenListings(t *testing.T) {
	dir := filepath.Join(shared(t), "golden")
	files, err := filepath.Glob(filepath.Join(dir, "images", "*.ssnail"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden images (%v)", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".ssnail")
		t.Run(name, func(t *testing.T) {
			im, _ := openImage(t, file)
			l, err := im.Listing()
			if err != nil {
				t.Fatal(err)
			}
			var g struct {
				PromptIDs []uint32 `json:"prompt_ids"`
				HW        struct {
					Read    uint64 `json:"bytes_read"`
					Written uint64 `json:"bytes_written"`
					Reason  int    `json:"stop_reason"`
					Pos     uint64 `json:"final_pos"`
				}
			}
			readJSON(t, filepath.Join(dir, name+".json"), &g)
			read, written := wholeRun(t, im, l, uint64(len(g.PromptIDs)), g.HW.Pos, g.HW.Reason)
			if read != g.HW.Read || written != g.HW.Written {
				t.Errorf("read %d written %d, the reference counted %d and %d", read, written, g.HW.Read, g.HW.Written)
			}
		})
	}
}

// wholeRun sums a listing over a run: prompt tokens skip the block that
// stores a new token, and the last token skips the way back.
func wholeRun(t *testing.T, im *image.Image, l *image.Listing, prompt, tokens uint64, reason int) (read, written uint64) {
	sum := func(lines []image.Line) (r, w uint64) {
		for _, line := range lines {
			r, w = r+line.Read, w+line.Written
		}
		return r, w
	}
	find := func(text string) int {
		for i, line := range l.Lines {
			if strings.Join(strings.Fields(line.Text), " ") == text {
				return i
			}
		}
		t.Fatalf("no instruction %q", text)
		return 0
	}
	for _, line := range l.Lines {
		if line.Depth == 0 {
			read, written = read+line.Read, written+line.Written
		}
	}
	if im.Encoder() {
		n := prompt
		read -= image.FetchBytes // the branch for a text that is too long
		return read + n*l.Read + n*(n-1)*l.PerRow, written + n*l.Written
	}
	read += tokens*l.Read + tokens*(tokens-1)/2*l.PerRow
	written += tokens * l.Written
	store, stop, back := find("BLT R6, R3, L2")+1, find("BEQ R8, R4, L3")+1, find("BEQ loop1")
	if reason == image.StopEOS {
		stop = find("BEQ R2, R5, L3") + 1
	}
	skipped := back - 2 // the label L2
	r, w := sum(l.Lines[store:skipped])
	read, written = read-(prompt-1)*r, written-(prompt-1)*w
	r, w = sum(l.Lines[stop : back+1])
	return read - r, written - w
}
