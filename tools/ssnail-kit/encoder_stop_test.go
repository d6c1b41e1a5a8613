package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ssnail-kit/host/builtin"
)

// RUN/STOP leaves a line that the software core embeds, at once, and the lines
// after it are what SSNAIL makes of them.
func TestEncoderStops(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	disk := filepath.Join(dir, "e.d81")
	if status, _, errs := kit("disk", "--quiet", file("e.gguf", string(builtin.Encoder())), "--type", "Encoder", "-o", disk); status != 0 {
		t.Fatal(errs)
	}
	const start = "wait \"Press RETURN\"\ntype \"\\r\"\nwait \"> \"\n"
	const lines = "type \"Tom found a dog.\\r\"\nwait \"> \"\ntype \"Lily made a cake.\\r\"\n"
	status, out, errs := kit("emu", "--quiet", "--no-ssnail", disk, "--keys-file",
		file("stop", start+"type \"The old king slept all day.\\r\"\npause 300ms\ntype \"{STOP}\"\npause 300ms\npng "+filepath.Join(dir, "stopped.png")+"\n"+lines))
	if status != 0 || !strings.Contains(out, "Stopped. This line is not kept.") {
		t.Fatalf("status %d: %s\n%s", status, errs, out)
	}
	_, want, _ := kit("emu", "--quiet", disk, "--keys-file", file("plain", "wait \"> \"\n"+lines)) // SSNAIL itself
	result := func(s string) string {                                                              // from the first line on, without the status line
		i := strings.Index(s, "Tom found")
		if i < 0 {
			return "nothing in " + s
		}
		text := strings.Split(s[i:], "\n")
		for k, l := range text {
			if strings.Contains(l, "lines kept") {
				text = text[:k]
				break
			}
		}
		return strings.TrimSpace(strings.Join(text, "\n"))
	}
	got := result(out)
	if w := result(want); got != w || !strings.Contains(got, "Lily made a cake.") || !strings.Contains(got, "0.") {
		t.Errorf("after a stop:\n%s\nby SSNAIL:\n%s", out, want)
	}
}
