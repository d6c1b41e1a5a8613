package machine

// ProfileLine is one routine's share of the CPU's time.
type ProfileLine struct {
	Name         string // label, or an address without symbols
	Addr         uint16
	Cycles       uint64
	Instructions uint64
}

// Profile returns the cycles by routine, most first (Options.Profile,
// Options.Symbols).
func (m *Machine) Profile() []ProfileLine { return nil }
