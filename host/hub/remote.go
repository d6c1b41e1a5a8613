package hub

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"ssnail-kit/host/convert"
	"ssnail-kit/host/gguf"
)

// remote reads a file on a server in pieces, without downloading all of it.
type remote struct {
	d    *Download
	ctx  context.Context
	size int64
	at   int64 // of the piece
	data []byte
	left int64 // bytes that may still be fetched
}

const (
	pieceBytes = 1 << 20
	maxHeader  = 32 << 20 // more than the directory of any model that fits
)

// Header reads the directory of a GGUF on a server: metadata and tensors'
// descriptions. The tensors' data cannot be read through it.
func (c *Client) Header(ctx context.Context, p Place, size int64) (*gguf.File, error) {
	r := &remote{d: &Download{Client: c, Place: p}, ctx: ctx, size: size, left: maxHeader}
	f, err := gguf.NewFile(r, size)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.File, err)
	}
	return f, nil
}

func (r *remote) ReadAt(p []byte, off int64) (int, error) {
	n := 0
	for n < len(p) {
		at := off + int64(n)
		if at < 0 || at >= r.size {
			return n, io.EOF
		}
		if at < r.at || at >= r.at+int64(len(r.data)) {
			if err := r.fetch(at); err != nil {
				return n, err
			}
		}
		n += copy(p[n:], r.data[at-r.at:])
	}
	return n, nil
}

func (r *remote) fetch(at int64) error {
	want := min(pieceBytes, r.size-at)
	if r.left -= want; r.left < 0 {
		return fmt.Errorf("its directory is longer than %d MB", maxHeader>>20)
	}
	res, err := r.d.open(r.ctx, http.Header{"Range": {fmt.Sprintf("bytes=%d-%d", at, at+want-1)}})
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if first, _, ok := contentRange(res); res.StatusCode != http.StatusPartialContent || !ok || first != at {
		return fmt.Errorf("%s does not send parts of files", res.Request.URL.Host)
	}
	b := make([]byte, want)
	if _, err := io.ReadFull(res.Body, b); err != nil {
		return networkError(r.ctx, res.Request.URL.Host, err)
	}
	r.at, r.data = at, b
	return nil
}

// Exact replaces the estimated fits of a model by those that its best file's
// header gives. What goes wrong is noted in the model: a search does not fail
// for it.
func (c *Client) Exact(ctx context.Context, m *Found) {
	f, err := c.Header(ctx, c.inRepo(m.Repo, m.Best.Path, "main"), m.Best.Bytes)
	if err == nil {
		var fits []convert.Fit
		if fits, err = convert.Fits(f, convert.Options{}); err == nil {
			kept := f.Tensor("token_embd.weight").Type
			m.Fits, m.Exact = boardFits(fits, kept), true
			return
		}
	}
	m.ExactError = err.Error()
}
