package hw

// The C65 keyboard's matrix, as the virtual key registers $D615-$D617 count it.
const (
	MatrixKeyCount = 72
	MatrixLShift   = 15
	MatrixRShift   = 52
	MatrixCtrl     = 58
	MatrixMega     = 61
	MatrixNoScroll = 64
	MatrixAlt      = 66
)

// MatrixKeys gives the $D610 code, unshifted and shifted, of each key of the
// matrix by its number column*8 + row. 0 is no character.
func MatrixKeys() [MatrixKeyCount][2]byte {
	return [MatrixKeyCount][2]byte{
		{KeyDel, KeyInsert}, {KeyReturn, KeyReturn}, {KeyRight, KeyLeft}, {KeyF7, KeyF7 + 1},
		{KeyF1, KeyF1 + 1}, {KeyF3, KeyF3 + 1}, {KeyF5, KeyF5 + 1}, {KeyDown, KeyUp},
		{'3', '#'}, {'w', 'W'}, {'a', 'A'}, {'4', '$'}, {'z', 'Z'}, {'s', 'S'}, {'e', 'E'}, {},
		{'5', '%'}, {'r', 'R'}, {'d', 'D'}, {'6', '&'}, {'c', 'C'}, {'f', 'F'}, {'t', 'T'}, {'x', 'X'},
		{'7', '\''}, {'y', 'Y'}, {'g', 'G'}, {'8', '('}, {'b', 'B'}, {'h', 'H'}, {'u', 'U'}, {'v', 'V'},
		{'9', ')'}, {'i', 'I'}, {'j', 'J'}, {'0', '{'}, {'m', 'M'}, {'k', 'K'}, {'o', 'O'}, {'n', 'N'},
		{'+', 0}, {'p', 'P'}, {'l', 'L'}, {'-', 0}, {'.', '>'}, {':', '['}, {'@', 0}, {',', '<'},
		{0xA3, 0xE0}, {'*', 0}, {';', ']'}, {KeyHome, KeyClear}, {}, {'=', '_'}, {0xAF, 0}, {'/', '?'},
		{'1', '!'}, {'_', '`'}, {}, {'2', '"'}, {' ', ' '}, {}, {'q', 'Q'}, {KeyRunStop, 0xA3},
		{}, {KeyTab, 0x0F}, {}, {KeyHelp, KeyHelp}, {KeyF9, KeyF9 + 1}, {KeyF11, KeyF11 + 1}, {KeyF13, KeyF13 + 1},
		{KeyEscape, KeyEscape},
	}
}

// MatrixKey finds the key that gives a $D610 code, and whether with SHIFT.
func MatrixKey(code byte) (key byte, shift, ok bool) {
	for i, pair := range MatrixKeys() {
		for s, c := range pair {
			if c == code && c != 0 && c != KeyNoASCII {
				return byte(i), s == 1, true
			}
		}
	}
	return 0, false, false
}
