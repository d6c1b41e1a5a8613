package gguf

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ssnail-kit/host/ggml"
)

// part makes part no (from 0) of count, with one tensor w<no> whose elements
// are all no.
func part(t *testing.T, no, count, total int, order binary.ByteOrder, names ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := NewWriter(&b)
	w.Order = order
	if no == 0 {
		w.Add("general.architecture", "llama")
	}
	w.Add("split.no", uint16(no))
	w.Add("split.count", uint16(count))
	w.Add("split.tensors.count", int32(total))
	for _, name := range append(names, fmt.Sprintf("w%d", no)) {
		w.AddTensor(name, ggml.F16, []uint64{32}, bytes.Repeat([]byte{byte(no), 0}, 32))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func put(t *testing.T, dir, name string, b []byte) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// B08: the parts are joined whichever is named.
func TestOpenSplit(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	for i := range 3 {
		order := binary.ByteOrder(binary.LittleEndian)
		if i == 1 {
			order = binary.BigEndian
		}
		paths = append(paths, put(t, dir, fmt.Sprintf("m-%05d-of-00003.gguf", i+1), part(t, i, 3, 3, order)))
	}
	for _, path := range paths {
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if f.Parts != 3 || len(f.Tensors) != 3 || !slices.Equal(f.Paths, paths) {
			t.Errorf("%s: %d parts %v, %d tensors", path, f.Parts, f.Paths, len(f.Tensors))
		}
		if arch, _, err := f.Str("general.architecture"); arch != "llama" || err != nil {
			t.Errorf("%s: architecture %q, %v", path, arch, err)
		}
		for i := range 3 {
			x := f.Tensor(fmt.Sprintf("w%d", i))
			b, err := io.ReadAll(x.Open())
			if err != nil || x.Part != i || !bytes.Equal(b, bytes.Repeat([]byte{byte(i), 0}, 32)) {
				t.Errorf("%s: tensor %d in part %d: % x, %v", path, i, x.Part, b, err)
			}
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestOpenOnePartOfOne(t *testing.T) {
	path := put(t, t.TempDir(), "m-00001-of-00001.gguf", part(t, 0, 1, 1, binary.LittleEndian))
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if len(f.Tensors) != 1 || !slices.Equal(f.Paths, []string{path}) {
		t.Errorf("%d tensors in %v", len(f.Tensors), f.Paths)
	}
}

func TestOpenSplitErrors(t *testing.T) {
	le := binary.LittleEndian
	for _, c := range []struct {
		name  string
		files map[string][]byte
		open  string
		want  []string
	}{
		{"first part alone", map[string][]byte{"m-00001-of-00002.gguf": part(t, 0, 2, 2, le)}, "m-00001-of-00002.gguf",
			[]string{"part 1 of 2", "m-00002-of-00002.gguf, is missing"}},
		{"second part alone", map[string][]byte{"m-00002-of-00002.gguf": part(t, 1, 2, 2, le)}, "m-00002-of-00002.gguf",
			[]string{"part 2 of 2", "m-00001-of-00002.gguf, is missing"}},
		{"renamed", map[string][]byte{"m.gguf": part(t, 1, 2, 2, le)}, "m.gguf",
			[]string{"part 2 of 2", "does not end in -00002-of-00002.gguf"}},
		{"number in name is another", map[string][]byte{"m-00001-of-00002.gguf": part(t, 1, 2, 2, le)}, "m-00001-of-00002.gguf",
			[]string{"part 2 of 2", "its name does not say"}},
		{"two first parts", map[string][]byte{"m-00001-of-00002.gguf": part(t, 0, 2, 2, le), "m-00002-of-00002.gguf": part(t, 0, 2, 2, le)}, "m-00001-of-00002.gguf",
			[]string{"m-00002-of-00002.gguf", "part 1 of 2, not part 2 of 2"}},
		{"tensor in both", map[string][]byte{"m-00001-of-00002.gguf": part(t, 0, 2, 3, le), "m-00002-of-00002.gguf": part(t, 1, 2, 3, le, "w0")}, "m-00001-of-00002.gguf",
			[]string{"m-00002-of-00002.gguf", `"w0"`, "part 1 already"}},
		{"tensors are missing", map[string][]byte{"m-00001-of-00002.gguf": part(t, 0, 2, 5, le), "m-00002-of-00002.gguf": part(t, 1, 2, 5, le)}, "m-00001-of-00002.gguf",
			[]string{"split.tensors.count is 5", "2 tensors"}},
		{"second part damaged", map[string][]byte{"m-00001-of-00002.gguf": part(t, 0, 2, 2, le), "m-00002-of-00002.gguf": part(t, 1, 2, 2, le)[:100]}, "m-00001-of-00002.gguf",
			[]string{"m-00002-of-00002.gguf", "at byte"}},
		{"raw first piece", map[string][]byte{"model.gguf.part1of2": part(t, 0, 1, 1, le)[:200]}, "model.gguf.part1of2",
			[]string{"model.gguf.part1of2", "the file ends here", "join the pieces"}},
		{"raw second piece", map[string][]byte{"model.gguf.part2of2": {0, 1, 2, 3, 4, 5}}, "model.gguf.part2of2",
			[]string{"00 01 02 03", "join the pieces"}},
		{"folder", nil, ".", []string{"not a regular file"}},
		{"absent", nil, "absent.gguf", []string{"absent.gguf"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, b := range c.files {
				put(t, dir, name, b)
			}
			_, err := Open(filepath.Join(dir, c.open))
			if err == nil {
				t.Fatal("no error")
			}
			all := err.Error()
			if e, ok := errorAs(err); ok {
				all += " | " + e.Hint()
			}
			for _, w := range c.want {
				if !strings.Contains(all, w) {
					t.Errorf("error %q lacks %q", all, w)
				}
			}
		})
	}
}

func TestJoin(t *testing.T) {
	a, b := part(t, 0, 2, 2, binary.LittleEndian), part(t, 1, 2, 2, binary.LittleEndian)
	pa, pb := Part{"a", bytes.NewReader(a), int64(len(a))}, Part{"b", bytes.NewReader(b), int64(len(b))}
	f, err := Join(pa, pb)
	if err != nil || len(f.Tensors) != 2 || f.Size != int64(len(a)+len(b)) {
		t.Fatalf("%v, %v", f, err)
	}
	if _, err := Join(pb, pa); err == nil || !strings.Contains(err.Error(), "b: this is part 2 of 2, not part 1 of 2") {
		t.Errorf("in the wrong order: %v", err)
	}
	if _, err := Join(pa); err == nil || !strings.Contains(err.Error(), "not part 1 of 1") {
		t.Errorf("one of two: %v", err)
	}
	if _, err := Join(); err == nil {
		t.Error("no parts: no error")
	}
}
