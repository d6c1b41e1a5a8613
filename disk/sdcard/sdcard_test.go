package sdcard

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ssnail-kit/disk/d81"
	"ssnail-kit/firmware"
	"ssnail-kit/host/image"
)

// testImage is an image that passes image.Open: a header over an empty
// payload with a tokenizer of one token.
func testImage(t *testing.T, description string, needed uint32) []byte {
	t.Helper()
	const script = image.Payload
	tables, err := image.BuildTables(image.TableSpec{
		Kind: image.WordPiece, Pieces: []string{"a", "b"}, Begin: image.NoToken, End: image.NoToken, Unknown: 0,
	}, script+image.InstructionBytes*64)
	if err != nil {
		t.Fatal(err)
	}
	end := image.Align(tables.End, image.EndAlign)
	h := image.Header{
		Version: image.Version, Script: script, Weights: tables.Vocab, Scratch: end, Tokens: image.TokenBuffer,
		Vocab: tables.Vocab, NVocab: 2, MaxCtx: 16, BOS: 0, EOS: 1, PayloadLen: end - image.Payload,
		Output: image.OutputVector, OutputLen: 4, MemNeeded: needed, Arch: image.Bert, Flags: image.FlagEncoder,
		LoadAddr: image.Payload, Tokenizer: tables.Tokenizer, Description: description,
	}
	head := h.Encode()
	b := append(head[:], make([]byte, end-image.Payload)...)
	copy(b[image.HeaderSize+int(tables.Addr-image.Payload):], tables.Bytes)
	if _, err := image.Open(bytes.NewReader(b), int64(len(b))); err != nil {
		t.Fatalf("the test's own image: %v", err)
	}
	return b
}

var testProgram = []byte{0x01, 0x20, 0x60}

func lay(t *testing.T, dir string, s Settings, sources ...string) *Card {
	t.Helper()
	c, err := Begin(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Abort()
	for _, src := range sources {
		b := testImage(t, "Tiny "+src, 9<<20)
		if _, err := c.Add(src, bytes.NewReader(b), int64(len(b))); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Finish(testProgram, nil, s); err != nil {
		t.Fatal(err)
	}
	return c
}

func tree(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			names = append(names, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestLayout(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "card")
	c := lay(t, dir, Settings{}, "x/stories260K-f16.gguf", "y/stories260K.gguf", "\u00e4\u00f6.gguf", "a_b-c d.v2.ssnail")
	want := []string{
		"READ-ME.TXT", "SSNAIL/ABCDV2.SSNAIL", "SSNAIL/CONFIG.TXT", "SSNAIL/MODEL.SSNAIL",
		"SSNAIL/STORIES2.SSNAIL", "SSNAIL/STORIES3.SSNAIL", "SSNAIL.D81",
	}
	got := tree(t, dir)
	if !slices.Equal(got, want) {
		t.Fatalf("got %q, want %q", got, want)
	}
	safe := regexp.MustCompile(`^[A-Z0-9]{1,8}\.SSNAIL$`)
	seen := map[string]bool{}
	for _, f := range c.Files {
		if !safe.MatchString(f.Name) || seen[f.Name] {
			t.Errorf("%s became %s", f.Source, f.Name)
		}
		seen[f.Name] = true
		if !slices.Contains(got, "SSNAIL/"+f.Name) {
			t.Errorf("%s is not in %q", f.Name, got)
		}
	}
	b, err := os.ReadFile(filepath.Join(dir, DiskName))
	if err != nil {
		t.Fatal(err)
	}
	disk, err := d81.Open(b)
	if err != nil {
		t.Fatal(err)
	}
	if disk.Name() != "SSNAIL" {
		t.Errorf("the disk's name is %q", disk.Name())
	}
	text, _ := os.ReadFile(filepath.Join(dir, ReadmeName))
	for _, s := range []string{"STORIES2.SSNAIL", "needs 9.0 MB of memory: R4, R5, R6: SDRAM", "an encoder", `MOUNT "SSNAIL.D81"`} {
		if !strings.Contains(string(text), s) {
			t.Errorf("the text lacks %q:\n%s", s, text)
		}
	}
	for _, l := range strings.Split(string(text), "\r\n") {
		if strings.ContainsAny(l, "\r\n") || len(l) > 79 && !strings.HasPrefix(l, "  ") {
			t.Errorf("line %q", l)
		}
	}
}

func TestLayoutAgain(t *testing.T) {
	dir := t.TempDir()
	lay(t, dir, Settings{}, "old.gguf", "both.gguf")
	first := tree(t, dir)
	if c := lay(t, dir, Settings{}, "old.gguf", "both.gguf"); len(c.Kept()) != 0 || !slices.Equal(tree(t, dir), first) {
		t.Errorf("the same again: %q, kept %q", tree(t, dir), c.Kept())
	}
	// What a desktop or a killed run left is no obstacle.
	os.WriteFile(filepath.Join(dir, ".DS_Store"), nil, 0o644)
	os.WriteFile(filepath.Join(dir, Folder, "._OLD.SSNAIL"), nil, 0o644)
	os.Mkdir(filepath.Join(dir, ".ssnail-1.part"), 0o755)
	first = append(first, ".DS_Store", "SSNAIL/._OLD.SSNAIL")
	c := lay(t, dir, Settings{}, "both.gguf", "new.gguf")
	if _, err := os.Stat(filepath.Join(dir, ".ssnail-1.part")); err == nil {
		t.Error("the folder of a killed run is still there")
	}
	if got := c.Kept(); !slices.Equal(got, []string{"OLD.SSNAIL"}) {
		t.Errorf("kept %q", got)
	}
	if got := tree(t, dir); !slices.Contains(got, "SSNAIL/NEW.SSNAIL") || len(got) != len(first)+1 {
		t.Errorf("then there are %q", got)
	}
}

func TestForeignFolders(t *testing.T) {
	for name, fill := range map[string]func(dir string){
		"photo.jpg":   func(d string) { os.WriteFile(filepath.Join(d, "photo.jpg"), nil, 0o644) },
		"SSNAIL.D81":  func(d string) { os.WriteFile(filepath.Join(d, "SSNAIL.D81"), make([]byte, 819200), 0o644) },
		"READ-ME.TXT": func(d string) { os.WriteFile(filepath.Join(d, "READ-ME.TXT"), []byte("mine"), 0o644) },
		"SSNAIL":      func(d string) { os.WriteFile(filepath.Join(d, "SSNAIL"), nil, 0o644) },
		"SSNAIL/notes.txt": func(d string) {
			os.Mkdir(filepath.Join(d, "SSNAIL"), 0o755)
			os.WriteFile(filepath.Join(d, "SSNAIL", "notes.txt"), nil, 0o644)
		},
		"SSNAIL/FAKE.SSNAIL": func(d string) {
			os.Mkdir(filepath.Join(d, "SSNAIL"), 0o755)
			os.WriteFile(filepath.Join(d, "SSNAIL", "FAKE.SSNAIL"), []byte("SSN"), 0o644)
		},
		"SSNAIL/CONFIG.TXT": func(d string) {
			os.Mkdir(filepath.Join(d, "SSNAIL"), 0o755)
			os.WriteFile(filepath.Join(d, "SSNAIL", "CONFIG.TXT"), []byte("x"), 0o644)
		},
	} {
		dir := t.TempDir()
		fill(dir)
		before := tree(t, dir)
		_, err := Begin(dir)
		var f *ForeignError
		if !errors.As(err, &f) || f.Name != name {
			t.Errorf("a folder with %s: %v", name, err)
		}
		if got := tree(t, dir); !slices.Equal(got, before) {
			t.Errorf("a folder with %s has %q afterwards", name, got)
		}
	}
}

func TestFailureLeavesNothing(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "card")
	c, err := Begin(dir)
	if err != nil {
		t.Fatal(err)
	}
	b := testImage(t, "x", 9<<20)
	if _, err := c.Add("a.gguf", bytes.NewReader(b), int64(len(b))); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Add("b.gguf", bytes.NewReader(b[:100]), 100); err == nil {
		t.Error("half an image is taken")
	}
	if err := c.Finish(testProgram, nil, Settings{Model: "C"}); err == nil {
		t.Error("a model that is not there is the default")
	}
	if err := c.Finish([]byte{1, 2, 3}, nil, Settings{}); err == nil {
		t.Error("a program for another address is taken")
	}
	c.Abort()
	if list, _ := os.ReadDir(parent); len(list) != 0 {
		t.Errorf("left behind: %v", list)
	}
	// In a folder that was there, it stays, empty.
	dir = t.TempDir()
	if c, err = Begin(dir); err != nil {
		t.Fatal(err)
	}
	c.Abort()
	if list, err := os.ReadDir(dir); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
	if _, err := Begin(filepath.Join(parent, "no", "such")); err == nil {
		t.Error("a folder in a folder that is not there")
	}
}

func TestTooManyModels(t *testing.T) {
	c, err := Begin(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Abort()
	b := testImage(t, "x", 9<<20)
	for i := range MaxModels + 1 {
		_, err := c.Add("same name.gguf", bytes.NewReader(b), int64(len(b)))
		if (err != nil) != (i == MaxModels) {
			t.Errorf("model %d: %v", i+1, err)
		}
	}
	if n := c.Files[MaxModels-1].Name; n != "SAMENA30.SSNAIL" {
		t.Errorf("the last one is %s", n)
	}
}

// TestMaxModels: the program on the machine agrees.
func TestMaxModels(t *testing.T) {
	p, err := firmware.Build(firmware.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n, ok := p.Symbols["MODELS_MAX"]; !ok || n != MaxModels {
		t.Errorf("the program lists %d (known: %t), want %d", n, ok, MaxModels)
	}
}

func ptr[T any](v T) *T { return &v }

func TestConfig(t *testing.T) {
	files := []File{{Name: "STORIES2.SSNAIL", Source: "x/stories260K.gguf"}, {Name: "OTHER.SSNAIL", Source: "other.gguf"}}
	full := Settings{Model: "x/stories260K.gguf", Tokens: ptr(200), Temp: ptr(0.8), TopK: ptr(20), Penalty: ptr(1.1), Seed: ptr(uint32(4294967295))}
	b, err := full.encode(files)
	if err != nil {
		t.Fatal(err)
	}
	got := settingsOf(t, b)
	want := []string{"model = STORIES2.SSNAIL", "n = 200", "temp = 0.8", "topk = 20", "penalty = 1.1", "seed = 4294967295"}
	if !slices.Equal(got, want) {
		t.Errorf("settings %q, want %q", got, want)
	}
	if b, err = (Settings{}).encode(files); err != nil || len(settingsOf(t, b)) != 0 {
		t.Errorf("without settings: %q, %v", settingsOf(t, b), err)
	}
	for _, name := range []string{"other", "OTHER.SSNAIL", "other.gguf", "Other.ssnail"} {
		if b, err := (Settings{Model: name}).encode(files); err != nil || settingsOf(t, b)[0] != "model = OTHER.SSNAIL" {
			t.Errorf("model %s: %v", name, err)
		}
	}
	for _, bad := range []Settings{
		{Tokens: ptr(0)}, {Tokens: ptr(4096)}, {Temp: ptr(-0.1)}, {Temp: ptr(10.1)}, {TopK: ptr(-1)}, {TopK: ptr(129)},
		{Penalty: ptr(0.9)}, {Penalty: ptr(4.1)}, {Model: "no"},
	} {
		var e *SettingError
		if _, err := bad.encode(files); !errors.As(err, &e) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

// settingsOf lists the lines that the program obeys, and checks that it can
// read all of them.
func settingsOf(t *testing.T, b []byte) (out []string) {
	t.Helper()
	if len(b) > configMax {
		t.Errorf("%d bytes, the program reads %d", len(b), configMax)
	}
	for _, l := range strings.Split(string(b), "\r\n") {
		if len(l) > lineMax {
			t.Errorf("line of %d characters: %q", len(l), l)
		}
		if l != "" && l[0] != '#' {
			out = append(out, l)
		}
	}
	return out
}
