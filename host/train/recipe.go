package train

import (
	"fmt"
	"math"

	"ssnail-kit/host/train/corpus"
	"ssnail-kit/host/train/vocab"
)

// Recipe is all that decides a trained model: two runs of one recipe give the
// same file.
type Recipe struct {
	Name        string // general.name
	Description string
	Shape       Shape
	Seed        uint64
	VocabTexts  int     // texts that the vocabulary is learned from
	Steps       int     // optimiser steps
	Batch       int     // stories (or pairs) a step
	Shares      int     // parts of a batch whose gradients are summed in order
	Rate        float64 // highest learning rate
	Warmup      int     // steps to reach it
	Decay       float64 // weight decay
	Temperature float64 // of the contrastive loss, bert only
}

// Recipes are the kit's own models.
var Recipes = map[string]Recipe{
	"story": {
		Name: "ssnail-story", Description: "Tells short children's stories; made by ssnail-kit from a story grammar of its own.",
		Shape: Shape{Arch: "llama", Vocab: 512, Dim: 64, Layers: 4, Heads: 8, KVHeads: 4, Hidden: 192, Ctx: 256},
		Seed:  65, VocabTexts: 4000, Steps: 6500, Batch: 32, Shares: 8, Rate: 3e-3, Warmup: 200, Decay: 0.05,
	},
	"gpt2": {
		Name: "ssnail-story-gpt2", Description: "The same stories in GPT-2's architecture, for tests; made by ssnail-kit.",
		Shape: Shape{Arch: "gpt2", Vocab: 512, Dim: 64, Layers: 2, Heads: 4, Hidden: 256, Ctx: 256},
		Seed:  66, VocabTexts: 4000, Steps: 2000, Batch: 32, Shares: 8, Rate: 4e-3, Warmup: 60, Decay: 0.05,
	},
	"encoder": {
		Name: "ssnail-encoder", Description: "Embeds short sentences; made by ssnail-kit from paraphrases of its story grammar.",
		Shape: Shape{Arch: "bert", Vocab: 512, Dim: 64, Layers: 3, Heads: 4, Hidden: 256, Ctx: 64},
		Seed:  67, VocabTexts: 8000, Steps: 400, Batch: 128, Shares: 2, Rate: 2e-3, Warmup: 40, Decay: 0.05, Temperature: 0.08,
	},
}

// rate is the learning rate of a step: up in a line, down in a cosine to a
// twentieth.
func (r *Recipe) rate(step int) float64 {
	if step < r.Warmup {
		return r.Rate * float64(step+1) / float64(r.Warmup)
	}
	f := float64(step-r.Warmup) / float64(max(r.Steps-r.Warmup, 1))
	return r.Rate * (0.05 + 0.95*(1+math.Cos(math.Pi*min(f, 1)))/2)
}

// texts are what the vocabulary is learned from.
func (r *Recipe) texts(g *corpus.Grammar) ([]string, error) {
	var out []string
	if r.Shape.Arch == "bert" {
		for i := range uint64(r.VocabTexts) {
			p, err := g.Paraphrase(r.Seed, i, false)
			if err != nil {
				return nil, err
			}
			out = append(out, p.A, p.B)
		}
		return out, nil
	}
	err := g.Training(r.Seed, r.VocabTexts, func(s corpus.Story) error {
		out = append(out, s.Text)
		return nil
	})
	return out, err
}

// vocabulary learns the recipe's vocabulary.
func (r *Recipe) vocabulary(g *corpus.Grammar) (*vocab.Vocab, error) {
	texts, err := r.texts(g)
	if err != nil {
		return nil, err
	}
	switch r.Shape.Arch {
	case "llama":
		return vocab.TrainSPM(texts, r.Shape.Vocab)
	case "gpt2":
		return vocab.TrainByteBPE(texts, r.Shape.Vocab)
	case "bert":
		return vocab.TrainWordPiece(texts, r.Shape.Vocab)
	}
	return nil, fmt.Errorf("architecture %q, want llama, gpt2 or bert", r.Shape.Arch)
}
