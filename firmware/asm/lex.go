package asm

import "strings"

type tokenKind uint8

const (
	tEOF tokenKind = iota
	tEOL
	tComment
	tIdent  // name, .name, @name
	tDir    // !name
	tNumber // digits as written, with $
	tString // decoded
	tChar   // decoded
	tPunct
)

type token struct {
	kind  tokenKind
	text  string
	line  int
	col   int
	space bool // white space stands before it
}

func (t token) is(s string) bool { return t.kind == tPunct && t.text == s }

// lex takes a source apart. Errors are added to errs; the rest of the line is
// then skipped.
func lex(name string, src []byte, errs *ErrorList) []token {
	l := &lexer{name: name, src: string(src), line: 1, errs: errs}
	for l.next() {
	}
	if n := len(l.toks); n > 0 && l.toks[n-1].kind != tEOL {
		l.add(tEOL, "", l.pos)
	}
	l.add(tEOF, "", l.pos)
	return l.toks
}

type lexer struct {
	name  string
	src   string
	pos   int
	line  int
	bol   int // where the line begins
	space bool
	tabs  bool // the line has tabs
	toks  []token
	errs  *ErrorList
}

func (l *lexer) add(k tokenKind, text string, start int) {
	l.toks = append(l.toks, token{k, text, l.line, l.column(start), l.space})
	l.space = false
}

func (l *lexer) column(pos int) int {
	if !l.tabs {
		return pos - l.bol
	}
	col := 0
	for _, c := range l.src[l.bol:pos] {
		if c == '\t' {
			col |= 7
		}
		col++
	}
	return col
}

// fail reports an error and skips the line.
func (l *lexer) fail(format string, args ...any) {
	l.errs.add(l.name, l.line, format, args...)
	for l.pos < len(l.src) && l.src[l.pos] != '\n' {
		l.pos++
	}
}

func isLetter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }

func (l *lexer) word(from int) int {
	for from < len(l.src) && (isLetter(l.src[from]) || isDigit(l.src[from])) {
		from++
	}
	return from
}

func (l *lexer) at(i int) byte {
	if i < len(l.src) {
		return l.src[i]
	}
	return 0
}

func (l *lexer) next() bool {
	if l.pos >= len(l.src) {
		return false
	}
	start := l.pos
	switch c := l.src[l.pos]; {
	case c == '\n':
		l.add(tEOL, "", start)
		l.pos++
		l.line++
		l.bol, l.tabs, l.space = l.pos, false, false
	case c == ' ' || c == '\t' || c == '\r':
		l.pos++
		l.space = true
		l.tabs = l.tabs || c == '\t'
	case c == ';':
		for l.pos < len(l.src) && l.src[l.pos] != '\n' {
			l.pos++
		}
		l.add(tComment, strings.TrimRight(l.src[start:l.pos], " \t\r"), start)
	case isLetter(c), (c == '.' || c == '@') && isLetter(l.at(start+1)):
		l.pos = l.word(start + 1)
		l.add(tIdent, l.src[start:l.pos], start)
	case c == '!' && isLetter(l.at(start+1)) && l.directivePlace(), c == '!' && isDigit(l.at(start+1)) && l.directivePlace():
		l.pos = l.word(start + 1)
		l.add(tDir, strings.ToLower(l.src[start:l.pos]), start)
	case isDigit(c):
		l.pos = l.word(start)
		l.add(tNumber, l.src[start:l.pos], start)
	case c == '$':
		l.pos = l.word(start + 1)
		l.add(tNumber, l.src[start:l.pos], start)
	case c == '"' || c == '\'':
		l.quoted(c)
	default:
		l.punct()
	}
	return true
}

// directivePlace tells a directive from the operator "!".
func (l *lexer) directivePlace() bool {
	if len(l.toks) == 0 {
		return true
	}
	switch t := l.toks[len(l.toks)-1]; t.kind {
	case tEOL, tComment:
		return true
	case tPunct:
		return t.text == ":" || t.text == "{" || t.text == "}"
	}
	return false
}

func (l *lexer) quoted(q byte) {
	start := l.pos
	var b []byte
	for i := start + 1; ; i++ {
		c := l.at(i)
		switch {
		case i >= len(l.src) || c == '\n':
			l.fail("a quoted text has no closing %c", q)
			return
		case c == q:
			l.pos = i + 1
			kind := tString
			if q == '\'' {
				kind = tChar
				if len(b) != 1 {
					l.fail("expected one character between single quotes, found %d", len(b))
					return
				}
			}
			l.add(kind, string(b), start)
			return
		case c == '\\':
			i++
			e := strings.IndexByte(`0tnr\'"`, l.at(i))
			if l.at(i) == 0 || e < 0 {
				l.fail(`unknown escape in a quoted text, expected one of \0 \t \n \r \\ \' \"`)
				return
			}
			b = append(b, "\x00\t\n\r\\'\""[e])
		case c < ' ' || c > '~':
			l.fail("byte $%02x in a quoted text: only printable ASCII is the same for every assembler", c)
			return
		default:
			b = append(b, c)
		}
	}
}

func (l *lexer) punct() {
	start := l.pos
	c := l.src[start]
	n := start
	for n < len(l.src) && strings.IndexByte("<>=!", l.src[n]) >= 0 {
		n++
	}
	switch run := l.src[start:n]; run {
	case "", "<", ">", "=", "!", "<<", ">>", "<=", ">=", "!=":
	default:
		l.fail("%s may be one operator or several: put spaces between them", run)
		return
	}
	if start+1 < len(l.src) {
		switch two := l.src[start : start+2]; two {
		case "<<", ">>", "<=", ">=", "!=":
			l.pos += 2
			l.add(tPunct, two, start)
			return
		case "//":
			l.fail("comments start with a semicolon")
			return
		}
	}
	if !strings.ContainsRune("#,()[]{}:=+-*/%&|<>^!", rune(c)) {
		l.fail("unexpected character %q", c)
		return
	}
	l.pos++
	l.add(tPunct, string(c), start)
}
