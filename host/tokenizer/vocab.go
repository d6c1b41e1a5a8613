package tokenizer

import (
	"fmt"

	"ssnail-kit/host/gguf"
	"ssnail-kit/host/image"
)

// None is the id of a token that a vocabulary does not have.
const None = image.NoToken

// Vocab is what a GGUF says about its tokenizer. Pieces, Types, Scores have
// one entry per token; Types and Scores may be empty.
type Vocab struct {
	Kind           image.Kind
	Pieces         []string
	Types          []int32 // image.TypeNormal ...
	Scores         []float32
	Merges         []string // "left right" by rank
	Pre            string   // pre-tokenizer of byte-level BPE, "" if the file names none
	BOS, EOS       uint32   // None: the file has none
	Unknown        uint32
	CLS, SEP       uint32
	AddBOS         bool // resolved: the file's word, else SentencePiece yes, others no
	AddEOS         bool
	AddSpacePrefix bool // SentencePiece: a space is put before the text
}

// Keys of GGUF metadata. The misspelt separator is how GGUF spells it.
const (
	keyModel       = "tokenizer.ggml.model"
	keyPre         = "tokenizer.ggml.pre"
	keyTokens      = "tokenizer.ggml.tokens"
	keyTypes       = "tokenizer.ggml.token_type"
	keyScores      = "tokenizer.ggml.scores"
	keyMerges      = "tokenizer.ggml.merges"
	keyBOS         = "tokenizer.ggml.bos_token_id"
	keyEOS         = "tokenizer.ggml.eos_token_id"
	keyUnknown     = "tokenizer.ggml.unknown_token_id"
	keyCLS         = "tokenizer.ggml.cls_token_id"
	keySEP         = "tokenizer.ggml.seperator_token_id"
	keyAddBOS      = "tokenizer.ggml.add_bos_token"
	keyAddEOS      = "tokenizer.ggml.add_eos_token"
	keySpacePrefix = "tokenizer.ggml.add_space_prefix"
)

// FromGGUF reads a file's tokenizer metadata. An error names the key, what was
// found and what was expected.
func FromGGUF(f *gguf.File) (*Vocab, error) {
	model, ok, err := f.Str(keyModel)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("the file has no tokenizer (key %s is missing)", keyModel)
	}
	v := &Vocab{AddSpacePrefix: true}
	switch model {
	case "llama":
		v.Kind = image.SentencePiece
	case "gpt2":
		v.Kind = image.BPE
	case "bert":
		v.Kind = image.WordPiece
	default:
		return nil, fmt.Errorf("%s is %s, expected llama (SentencePiece), gpt2 (byte-level BPE) or bert (WordPiece)", keyModel, gguf.Quote(model))
	}
	if v.Pieces, ok, err = f.Strings(keyTokens); err != nil {
		return nil, err
	} else if !ok || len(v.Pieces) == 0 {
		return nil, fmt.Errorf("the file has no vocabulary (key %s is missing or empty)", keyTokens)
	}
	types, _, err := f.Ints(keyTypes)
	if err != nil {
		return nil, err
	}
	for _, t := range types {
		v.Types = append(v.Types, int32(t))
	}
	if v.Scores, _, err = f.Floats(keyScores); err != nil {
		return nil, err
	}
	if v.Merges, _, err = f.Strings(keyMerges); err != nil {
		return nil, err
	}
	if v.Pre, _, err = f.Str(keyPre); err != nil {
		return nil, err
	}
	for _, k := range []struct {
		key string
		id  *uint32
	}{{keyBOS, &v.BOS}, {keyEOS, &v.EOS}, {keyUnknown, &v.Unknown}, {keyCLS, &v.CLS}, {keySEP, &v.SEP}} {
		if *k.id, err = tokenID(f, k.key, len(v.Pieces)); err != nil {
			return nil, err
		}
	}
	v.AddBOS = v.Kind == image.SentencePiece
	for _, k := range []struct {
		key  string
		flag *bool
	}{{keyAddBOS, &v.AddBOS}, {keyAddEOS, &v.AddEOS}, {keySpacePrefix, &v.AddSpacePrefix}} {
		if value, ok, err := f.Bool(k.key); err != nil {
			return nil, err
		} else if ok {
			*k.flag = value
		}
	}
	return v, v.check()
}

func tokenID(f *gguf.File, key string, n int) (uint32, error) {
	id, ok, err := f.Uint(key)
	switch {
	case err != nil:
		return None, err
	case !ok, id == None: // some writers say "none" with all ones
		return None, nil
	case id >= uint64(n):
		return None, fmt.Errorf("%s is %d, but the vocabulary has %d tokens", key, id, n)
	}
	return uint32(id), nil
}

func (v *Vocab) check() error {
	n := len(v.Pieces)
	if len(v.Types) != 0 && len(v.Types) != n {
		return fmt.Errorf("%s has %d entries for %d tokens", keyTypes, len(v.Types), n)
	}
	switch v.Kind {
	case image.SentencePiece:
		if len(v.Scores) != n {
			return fmt.Errorf("%s has %d entries for %d tokens; SentencePiece needs one each", keyScores, len(v.Scores), n)
		}
		for id, s := range v.Scores {
			if s != s {
				return fmt.Errorf("%s: the score of token %d (%s) is not a number", keyScores, id, gguf.Quote(v.Pieces[id]))
			}
		}
	case image.BPE:
		if len(v.Merges) == 0 {
			return fmt.Errorf("the file has no merges (key %s is missing or empty); byte-level BPE needs them", keyMerges)
		}
		for i, m := range v.Merges {
			if _, _, ok := image.SplitMerge(m); !ok {
				return fmt.Errorf("%s: entry %d is %s, expected two pieces with a space between", keyMerges, i, gguf.Quote(m))
			}
		}
	}
	return nil
}

// BeginToken is the token that begins a text: WordPiece's [CLS], or BOS where
// one is wanted; None if there is none. SentencePiece's BOS is 1 if the file
// names none.
func (v *Vocab) BeginToken() uint32 {
	switch {
	case v.Kind == image.WordPiece:
		if v.CLS != None {
			return v.CLS
		}
		return v.BOS
	case !v.AddBOS:
		return None
	case v.BOS == None && v.Kind == image.SentencePiece && len(v.Pieces) > 1:
		return 1
	}
	return v.BOS
}

// EndToken is the token that ends an encoder's text; None for other kinds.
func (v *Vocab) EndToken() uint32 {
	switch {
	case v.Kind != image.WordPiece:
		return None
	case v.SEP != None:
		return v.SEP
	}
	return v.EOS
}

// UnknownToken is the token for what the vocabulary lacks: the file's, else
// the one called [UNK], else 0.
func (v *Vocab) UnknownToken() uint32 {
	if v.Unknown != None {
		return v.Unknown
	}
	for id, p := range v.Pieces {
		if p == "[UNK]" {
			return uint32(id)
		}
	}
	return 0
}

// HeaderTokens returns BOS and EOS as an image's header has them: 1 and 2
// stand for those that the file lacks.
func (v *Vocab) HeaderTokens() (bos, eos uint32) {
	bos, eos = v.BOS, v.EOS
	if bos == None {
		bos = 1
	}
	if eos == None {
		eos = 2
	}
	return bos, eos
}

// TableSpec returns what image.BuildTables makes an image's tables from. It
// refuses what those tables cannot express.
func (v *Vocab) TableSpec() (image.TableSpec, error) {
	spec := v.spec()
	if v.Kind == image.SentencePiece && !v.AddSpacePrefix {
		return spec, fmt.Errorf("%s is false: an image's tokenizer always puts a space before the text", keySpacePrefix)
	}
	return spec, nil
}

func (v *Vocab) spec() image.TableSpec {
	return image.TableSpec{
		Kind: v.Kind, Pieces: v.Pieces, Types: v.Types, Scores: v.Scores, Merges: v.Merges,
		Lowercase: v.Kind == image.WordPiece,
		Begin:     v.BeginToken(), End: v.EndToken(), Unknown: v.UnknownToken(),
	}
}
