package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// writeFile writes a file beside its final place and renames it, so that a
// failure leaves neither half a file nor a damaged old one. Path "-" is
// standard output.
func writeFile(path string, stdout io.Writer, write func(w io.Writer) error) (err error) {
	if path == "-" {
		return write(stdout)
	}
	if st, err := os.Stat(path); err == nil && st.IsDir() {
		return withHint(fmt.Errorf("%s is a folder, want a file name", path), "give a file name with -o")
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.part")
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, cause(err))
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
