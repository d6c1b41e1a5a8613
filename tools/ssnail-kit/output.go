package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// writeFile writes a file beside its final place and renames it, so that a
// failure leaves neither half a file nor a damaged old one. Path "-" is
// standard output; a device or a pipe is written to, never replaced, and so is
// what a link points to.
func writeFile(path string, stdout io.Writer, write func(w io.Writer) error) (err error) {
	if path == "-" {
		return write(stdout)
	}
	if isDevice(path) {
		return writeDevice(path, write)
	}
	f, path, err := createBeside(path)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	b := bufio.NewWriterSize(f, 1<<20)
	if err := write(b); err != nil {
		return err
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("writing %s: %w", path, cause(err))
	}
	if err := f.Chmod(0o644); err != nil {
		return fmt.Errorf("writing %s: %w", path, cause(err))
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("writing %s: %w", path, cause(err))
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return fmt.Errorf("writing %s: %w", path, cause(err))
	}
	return nil
}

// createBeside opens a new file beside path, or beside what a link points to;
// target is what it shall replace.
func createBeside(path string) (f *os.File, target string, err error) {
	if st, err := os.Stat(path); err == nil && st.IsDir() {
		return nil, "", withHint(fmt.Errorf("%s is a folder, want a file name", path), "give the name of a file in it")
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	f, err = os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.part")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", withHint(fmt.Errorf("cannot write %s: there is no folder %s", path, filepath.Dir(path)), "make the folder first")
	}
	if err != nil {
		return nil, "", fmt.Errorf("cannot write %s: %w", path, cause(err))
	}
	return f, path, nil
}

// notAnInput refuses to write where a command reads: out must be none of the
// inputs, under whatever name. flag gave it, "" = it cannot be chosen. Names that
// are "" are passed over.
func notAnInput(flag, out string, inputs ...string) error {
	if out == "" || out == "-" || isDevice(out) {
		return nil
	}
	for _, in := range inputs {
		if in == "" || !sameFile(out, in) {
			continue
		}
		err := fmt.Errorf("%s is the input %s itself, it would be lost", out, in)
		if filepath.Clean(out) == filepath.Clean(in) {
			err = fmt.Errorf("%s is an input itself, it would be lost", out)
		}
		if flag == "" {
			return withHint(err, "work in another folder")
		}
		return withHint(err, "give the output another name with "+flag)
	}
	return nil
}

// notTwice refuses two outputs of one name; flags[i] gave names[i].
func notTwice(flags, names []string) error {
	for i, a := range names {
		if a == "" || a == "-" || isDevice(a) {
			continue
		}
		for k, b := range names[:i] {
			if b != "" && (filepath.Clean(a) == filepath.Clean(b) || sameFile(a, b)) {
				return usagef("%s and %s both write %s", flags[k], flags[i], a)
			}
		}
	}
	return nil
}

func isDevice(path string) bool {
	st, err := os.Stat(path)
	return err == nil && !st.IsDir() && !st.Mode().IsRegular()
}

// checkOutput says before a long run whether writeFile could write there
// behind it. "" and "-" are never wrong.
func checkOutput(path string) error {
	if path == "" || path == "-" || isDevice(path) {
		return nil
	}
	f, _, err := createBeside(path)
	if err != nil {
		return err
	}
	f.Close()
	return os.Remove(f.Name())
}

// writeDevice writes to something that is no file: what was written stays.
func writeDevice(path string, write func(w io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, cause(err))
	}
	b := bufio.NewWriterSize(f, 1<<20)
	err = write(b)
	if err == nil {
		err = b.Flush()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, cause(err))
	}
	return nil
}

// lost remembers that standard output did not take something, so that a
// command whose result is lost (a full disk) does not end with status 0.
type lost struct {
	f   *os.File
	err error
}

func (l *lost) Write(b []byte) (int, error) {
	n, err := l.f.Write(b)
	if err != nil && l.err == nil {
		l.err = err
	}
	return n, err
}

// fileOf is the file behind an output or input, nil if there is none.
func fileOf(v any) *os.File {
	switch v := v.(type) {
	case *os.File:
		return v
	case *lost:
		return v.f
	}
	return nil
}

// cause strips the operation and path from an error of the file system, whose
// message names the path already.
func cause(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	var l *os.LinkError
	if errors.As(err, &l) {
		return l.Err
	}
	return err
}

// siblingName is the default name of an output: the source's base name with
// another ending, in the current folder.
func siblingName(source, ext string) string {
	base := filepath.Base(source)
	return strings.TrimSuffix(base, filepath.Ext(base)) + ext
}
