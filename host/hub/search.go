package hub

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Query says what to look for.
type Query struct {
	Words   string
	MemMB   int  // only models that may fit so much memory; 0: 8
	Limit   int  // most models to return; 0: 20
	AllArch bool // also architectures that cannot be converted
}

// Found is a repository with GGUF files, and what is known of them.
type Found struct {
	Repo       string       `json:"repo"`
	Arch       string       `json:"architecture"`
	Supported  bool         `json:"supported"` // the architecture can be converted
	Params     uint64       `json:"parameters"`
	Context    int          `json:"context_length,omitempty"`
	Downloads  int          `json:"downloads"`
	Gated      bool         `json:"gated,omitempty"` // needs a login
	Best       *RemoteFile  `json:"best,omitempty"`
	Files      []RemoteFile `json:"files"`
	Fits       []BoardFit   `json:"fits"`
	Exact      bool         `json:"exact"` // Fits were computed from the file's header, not estimated
	ExactError string       `json:"exact_error,omitempty"`
}

// Result is what a search brought.
type Result struct {
	Models   []Found `json:"models"`
	Looked   int     `json:"looked_at"`   // repositories that matched the words
	TooBig   int     `json:"too_big"`     // left out: more memory than asked for
	WrongArc int     `json:"other_archs"` // left out: their architecture cannot be converted
	NoModel  int     `json:"no_model"`    // left out: no parameters stated, or no single GGUF file to be seen
	More     bool    `json:"more"`        // the server has more that was not looked at
}

// apiModel is an element of the answer to /api/models.
type apiModel struct {
	ID        string `json:"id"`
	Downloads int    `json:"downloads"`
	Gated     any    `json:"gated"` // false, "auto" or "manual"
	GGUF      *struct {
		Total   uint64 `json:"total"`
		Arch    string `json:"architecture"`
		Context int    `json:"context_length"`
	} `json:"gguf"`
}

// apiFile is an element of the answer to /api/models/REPO/tree/main.
type apiFile struct {
	Type string `json:"type"`
	Path string `json:"path"`
	Size int64  `json:"size"`
	LFS  *struct {
		OID  string `json:"oid"`
		Size int64  `json:"size"`
	} `json:"lfs"`
}

// supported are the architectures that can be converted.
var supported = map[string]bool{"llama": true, "qwen2": true, "gpt2": true, "bert": true}

const (
	pageSize = 100
	maxPages = 5
)

// Search asks for repositories with GGUF files, most downloaded first. If it
// breaks off after some were found it returns these with the error.
func (c *Client) Search(ctx context.Context, q Query) (*Result, error) {
	if q.MemMB == 0 {
		q.MemMB = 8
	}
	if q.Limit == 0 {
		q.Limit = 20
	}
	v := url.Values{
		"search": {q.Words}, "filter": {"gguf"}, "sort": {"downloads"}, "direction": {"-1"}, "limit": {fmt.Sprint(pageSize)},
		"expand[]": {"gguf", "downloads", "gated"},
	}
	address := c.Base + "/api/models?" + v.Encode()
	r := &Result{}
	for page := 0; address != "" && page < maxPages; page++ {
		var list []apiModel
		next, err := c.json(ctx, address, "the search", &list)
		if err != nil {
			return r.some(err)
		}
		for i, m := range list {
			if len(r.Models) == q.Limit {
				r.More = r.More || i < len(list)
				return r, nil
			}
			if err := c.consider(ctx, r, q, m); err != nil {
				return r.some(err)
			}
		}
		address = next
	}
	r.More = address != ""
	return r, nil
}

// some is the result of a search that err has ended.
func (r *Result) some(err error) (*Result, error) {
	if len(r.Models) == 0 {
		return nil, err
	}
	r.More = true
	return r, err
}

// consider adds a repository to the result, or counts why not.
func (c *Client) consider(ctx context.Context, r *Result, q Query, m apiModel) error {
	r.Looked++
	if m.GGUF == nil || m.GGUF.Total == 0 || !repoName(m.ID) || !printable(m.GGUF.Arch) {
		r.NoModel++
		return nil
	}
	f := Found{
		Repo: m.ID, Arch: m.GGUF.Arch, Supported: supported[m.GGUF.Arch], Params: m.GGUF.Total, Context: m.GGUF.Context,
		Downloads: m.Downloads, Gated: m.Gated != nil && m.Gated != false,
	}
	if !f.Supported && !q.AllArch {
		r.WrongArc++
		return nil
	}
	if Estimate(f.Params, coarsest) > uint64(q.MemMB)<<20 {
		r.TooBig++
		return nil
	}
	files, err := c.Files(ctx, m.ID)
	var status *StatusError
	if errors.As(err, &status) && status.Status != http.StatusTooManyRequests && status.Status < 500 {
		r.NoModel++ // gone meanwhile, or hidden: no reason to end the search
		return nil
	}
	if err != nil {
		return err
	}
	f.Files = describe(files, f.Params)
	if f.Best = Best(f.Files); f.Best == nil {
		r.NoModel++
		return nil
	}
	f.Fits = estimates(f.Params)
	r.Models = append(r.Models, f)
	return nil
}

// repoName reports whether a name is one of a repository: it becomes part of
// addresses.
func repoName(s string) bool {
	owner, name, ok := strings.Cut(s, "/")
	return ok && owner != "" && name != "" && path.Clean("/"+s) == "/"+s && !strings.ContainsAny(s, "?#%\\ ") && printable(s)
}

// printable reports whether a name from a server can be shown and typed.
func printable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError })
}

// Files lists a repository's GGUF files.
func (c *Client) Files(ctx context.Context, repo string) ([]RemoteFile, error) {
	if !repoName(repo) {
		return nil, fmt.Errorf("%q is no repository, want OWNER/NAME", repo)
	}
	address := c.Base + "/api/models/" + escape(repo) + "/tree/main?recursive=true"
	var out []RemoteFile
	for page := 0; address != "" && page < maxPages; page++ {
		var list []apiFile
		next, err := c.json(ctx, address, repo, &list)
		if err != nil {
			return nil, err
		}
		for _, f := range list {
			if f.Type != "file" || !strings.EqualFold(path.Ext(f.Path), ".gguf") || !printable(f.Path) {
				continue
			}
			file := RemoteFile{Path: f.Path, Bytes: f.Size}
			if f.LFS != nil {
				file.Bytes, file.SHA256 = f.LFS.Size, f.LFS.OID
			}
			if file.Bytes < 0 {
				continue
			}
			out = append(out, file)
		}
		address = next
	}
	return out, nil
}
