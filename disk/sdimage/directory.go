package sdimage

import (
	"encoding/binary"
	"fmt"
	"strings"
)

const (
	entrySize  = 32
	attrVolume = 0x08
	attrDir    = 0x10
	attrFile   = 0x20
	attrLong   = 0x0F
	longChars  = 13 // of a name in one entry
)

// directory is the contents of a folder; parent is nil for the root.
func directory(n, parent *node) []byte {
	var b []byte
	if parent == nil {
		b = append(b, entry([11]byte([]byte(volumeLabel)), attrVolume, 0, 0)...)
	} else {
		up := parent.cluster
		if parent.name == "" {
			up = 0 // the root is written as 0 here
		}
		b = append(b, entry([11]byte([]byte(".          ")), attrDir, n.cluster, 0)...)
		b = append(b, entry([11]byte([]byte("..         ")), attrDir, up, 0)...)
	}
	taken := map[[11]byte]bool{}
	for _, k := range n.files {
		short, plain := shortName(k.name, taken)
		taken[short] = true
		if !plain {
			b = append(b, longName(k.name, short)...)
		}
		attr := byte(attrFile)
		if k.dir {
			attr = attrDir
		}
		b = append(b, entry(short, attr, k.cluster, uint32(len(k.data)))...)
	}
	return b
}

func entry(name [11]byte, attr byte, cluster, size uint32) []byte {
	b := make([]byte, entrySize)
	copy(b, name[:])
	b[11] = attr
	binary.LittleEndian.PutUint16(b[16:], 0x21) // 1 January 1980, FAT's first day
	binary.LittleEndian.PutUint16(b[18:], 0x21)
	binary.LittleEndian.PutUint16(b[24:], 0x21)
	binary.LittleEndian.PutUint16(b[20:], uint16(cluster>>16))
	binary.LittleEndian.PutUint16(b[26:], uint16(cluster))
	binary.LittleEndian.PutUint32(b[28:], size)
	return b
}

// shortName is the 8.3 form of a name; plain names are that form already.
func shortName(name string, taken map[[11]byte]bool) (short [11]byte, plain bool) {
	clean := func(s string, n int) string {
		var b strings.Builder
		for _, c := range strings.ToUpper(s) {
			switch {
			case c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.ContainsRune("!#$%&'()-@^_`{}~", c):
				b.WriteRune(c)
			case c == ' ' || c == '.':
			default:
				b.WriteByte('_')
			}
		}
		return b.String()[:min(b.Len(), n)]
	}
	base, ext := name, ""
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		base, ext = name[:i], name[i+1:]
	}
	put := func(base, ext string) [11]byte {
		return [11]byte([]byte(fmt.Sprintf("%-8s%-3s", base, ext)))
	}
	b, e := clean(base, 8), clean(ext, 3)
	short = put(b, e)
	whole := b
	if e != "" {
		whole += "." + e
	}
	if whole == name && !taken[short] {
		return short, true
	}
	for i := 1; ; i++ {
		tail := fmt.Sprintf("~%d", i)
		short = put(b[:min(len(b), 8-len(tail))]+tail, e)
		if !taken[short] {
			return short, false
		}
	}
}

// longEntries is how many entries a name needs besides its short one, at most.
func longEntries(name string) int { return (len(name) + longChars - 1) / longChars }

// longName is the entries of a long name, last part first.
func longName(name string, short [11]byte) []byte {
	var sum byte
	for _, c := range short {
		sum = sum>>1 | sum<<7
		sum += c
	}
	n := longEntries(name)
	var out []byte
	for i := n; i >= 1; i-- {
		b := make([]byte, entrySize)
		b[0] = byte(i)
		if i == n {
			b[0] |= 0x40
		}
		b[11], b[13] = attrLong, sum
		part := name[(i-1)*longChars : min(i*longChars, len(name))]
		for j := range longChars {
			v := uint16(0xFFFF)
			switch {
			case j < len(part):
				v = uint16(part[j])
			case j == len(part):
				v = 0
			}
			at := 1 + 2*j
			if j >= 5 {
				at = 14 + 2*(j-5)
			}
			if j >= 11 {
				at = 28 + 2*(j-11)
			}
			binary.LittleEndian.PutUint16(b[at:], v)
		}
		out = append(out, b...)
	}
	return out
}
