package convert

import (
	"fmt"

	"ssnail-kit/host/gguf"
	"ssnail-kit/host/image"
)

const tok = "tokenizer.ggml."

// Vocab is a model's vocabulary and the ids that generation needs.
type Vocab struct {
	image.TableSpec
	BOS, EOS uint32 // for the header; 1 and 2 if the model has none
	Pre      string // the BPE pre-tokenizer that the model names
}

// ReadVocab reads the vocabulary of a GGUF, which may hold nothing else.
func ReadVocab(f *gguf.File) (*Vocab, error) {
	model, ok, err := f.Str(tok + "model")
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, &KeyError{tok + "model", nil, "missing; without a tokenizer nothing can be typed to the model"}
	}
	v := &Vocab{}
	switch model {
	case "llama":
		v.Kind = image.SentencePiece
	case "gpt2":
		v.Kind = image.BPE
	case "bert":
		v.Kind, v.Lowercase = image.WordPiece, true
	default:
		return nil, &KeyError{tok + "model", model, "not supported; llama (SentencePiece), gpt2 (byte-level BPE) and bert (WordPiece) are"}
	}
	if err := v.readPieces(f); err != nil {
		return nil, err
	}
	if err := v.readIDs(f); err != nil {
		return nil, err
	}
	if v.Kind == image.SentencePiece {
		if space, ok, err := f.Bool(tok + "add_space_prefix"); err != nil {
			return nil, err
		} else if ok && !space {
			return nil, &KeyError{tok + "add_space_prefix", false, "an image's tokenizer always puts a space in front of a text"}
		}
	}
	return v, nil
}

func (v *Vocab) readPieces(f *gguf.File) error {
	var ok bool
	var err error
	if v.Pieces, ok, err = f.Strings(tok + "tokens"); err != nil {
		return err
	}
	if !ok || len(v.Pieces) == 0 {
		return &KeyError{tok + "tokens", nil, "missing or empty"}
	}
	types, _, err := f.Ints(tok + "token_type")
	if err != nil {
		return err
	}
	if len(types) != 0 && len(types) != len(v.Pieces) {
		return &KeyError{tok + "token_type", fmt.Sprintf("(%d entries)", len(types)), fmt.Sprintf("there are %d tokens", len(v.Pieces))}
	}
	for _, t := range types {
		v.Types = append(v.Types, int32(t))
	}
	if v.Kind == image.SentencePiece {
		if v.Scores, _, err = f.Floats(tok + "scores"); err != nil {
			return err
		}
		if len(v.Scores) != len(v.Pieces) {
			return &KeyError{tok + "scores", fmt.Sprintf("(%d entries)", len(v.Scores)), fmt.Sprintf("there are %d tokens, and SentencePiece merges by score", len(v.Pieces))}
		}
	}
	if v.Kind == image.BPE {
		if v.Merges, ok, err = f.Strings(tok + "merges"); err != nil {
			return err
		}
		if !ok {
			return &KeyError{tok + "merges", nil, "missing; byte-level BPE cannot join letters to words without it"}
		}
		if v.Pre, _, err = f.Str(tok + "pre"); err != nil {
			return err
		}
	}
	return nil
}

// id reads a token id; none if the key is absent or holds the value that
// stands for none.
func (v *Vocab) id(f *gguf.File, key string, none uint32) (uint32, error) {
	n, ok, err := f.Uint(tok + key)
	if err != nil || !ok || n == image.NoToken {
		return none, err
	}
	if n >= uint64(len(v.Pieces)) {
		return none, &KeyError{tok + key, n, fmt.Sprintf("there are %d tokens", len(v.Pieces))}
	}
	return uint32(n), nil
}

func (v *Vocab) readIDs(f *gguf.File) (err error) {
	get := func(key string, none uint32) uint32 {
		if err != nil {
			return none
		}
		var n uint32
		n, err = v.id(f, key, none)
		return n
	}
	v.BOS, v.EOS = get("bos_token_id", 1), get("eos_token_id", 2)
	v.Begin, v.End = image.NoToken, image.NoToken
	v.Unknown = get("unknown_token_id", image.NoToken)
	switch v.Kind {
	case image.WordPiece:
		v.Begin = get("cls_token_id", get("bos_token_id", image.NoToken))
		v.End = get("seperator_token_id", get("eos_token_id", image.NoToken))
	default:
		want, ok, e := f.Bool(tok + "add_bos_token")
		if e != nil {
			return e
		}
		if !ok {
			want = v.Kind == image.SentencePiece
		}
		if want {
			none := uint32(image.NoToken)
			if v.Kind == image.SentencePiece {
				none = 1
			}
			v.Begin = get("bos_token_id", none)
		}
	}
	if v.Unknown == image.NoToken {
		v.Unknown = 0
		for i, p := range v.Pieces {
			if p == "[UNK]" {
				v.Unknown = uint32(i)
				break
			}
		}
	}
	return err
}
