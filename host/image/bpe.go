package image

// bpeChunk returns the length of the first chunk of text, which is not empty.
// It follows GPT-2's rule for ASCII: a contraction; a run of letters, of
// digits or of other symbols, each with one space before it if there is one;
// or white space.
func bpeChunk(text []byte) int {
	if n := contraction(text); n > 0 {
		return n
	}
	start := 0
	if text[0] == ' ' && len(text) > 1 && classOf(text[1]) != classSpace {
		start = 1
	}
	class := classOf(text[start])
	n := start + 1
	for n < len(text) && classOf(text[n]) == class {
		n++
	}
	// A run of white space before other text leaves its last character for
	// the next chunk, unless it is that character alone.
	if class == classSpace && n < len(text) && n > 1 {
		n--
	}
	return n
}

type charClass uint8

const (
	classSymbol charClass = iota
	classLetter
	classDigit
	classSpace
)

func classOf(b byte) charClass {
	switch {
	case b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z':
		return classLetter
	case b >= '0' && b <= '9':
		return classDigit
	case b == ' ', b >= 9 && b <= 13:
		return classSpace
	}
	return classSymbol
}

// contraction returns the length of 's 't 're 've 'm 'll 'd at the beginning
// of text, 0 if there is none.
func contraction(text []byte) int {
	if len(text) < 2 || text[0] != '\'' {
		return 0
	}
	switch text[1] {
	case 's', 't', 'm', 'd':
		return 2
	}
	if len(text) > 2 {
		switch string(text[1:3]) {
		case "re", "ve", "ll":
			return 3
		}
	}
	return 0
}
