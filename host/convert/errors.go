package convert

import (
	"fmt"
	"strings"

	"ssnail-kit/host/gguf"
)

// KeyError is a metadata key whose value cannot be converted.
type KeyError struct {
	Key    string
	Value  any // nil: the key is missing
	Msg    string
	Remedy string // what the user can do; may be empty
}

// Hint is what the user can do about it.
func (e *KeyError) Hint() string {
	if e.Remedy == "" {
		return "ssnail-kit info shows the model's metadata; a variant like this needs another model file"
	}
	return e.Remedy
}

func (e *KeyError) Error() string {
	if e.Value == nil {
		return fmt.Sprintf("%s: %s", e.Key, e.Msg)
	}
	value := fmt.Sprint(e.Value)
	if s, ok := e.Value.(string); ok {
		if q := gguf.Quote(s); q != `"`+s+`"` { // long, or more than plain characters
			value = q
		}
	}
	return fmt.Sprintf("%s = %s: %s", e.Key, value, e.Msg)
}

// TensorError is a tensor that is missing, of the wrong shape or format, or
// that holds a value that cannot be stored.
type TensorError struct {
	Tensor string
	Msg    string
	Remedy string // what the user can do; may be empty
}

// Hint is what the user can do about it.
func (e *TensorError) Hint() string {
	if e.Remedy == "" {
		return "ssnail-kit info lists the tensors; the file is damaged, or the model is a variant that is not supported"
	}
	return e.Remedy
}

func (e *TensorError) Error() string { return fmt.Sprintf("tensor %q: %s", e.Tensor, e.Msg) }

// ConsentError says that fitting the memory needs a format with fewer bits
// than the model's own, to which nobody agreed.
type ConsentError struct {
	Question string
	Policy   string // that would fit
}

func (e *ConsentError) Error() string {
	return strings.TrimSuffix(e.Question, "?") + ": not done without consent (--yes)"
}

// Hint names the ways to consent.
func (e *ConsentError) Hint() string {
	if e.Policy == "keep" { // memory is no help: the fallback format is the coarse one
		return "--yes agrees, and so does --wtype keep; a --fallback with more bits (q8_0, f16) loses none"
	}
	return fmt.Sprintf("--yes agrees, and so does naming the format: --wtype %s; a board with more memory takes the model as it is: --mem-mb", e.Policy)
}
