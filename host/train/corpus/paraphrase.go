package corpus

import (
	"fmt"
	"math/rand/v2"
)

// Pair is one fact said in two ways.
type Pair struct{ A, B string }

// facts are the ways to say one thing; two of a row are a pair.
var facts = []struct {
	thing string
	says  []string
}{
	{"toy", []string{"{H} lost the {col} {obj} {at}.", "The {col} {obj} of {H} was gone. {He} had it {at}.", "{At}, {H} could not find {his} {col} {obj}.", "Where is the {col} {obj}? {H} looks for it {at}."}},
	{"toy", []string{"{H} gave a {col} {obj} to {F}.", "{F} got a {col} {obj} from {H}.", "The {col} {obj} was a gift for {F}. It came from {H}.", "{H} had a gift for {F}: a {col} {obj}."}},
	{"toy", []string{"{H} and {F} played with a {obj} {at}.", "{At}, two friends had fun with a {obj}: {F} and {H}.", "A {obj} was the toy that {F} and {H} played with {at}."}},
	{"breakable", []string{"{H} broke the {obj} of {his} {rel}.", "The {obj} of the {rel} is broken. It was {H}.", "{His} {rel} had a {obj}, but {H} broke it."}},
	{"pet", []string{"{H} found a {obj} {spot1} {at}.", "A {obj} sat {spot1} {at}, and {H} saw it.", "{At}, {spot1}, {H} met a little {obj}."}},
	{"pet", []string{"The {obj} was {hungry}, so {H} gave it {food}.", "{H} had some {food} for the {hungry} {obj}.", "There was {food} for the {obj}. {H} saw that it was {hungry}."}},
	{"gift", []string{"{H} made {obj} for {his} {rel}.", "The {rel} of {H} got {obj}. {H} had made it.", "{Obj} for {his} {rel}: that is what {H} made."}},
	{"skill", []string{"{H} learned to {obj} with {F}.", "{F} showed {H} how to {obj}.", "Now {H} can {obj}. {F} helped {him}."}},
	{"trip", []string{"{H} wanted to {obj}, but it rained.", "The rain came, so {H} could not {obj}.", "It was too wet to {obj}. {H} was sad."}},
	{"fear", []string{"{H} was scared of {obj}.", "{Obj} made {H} want to hide.", "{H} ran to {his} {rel} because of {obj}."}},
	{"treat", []string{"{H} ate the {obj} of {his} {rel}.", "The {obj} was gone, because {H} ate it.", "The {rel} of {H} found no {obj}. {H} had it in {his} tummy."}},
}

// Paraphrase makes pair number n of the sequence seed. Pairs of hero and thing
// that are held out are left to HeldOut's stories and to the test sentences:
// held says which kind is wanted.
func (g *Grammar) Paraphrase(seed, n uint64, held bool) (Pair, error) {
	r := rand.New(rand.NewPCG(seed^0x70617261, n))
	for {
		f := facts[r.IntN(len(facts))]
		m, s := fill(r, &plot{thing: f.thing})
		m["At"], m["Obj"] = capital(m["at"]), capital(m["obj"])
		i := r.IntN(len(f.says))
		j := r.IntN(len(f.says) - 1)
		if j >= i {
			j++
		}
		if heldOut(s.Hero, s.Thing) != held {
			continue
		}
		a, err := expand(f.says[i], m)
		if err != nil {
			return Pair{}, fmt.Errorf("fact about %s: %w", f.thing, err)
		}
		b, err := expand(f.says[j], m)
		if err != nil {
			return Pair{}, fmt.Errorf("fact about %s: %w", f.thing, err)
		}
		return Pair{a, b}, nil
	}
}

func capital(s string) string { return string(s[0]-'a'+'A') + s[1:] }
