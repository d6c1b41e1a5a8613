package corpus

import (
	"maps"
	"slices"
	"strings"
)

// Follows tells whether the grammar could have made the story text word for
// word, with every name, thing and pronoun the same from start to end, and by
// which plot. If not, at is how many bytes of it the best plot could have
// made: there the story leaves its track.
func (g *Grammar) Follows(text string) (plot string, at int, ok bool) {
	casts := casts(text)
	for _, p := range g.plots {
		for _, slots := range casts {
			m := matcher{plot: &p, length: len(text)}
			if m.steps(p.steps, text, slots) {
				return p.name, len(text), true
			}
			if m.furthest > at {
				plot, at = p.name, m.furthest
			}
		}
	}
	return plot, at, false
}

// casts are the heroes, friends and relatives that a text can be about.
func casts(text string) []map[string]string {
	var out []map[string]string
	named := func(list []person) []person {
		list = slices.DeleteFunc(slices.Clone(list), func(p person) bool { return !strings.Contains(text, p.name) })
		return append(list, person{}) // for the stories without
	}
	for _, hero := range named(slices.Concat(heroes, inventions())) {
		for _, friend := range named(slices.Concat(friends, heroes)) {
			if friend.name == hero.name && friend.name != "" {
				continue
			}
			for i, rel := range relatives {
				if !strings.Contains(text, rel.name) && i > 0 {
					continue
				}
				m := map[string]string{"H": hero.name, "F": friend.name, "rel": rel.name, "rhe": rel.pronoun}
				pronouns(m, hero, friend)
				out = append(out, m)
			}
		}
	}
	return out
}

// inventions are all names that invent can make.
func inventions() []person {
	var out []person
	for _, head := range nameHeads {
		for _, tail := range girlTails {
			out = append(out, person{head + tail, true})
		}
		for _, tail := range boyTails {
			out = append(out, person{head + tail, false})
		}
	}
	return out
}

// matcher compares a text with a plot.
type matcher struct {
	plot     *plot
	length   int // of the text
	furthest int // that anything matched
}

// steps tells whether the rest of a text is made by the rest of the steps with
// what the slots stand for so far.
func (m *matcher) steps(steps [][]string, rest string, slots map[string]string) bool {
	if len(steps) == 0 {
		return rest == ""
	}
	for _, line := range steps[0] {
		if line == "-" {
			if m.steps(steps[1:], rest, slots) {
				return true
			}
			continue
		}
		if len(rest) < m.length {
			line = " " + line
		}
		if m.line(line, rest, slots, func(rest string, slots map[string]string) bool { return m.steps(steps[1:], rest, slots) }) {
			return true
		}
	}
	return false
}

// line calls next with what is left of a text behind a line of a plot, for
// every way to fill the line's slots, until next is content.
func (m *matcher) line(line, rest string, slots map[string]string, next func(string, map[string]string) bool) bool {
	for line != "" && line[0] != '{' {
		if rest == "" || rest[0] != line[0] {
			return false
		}
		line, rest = line[1:], rest[1:]
		m.furthest = max(m.furthest, m.length-len(rest))
	}
	if line == "" {
		return next(rest, slots)
	}
	slot, line, _ := strings.Cut(line[1:], "}")
	if word, bound := slots[slot]; bound {
		after, ok := strings.CutPrefix(rest, word)
		if ok && word != "" {
			m.furthest = max(m.furthest, m.length-len(after))
			return m.line(line, after, slots, next)
		}
		return false
	}
	for _, filled := range m.choices(slot, slots) {
		after, ok := strings.CutPrefix(rest, filled[slot])
		if !ok {
			continue
		}
		m.furthest = max(m.furthest, m.length-len(after))
		all := maps.Clone(slots)
		maps.Copy(all, filled)
		if m.line(line, after, all, next) {
			return true
		}
	}
	return false
}

// choices are what a slot that nothing has filled yet can stand for; places
// fill two slots at once.
func (m *matcher) choices(slot string, slots map[string]string) []map[string]string {
	var out []map[string]string
	list := words[slot]
	switch slot {
	case "at", "to":
		for _, p := range places {
			out = append(out, map[string]string{"at": p.at, "to": p.to})
		}
	case "obj":
		list = things[m.plot.thing]
	case "pet":
		list = pets
	case "spot1":
		list = spots
	case "spot2":
		list = farSpots
	case "need":
		list = needs[slots["obj"]]
	}
	for _, word := range list {
		out = append(out, map[string]string{slot: word})
	}
	return out
}
