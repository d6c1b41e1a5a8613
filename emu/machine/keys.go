package machine

import (
	"fmt"
	"strconv"
	"strings"

	"ssnail-kit/mega65/hw"
)

// keyNames are the keys that ParseKeys knows in braces.
var keyNames = map[string]byte{
	"UP": hw.KeyUp, "DOWN": hw.KeyDown, "LEFT": hw.KeyLeft, "RIGHT": hw.KeyRight, "HOME": hw.KeyHome, "CLR": hw.KeyClear,
	"DEL": hw.KeyDel, "INS": hw.KeyInsert, "STOP": hw.KeyRunStop, "ESC": hw.KeyEscape, "TAB": hw.KeyTab,
	"HELP": hw.KeyHelp, "RETURN": hw.KeyReturn,
}

// ParseKeys turns the text of --keys into $D610 codes: \r \n RETURN, \t TAB, \e
// ESC, \\ backslash, \xNN any code, {UP} {DOWN} {LEFT} {RIGHT} {HOME} {CLR}
// {DEL} {INS} {STOP} {ESC} {TAB} {HELP} {RETURN} {F1}..{F14}, {{ for a brace.
func ParseKeys(text string) ([]byte, error) {
	var out []byte
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\':
			code, n, err := escape(text[i:])
			if err != nil {
				return nil, err
			}
			out = append(out, code)
			i += n - 1
		case c == '{' && strings.HasPrefix(text[i:], "{{"):
			out = append(out, '{')
			i++
		case c == '{':
			name, _, ok := strings.Cut(text[i+1:], "}")
			code, known := namedKey(name)
			if !ok || !known {
				return nil, fmt.Errorf("keys: {%s at character %d is no key name; {{ is a brace", name, i+1)
			}
			out = append(out, code)
			i += len(name) + 1
		case c == '\n':
			out = append(out, hw.KeyReturn)
		case c < 0x20 || c > 0x7E:
			return nil, fmt.Errorf("keys: character %d ($%02X) is on no key; \\xNN gives any code", i+1, c)
		default:
			out = append(out, c)
		}
	}
	return out, nil
}

// escape reads a backslash sequence of n characters.
func escape(text string) (code byte, n int, err error) {
	if len(text) < 2 {
		return 0, 0, fmt.Errorf("keys: a backslash at the end; \\\\ is a backslash")
	}
	switch text[1] {
	case 'r', 'n':
		return hw.KeyReturn, 2, nil
	case 't':
		return hw.KeyTab, 2, nil
	case 'e':
		return hw.KeyEscape, 2, nil
	case '\\':
		return '\\', 2, nil
	case 'x':
		if len(text) >= 4 {
			if v, err := strconv.ParseUint(text[2:4], 16, 8); err == nil && v != 0 {
				return byte(v), 4, nil
			}
		}
		return 0, 0, fmt.Errorf("keys: %q is no \\xNN with NN from 01 to FF", text[:min(4, len(text))])
	}
	return 0, 0, fmt.Errorf("keys: unknown escape %q", text[:2])
}

func namedKey(name string) (byte, bool) {
	name = strings.ToUpper(name)
	if c, ok := keyNames[name]; ok {
		return c, true
	}
	if f, ok := strings.CutPrefix(name, "F"); ok {
		if n, err := strconv.Atoi(f); err == nil && n >= 1 && n <= 14 && f[0] != '0' && f[0] != '+' {
			return byte(hw.KeyF1 + n - 1), true
		}
	}
	return 0, false
}
