package firmware

import (
	"bytes"
	"fmt"

	"ssnail-kit/emu/core"
)

// ChordsFile is the include file with the coefficients of the software core's
// functions.
const ChordsFile = "chords.inc"

// chordsInclude writes the chords of SiLU, GELU and exp, 256 pairs of IEEE
// singles each, without labels.
func chordsInclude() []byte {
	var b bytes.Buffer
	b.WriteString("; Chords y = c0 + c1 x, 256 each of SiLU, GELU and exp: c0, c1, ...\n; Made from the kit's tables, do not edit.\n")
	for _, name := range []string{"silu", "gelu", "exp"} {
		c0, c1 := core.Chords(name)
		fmt.Fprintf(&b, "; %s\n", name)
		for i := range c0 {
			fmt.Fprintf(&b, "  !32 $%08x, $%08x\n", c0[i], c1[i])
		}
	}
	return b.Bytes()
}
