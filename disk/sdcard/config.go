package sdcard

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Settings are what the program on the machine reads from CONFIG.TXT. The zero
// value of a pointer leaves the program's default.
type Settings struct {
	Model   string // name of an image of the layout, with or without ending; "": the list is shown
	Tokens  *int   // a turn, 1 to 4095
	Temp    *float64
	TopK    *int
	Penalty *float64
	Seed    *uint32
}

// configTitle is how the text begins; the program skips lines with a #.
const configTitle = "# SSNAIL settings"

// configMax is how much of the text the program reads, and lineMax how much of
// a line.
const (
	configMax = 1024
	lineMax   = 80
)

// setting is one line: a default stands in a comment.
type setting struct {
	key, def, what string
	value          string // "" if the default holds
}

// SettingError is a setting that the program would not take.
type SettingError struct{ Key, Msg string }

func (e *SettingError) Error() string { return e.Key + ": " + e.Msg }

// Check tells whether the program would take the numbers. Whether there is such a
// model only Finish can tell.
func (s Settings) Check() error {
	s.Model = ""
	_, err := s.encode(nil)
	return err
}

// encode writes the settings, one a line. It refuses what the program would
// pass over in silence.
func (s Settings) encode(files []File) ([]byte, error) {
	list := []setting{
		{key: "n", def: "120", what: "tokens a turn, 1 to 4095"},
		{key: "temp", def: "0", what: "temperature, 0 to 10; 0 takes the likeliest token"},
		{key: "topk", def: "40", what: "choose among so many tokens; 0: 128, the most"},
		{key: "penalty", def: "1.15", what: "against repetition, 1 to 4"},
		{key: "seed", def: "1", what: "of the dice"},
	}
	if s.Tokens != nil {
		if *s.Tokens < 1 || *s.Tokens > 4095 {
			return nil, &SettingError{"n", fmt.Sprintf("%d tokens; 1 to 4095 are possible", *s.Tokens)}
		}
		list[0].value = strconv.Itoa(*s.Tokens)
	}
	if s.Temp != nil {
		if !(*s.Temp >= 0 && *s.Temp <= 10) {
			return nil, &SettingError{"temp", fmt.Sprintf("%v; 0 to 10 are possible", *s.Temp)}
		}
		list[1].value = hundredths(*s.Temp)
	}
	if s.TopK != nil {
		if *s.TopK < 0 || *s.TopK > 128 {
			return nil, &SettingError{"topk", fmt.Sprintf("%d; 0 to 128 are possible", *s.TopK)}
		}
		list[2].value = strconv.Itoa(*s.TopK)
	}
	if s.Penalty != nil {
		if !(*s.Penalty >= 1 && *s.Penalty <= 4) {
			return nil, &SettingError{"penalty", fmt.Sprintf("%v; 1 to 4 are possible", *s.Penalty)}
		}
		list[3].value = hundredths(*s.Penalty)
	}
	if s.Seed != nil {
		list[4].value = strconv.FormatUint(uint64(*s.Seed), 10)
	}
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\r\n", args...) }
	line(configTitle + ", one a line. Lines with # are not read.")
	line("")
	line("# The model that is loaded at once; without: a list, if there are several.")
	model, err := s.model(files)
	switch {
	case err != nil:
		return nil, err
	case model == "" && len(files) > 0:
		line("# model = %s", files[0].Name)
	case model == "":
		line("# model = NAME%s", ImageExt)
	default:
		line("model = %s", model)
	}
	for _, x := range list {
		line("")
		line("# %s", x.what)
		if x.value == "" {
			line("# %s = %s", x.key, x.def)
		} else {
			line("%s = %s", x.key, x.value)
		}
	}
	if b.Len() > configMax {
		return nil, fmt.Errorf("%s has %d bytes, the program reads %d", ConfigName, b.Len(), configMax)
	}
	return []byte(b.String()), nil
}

// model finds the image that is meant.
func (s Settings) model(files []File) (string, error) {
	if s.Model == "" {
		return "", nil
	}
	want := strings.TrimSuffix(strings.ToUpper(s.Model), ImageExt)
	var names []string
	for _, f := range files {
		if strings.TrimSuffix(f.Name, ImageExt) == want || f.Source == s.Model {
			return f.Name, nil
		}
		names = append(names, f.Name)
	}
	return "", &SettingError{"model", fmt.Sprintf("%q is none of the models here: %s", s.Model, strings.Join(names, ", "))}
}

// hundredths writes a number with the two decimals that the program keeps.
func hundredths(v float64) string {
	s := strconv.FormatFloat(math.Round(v*100)/100, 'f', 2, 64)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}
