package gguf

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
)

const joinHint = "keep all parts in one folder under their own names, or join them with llama-gguf-split --merge"

// splitInfo is what the metadata of a part says: split.no counts from 0,
// split.tensors.count is the total over all parts.
type splitInfo struct{ no, count, tensors uint64 }

func (f *File) split() (splitInfo, error) {
	s := splitInfo{count: 1}
	count, ok, err := f.Uint("split.count")
	if err != nil || !ok {
		return s, err
	}
	if s.no, _, err = f.Uint("split.no"); err != nil {
		return s, err
	}
	if s.tensors, _, err = f.Uint("split.tensors.count"); err != nil {
		return s, err
	}
	s.count = max(count, 1)
	if s.no >= s.count {
		return s, &FormatError{Msg: fmt.Sprintf("split.no is %d and split.count is %d; parts count from 0", s.no, s.count)}
	}
	return s, nil
}

// Part is one file of a split model.
type Part struct {
	Name string // for messages
	R    io.ReaderAt
	Size int64
}

// Join reads a split model from all its parts, in order.
func Join(parts ...Part) (*File, error) {
	var whole *File
	for i, p := range parts {
		f, err := parse(p.R, p.Size)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
		if whole, err = join(whole, f, i, len(parts)); err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	if whole == nil {
		return nil, fmt.Errorf("no parts of a split model given")
	}
	s, err := whole.split()
	if err != nil {
		return nil, err
	}
	if s.tensors != 0 && s.tensors != uint64(len(whole.Tensors)) {
		return nil, &FormatError{Msg: fmt.Sprintf("%s: split.tensors.count is %d, but the parts hold %d tensors", parts[0].Name, s.tensors, len(whole.Tensors)), Remedy: joinHint}
	}
	return whole, nil
}

func join(whole, f *File, i, n int) (*File, error) {
	s, err := f.split()
	if err != nil {
		return nil, err
	}
	if s.count != uint64(n) || s.no != uint64(i) {
		return nil, &FormatError{Msg: fmt.Sprintf("this is part %d of %d, not part %d of %d", s.no+1, s.count, i+1, n), Remedy: joinHint}
	}
	if whole == nil {
		return f, nil
	}
	for _, t := range f.Tensors {
		if old := whole.tensors[t.Name]; old != nil {
			return nil, &FormatError{Msg: fmt.Sprintf("the tensor %q stands in part %d already", t.Name, old.Part+1)}
		}
		t.Part = i
		whole.tensors[t.Name] = t
	}
	whole.Tensors = append(whole.Tensors, f.Tensors...)
	whole.Warnings = append(whole.Warnings, f.Warnings...)
	whole.Size += f.Size
	whole.Parts++
	return whole, nil
}

// splitName is the name that llama-gguf-split gives to parts.
var splitName = regexp.MustCompile(`^(.*)-(\d{5})-of-(\d{5})\.gguf$`)

// rawPiece is how people name pieces that were cut without regard to the
// format.
var rawPiece = regexp.MustCompile(`(?i)[._-](part|split)[._-]?\w+$`)

// Open reads the directory of the model at path. If it is a part of a split
// model, whichever, the other parts are taken from the same folder. The
// caller closes the File. Errors name the file.
func Open(path string) (*File, error) {
	f, err := openOne(path)
	if err != nil {
		return nil, err
	}
	s, err := f.split()
	if err == nil && s.count > 1 {
		f.Close()
		return openParts(path, s)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

func openOne(path string) (*File, error) {
	p, file, err := openPart(path)
	if err != nil {
		return nil, err
	}
	f, err := parse(p.R, p.Size)
	if err != nil {
		file.Close()
		if e, ok := err.(*FormatError); ok && rawPiece.MatchString(path) {
			e.Remedy = "the name looks like one piece of a file that was cut up: join the pieces in their order (cat NAME.* > MODEL.gguf)"
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	f.closers, f.Paths = []io.Closer{file}, []string{path}
	return f, nil
}

func openPart(path string) (Part, *os.File, error) {
	file, err := os.Open(path)
	if err != nil {
		return Part{}, nil, err
	}
	st, err := file.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file: a model has to be read more than once", path)
	}
	if err != nil {
		file.Close()
		return Part{}, nil, err
	}
	return Part{path, file, st.Size()}, file, nil
}

func openParts(path string, s splitInfo) (*File, error) {
	m := splitName.FindStringSubmatch(filepath.Base(path))
	here := fmt.Sprintf("%s is part %d of %d of a split model", path, s.no+1, s.count)
	if m == nil {
		return nil, &FormatError{Msg: fmt.Sprintf("%s, but its name does not end in -%05d-of-%05d.gguf, so the other parts cannot be found", here, s.no+1, s.count), Remedy: joinHint}
	}
	if m[2] != fmt.Sprintf("%05d", s.no+1) || m[3] != fmt.Sprintf("%05d", s.count) {
		return nil, &FormatError{Msg: fmt.Sprintf("%s, which its name does not say", here), Remedy: joinHint}
	}
	var parts []Part
	var closers []io.Closer
	fail := func(err error) (*File, error) {
		for _, c := range closers {
			c.Close()
		}
		return nil, err
	}
	n, _ := strconv.Atoi(m[3]) // five digits, by the expression
	for i := range n {
		name := filepath.Join(filepath.Dir(path), fmt.Sprintf("%s-%05d-of-%s.gguf", m[1], i+1, m[3]))
		p, file, err := openPart(name)
		if os.IsNotExist(err) {
			return fail(&FormatError{Msg: fmt.Sprintf("%s, but part %d, %s, is missing", here, i+1, name), Remedy: joinHint})
		}
		if err != nil {
			return fail(err)
		}
		parts = append(parts, p)
		closers = append(closers, file)
	}
	f, err := Join(parts...)
	if err != nil {
		return fail(err)
	}
	f.closers = closers
	for _, p := range parts {
		f.Paths = append(f.Paths, p.Name)
	}
	return f, nil
}
