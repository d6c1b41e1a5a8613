package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"ssnail-kit/host/builtin"
)

// nonsense are values that the flags with a closed set of values, or a range,
// do not take, and a word of what the message must say they do take. A key is a
// flag's name, or command and name where commands differ.
var nonsense = map[string][][2]string{
	"ctx":          {{"0", "1 to 4095"}, {"-1", "1 to 4095"}, {"4096", "1 to 4095"}, {"x", "a whole number"}},
	"wtype":        {{"q5_0", "keep"}, {"", "keep"}},
	"fallback":     {{"q9", "bf16"}},
	"mem-mb":       {{"0", "1 to 72"}, {"73", "1 to 72"}, {"1.5", "a whole number"}},
	"kv":           {{"q8_0", "f16 or f32"}},
	"numerics":     {{"fast", "hw or float"}},
	"threads":      {{"0", "1 to 1024"}, {"9999", "1 to 1024"}, {"x", "a whole number"}},
	"bandwidth":    {{"0", "above 0"}, {"NaN", "above 0"}, {"1e9", "above 0"}, {"x", "a number"}},
	"n":            {{"0", "1 to"}, {"-1", "1 to"}, {"x", "a whole number"}},
	"verify n":     {{"-1", "0 to"}},
	"sdcard n":     {{"0", "1 to 4095"}},
	"temp":         {{"-1", "0"}, {"NaN", "0"}, {"x", "a number"}},
	"topk":         {{"-1", "0"}, {"x", "a whole number"}},
	"penalty":      {{"0", "1"}, {"NaN", "1"}},
	"seed":         {{"-1", "0 or more"}, {"x", "0 or more"}},
	"sdcard seed":  {{"4294967296", "4294967295"}},
	"sdcard model": {{"other.gguf", "none of the models"}},
	"kernels":      {{"mmx", "go"}},
	"time":         {{"0", "more than 0"}, {"999h", "1h"}, {"x", "a time"}},
	"tokens":       {{"1,x", "no token id"}},
	"baud":         {{"5", "300 to"}, {"99999999", "300 to"}, {"x", "a whole number"}},
	"wait":         {{"soon", "a time"}, {"-1s", "a time"}, {"0", "a time"}},
	"ssh-port":     {{"0", "1 to 65535"}, {"65536", "1 to 65535"}},
	"sftp":         {{"@x", "USER@HOST:DIR"}, {"a@[b", "USER@HOST:DIR"}},
	"trace-lines":  {{"-1", "0 to"}, {"99999999", "0 to"}},
	"board":        {{"r7", "r3, r4, r5, r6 or nexys"}},
	"run-for":      {{"soon", "20s"}, {"0", "24h"}, {"99h", "24h"}},
	"break":        {{"xyz", "hexadecimal"}, {"12345", "four digits"}},
	"monitor":      {{"foo", "pty:LINK nor tcp:PORT"}, {"tcp:", "tcp:PORT"}, {"tcp:99999", "65535"}, {"tcp:x", "65535"}},
	"line-latency": {{"soon", "a time"}, {"-1s", "10s"}, {"11s", "10s"}},
	"keys":         {{"{FOO}", "key name"}, {`\q`, "escape"}},
	"limit":        {{"0", "1 to 500"}, {"501", "1 to 500"}},
	"xemu limit":   {{"0", "a time"}, {"soon", "a time"}},
	"mem":          {{"0", "1 to 72"}, {"73", "1 to 72"}},
	"soft":         {{"maybe", "yes or no"}},
	"name":         {{"longer than 16 letters", "16"}, {"\u00e9", "cannot stand"}},
	"dialect":      {{"kickass", "acme or ca65"}},
	"program":      {{"chess", "main"}},
	"search":       {{" ", "words"}},
}

// anything is what may be any text, and files.
var anything = []string{"type", "prompt", "until", "then", "keys-file", "png", "gif", "sd", "trace", "symbols", "mem-dump", "serial-log",
	"o", "output", "text", "logits", "script", "serial", "identity", "known-hosts", "path", "m65"}

// usual are the arguments that make a command line of a command complete.
var usual = map[string][]string{
	"disk": {"m.gguf", "-o", "new.d81"}, "sdcard": {"new", "m.gguf"}, "emu": {"--run-for", "1s"}, "xemu": {"m.d81", "--screen"},
	"convert": {"m.gguf", "-o", "new.ssnail"}, "info": {"m.gguf"}, "run": {"m.gguf", "--prompt", "a"}, "chat": {"m.gguf"}, "sim": {"m.gguf"},
	"verify": {"m.ssnail", "m.gguf"}, "bench": {"m.gguf"}, "push": {"m.gguf"}, "monitor": {"regs"}, "ports": {"nowhere"}, "asm": {"--prg", "-o", "new.prg"},
}

// Every flag that takes only some values says so, with status 2 and before
// anything is written; a flag of a new kind must be entered here.
func TestNonsenseValues(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("XMEGA65", filepath.Join(t.TempDir(), "none"))
	t.Setenv("HF_ENDPOINT", "http://127.0.0.1:1")
	if err := os.WriteFile("m.gguf", builtin.GPT2(), 0o666); err != nil {
		t.Fatal(err)
	}
	call := func(args ...string) (int, string) {
		var out, errs bytes.Buffer
		status := run(context.Background(), append([]string{"ssnail-kit"}, args...), strings.NewReader(""), &out, &errs)
		return status, errs.String()
	}
	for _, args := range [][]string{{"convert", "m.gguf"}, {"disk", "m.gguf"}} {
		if status, errs := call(append(args, "--quiet")...); status != 0 {
			t.Fatal(errs)
		}
	}
	before := listing(t)
	for _, c := range commands() {
		for _, f := range c.Flags {
			name := f.Names()[0]
			d, ok := f.(cli.DocGenerationFlag)
			if !ok || !d.TakesValue() && name != "m65" {
				continue
			}
			bad := nonsense[c.Name+" "+name]
			if bad == nil {
				bad = nonsense[name]
			}
			if bad == nil {
				if !slices.ContainsFunc(f.Names(), func(n string) bool { return slices.Contains(anything, n) }) {
					t.Errorf("%s --%s: enter it in this test's lists", c.Name, name)
				}
				continue
			}
			for _, b := range bad {
				args := append([]string{c.Name}, usual[c.Name]...)
				if c.Name == "emu" && (name == "baud" || name == "line-latency") {
					args = append(args, "--monitor", "tcp:0")
				}
				if c.Name == "emu" && name == "run-for" {
					args = args[:1]
				}
				if c.Name == "models" && name == "limit" {
					args = append(args, "--search", "x")
				}
				if name == "ssh-port" {
					args = append(args, "--sftp", "a@b:c")
				}
				args = append(args, dashed(name)+"="+b[0])
				status, errs := call(args...)
				if status != 2 || !strings.Contains(errs, b[1]) || strings.Count(errs, "ssnail-kit: ") != 1 {
					t.Errorf("%q: status %d, want 2 and %q:\n%s", args, status, b[1], errs)
				}
			}
		}
	}
	for _, args := range [][]string{
		{"emu", "--strict-serial"}, {"emu", "--baud", "9600"}, {"emu", "--line-latency", "1ms"}, {"emu", "--trace-lines", "5"}, {"emu", "--keys", "a", "--keys-file", "b"},
		{"xemu", "m.d81", "--keys", "a"}, {"xemu", "m.d81", "--png", "a.png"}, {"demo", "m.ssnail", "--encoder"},
		{"disk", "m.ssnail", "--ctx", "16"}, {"run", "m.ssnail", "--wtype", "q4_0"}, {"chat", "m.ssnail", "--kv", "f32"},
		{"sim", "m.ssnail", "--mem-mb", "64"}, {"bench", "m.ssnail", "--fallback", "f16"}, {"demo", "m.ssnail", "--type", "Story"},
		{"sdcard", "new", "m.ssnail", "--ctx", "16"}, {"info", "m.ssnail", "--ctx", "16"}, {"push", "m.ssnail", "--ctx", "16"},
		{"push", "m.d81", "--ctx", "16"}, {"push", "--sftp", "a@b:c", "m.d81", "--wtype", "f32"},
		{"models", "x"}, {"models", "--exact"}, {"fetch"}, {"fetch", "x"}, {"tokenize", "m.gguf"}, {"tokcheck", "m.gguf"}, {"disasm"},
		{"disk", "--no-such"}, {"disk", "m.gguf", "--ctx"}, {"disk", "--quiet=perhaps", "m.gguf"}, {"--no-such"}, {"bench", "m.gguf", "--threads"},
	} {
		if status, errs := call(args...); status != 2 || strings.Count(errs, "ssnail-kit: ") != 1 || strings.Contains(errs, "parse error") {
			t.Errorf("%q: status %d:\n%s", args, status, errs)
		}
	}
	if after := listing(t); !slices.Equal(before, after) {
		t.Errorf("wrong usage has left files: %v, before %v", after, before)
	}
	// Beside a GGUF the flag is not for the image, and that is said.
	if status, errs := call("disk", "m.ssnail", "m.gguf", "--ctx", "16", "-o", "two.d81"); status != 0 || !strings.Contains(errs, "m.ssnail is an image already: --ctx does not change it\n") {
		t.Errorf("status %d: %s", status, errs)
	}
}

func listing(t *testing.T) []string {
	t.Helper()
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, f.Name())
	}
	return names
}
