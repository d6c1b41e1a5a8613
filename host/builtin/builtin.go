// Package builtin holds the models that the kit ships. They are its own: made
// by tools/train from the story grammar in host/train/corpus, under the kit's
// licence. README.md says how, prompts.txt and continuations.txt show what the
// story model makes of openings that it never saw.
package builtin

import _ "embed"

//go:embed ssnail-story.gguf
var story []byte

//go:embed ssnail-encoder.gguf
var encoder []byte

//go:embed ssnail-story-gpt2.gguf
var gpt2 []byte

// Story is a llama that tells short stories, as a GGUF file. Nobody may change
// the bytes.
func Story() []byte { return story }

// Encoder is a bert that embeds sentences, as a GGUF file.
func Encoder() []byte { return encoder }

// GPT2 tells the same stories in GPT-2's architecture, as a GGUF file; it is
// there for tests of that family.
func GPT2() []byte { return gpt2 }
