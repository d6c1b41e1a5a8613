package firmware

import "sort"

// Cost is what a routine took.
type Cost struct {
	Routine Routine
	Cycles  uint64
	Share   float64 // of all cycles of the profile, 0 to 1
}

// Profile sums cycles by routine. cycles holds what was spent at each address
// of the CPU (the instruction's address), as an emulator counts it; what lies
// outside the program is summed in a routine called "(elsewhere)". The result
// is ordered by cost, the dearest first, and leaves out routines that cost
// nothing.
func (p *Program) Profile(cycles *[0x10000]uint64) []Cost {
	var all uint64
	for _, c := range cycles {
		all += c
	}
	var out []Cost
	rest := all
	for _, r := range p.Routines() {
		var sum uint64
		for _, c := range cycles[r.Start:r.End] {
			sum += c
		}
		if sum > 0 {
			out = append(out, Cost{r, sum, float64(sum) / float64(all)})
		}
		rest -= sum
	}
	if rest > 0 {
		out = append(out, Cost{Routine{Name: "(elsewhere)"}, rest, float64(rest) / float64(all)})
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Cycles > out[j].Cycles })
	return out
}
