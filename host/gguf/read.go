package gguf

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
	"sort"
	"strconv"
	"strings"
	"unicode"

	"ssnail-kit/host/ggml"
)

// Bounds on what a reader believes; real files stay far below them.
const (
	maxMetadata  = 256 << 20 // bytes in front of the tensors' data
	maxKeys      = 1 << 16
	maxTensors   = 1 << 17
	maxKeyLen    = 1<<16 - 1 // the format's own bound
	maxNameLen   = 64        // the format's own bound
	maxDims      = 4         // the format's own bound
	maxAlignment = 1 << 20

	defaultAlignment = 32
)

const magic = "GGUF"

// NewFile reads the directory of a model of size bytes. A part of a split
// model is refused: see Join. Errors in the contents are a *FormatError.
func NewFile(r io.ReaderAt, size int64) (*File, error) {
	f, err := parse(r, size)
	if err != nil {
		return nil, err
	}
	s, err := f.split()
	if err != nil {
		return nil, err
	}
	if s.count > 1 {
		return nil, &FormatError{Msg: fmt.Sprintf("this is part %d of %d of a split model", s.no+1, s.count), Remedy: joinHint}
	}
	return f, nil
}

// parse reads one file, be it a part or a whole.
func parse(r io.ReaderAt, size int64) (*File, error) {
	d := &decoder{r: r, size: size}
	if err := checkMagic(d); err != nil {
		return nil, err
	}
	f := &File{Size: size, Parts: 1, Alignment: defaultAlignment, keys: map[string]int{}, tensors: map[string]*Tensor{}}
	if err := readVersion(d, f); err != nil {
		return nil, err
	}
	at := d.off
	nTensors, err := d.count("tensor count")
	if err != nil {
		return nil, err
	}
	atKeys := d.off
	nKeys, err := d.count("metadata count")
	if err != nil {
		return nil, err
	}
	// The shortest key: a length, a type and a value of one byte. The shortest
	// tensor: a length, the number of dimensions and one of them, type, offset.
	if err := d.fits(atKeys, "metadata count", nKeys, d.lenSize()+4+1, maxKeys); err != nil {
		return nil, err
	}
	if err := d.fits(at, "tensor count", nTensors, 2*d.lenSize()+4+4+8, maxTensors); err != nil {
		return nil, err
	}
	for i := range nKeys {
		if err := readKey(d, f, i); err != nil {
			return nil, err
		}
	}
	if err := f.readAlignment(); err != nil {
		return nil, err
	}
	for i := range nTensors {
		if err := readTensor(d, f, i); err != nil {
			return nil, err
		}
	}
	return f, place(d, f)
}

func checkMagic(d *decoder) error {
	head := make([]byte, min(d.size, 512))
	if _, err := d.r.ReadAt(head, 0); err != nil && err != io.EOF {
		return err
	}
	if !strings.HasPrefix(string(head), magic) {
		return foreign(head, d.size)
	}
	d.off = int64(len(magic))
	return nil
}

// readVersion also settles the byte order: no version needs more than 16 bits,
// so that the half of the number which is zero tells.
func readVersion(d *decoder, f *File) error {
	at := d.off
	d.order = binary.LittleEndian
	v, err := d.u32("version")
	if err != nil {
		return err
	}
	if v&0xffff == 0 && v != 0 {
		d.order = binary.BigEndian
		v = bits.ReverseBytes32(v)
	}
	if v < 1 || v > 3 {
		return &FormatError{at, fmt.Sprintf("GGUF version %d; versions 1, 2 and 3 are read", v), "convert the model again with a current llama.cpp, or look for a newer ssnail-kit"}
	}
	f.Version, f.Order = v, d.order
	d.short = v == 1
	return nil
}

func readKey(d *decoder, f *File, i uint64) error {
	at := d.off
	what := fmt.Sprintf("key %d of the metadata", i)
	key, err := d.str(what, maxKeyLen)
	if err != nil {
		return err
	}
	if err := checkName(at, what, key); err != nil {
		return err
	}
	if _, twice := f.keys[key]; twice {
		return &FormatError{at, fmt.Sprintf("the key %s stands in the metadata twice", Quote(key)), ""}
	}
	v, err := d.value("value of " + Quote(key))
	if err != nil {
		return err
	}
	f.keys[key] = len(f.KV)
	f.KV = append(f.KV, KV{key, v})
	return nil
}

func checkName(at int64, what, s string) error {
	if s == "" {
		return &FormatError{at, what + " has no name", ""}
	}
	if strings.IndexByte(s, 0) >= 0 {
		return &FormatError{at, fmt.Sprintf("%s, %s, has a NUL in its name", what, Quote(s)), ""}
	}
	return nil
}

// Quote quotes a file's own text for a message, control characters escaped,
// and cuts what no message should repeat in full: keys may have 65535 bytes.
func Quote(s string) string {
	const most = 80
	if len(s) <= most {
		return strconv.Quote(s)
	}
	return fmt.Sprintf("%q... (%d bytes)", s[:most], len(s))
}

// Plain is a file's own text fit to be printed: what is no printable character
// (an escape sequence, a line break) becomes U+FFFD.
func Plain(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}

func (f *File) readAlignment() error {
	a, ok, err := f.Uint("general.alignment")
	if err != nil {
		return err
	}
	if !ok {
		return nil
	}
	if a == 0 || a&(a-1) != 0 || a > maxAlignment {
		return &FormatError{Msg: fmt.Sprintf("general.alignment is %d; a power of two up to %d is needed", a, maxAlignment)}
	}
	f.Alignment = a
	return nil
}

func readTensor(d *decoder, f *File, i uint64) error {
	at := d.off
	what := fmt.Sprintf("tensor %d", i)
	name, err := d.str("name of "+what, maxNameLen)
	if err != nil {
		return err
	}
	if err := checkName(at, what, name); err != nil {
		return err
	}
	if _, twice := f.tensors[name]; twice {
		return &FormatError{at, fmt.Sprintf("the tensor %q stands in the file twice", name), ""}
	}
	what = fmt.Sprintf("tensor %q", name)
	at = d.off
	n, err := d.u32("number of dimensions of " + what)
	if err != nil {
		return err
	}
	if n < 1 || n > maxDims {
		return &FormatError{at, fmt.Sprintf("%s has %d dimensions; 1 to %d are possible", what, n, maxDims), ""}
	}
	t := &Tensor{Name: name, Dims: make([]uint64, n), data: d.r, swap: d.order == binary.BigEndian}
	atDims := d.off
	for j := range t.Dims {
		if t.Dims[j], err = d.count("a dimension of " + what); err != nil {
			return err
		}
	}
	at = d.off
	typ, err := d.u32("type of " + what)
	if err != nil {
		return err
	}
	t.Type = ggml.Type(typ)
	if t.Type.BlockSize() == 0 {
		return &FormatError{at, fmt.Sprintf("%s has %s, which cannot be read", what, t.Type.Describe()), "use a file of this model in another format, such as Q8_0"}
	}
	if t.Offset, err = d.u64("offset of " + what); err != nil {
		return err
	}
	if err := t.measure(); err != nil {
		return &FormatError{atDims, fmt.Sprintf("%s: %v", what, err), ""}
	}
	f.tensors[name] = t
	f.Tensors = append(f.Tensors, t)
	return nil
}

// measure computes Size from Dims and Type without wrapping around.
func (t *Tensor) measure() error {
	n := uint64(1)
	for _, d := range t.Dims {
		if d == 0 {
			return fmt.Errorf("the shape %s has no elements", t.Shape())
		}
		hi, lo := bits.Mul64(n, d)
		if hi != 0 || lo > 1<<62 {
			return fmt.Errorf("the shape %s has more elements than any file can hold", t.Shape())
		}
		n = lo
	}
	block := uint64(t.Type.BlockSize())
	if t.Dims[0]%block != 0 {
		return fmt.Errorf("its rows of %d columns are no multiple of %d, the block of %s", t.Dims[0], block, t.Type)
	}
	hi, lo := bits.Mul64(n/block, uint64(t.Type.BlockBytes()))
	if hi != 0 || lo > 1<<62 {
		return fmt.Errorf("the shape %s has more elements than any file can hold", t.Shape())
	}
	t.Size = lo
	return nil
}

// place turns the tensors' offsets, which count from the start of the data,
// into offsets in the file, and sees that all data is there and none is used
// twice.
func place(d *decoder, f *File) error {
	start := (uint64(d.off) + f.Alignment - 1) / f.Alignment * f.Alignment
	end := start
	crooked := 0
	for _, t := range f.Tensors {
		if t.Offset%f.Alignment != 0 {
			crooked++
		}
		off, carry := bits.Add64(start, t.Offset, 0)
		last, carry2 := bits.Add64(off, t.Size, 0)
		if carry+carry2 != 0 || last > uint64(d.size) {
			return &FormatError{d.size, fmt.Sprintf("the file ends here, but tensor %q (%s, %s) is said to fill %d bytes from %d on, data from byte %d on", t.Name, t.Shape(), t.Type, t.Size, t.Offset, start),
				"the file was cut short (or is one piece of several): download it again"}
		}
		t.Offset = off
		end = max(end, last)
	}
	if crooked > 0 {
		f.Warnings = append(f.Warnings, fmt.Sprintf("%d tensors are not aligned to %d bytes", crooked, f.Alignment))
	}
	if rest := uint64(d.size) - min(uint64(d.size), end); rest >= f.Alignment || rest > 0 && end%f.Alignment == 0 && len(f.Tensors) > 0 {
		f.Warnings = append(f.Warnings, fmt.Sprintf("%d bytes behind the last tensor are ignored", rest))
	}
	return overlap(f.Tensors)
}

func overlap(tensors []*Tensor) error {
	s := append([]*Tensor(nil), tensors...)
	sort.Slice(s, func(i, j int) bool { return s[i].Offset < s[j].Offset })
	for i := 1; i < len(s); i++ {
		if a, b := s[i-1], s[i]; a.Offset+a.Size > b.Offset {
			return &FormatError{int64(b.Offset), fmt.Sprintf("the data of tensor %q begins inside that of %q, which ends at byte %d", b.Name, a.Name, a.Offset+a.Size), ""}
		}
	}
	return nil
}
