package bootdisk

import "strings"

// readme is the text that TYPE "README" shows on the machine: lines of at
// most 40 characters, unshifted PETSCII letters (capitals in the graphics
// set, small letters in the text set), carriage returns.
func readme(titles []string, softcore bool) []byte {
	var b strings.Builder
	line := func(s string) {
		b.WriteString(s)
		b.WriteByte('\n')
	}
	line("ssnail - a language model on the mega65")
	line("")
	line("start it:  boot   (or reset the machine")
	line("with this disk mounted as drive 8)")
	line("")
	if len(titles) > 0 {
		line("made for this disk:")
		for _, t := range titles {
			for _, l := range wrap("  "+t, 39) {
				line(l)
			}
		}
		line("")
	}
	line("type the start of a text, press return,")
	line("and the model goes on. return alone")
	line("continues. run/stop stops. /help lists")
	line("the commands, /quit returns to basic.")
	line("")
	line("ssnail is an accelerator in the fpga.")
	if softcore {
		line("without it the program offers a core in")
		line("software, about a hundred times slower.")
	} else {
		line("without it the program says so.")
	}
	return petsciiText(b.String())
}

// wrap cuts text at blanks into lines of at most n characters.
func wrap(s string, n int) []string {
	var out []string
	for len(s) > n {
		at := strings.LastIndexByte(s[:n+1], ' ')
		if at <= 2 {
			at = n
		}
		out = append(out, s[:at])
		s = "  " + strings.TrimLeft(s[at:], " ")
	}
	return append(out, s)
}

func petsciiText(s string) []byte {
	var out []byte
	for _, r := range strings.ToUpper(s) {
		switch {
		case r == '\n':
			out = append(out, '\r')
		case r >= ' ' && r <= ']':
			out = append(out, byte(r))
		case r == '_':
			out = append(out, '-')
		default:
			out = append(out, '?')
		}
	}
	return out
}
