// Package corpus is the story grammar that the kit's own models learn from,
// and the paraphrases for its sentence encoder. Story n is the same text on
// every machine; nothing is stored.
//
// plots.txt holds the plots, fill.go what fills their slots, corpus.go puts
// stories together, paraphrase.go says one thing in different words, follow.go
// tells whether a story is one of the grammar's.
package corpus

import (
	_ "embed"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
)

//go:embed plots.txt
var plotText string

// plot is a row of steps, each with its ways to say it.
type plot struct {
	name, thing string
	steps       [][]string
}

// Grammar makes stories.
type Grammar struct {
	plots []plot
}

// Plots is the number of plots.
func (g *Grammar) Plots() int { return len(g.plots) }

// New reads the grammar.
func New() (*Grammar, error) {
	plots, err := parsePlots(plotText)
	if err != nil {
		return nil, fmt.Errorf("plots.txt: %w", err)
	}
	return &Grammar{plots: plots}, nil
}

func parsePlots(text string) ([]plot, error) {
	var plots []plot
	newStep := true
	for n, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "#"):
		case line == "":
			newStep = true
		case strings.HasPrefix(line, "plot "):
			f := strings.Fields(line)
			if len(f) != 3 || !strings.HasPrefix(f[2], "thing=") || things[f[2][6:]] == nil {
				return nil, fmt.Errorf("line %d: want \"plot NAME thing=LIST\" with a list of fill.go", n+1)
			}
			plots = append(plots, plot{name: f[1], thing: f[2][6:]})
			newStep = true
		default:
			if len(plots) == 0 {
				return nil, fmt.Errorf("line %d: a sentence before the first plot", n+1)
			}
			p := &plots[len(plots)-1]
			if newStep {
				p.steps = append(p.steps, nil)
				newStep = false
			}
			p.steps[len(p.steps)-1] = append(p.steps[len(p.steps)-1], line)
		}
	}
	if len(plots) == 0 {
		return nil, fmt.Errorf("no plot")
	}
	return plots, nil
}

// Story is one story with the names that it is about.
type Story struct {
	Text                string
	Opening             string // its first sentences
	Plot                string
	Hero, Friend, Thing string
	// HeldOut stories have a hero that no training story of their plot has,
	// so that hardly a sentence of theirs stands in the training text.
	HeldOut bool
}

// Story makes story number n of the sequence seed.
func (g *Grammar) Story(seed, n uint64) (Story, error) {
	r := rand.New(rand.NewPCG(seed, n))
	p := &g.plots[r.IntN(len(g.plots))]
	slots, s := fill(r, p)
	s.Plot = p.name
	var sentences []string
	for _, step := range p.steps {
		line := step[r.IntN(len(step))]
		if line == "-" {
			continue
		}
		text, err := expand(line, slots)
		if err != nil {
			return s, fmt.Errorf("plot %s: %w", p.name, err)
		}
		sentences = append(sentences, text)
	}
	s.Text = strings.Join(sentences, " ")
	s.Opening = sentences[0]
	return s, nil
}

// Training calls f with stories 0, 1, 2 ... of the sequence seed that are not
// held out, n of them.
func (g *Grammar) Training(seed uint64, n int, f func(Story) error) error {
	return g.each(seed, n, false, f)
}

// HeldOut calls f with n held-out stories of the sequence seed.
func (g *Grammar) HeldOut(seed uint64, n int, f func(Story) error) error {
	return g.each(seed, n, true, f)
}

func (g *Grammar) each(seed uint64, n int, held bool, f func(Story) error) error {
	for i := uint64(0); n > 0; i++ {
		s, err := g.Story(seed, i)
		if err != nil {
			return err
		}
		if s.HeldOut != held {
			continue
		}
		if err := f(s); err != nil {
			return err
		}
		n--
	}
	return nil
}

// heldOut tells whether a pair of words is kept from training: one in ten.
func heldOut(a, b string) bool {
	h := fnv.New32a()
	h.Write([]byte(a + "/" + b))
	return h.Sum32()%10 == 3
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// fill chooses what the slots of a story stand for.
func fill(r *rand.Rand, p *plot) (map[string]string, Story) {
	hero, invented := pick(r, heroes), r.IntN(5) == 0
	if invented {
		hero = invent(r)
	}
	friend := pick(r, friends)
	if r.IntN(4) == 0 {
		// Any other name, so that "Lily and Tom" can be friends. Not one that no
		// hero of this plot has in training: the plot would tell the model that
		// whoever has it must be the friend.
		friend = hero
		for friend.name == hero.name || p.name != "" && heldOut(friend.name, p.name) {
			friend = pick(r, heroes)
		}
	}
	rel := pick(r, relatives)
	at := pick(r, places)
	obj := pick(r, things[p.thing])
	pet := pick(r, pets)
	for pet == obj {
		pet = pick(r, pets)
	}
	s1, s2 := pick(r, spots), pick(r, farSpots)
	m := map[string]string{
		"H": hero.name, "F": friend.name, "rel": rel.name, "rhe": rel.pronoun, "at": at.at, "to": at.to,
		"obj": obj, "pet": pet, "spot1": s1, "spot2": s2,
	}
	pronouns(m, hero, friend)
	// In a fixed order, so that the same numbers give the same story.
	for _, slot := range []string{"adj", "col", "day", "glue", "food", "food2", "box", "hungry"} {
		m[slot] = pick(r, words[slot])
	}
	if n := needs[obj]; n != nil {
		m["need"] = pick(r, n)
	}
	return m, Story{Hero: hero.name, Friend: friend.name, Thing: obj, HeldOut: !invented && heldOut(hero.name, p.name)}
}

// invent makes a name that nobody of the lists has.
func invent(r *rand.Rand) person {
	p := person{girl: r.IntN(2) == 0}
	tails := boyTails
	if p.girl {
		tails = girlTails
	}
	listed := func(o person) bool { return o.name == p.name }
	for p.name == "" || slices.ContainsFunc(friends, listed) || slices.ContainsFunc(heroes, listed) {
		p.name = pick(r, nameHeads) + pick(r, tails)
	}
	return p
}

func pronouns(m map[string]string, hero, friend person) {
	m["kid"], m["he"], m["He"], m["his"], m["His"], m["him"] = "boy", "he", "He", "his", "His", "him"
	if hero.girl {
		m["kid"], m["he"], m["He"], m["his"], m["His"], m["him"] = "girl", "she", "She", "her", "Her", "her"
	}
	m["fhe"], m["Fhe"] = "he", "He"
	if friend.girl {
		m["fhe"], m["Fhe"] = "she", "She"
	}
}

// expand puts the slots' words into a sentence.
func expand(text string, slots map[string]string) (string, error) {
	var b strings.Builder
	for {
		i := strings.IndexByte(text, '{')
		if i < 0 {
			b.WriteString(text)
			return b.String(), nil
		}
		j := strings.IndexByte(text[i:], '}')
		if j < 0 {
			return "", fmt.Errorf("no } in %q", text)
		}
		word, ok := slots[text[i+1:i+j]]
		if !ok {
			return "", fmt.Errorf("no slot %s in %q", text[i:i+j+1], text)
		}
		b.WriteString(text[:i])
		b.WriteString(word)
		text = text[i+j+1:]
	}
}
