package hub

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"ssnail-kit/host/convert"
)

// RemoteFile is a GGUF file of a repository.
type RemoteFile struct {
	Path   string  `json:"path"`
	Bytes  int64   `json:"bytes"`
	SHA256 string  `json:"sha256,omitempty"`
	Format string  `json:"format"`         // from its name, else "unquantised" or "quantised" by its size
	Bits   float64 `json:"bits,omitempty"` // per parameter, all of the file counted
}

var (
	formatInName = regexp.MustCompile(`(?i)(?:^|[-_.])(f32|fp32|f16|fp16|bf16|(?:iq|q|tq)[0-9]_[a-z0-9_]+?|q[0-9]_[01])(?:[-_.]|$)`)
	partInName   = regexp.MustCompile(`(?i)-[0-9]{5}-of-[0-9]{5}\.gguf$`)
	notModels    = regexp.MustCompile(`(?i)mmproj|imatrix|\.lora|-lora|adapter|vocab`)
)

// Describe adds formats to a list of files of which nothing else is known.
func Describe(files []RemoteFile) []RemoteFile { return describe(files, 0) }

// describe adds formats to a list of files. params may be 0: unknown.
func describe(files []RemoteFile, params uint64) []RemoteFile {
	for i := range files {
		f := &files[i]
		if params > 0 {
			f.Bits = float64(f.Bytes) * 8 / float64(params)
		}
		base := strings.TrimSuffix(path.Base(f.Path), path.Ext(f.Path))
		if m := formatInName.FindAllStringSubmatch(base, -1); m != nil {
			f.Format = strings.Replace(strings.ToLower(m[len(m)-1][1]), "fp", "f", 1)
			continue
		}
		switch {
		case f.Bits == 0:
			f.Format = "unknown"
		case f.Bits >= 15.5:
			f.Format = "unquantised"
		default:
			f.Format = "quantised"
		}
	}
	return files
}

// rank orders formats by what they are worth as a source, best first. F16
// comes before F32: it is half the download, and an image can seldom hold more.
func rank(f RemoteFile) int {
	switch f.Format {
	case "f16", "bf16":
		return 0
	case "f32", "unquantised":
		return 1
	case "unknown", "quantised":
		return 8
	}
	digit := strings.IndexAny(f.Format, "0123456789")
	if digit < 0 {
		return 9
	}
	return 2 + 8 - min(int(f.Format[digit]-'0'), 8)
}

// Best is the file to take: a whole model in one file, unquantised if there is
// one, else with the most bits; nil if there is none.
func Best(files []RemoteFile) *RemoteFile {
	var list []RemoteFile
	for _, f := range files {
		if f.Bytes > 0 && !partInName.MatchString(f.Path) && !notModels.MatchString(path.Base(f.Path)) {
			list = append(list, f)
		}
	}
	if len(list) == 0 {
		return nil
	}
	slices.SortStableFunc(list, func(a, b RemoteFile) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), -cmp.Compare(a.Bits, b.Bits), cmp.Compare(a.Path, b.Path))
	})
	return &list[0]
}

// Bits of a weight in the formats that a fit is told for.
var estimateFormats = []struct {
	name string
	bits float64
}{{"f16", 16}, {"q8_0", 8.5}, {"q4_0", 4.5}}

const coarsest = 4.5

// Estimate is about what an image of a model needs, in bytes, when only the
// number of its parameters is known: the weights, a twenty-fifth of a byte per
// parameter for the KV cache, a tenth for the vocabulary's tables up to
// 800 KB, and 192 KB that every model needs. Models of the list that need up
// to 64 MB come out within a fifth of what their layout needs. Beyond, a
// layout may leave a gap in front of the last 8 MB, which nothing here foresees.
func Estimate(params uint64, bits float64) uint64 {
	n := float64(params)
	tables := min(n/10, 800<<10)
	return uint64(n*bits/8 + n*0.04 + tables + 192<<10)
}

// estimates is the finest format that may fit each memory size.
func estimates(params uint64) []BoardFit {
	var out []BoardFit
	for _, m := range convert.MemSizes {
		b := BoardFit{MemMB: m.MB, Boards: m.Boards}
		for _, f := range estimateFormats {
			b.Needed = Estimate(params, f.bits)
			if b.Needed <= uint64(m.MB)<<20 {
				b.Format = f.name
				break
			}
		}
		out = append(out, b)
	}
	return out
}
