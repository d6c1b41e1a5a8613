package train

import (
	"bytes"
	"image/png"
	"math"
	"strings"
	"testing"

	"ssnail-kit/host/gguf"
	"ssnail-kit/host/tokenizer"
	"ssnail-kit/host/train/corpus"
	"ssnail-kit/host/train/grad"
)

// small is a recipe that trains in a moment.
func small(arch string) Recipe {
	r := Recipe{
		Name: "small " + arch, Description: "a test", Seed: 5, VocabTexts: 300, Steps: 30, Batch: 8, Shares: 4,
		Rate: 3e-3, Warmup: 5, Decay: 0.05, Temperature: 0.1,
		Shape: Shape{Arch: arch, Vocab: 400, Dim: 16, Layers: 2, Heads: 4, KVHeads: 2, Hidden: 32, Ctx: 300},
	}
	if arch != "llama" {
		r.Shape.KVHeads = 0
	}
	return r
}

func start(t *testing.T, r Recipe, threads int) *Trainer {
	t.Helper()
	tr, err := NewTrainer(r, threads)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func step(t *testing.T, tr *Trainer, n int) (last Progress) {
	t.Helper()
	for range n {
		p, err := tr.Step()
		if err != nil {
			t.Fatal(err)
		}
		last = p
	}
	return last
}

func export(t *testing.T, tr *Trainer) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := tr.WriteGGUF(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The loss of a model falls, and the same recipe gives the same file with one
// thread and with three.
func TestTrainingIsTheSameWithAnyThreads(t *testing.T) {
	for _, arch := range []string{"llama", "gpt2", "bert"} {
		one, three := start(t, small(arch), 1), start(t, small(arch), 3)
		first := step(t, one, 1).Loss
		step(t, three, 1)
		last := step(t, one, 11).Loss
		step(t, three, 11)
		if last >= first {
			t.Errorf("%s: the loss went from %v to %v", arch, first, last)
		}
		if !bytes.Equal(export(t, one), export(t, three)) {
			t.Errorf("%s: one and three threads give different models", arch)
		}
	}
}

// A run that was stopped and resumed gives what an unbroken one gives.
func TestResume(t *testing.T) {
	whole := start(t, small("llama"), 2)
	step(t, whole, 6)
	broken := start(t, small("llama"), 2)
	step(t, broken, 3)
	var b bytes.Buffer
	if err := broken.Save(&b); err != nil {
		t.Fatal(err)
	}
	resumed := start(t, small("llama"), 1)
	if err := resumed.Load(bytes.NewReader(b.Bytes())); err != nil {
		t.Fatal(err)
	}
	if resumed.Done() != 3 {
		t.Errorf("resumed at step %d", resumed.Done())
	}
	step(t, resumed, 3)
	if !bytes.Equal(export(t, whole), export(t, resumed)) {
		t.Error("a resumed run gives another model")
	}
	// A checkpoint of another recipe, and broken ones.
	other := small("llama")
	other.Seed++
	if err := start(t, other, 1).Load(bytes.NewReader(b.Bytes())); err == nil {
		t.Error("the checkpoint of another recipe was taken")
	}
	for _, n := range []int{0, 10, b.Len() / 2, b.Len() - 1} {
		if err := start(t, small("llama"), 1).Load(bytes.NewReader(b.Bytes()[:n])); err == nil {
			t.Errorf("a checkpoint cut at %d was taken", n)
		}
	}
}

// The derivative of a whole model's loss, by differences of some parameters of
// each tensor.
func TestModelGradients(t *testing.T) {
	for _, arch := range []string{"llama", "gpt2", "bert"} {
		s := Shape{Arch: arch, Vocab: 11, Dim: 8, Layers: 2, Heads: 2, Hidden: 12, Ctx: 8}
		m, err := NewModel(s, 3)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range m.Params { // large enough to matter
			for i := range p.V {
				if p.Rows > 1 {
					p.V[i] *= 8
				}
			}
		}
		ids, want := []int{3, 1, 7, 7, 0}, []int{1, 7, 7, 0, 10}
		loss := func() (*grad.Tape, float64) {
			tape := grad.NewTape()
			var y *grad.Matrix
			if arch == "bert" {
				rows := []*grad.Matrix{m.Embedding(tape, ids), m.Embedding(tape, want)}
				x := tape.Stack(rows)
				y = tape.Scale(tape.Linear(x, tape.Stack([]*grad.Matrix{rows[1], rows[0]}), nil), 4)
				l, _ := tape.CrossEntropy(y, []int{1, 0}, 1)
				return tape, l
			}
			y = m.Logits(tape, ids)
			l, _ := tape.CrossEntropy(y, want, 1)
			return tape, l
		}
		tape, _ := loss()
		tape.Backward()
		for _, p := range m.Params {
			for _, i := range []int{0, len(p.V) / 2, len(p.V) - 1} {
				const h = 5e-3
				old := p.V[i]
				p.V[i] = old + h
				_, up := loss()
				p.V[i] = old - h
				_, down := loss()
				p.V[i] = old
				diff := (up - down) / (2 * h)
				if got := float64(p.G[i]); math.Abs(got-diff) > 2e-3+0.03*math.Abs(diff) {
					t.Errorf("%s %s[%d]: gradient %v, differences say %v", arch, p.Name, i, got, diff)
				}
			}
		}
	}
}

// The file has the shape's tensors and metadata, and its tokenizer cuts the
// texts as training did.
func TestExportedTokenizerAgrees(t *testing.T) {
	g, err := corpus.New()
	if err != nil {
		t.Fatal(err)
	}
	for _, arch := range []string{"llama", "gpt2", "bert"} {
		tr := start(t, small(arch), 1)
		b := export(t, tr)
		f, err := gguf.NewFile(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		if len(f.Tensors) != len(tr.Model.Params) {
			t.Errorf("%s: %d tensors, want %d", arch, len(f.Tensors), len(tr.Model.Params))
		}
		v, err := tokenizer.FromGGUF(f)
		if err != nil {
			t.Fatal(err)
		}
		tok, err := tokenizer.New(v)
		if err != nil {
			t.Fatal(err)
		}
		for i := range uint64(200) {
			s, err := g.Story(tr.Seed, i)
			if err != nil {
				t.Fatal(err)
			}
			text := s.Text
			if arch == "bert" {
				p, err := g.Paraphrase(tr.Seed, i, false)
				if err != nil {
					t.Fatal(err)
				}
				text = p.A
			}
			want, err := tr.Vocab.Encode(text)
			if err != nil {
				continue // a word that the small vocabulary lacks
			}
			got := tok.Encode(text, tokenizer.Options{})
			if len(got) != len(want) {
				t.Fatalf("%s: %q is %d tokens for training, %d in the file", arch, text, len(want), len(got))
			}
			for j := range want {
				if int(got[j]) != want[j] {
					t.Fatalf("%s: %q: token %d is %d for training, %d in the file", arch, text, j, want[j], got[j])
				}
			}
		}
	}
}

func TestCurve(t *testing.T) {
	var curve []Progress
	for i := range 500 {
		curve = append(curve, Progress{Step: i, Loss: 5 * math.Exp(-float64(i)/100), Norm: 1, Rate: 1e-3})
	}
	var b bytes.Buffer
	if err := WriteCSV(&b, curve); err != nil {
		t.Fatal(err)
	}
	back := ReadCSV(bytes.NewReader(b.Bytes()))
	if len(back) != len(curve) || back[499].Step != 499 || math.Abs(back[0].Loss-5) > 1e-4 {
		t.Errorf("%d lines came back", len(back))
	}
	if n := len(ReadCSV(strings.NewReader("step,loss,norm,rate\n0,1,1,1\n1,x"))); n != 1 {
		t.Errorf("a broken file gave %d lines", n)
	}
	for _, c := range [][]Progress{curve, nil, {{Loss: math.Inf(1)}}} {
		b.Reset()
		if err := WritePNG(&b, "loss", c); err != nil {
			t.Fatal(err)
		}
		if _, err := png.Decode(&b); err != nil {
			t.Error(err)
		}
	}
}

func TestBadShapes(t *testing.T) {
	for _, s := range []Shape{
		{Arch: "llama", Vocab: 9, Dim: 10, Layers: 1, Heads: 3, Hidden: 8, Ctx: 8},
		{Arch: "mamba", Vocab: 9, Dim: 8, Layers: 1, Heads: 2, Hidden: 8, Ctx: 8},
		{Arch: "llama", Vocab: 9, Dim: 8, Layers: 1, Heads: 4, KVHeads: 3, Hidden: 8, Ctx: 8},
	} {
		if _, err := NewModel(s, 1); err == nil {
			t.Errorf("%+v was made", s)
		}
	}
}
