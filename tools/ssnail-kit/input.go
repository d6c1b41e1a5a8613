package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// readBounded reads a file of at most limit bytes, the largest that can be
// right; a longer one is refused before it is read.
func readBounded(name string, limit int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, cause(err))
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, cause(err))
	}
	if st.IsDir() {
		return nil, fmt.Errorf("%s is a folder, want a file", name)
	}
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, cause(err))
	}
	if int64(len(b)) > limit {
		return nil, fmt.Errorf("%s: %d bytes long, at most %d can be right here", name, st.Size(), limit)
	}
	return b, nil
}

func extOf(name string) string { return filepath.Ext(name) }

// sameFile tells whether two names are one existing file.
func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// readHead reads the first n bytes of a file, fewer if it has fewer.
func readHead(name string, n int) ([]byte, error) {
	if st, err := os.Stat(name); err == nil && !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, cause(err))
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, int64(n)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, cause(err))
	}
	return b, nil
}
