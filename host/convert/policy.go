package convert

import (
	"fmt"

	"ssnail-kit/host/ggml"
)

// native reports whether the core reads a format.
func native(t ggml.Type) bool {
	switch t {
	case ggml.F32, ggml.F16, ggml.BF16, ggml.Q8_0, ggml.Q4_0:
		return true
	}
	return false
}

// wanted is the format that a policy wants for a matrix, whatever its columns.
func wanted(policy string, fallback ggml.Type, w *weight) ggml.Type {
	switch policy {
	case "keep":
		if t := w.tensors[0].Type; native(t) {
			return t
		}
		return fallback
	case "mixed":
		if w.name == "token_embd" || w.name == "output" {
			return ggml.Q4_0
		}
		return ggml.Q8_0
	}
	return formatOf(policy)
}

// choose is the format that a policy gives a matrix: the wanted one, or F16
// if its blocks do not divide the columns.
func choose(policy string, fallback ggml.Type, w *weight) ggml.Type {
	t := wanted(policy, fallback, w)
	if w.cols%t.BlockSize() != 0 {
		return ggml.F16
	}
	return t
}

// apply sets the formats of all weights by a policy.
func apply(policy string, fallback ggml.Type, list []*weight) {
	for _, w := range list {
		w.format = ggml.F32
		if w.matrix {
			w.format = choose(policy, fallback, w)
		}
	}
}

// bits is the storage of a weight in a format, in bits.
func bits(t ggml.Type) float64 { return float64(8*t.BlockBytes()) / float64(t.BlockSize()) }

// coarser returns the matrices that are quantised in the model and are stored
// with fewer bits than there.
func coarser(list []*weight) []*weight {
	var out []*weight
	for _, w := range list {
		if from := w.tensors[0].Type; w.matrix && from.Quantized() && bits(w.format) < bits(from) {
			out = append(out, w)
		}
	}
	return out
}

// reason says why a matrix is not stored as in the model; "" if it is.
func reason(policy string, fallback ggml.Type, w *weight) string {
	from, want := w.tensors[0].Type, wanted(policy, fallback, w)
	switch {
	case w.format == from:
		return ""
	case w.format != want:
		return fmt.Sprintf("rows of %d are no multiple of %d, the block of %s", w.cols, want.BlockSize(), want)
	case policy == "keep":
		return fmt.Sprintf("the core does not read %s", from)
	}
	return "--wtype " + policy
}
