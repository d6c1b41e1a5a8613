package gguf

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
)

// foreign says what a file is that does not begin with GGUF, from its first
// bytes.
func foreign(head []byte, size int64) error {
	const fetch = "download the .gguf file itself"
	const convert = "make a GGUF of the model with llama.cpp's convert_hf_to_gguf.py, or look for one that is made already"
	not := func(what, remedy string) error {
		return &FormatError{Msg: "this is no GGUF model: " + what, Remedy: remedy}
	}
	text := strings.ToLower(strings.TrimLeft(string(head), "\ufeff \t\r\n"))
	has := func(s string) bool { return bytes.HasPrefix(head, []byte(s)) }
	switch {
	case size == 0:
		return not("the file is empty", fetch+" again")
	case strings.HasPrefix(text, "<!doctype html"), strings.HasPrefix(text, "<html"), strings.HasPrefix(text, "<?xml"), strings.HasPrefix(text, "<head"):
		return not("it is a web page (HTML)", fetch+", not the page that describes it")
	case strings.HasPrefix(text, "version https://git-lfs."):
		return not("it is a Git-LFS pointer, which only names the real file", "fetch the real file with `git lfs pull`")
	case oldMagic(head) != "":
		return not(fmt.Sprintf("it has the magic %q of a format older than GGUF", oldMagic(head)), convert)
	case has("SSNL"):
		return not("it is an SSNAIL image, made already", "give it where an image is wanted, or convert the .gguf it came from")
	case has("PK\x03\x04"):
		return not("it is a ZIP archive (PyTorch weights are that)", "unpack it; if it holds PyTorch weights, "+convert)
	case has("\x1f\x8b"), has("\x28\xb5\x2f\xfd"), has("\xfd7zXZ\x00"), has("BZh"), has("7z\xbc\xaf"):
		return not("it is compressed", "unpack it first")
	case has("\x89HDF"):
		return not("it is an HDF5 file", convert)
	case safetensors(head, size):
		return not("it is a safetensors file", convert)
	case size < 4:
		return not(fmt.Sprintf("it has only %d bytes", size), fetch+" again")
	case printable(head):
		line, _, _ := strings.Cut(strings.TrimSpace(string(head[:min(len(head), 60)])), "\n")
		return not(fmt.Sprintf("it is text that begins with %q", line), fetch)
	}
	return not(fmt.Sprintf("it begins with the bytes % x, not with %q", head[:4], magic), fetch+"; of a model that was cut into pieces, join the pieces first")
}

// oldMagic is the magic of ggml's formats before GGUF, spelled as people
// know it. They were written as a little-endian number, so that the letters
// stand backwards in the file.
func oldMagic(head []byte) string {
	if len(head) < 4 {
		return ""
	}
	s := string(head[:4])
	back := string([]byte{s[3], s[2], s[1], s[0]})
	for _, m := range []string{"ggml", "ggmf", "ggjt", "ggla", "ggsn"} {
		if strings.EqualFold(s, m) || strings.EqualFold(back, m) {
			return m
		}
	}
	return ""
}

// safetensors files begin with the length of a JSON text, then the text.
func safetensors(head []byte, size int64) bool {
	return len(head) > 9 && head[8] == '{' && binary.LittleEndian.Uint64(head) <= uint64(size-8)
}

func printable(head []byte) bool {
	for _, b := range head {
		if b < 32 && b != '\t' && b != '\r' && b != '\n' || b == 127 {
			return false
		}
	}
	return true
}
