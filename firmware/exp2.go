package firmware

import (
	"bytes"
	"fmt"

	"ssnail-kit/host/sampler"
)

// Exp2File is the include file with the sampler's powers of two.
const Exp2File = "exp2.inc"

// exp2Include writes the table of the sampler's bit-faithful model: low bytes,
// then high bytes, without labels.
func exp2Include() []byte {
	var b bytes.Buffer
	b.WriteString("; 65535 * 2^(-j/256): 256 low bytes, then 256 high bytes. Made from the kit's table, do not edit.\n")
	table := sampler.MachineExp2()
	for shift := 0; shift < 16; shift += 8 {
		for j := 0; j < 256; j += 8 {
			var row [8]byte
			for i := range row {
				row[i] = byte(table[j+i] >> shift)
			}
			fmt.Fprintf(&b, "  !byte %s ; %d\n", byteList(row[:]), j)
		}
	}
	return b.Bytes()
}
