// Package tokenizer is a GGUF's own tokenizer, run on the PC with all that the
// file says: the judge of what an image's tables make of a text.
//
// Reading order: vocab.go (what the file says), tokenizer.go (splitting off
// special tokens, encode), spm.go, bpe.go with pretokenize.go, wordpiece.go,
// decode.go.
package tokenizer
