package d81

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"ssnail-kit/mega65/hw"
)

// Names of the kit's own files on a disk, in their order. The images follow.
const (
	NameProgram  = "AUTOBOOT.C65"
	NameSoftcore = "SOFTCORE"
	NameReadme   = "README"
	imageSuffix  = ".SSNL"
	imageBase    = 11
)

// FileName turns an ASCII name of 1 to 16 characters into PETSCII. Both cases
// of a letter become the unshifted one, which the machine shows as a capital.
func FileName(name string) ([]byte, error) {
	if name == "" {
		return nil, errors.New("a file needs a name")
	}
	b, err := petscii(name)
	if err != nil {
		return nil, fmt.Errorf("file name %q: %w", name, err)
	}
	if len(b) > NameLength {
		return nil, fmt.Errorf("file name %q has %d characters, a D81 takes 16", name, len(b))
	}
	if strings.TrimSpace(name) != name {
		return nil, fmt.Errorf("file name %q begins or ends with a space", name)
	}
	return b, nil
}

// DiskName turns an ASCII disk name of at most 16 characters into PETSCII.
func DiskName(name string) ([]byte, error) {
	b, err := petscii(name)
	if err != nil {
		return nil, fmt.Errorf("disk name %q: %w", name, err)
	}
	if len(b) > NameLength {
		return nil, fmt.Errorf("disk name %q has %d characters, a D81 takes 16", name, len(b))
	}
	return b, nil
}

func petscii(s string) ([]byte, error) {
	out := make([]byte, 0, len(s))
	for i, r := range s {
		b, ok := byte(0), false
		if r < 0x80 {
			b, ok = hw.PETSCIIName(byte(r))
		}
		if !ok {
			return nil, fmt.Errorf("character %q at position %d cannot stand in a name on the disk", r, i+1)
		}
		out = append(out, b)
	}
	return out, nil
}

// ImageName makes the name of a model image on a disk from its source file's
// name: base name, capitals, '_' to '-', other characters dropped, cut to 11,
// then ".SSNL"; a taken name gets "-2", "-3" ... before the dot.
func ImageName(path string, taken func(name string) bool) string {
	base := filepath.Base(path)
	if ext := filepath.Ext(base); ext != base {
		base = strings.TrimSuffix(base, ext)
	}
	var b strings.Builder
	for _, c := range strings.ToUpper(base) {
		switch {
		case c == '_':
			b.WriteByte('-')
		case c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-':
			b.WriteRune(c)
		}
	}
	stem := b.String()
	if stem == "" {
		stem = "MODEL"
	}
	for n := 1; ; n++ {
		tail := ""
		if n > 1 {
			tail = fmt.Sprintf("-%d", n)
		}
		s := stem[:min(len(stem), imageBase-len(tail))]
		name := s + tail + imageSuffix
		if taken == nil || !taken(name) {
			return name
		}
	}
}
