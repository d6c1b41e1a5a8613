package machine

import "ssnail-kit/mega65/hw"

// matrixKeys gives ASCII, shifted and unshifted, of the C64 keyboard matrix: key
// number column*8 + row, as the virtual key registers count. 0 is no character.
var matrixKeys = [72][2]byte{
	{hw.KeyDel, hw.KeyInsert}, {hw.KeyReturn, hw.KeyReturn}, {hw.KeyRight, hw.KeyLeft}, {hw.KeyF7, hw.KeyF7 + 1},
	{hw.KeyF1, hw.KeyF1 + 1}, {hw.KeyF3, hw.KeyF3 + 1}, {hw.KeyF5, hw.KeyF5 + 1}, {hw.KeyDown, hw.KeyUp},
	{'3', '#'}, {'w', 'W'}, {'a', 'A'}, {'4', '$'}, {'z', 'Z'}, {'s', 'S'}, {'e', 'E'}, {},
	{'5', '%'}, {'r', 'R'}, {'d', 'D'}, {'6', '&'}, {'c', 'C'}, {'f', 'F'}, {'t', 'T'}, {'x', 'X'},
	{'7', '\''}, {'y', 'Y'}, {'g', 'G'}, {'8', '('}, {'b', 'B'}, {'h', 'H'}, {'u', 'U'}, {'v', 'V'},
	{'9', ')'}, {'i', 'I'}, {'j', 'J'}, {'0', '{'}, {'m', 'M'}, {'k', 'K'}, {'o', 'O'}, {'n', 'N'},
	{'+', 0}, {'p', 'P'}, {'l', 'L'}, {'-', 0}, {'.', '>'}, {':', '['}, {'@', 0}, {',', '<'},
	{0xA3, 0xE0}, {'*', 0}, {';', ']'}, {hw.KeyHome, hw.KeyClear}, {}, {'=', '_'}, {0xAF, 0}, {'/', '?'},
	{'1', '!'}, {'_', '`'}, {}, {'2', '"'}, {' ', ' '}, {}, {'q', 'Q'}, {hw.KeyRunStop, 0xA3},
	{}, {hw.KeyTab, 0x0F}, {}, {hw.KeyHelp, hw.KeyHelp}, {hw.KeyF9, hw.KeyF9 + 1}, {hw.KeyF11, hw.KeyF11 + 1}, {hw.KeyF13, hw.KeyF13 + 1},
	{hw.KeyEscape, hw.KeyEscape},
}

// Modifier keys in the matrix.
var matrixModifiers = map[byte]byte{15: modLShift, 52: modRShift, 58: modCtrl, 61: modMega, 64: modNoScroll, 66: modAlt}

// setVirtual presses what is stored in a virtual key register and releases what
// it held. Keys that are held do not repeat.
func (k *keyboard) setVirtual(i int, v byte) {
	old := k.virtual[i]
	k.virtual[i] = v
	k.held = 0
	for _, c := range k.virtual {
		k.held |= matrixModifiers[c]
	}
	if v == old || int(v) >= len(matrixKeys) || matrixModifiers[v] != 0 {
		return
	}
	pair := matrixKeys[v]
	c := pair[0]
	if k.held&(modLShift|modRShift) != 0 {
		c = pair[1]
	}
	if k.held&modCtrl != 0 && c >= '@' && c < 0x80 {
		c &= 0x1F
	}
	if c == 0 {
		return
	}
	e := eventFor(c)
	e.modifiers = k.held
	k.press(e)
}

// matrix is what port p of CIA 1 reads of the keyboard while the other port
// drives the lines of drive low: a held key joins its column and row.
func (k *keyboard) matrix(p int, drive byte) byte {
	v := byte(0xFF)
	for _, c := range k.virtual {
		if c >= 64 {
			continue
		}
		col, row := c>>3, c&7
		if p == 1 && drive>>col&1 == 0 {
			v &^= 1 << row
		}
		if p == 0 && drive>>row&1 == 0 {
			v &^= 1 << col
		}
	}
	return v
}
