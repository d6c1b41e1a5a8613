package gguf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"ssnail-kit/host/ggml"
)

// raw builds files by hand, little-endian, also such as no Writer makes.
type raw struct{ b []byte }

func header(version uint32, tensors, keys uint64) *raw {
	r := &raw{[]byte("GGUF")}
	return r.u32(version).u64(tensors).u64(keys)
}

func (r *raw) u32(v uint32) *raw { r.b = binary.LittleEndian.AppendUint32(r.b, v); return r }
func (r *raw) u64(v uint64) *raw { r.b = binary.LittleEndian.AppendUint64(r.b, v); return r }
func (r *raw) str(s string) *raw { r.u64(uint64(len(s))); r.b = append(r.b, s...); return r }
func (r *raw) zeros(n int) *raw  { r.b = append(r.b, make([]byte, n)...); return r }
func (r *raw) key(k string, t uint32) *raw {
	return r.str(k).u32(t)
}

// tensor adds a description; align ends the directory.
func (r *raw) tensor(name string, t uint32, off uint64, dims ...uint64) *raw {
	r.str(name).u32(uint32(len(dims)))
	for _, d := range dims {
		r.u64(d)
	}
	return r.u32(t).u64(off)
}
func (r *raw) align(n int) *raw { return r.zeros((n - len(r.b)%n) % n) }

// invalid is the corpus of broken files: its names say what is wrong, want is
// what the message must hold. The fuzz targets start from it too.
var invalid = []struct {
	name string
	b    []byte
	want []string
}{
	// B01
	{"b01-key-count-2^60-in-24-bytes", header(3, 0, 1<<60).b, []string{"at byte 16", "metadata count is 1152921504606846976", "the 0 bytes left"}},
	{"b01-tensor-count-2^60", header(3, 1<<60, 0).b, []string{"at byte 8", "tensor count is 1152921504606846976"}},
	{"b01-key-of-2^31-bytes", header(3, 0, 1).u64(1 << 31).zeros(48).b, []string{"at byte 24", "key 0", "2147483648 bytes long", "48 left"}},
	{"b01-key-of-2^64-1-bytes", header(3, 0, 1).u64(math.MaxUint64).zeros(48).b, []string{"at byte 24", "key 0"}},
	{"b01-value-of-2^31-bytes", header(3, 0, 1).key("k", tString).u64(1 << 31).zeros(9).b, []string{"at byte 37", `value of "k"`, "9 left"}},
	{"b01-2^40-strings", header(3, 0, 1).key("k", tArray).u32(tString).u64(1 << 40).zeros(64).b, []string{"at byte 41", `item count of the value of "k"`, "8 at most"}},
	{"b01-2^61-numbers-wrap-to-0", header(3, 0, 1).key("k", tArray).u32(tUint64).u64(1 << 61).zeros(64).b, []string{"at byte 41", "8 at most"}},
	{"b01-arrays-1000-deep", nested(1000), []string{"arrays in arrays, more than 4 deep"}},
	{"b01-string-in-array-too-long", header(3, 0, 1).key("k", tArray).u32(tString).u64(2).str("a").u64(99).b, []string{"at byte 58", "item 1", "99 bytes long"}},
	{"b01-ends-in-the-version", []byte("GGUF\x03\x00"), []string{"version", "only 2 left"}},
	{"b01-ends-in-a-number", header(3, 0, 1).key("k", tUint32).zeros(2).b, []string{`value of "k"`, "only 2 left"}},
	{"b01-big-endian-key-count", []byte("GGUF\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00\x00"), []string{"metadata count is 1152921504606846976"}},
	{"b01-version-1-counts", []byte("GGUF\x01\x00\x00\x00\xff\xff\xff\xff\x00\x00\x00\x00"), []string{"tensor count is 4294967295"}},
	// B02
	{"b02-elements-wrap", oneTensor("token_embd.weight", 0, 0, 1152, 1<<42+1), []string{`"token_embd.weight"`, "1152 x 4398046511105"}},
	{"b02-elements-2^64", oneTensor("w", 0, 0, 1<<32, 1<<32, 1, 1), []string{`"w"`, "4294967296 x 4294967296 x 1 x 1", "more elements"}},
	{"b02-bytes-wrap", oneTensor("w", 28, 0, 1<<61), []string{`"w"`}},
	{"b02-no-columns", oneTensor("w", 0, 0, 0, 64), []string{`"w"`, "0 x 64", "no elements"}},
	{"b02-no-dimensions", oneTensor("w", 0, 0), []string{`"w"`, "0 dimensions"}},
	{"b02-5-dimensions", oneTensor("w", 0, 0, 1, 1, 1, 1, 1), []string{`"w"`, "5 dimensions"}},
	{"b02-2^32-1-dimensions", header(3, 1, 0).str("w").u32(math.MaxUint32).zeros(64).b, []string{`"w"`, "4294967295 dimensions"}},
	{"b02-offset-2^64-1", oneTensor("w", 0, math.MaxUint64, 4), []string{`"w"`, "18446744073709551615"}},
	{"b02-offset-2^64-16", oneTensor("w", 0, math.MaxUint64-15, 4), []string{`"w"`, "cut short"}},
	{"b02-data-beyond-the-end", oneTensor("w", 0, 0, 5), []string{`"w"`, "20 bytes", "the file ends here"}},
	// B04
	{"b04-alignment-0", alignment(tUint32, 0), []string{"general.alignment is 0", "power of two"}},
	{"b04-alignment-3", alignment(tUint32, 3), []string{"general.alignment is 3"}},
	{"b04-alignment-2^31", alignment(tUint32, 1<<31), []string{"general.alignment is 2147483648"}},
	{"b04-alignment-negative", alignment(tInt32, 1<<32-32), []string{"general.alignment", "-32", "int32"}},
	{"b04-alignment-is-text", header(3, 0, 1).key("general.alignment", tString).str("32").b, []string{`"general.alignment" is "32"`, "string"}},
	{"b04-tensors-overlap", header(3, 2, 0).tensor("a", 0, 0, 16).tensor("b", 0, 32, 4).align(32).zeros(64).b, []string{`"b" begins inside that of "a"`}},
	// B05
	{"b05-version-0", header(0, 0, 0).b, []string{"at byte 4", "GGUF version 0"}},
	{"b05-version-4", header(4, 0, 0).b, []string{"GGUF version 4", "1, 2 and 3"}},
	// B07
	{"b07-two-tensors-of-one-name", header(3, 2, 0).tensor("blk.0.attn_q.weight", 0, 0, 4).tensor("blk.0.attn_q.weight", 0, 32, 4).align(32).zeros(64).b, []string{`"blk.0.attn_q.weight"`, "twice"}},
	{"b07-two-keys-of-one-name", header(3, 0, 2).key("general.architecture", tString).str("llama").key("general.architecture", tString).str("gpt2").b, []string{`"general.architecture"`, "twice"}},
	{"b07-key-without-name", header(3, 0, 1).key("", tUint8).zeros(1).b, []string{"key 0", "no name"}},
	{"b07-tensor-without-name", oneTensor("", 0, 0, 4), []string{"tensor 0", "no name"}},
	{"b07-tensor-name-of-65-bytes", oneTensor(strings.Repeat("n", 65), 0, 0, 4), []string{"tensor 0", "65 bytes long", "64"}},
	{"b07-tensor-name-with-nul", oneTensor("a\x00b", 0, 0, 4), []string{`"a\x00b"`, "NUL"}},
	{"b07-newline-is-quoted", header(3, 2, 0).tensor("a\nb", 0, 0, 4).tensor("a\nb", 0, 32, 4).align(32).zeros(64).b, []string{`"a\nb"`, "twice"}},
	{"key-of-70000-bytes", header(3, 0, 1).key(strings.Repeat("k", 70000), tUint8).zeros(1).b, []string{"70000 bytes long", "65535"}},
	// B19
	{"b19-type-4", oneTensor("w", 4, 0, 32), []string{`"w"`, "type 4 (Q4_2, removed from ggml)"}},
	{"b19-type-5", oneTensor("w", 5, 0, 32), []string{"type 5 (Q4_3, removed from ggml)"}},
	{"b19-type-31", oneTensor("w", 31, 0, 32), []string{"type 31 (Q4_0_4_4"}},
	{"b19-type-99", oneTensor("w", 99, 0, 32), []string{`"w"`, "type 99 (unknown)"}},
	{"b19-type-2^32-1", oneTensor("w", math.MaxUint32, 0, 32), []string{"type 4294967295 (unknown)"}},
	{"b19-columns-against-block", oneTensor("blk.0.ffn_down.weight", 8, 0, 172, 64), []string{`"blk.0.ffn_down.weight"`, "172 columns", "32", "Q8_0"}},
	// the rest of the format
	{"value-type-13", header(3, 0, 1).key("k", 13).zeros(8).b, []string{"at byte 33", `"k"`, "type 13"}},
	{"array-of-type-13", header(3, 0, 1).key("k", tArray).u32(13).u64(1).zeros(8).b, []string{"at byte 37", "items of type 13"}},
	{"bool-of-2", append(header(3, 0, 1).key("k", tBool).b, 2), []string{`"k"`, "bool of 2"}},
	{"bool-of-2-in-array", append(header(3, 0, 1).key("k", tArray).u32(tBool).u64(2).b, 1, 2), []string{`"k"`, "bool of 2"}},
	{"split-no-beyond-count", header(3, 0, 2).key("split.count", tUint32).u32(2).key("split.no", tUint32).u32(2).b, []string{"split.no is 2"}},
	{"split-count-is-text", header(3, 0, 1).key("split.count", tString).str("2").b, []string{`"split.count"`}},
	{"b08-part-of-a-split-model", header(3, 0, 2).key("split.count", tUint32).u32(2).key("split.no", tUint32).u32(0).b, []string{"part 1 of 2"}},
}

func nested(depth int) []byte {
	r := header(3, 0, 1).str("k").u32(tArray)
	for range depth {
		r.u32(tArray).u64(1)
	}
	return r.u32(tUint8).u64(0).b
}

func oneTensor(name string, t uint32, off uint64, dims ...uint64) []byte {
	return header(3, 1, 0).tensor(name, t, off, dims...).align(32).zeros(16).b
}

func alignment(t, v uint32) []byte {
	return header(3, 0, 1).key("general.alignment", t).u32(v).zeros(32).b
}

// allocated is how many bytes f takes from the heap, freed or not: no less
// than its peak.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestInvalid(t *testing.T) {
	for _, c := range invalid {
		t.Run(c.name, func(t *testing.T) {
			var err error
			n := allocated(func() { _, err = open(c.b) })
			if err == nil {
				t.Fatal("no error")
			}
			for _, w := range c.want {
				if !strings.Contains(err.Error(), w) && !strings.Contains(hint(err), w) {
					t.Errorf("error %q lacks %q", err, w)
				}
			}
			if strings.ContainsAny(err.Error(), "\n\x00") {
				t.Errorf("error %q is no single line", err)
			}
			var f *FormatError
			if !errors.As(err, &f) || f.Hint() == "" {
				t.Errorf("%T has no hint", err)
			}
			if n > 1<<20 {
				t.Errorf("%d bytes of memory for a file of %d", n, len(c.b))
			}
		})
	}
}

func hint(err error) string {
	var f *FormatError
	errors.As(err, &f)
	return f.Hint()
}

// Every cut of a good file is refused in one way or another and never panics.
func TestTruncated(t *testing.T) {
	whole, _ := build(t, 3, binary.LittleEndian)
	f, err := open(whole)
	if err != nil {
		t.Fatal(err)
	}
	last := f.Tensors[len(f.Tensors)-1]
	end := int(last.Offset + last.Size)
	for n := 0; n < end; n += 1 + n/40 {
		if _, err := open(whole[:n]); err == nil {
			t.Fatalf("%d of %d bytes are taken for a whole file", n, end)
		}
	}
	if _, err := open(whole[:end]); err != nil {
		t.Errorf("without padding at the end: %v", err)
	}
}

// B04: what looks odd but can be read.
func TestOddButValid(t *testing.T) {
	for _, c := range []struct {
		name string
		b    []byte
		warn string
	}{
		{"alignment-64", header(3, 1, 1).key("general.alignment", tUint32).u32(64).tensor("w", 0, 0, 4).align(64).zeros(64).b, ""},
		{"alignment-32-as-i32", header(3, 1, 1).key("general.alignment", tInt32).u32(32).tensor("w", 0, 0, 4).align(32).zeros(32).b, ""},
		{"alignment-8", header(3, 1, 1).key("general.alignment", tUint32).u32(8).tensor("w", 0, 0, 4).align(8).zeros(16).b, ""},
		{"13-bytes-of-junk", header(3, 1, 0).tensor("w", 0, 0, 8).align(32).zeros(32 + 13).b, "13 bytes behind the last tensor"},
		{"second-file-behind", append(header(3, 1, 0).tensor("w", 0, 0, 8).align(32).zeros(32).b, header(3, 0, 0).b...), "24 bytes behind the last tensor"},
		{"crooked-offset", header(3, 2, 0).tensor("v", 0, 0, 1).tensor("w", 0, 4, 4).align(32).zeros(32).b, "1 tensors are not aligned to 32"},
		{"tensors-in-another-order", header(3, 2, 0).tensor("v", 0, 32, 1).tensor("w", 0, 0, 4).align(32).zeros(64).b, ""},
		{"vocabulary-only", header(3, 0, 1).key("k", tUint8).zeros(1).b, ""},
		{"one-part-of-one", header(3, 0, 2).key("split.count", tUint32).u32(1).key("split.no", tUint32).u32(0).b, ""},
		{"name-of-64-bytes", oneTensor(strings.Repeat("n", 64), 0, 0, 4), ""},
	} {
		f, err := open(c.b)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := fmt.Sprint(f.Warnings); c.warn == "" && len(f.Warnings) > 0 || !strings.Contains(got, c.warn) {
			t.Errorf("%s: warnings %s, want %q", c.name, got, c.warn)
		}
	}
}

// B19: every id that can stand in a file is named, be it readable or not.
func TestTypesInFiles(t *testing.T) {
	for id := range uint32(45) {
		typ := ggml.Type(id)
		_, err := open(header(3, 1, 0).tensor("w", id, 0, 256).align(32).zeros(2048).b)
		if known := typ.BlockSize() > 0; known != (err == nil) {
			t.Errorf("%s: %v", typ.Describe(), err)
		}
		if err != nil && !strings.Contains(err.Error(), fmt.Sprintf("type %d (", id)) {
			t.Errorf("type %d: error %q does not name it", id, err)
		}
	}
}

// What is no GGUF at all is said to be what it is.
func TestForeign(t *testing.T) {
	safe := append(binary.LittleEndian.AppendUint64(nil, 40), `{"__metadata__":{"format":"pt"},"x":{}}    `...)
	for _, c := range []struct{ name, b, want string }{
		{"empty", "", "the file is empty"},
		{"html", "<!DOCTYPE html>\n<html>", "a web page"},
		{"html-indented", "\n  <html lang=\"en\">", "a web page"},
		{"git-lfs", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 5\n", "a Git-LFS pointer"},
		{"ggml", "lmgg\x00\x7d\x00\x00", `magic "ggml"`},
		{"ggml-forwards", "ggml\x00\x7d\x00\x00", `magic "ggml"`},
		{"ggjt", "tjgg\x03\x00\x00\x00", `magic "ggjt"`},
		{"ggjt-capitals", "GGJT\x03\x00\x00\x00", `magic "ggjt"`},
		{"safetensors", string(safe), "a safetensors file"},
		{"zip", "PK\x03\x04....", "a ZIP archive"},
		{"gzip", "\x1f\x8b\x08\x00....", "compressed"},
		{"ssnail", "SSNL\x01\x00\x00\x00", "an SSNAIL image"},
		{"text", "Entry not found", `text that begins with "Entry not found"`},
		{"two-bytes", "\x01\x02", "only 2 bytes"},
		{"other", "\x00\x01\x02\x03\x04", "00 01 02 03"},
	} {
		_, err := open([]byte(c.b))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		} else if hint(err) == "" {
			t.Errorf("%s: no hint", c.name)
		}
	}
}

// What a file calls its keys, tensors and itself comes into messages: quoted,
// cut, on one line, without a terminal's control sequences.
func TestForeignTextInMessages(t *testing.T) {
	long := strings.Repeat("k", 60000)
	for name, b := range map[string][]byte{
		"long-key-of-no-type": header(3, 0, 1).key(long, 99).b,
		"long-key-cut-short":  header(3, 0, 1).key(long, tUint32).b,
		"long-key-with-nul":   header(3, 0, 1).key(long+"\x00", tUint8).zeros(1).b,
		"long-key-twice":      header(3, 0, 2).key(long, tUint8).zeros(1).key(long, tUint8).zeros(1).b,
		"key-with-escape":     header(3, 0, 1).key("a\n\x1b[2J", 99).b,
		"tensor-with-escape":  header(3, 1, 0).tensor("w\n\x1b[2J", 99, 0, 4).align(32).zeros(32).b,
	} {
		_, err := open(b)
		if err == nil {
			t.Errorf("%s: no error", name)
		} else if s := err.Error(); len(s) > 400 || strings.ContainsAny(s, "\n\x1b\x00") {
			t.Errorf("%s: %d bytes: %.200q", name, len(s), s)
		}
	}
	if got, want := Plain("a\n\x1b[2Jé\xff b"), "a\uFFFD\uFFFD[2Jé\uFFFD b"; got != want {
		t.Errorf("Plain gives %q, want %q", got, want)
	}
}

// B01: big files of nothing but small things stay within the bound too.
func TestMemoryOfManySmallThings(t *testing.T) {
	short := func(keys uint32) *raw {
		return (&raw{[]byte("GGUF")}).u32(1).u32(0).u32(keys).u32(1)
	}
	strings := header(3, 0, 1).key("k", tArray).u32(tString).u64(1 << 18)
	for range 1 << 18 {
		strings.str("ab")
	}
	empty := short(1)
	empty.b = append(empty.b, 'k')
	empty.u32(tArray).u32(tString).u32(1 << 20).zeros(4 << 20)
	arrays := short(1)
	arrays.b = append(arrays.b, 'k')
	arrays.u32(tArray).u32(tArray).u32(1 << 20).zeros(8 << 20)
	keys := header(3, 0, maxKeys)
	for i := range maxKeys {
		keys.key(fmt.Sprint("k", i), tUint8).zeros(1)
	}
	tensors := header(3, maxTensors, 0)
	for i := range maxTensors {
		tensors.tensor(fmt.Sprint(i), 24, uint64(32*i), 32)
	}
	tensors.align(32).zeros(32 * maxTensors)
	for _, c := range []struct {
		name string
		b    []byte
	}{{"strings", strings.b}, {"empty strings", empty.b}, {"arrays", arrays.b}, {"keys", keys.b}, {"tensors", tensors.b}} {
		var err error
		n := allocated(func() { _, err = NewFile(bytes.NewReader(c.b), int64(len(c.b))) })
		if err != nil || n > 16<<20+16*uint64(len(c.b)) {
			t.Errorf("%s: %d bytes of memory for a file of %d: %v", c.name, n, len(c.b), err)
		}
		t.Logf("%s: %.1f times the file", c.name, float64(n)/float64(len(c.b)))
	}
}

// B01: the size of a file is no reason to believe its counts either: a sparse
// file of a terabyte, all zeros behind the header.
func TestSparse(t *testing.T) {
	for _, head := range []*raw{
		header(3, 1<<30, 1),
		header(3, 0, 1<<30),
		header(3, 0, 1).key("k", tArray).u32(tUint8).u64(1 << 38),
		header(3, 0, 1).key("k", tArray).u32(tString).u64(1 << 36),
		header(3, 0, 1).key("k", tString).u64(1 << 38),
	} {
		var err error
		n := allocated(func() { _, err = NewFile(sparse(head.b), 1<<40) })
		if err == nil || n > 1<<20 {
			t.Errorf("%v, %d bytes of memory", err, n)
		}
	}
}

// sparse is a file that begins with some bytes and goes on with zeros.
type sparse []byte

func (s sparse) ReadAt(p []byte, off int64) (int, error) {
	clear(p)
	if off < int64(len(s)) {
		copy(p, s[off:])
	}
	return len(p), nil
}

// A file that fails or ends while it is read gives an error, not half a model.
func TestReadErrors(t *testing.T) {
	whole, _ := build(t, 3, binary.LittleEndian)
	fails := errors.New("the disk is on fire")
	for at := 0; at < 100000; at += 5000 {
		_, err := NewFile(broken{whole, int64(at), fails}, int64(len(whole)))
		if !errors.Is(err, fails) {
			t.Errorf("failing at byte %d: %v", at, err)
		}
		if _, err := NewFile(bytes.NewReader(whole[:at]), int64(len(whole))); err == nil {
			t.Errorf("shrunk to %d bytes: no error", at)
		}
	}
}

type broken struct {
	b   []byte
	at  int64
	err error
}

func (f broken) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > f.at {
		return 0, f.err
	}
	return bytes.NewReader(f.b).ReadAt(p, off)
}
