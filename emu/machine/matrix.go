package machine

import "ssnail-kit/mega65/hw"

// matrixKeys is the keyboard's matrix: see hw.MatrixKeys.
var matrixKeys = hw.MatrixKeys()

// Modifier keys in the matrix.
var matrixModifiers = map[byte]byte{
	hw.MatrixLShift: modLShift, hw.MatrixRShift: modRShift, hw.MatrixCtrl: modCtrl, hw.MatrixMega: modMega,
	hw.MatrixNoScroll: modNoScroll, hw.MatrixAlt: modAlt,
}

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
