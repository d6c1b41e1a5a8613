package gguf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"
)

func errorAs(err error) (*FormatError, bool) {
	var f *FormatError
	return f, errors.As(err, &f)
}

// FuzzFile reads any bytes: no panic, memory within 16 MiB and 16 times the
// input, and what is read is whole. What the Writer makes of it reads the
// same again.
func FuzzFile(f *testing.F) {
	for _, c := range invalid {
		f.Add(c.b)
	}
	small := header(3, 1, 2).key("k", tUint32).u32(7).key("a", tArray).u32(tString).u64(2).str("x").str("yz").tensor("w", 8, 0, 32).align(32).zeros(34).b
	f.Add(small)
	for version := uint32(1); version <= 3; version++ {
		for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
			var b bytes.Buffer
			w := NewWriter(&b)
			w.Version, w.Order = version, order
			for _, kv := range allValues {
				if kv.Key != "long" && kv.Key != "a.str" {
					w.Add(kv.Key, kv.Value)
				}
			}
			w.AddTensor("w", 14, []uint64{256}, make([]byte, 210))
			if err := w.Close(); err != nil {
				f.Fatal(err)
			}
			f.Add(b.Bytes())
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var file *File
		var err error
		n := allocated(func() { file, err = open(b) })
		if most := 16<<20 + 16*uint64(len(b)); n > most {
			t.Fatalf("%d bytes of memory for a file of %d", n, len(b))
		}
		if err != nil {
			if e, ok := errorAs(err); !ok || e.Offset < 0 || e.Offset > int64(len(b)) {
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		again(t, file)
	})
}

func again(t *testing.T, file *File) {
	rewrite := func(f *File) []byte {
		var out bytes.Buffer
		w := NewWriter(&out)
		for _, kv := range f.KV {
			if _, isU32 := kv.Value.(uint32); kv.Key == "general.alignment" && !isU32 {
				kv.Value = uint32(f.Alignment)
			}
			w.Add(kv.Key, kv.Value)
		}
		for _, x := range f.Tensors {
			data, err := io.ReadAll(x.Open())
			if err != nil || uint64(len(data)) != x.Size {
				t.Fatalf("tensor %q: %d of %d bytes, %v", x.Name, len(data), x.Size, err)
			}
			w.AddTensor(x.Name, x.Type, x.Dims, data)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	one := rewrite(file)
	f, err := open(one)
	if err != nil {
		t.Fatalf("the Writer's file: %v", err)
	}
	if two := rewrite(f); !bytes.Equal(one, two) {
		t.Fatal("written twice, the file differs")
	}
}
