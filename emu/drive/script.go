package drive

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"ssnail-kit/emu/machine"
)

// Step is one line of a key file: exactly one field is set.
type Step struct {
	Wait    string        // until this text is on the screen
	Keys    []byte        // $D610 codes to type
	Pause   time.Duration // emulated
	Picture string        // file name for a PNG
}

// Keys is the step that types the text of --keys (see machine.ParseKeys).
func Keys(text string) (Step, error) {
	codes, err := machine.ParseKeys(text)
	return Step{Keys: codes}, err
}

// maxScript bounds a key file; nobody types more than this.
const maxScript = 1 << 20

// ParseScript reads a key file: one step a line, # begins a comment.
//
//	wait "> "          until the text is on the screen
//	type "Hello\r"     as --keys
//	pause 2s           emulated time
//	png shot.png       save the screen
func ParseScript(r io.Reader) ([]Step, error) {
	var steps []Step
	in := bufio.NewScanner(io.LimitReader(r, maxScript+1))
	in.Buffer(nil, maxScript)
	for n := 1; in.Scan(); n++ {
		line := strings.TrimSpace(in.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		word, rest, _ := strings.Cut(line, " ")
		s, err := parseStep(word, strings.TrimSpace(rest))
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		steps = append(steps, s)
	}
	return steps, in.Err()
}

func parseStep(word, arg string) (Step, error) {
	text := arg
	if strings.HasPrefix(arg, `"`) {
		if len(arg) < 2 || !strings.HasSuffix(arg, `"`) {
			return Step{}, fmt.Errorf("%s: the closing quote is missing in %s", word, arg)
		}
		text = arg[1 : len(arg)-1]
	}
	if text == "" {
		return Step{}, fmt.Errorf("%q wants something behind it: wait TEXT, type TEXT, pause TIME or png FILE", word)
	}
	switch word {
	case "wait":
		return Step{Wait: strings.ReplaceAll(text, `\"`, `"`)}, nil
	case "type":
		return Keys(strings.ReplaceAll(text, `\"`, `"`))
	case "pause":
		d, err := ParseTime(text)
		return Step{Pause: d}, err
	case "png":
		return Step{Picture: text}, nil
	}
	return Step{}, fmt.Errorf("unknown step %q, want wait, type, pause or png", word)
}

// ParseTime reads a duration: Go's form (1m30s, 500ms), or plain seconds.
func ParseTime(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil {
		f, ferr := strconv.ParseFloat(s, 64)
		if ferr != nil {
			return 0, fmt.Errorf("%q is no time, want for example 20s or 500ms", s)
		}
		d = time.Duration(f * float64(time.Second))
	}
	if d <= 0 || d > 24*time.Hour {
		return 0, fmt.Errorf("time %q is out of range, want more than 0 and at most 24h", s)
	}
	return d, nil
}
