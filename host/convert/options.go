package convert

import (
	"fmt"
	"strings"

	"ssnail-kit/host/ggml"
	"ssnail-kit/host/image"
)

// Options say how a model is converted. The zero value of each field is the
// default that its comment names.
type Options struct {
	Ctx      int    // most tokens of context; 0: the smaller of the trained length and 256 (128 for bert)
	WType    string // weight policy, one of WTypes; "": auto
	Fallback string // format for weights the core cannot read, one of Formats; "": q8_0
	MemMB    int    // memory of the board in MB, 1 to image.MaxMemMB; 0: 8
	KV       string // format of the KV cache, "f16" or "f32"; "": f16
	Type     string // kind of model for the description; "": General

	// Yes consents to storing quantised weights with fewer bits. Without it
	// Consent is asked, and without Consent it is refused.
	Yes     bool
	Consent func(question string) bool

	// Progress, if set, is called while WriteTo writes: bytes of done out of
	// total.
	Progress func(done, total int64)
}

// WTypes are the weight policies: auto tries keep, q8_0, mixed and q4_0 and
// takes the first that fits; keep stores what the core can read as it is;
// mixed is q8_0 with token_embd and output in q4_0; the others force a format.
var WTypes = []string{"auto", "keep", "mixed", "f32", "f16", "bf16", "q8_0", "q4_0"}

// Formats are the weight formats that the core reads.
var Formats = []string{"f32", "f16", "bf16", "q8_0", "q4_0"}

// MemSizes are the memory sizes in MB that boards have, with the boards.
var MemSizes = []MemSize{
	{8, "every MEGA65: R3 to R6"},
	{64, "R4, R5, R6: SDRAM"},
	{72, "R4, R5, R6: SDRAM and HyperRAM"},
}

// MemSize is a memory size and the boards that have it.
type MemSize struct {
	MB     int
	Boards string
}

// OptionError is an option with a value it cannot have.
type OptionError struct {
	Option string // as on the command line, without dashes
	Msg    string
}

func (e *OptionError) Error() string { return "--" + e.Option + ": " + e.Msg }

func oneOf(name, v string, all []string) error {
	for _, a := range all {
		if v == a {
			return nil
		}
	}
	return &OptionError{name, fmt.Sprintf("%q is none of %s", v, strings.Join(all, ", "))}
}

// withDefaults checks the options and fills in defaults. Ctx stays 0 if it is
// not given: its default depends on the model.
func (o Options) withDefaults() (Options, error) {
	def := func(s *string, v string) {
		*s = strings.ToLower(*s)
		if *s == "" {
			*s = v
		}
	}
	def(&o.WType, "auto")
	def(&o.Fallback, "q8_0")
	def(&o.KV, "f16")
	if o.MemMB == 0 {
		o.MemMB = 8
	}
	if o.Type == "" {
		o.Type = "General"
	}
	if err := oneOf("wtype", o.WType, WTypes); err != nil {
		return o, err
	}
	if err := oneOf("fallback", o.Fallback, Formats); err != nil {
		return o, err
	}
	if err := oneOf("kv", o.KV, []string{"f16", "f32"}); err != nil {
		return o, err
	}
	if o.MemMB < 1 || o.MemMB > image.MaxMemMB {
		return o, &OptionError{"mem-mb", fmt.Sprintf("%d MB; boards have 8, 64 or 72, and 1 to %d can be asked for", o.MemMB, image.MaxMemMB)}
	}
	if o.Ctx < 0 || o.Ctx > image.MaxContext {
		return o, &OptionError{"ctx", fmt.Sprintf("%d tokens; the token buffer has room for 1 to %d", o.Ctx, image.MaxContext)}
	}
	return o, nil
}

// formatOf returns the ggml type of one of Formats.
func formatOf(name string) ggml.Type {
	t, ok := ggml.TypeByName(name)
	if !ok {
		panic("convert: no ggml type " + name)
	}
	return t
}
