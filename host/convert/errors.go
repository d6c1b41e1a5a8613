package convert

import (
	"fmt"
	"strings"
)

// KeyError is a metadata key whose value cannot be converted.
type KeyError struct {
	Key   string
	Value any // nil: the key is missing
	Msg   string
}

func (e *KeyError) Error() string {
	if e.Value == nil {
		return fmt.Sprintf("%s: %s", e.Key, e.Msg)
	}
	return fmt.Sprintf("%s = %v: %s", e.Key, e.Value, e.Msg)
}

// TensorError is a tensor that is missing, of the wrong shape or format, or
// that holds a value that cannot be stored.
type TensorError struct {
	Tensor string
	Msg    string
}

func (e *TensorError) Error() string { return fmt.Sprintf("tensor %q: %s", e.Tensor, e.Msg) }

// ConsentError says that fitting the memory needs a format with fewer bits
// than the model's own, to which nobody agreed.
type ConsentError struct{ Question string }

func (e *ConsentError) Error() string {
	return strings.TrimSuffix(e.Question, "?") + ": not done without consent (--yes, or the format by --wtype)"
}
