package tokenizer_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"ssnail-kit/host/gguf"
	"ssnail-kit/host/image"
	"ssnail-kit/host/tokenizer"
)

// file makes a GGUF of metadata alone; pairs are keys and values.
func file(t testing.TB, pairs ...any) *gguf.File {
	t.Helper()
	var b bytes.Buffer
	w := gguf.NewWriter(&b)
	for i := 0; i < len(pairs); i += 2 {
		w.Add("tokenizer.ggml."+pairs[i].(string), pairs[i+1])
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := gguf.NewFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFromGGUF(t *testing.T) {
	v, err := tokenizer.FromGGUF(file(t, "model", "bert", "tokens", []string{"[UNK]", "[CLS]", "[SEP]", "\u2581a"},
		"token_type", []int32{3, 3, 3, 1}, "cls_token_id", uint32(1), "seperator_token_id", uint32(2), "unknown_token_id", uint32(0)))
	if err != nil {
		t.Fatal(err)
	}
	if v.Kind != image.WordPiece || v.BeginToken() != 1 || v.EndToken() != 2 || v.UnknownToken() != 0 || v.BOS != tokenizer.None {
		t.Errorf("%+v", v)
	}
	if bos, eos := v.HeaderTokens(); bos != 1 || eos != 2 {
		t.Errorf("header tokens %d %d", bos, eos)
	}
}

// What the file leaves out has the defaults of its kind.
func TestDefaults(t *testing.T) {
	llama := []any{"model", "llama", "tokens", []string{"<unk>", "<s>", "a"}, "scores", []float32{0, 0, 0}}
	gpt2 := []any{"model", "gpt2", "tokens", []string{"a", "b", "ab"}, "merges", []string{"a b"}}
	bert := []any{"model", "bert", "tokens", []string{"a", "[UNK]"}}
	for _, c := range []struct {
		name                string
		pairs               []any
		begin, end, unknown uint32
	}{
		{"llama: BOS is 1", llama, 1, tokenizer.None, 0},
		{"llama without BOS", append(slices.Clone(llama), "add_bos_token", false), tokenizer.None, tokenizer.None, 0},
		{"llama's own BOS", append(slices.Clone(llama), "bos_token_id", uint32(2)), 2, tokenizer.None, 0},
		{"gpt2: no BOS", append(slices.Clone(gpt2), "bos_token_id", uint32(2)), tokenizer.None, tokenizer.None, 0},
		{"gpt2 with BOS", append(slices.Clone(gpt2), "bos_token_id", uint32(2), "add_bos_token", true), 2, tokenizer.None, 0},
		{"bert: unknown by its name, BOS and EOS for want of others", append(slices.Clone(bert), "bos_token_id", uint32(0), "eos_token_id", uint32(1)), 0, 1, 1},
		{"bert without any", bert, tokenizer.None, tokenizer.None, 1},
		{"an id of all ones is none", append(slices.Clone(bert), "cls_token_id", uint32(0xFFFFFFFF)), tokenizer.None, tokenizer.None, 1},
	} {
		v, err := tokenizer.FromGGUF(file(t, c.pairs...))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if v.BeginToken() != c.begin || v.EndToken() != c.end || v.UnknownToken() != c.unknown {
			t.Errorf("%s: begin %d end %d unknown %d", c.name, v.BeginToken(), v.EndToken(), v.UnknownToken())
		}
	}
}

func TestFromGGUFRefuses(t *testing.T) {
	tokens := []string{"a", "b"}
	for _, c := range []struct {
		name  string
		pairs []any
		want  string
	}{
		{"no tokenizer", nil, "tokenizer.ggml.model is missing"},
		{"unknown kind", []any{"model", "t5"}, `tokenizer.ggml.model is "t5"`},
		{"no tokens", []any{"model", "gpt2"}, "tokenizer.ggml.tokens is missing"},
		{"no scores", []any{"model", "llama", "tokens", tokens}, "tokenizer.ggml.scores has 0 entries for 2"},
		{"types", []any{"model", "gpt2", "tokens", tokens, "merges", []string{"a b"}, "token_type", []int32{1}}, "token_type has 1 entries for 2"},
		{"B16 no merges", []any{"model", "gpt2", "tokens", tokens}, "tokenizer.ggml.merges is missing"},
		{"merge", []any{"model", "gpt2", "tokens", tokens, "merges", []string{"ab"}}, `entry 0 is "ab"`},
		{"BOS", []any{"model", "bert", "tokens", tokens, "bos_token_id", uint32(2)}, "bos_token_id is 2, but the vocabulary has 2 tokens"},
		{"BOS of a wrong type", []any{"model", "bert", "tokens", tokens, "bos_token_id", "1"}, "bos_token_id"},
		{"flag of a wrong type", []any{"model", "bert", "tokens", tokens, "add_bos_token", uint32(1)}, "add_bos_token"},
	} {
		_, err := tokenizer.FromGGUF(file(t, c.pairs...))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
}

// An image has no bit for a text without the space in front.
func TestTableSpecRefuses(t *testing.T) {
	v, err := tokenizer.FromGGUF(file(t, "model", "llama", "tokens", []string{"<unk>", "<s>", "a"}, "scores", []float32{0, 0, 0}, "add_space_prefix", false))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := v.TableSpec(); err == nil || !strings.Contains(err.Error(), "add_space_prefix is false") {
		t.Errorf("got %v", err)
	}
}
