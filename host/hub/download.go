package hub

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Download is one file on its way. Until it is whole it lies beside its final
// place as NAME.part, with what identifies it in NAME.part.tag, so that a
// later attempt goes on where this one stopped.
type Download struct {
	Client   *Client
	Place    Place
	Dest     string
	Progress func(done, total int64) // may be nil; total is -1 if the server does not say
	Tries    int                     // attempts without any byte of progress; 0: 3
	Wait     time.Duration           // between them, doubled each time; 0: one second
}

// Done says what a download brought.
type Done struct {
	Bytes   int64
	Resumed int64  // of them were there before
	SHA256  string // of the file
	Sized   bool   // the server stated the size, and it agrees
	Checked bool   // the server stated the SHA-256, and it agrees
	Already bool   // the file was there, whole, before
}

// ContinueError is a download that broke off and can be continued.
type ContinueError struct {
	Err  error
	Part string // the incomplete file
	Have int64
	Want int64 // -1: not known
}

func (e *ContinueError) Error() string {
	if e.Want < 0 {
		return fmt.Sprintf("the download stopped after %d bytes: %v", e.Have, e.Err)
	}
	return fmt.Sprintf("the download stopped after %d of %d bytes: %v", e.Have, e.Want, e.Err)
}
func (e *ContinueError) Unwrap() error { return e.Err }

// Hint is what the user can do about it.
func (e *ContinueError) Hint() string {
	if errors.Is(e.Err, syscall.ENOSPC) {
		return "make room on that disk and give the same command again: it goes on where this one stopped (" + e.Part + ")"
	}
	return "give the same command again: it goes on where this one stopped (" + e.Part + ")"
}

// transfer is what the answers of the server have said.
type transfer struct {
	tag   string // ETag, for If-Range
	total int64
	sha   string // of the content, "" if not stated
}

// errPermanent marks what another attempt cannot mend.
type errPermanent struct{ error }

func (e errPermanent) Unwrap() error { return e.error }

// Run downloads the file. An existing file is never replaced.
func (d *Download) Run(ctx context.Context) (*Done, error) {
	part := d.Dest + ".part"
	out := &Done{Resumed: size(part)}
	t := &transfer{total: -1}
	tries, wait := d.Tries, d.Wait
	if tries == 0 {
		tries = 3
	}
	if wait == 0 {
		wait = time.Second
	}
	if st, err := os.Stat(d.Dest); err == nil {
		return d.existing(ctx, st)
	}
	defer func() { // an empty file is no beginning
		if size(part) == 0 {
			os.Remove(part)
			os.Remove(part + ".tag")
		}
	}()
	for left := tries; ; {
		before := size(part)
		err := d.attempt(ctx, part, t, out)
		if err == nil {
			break
		}
		var permanent errPermanent
		var status *StatusError
		switch {
		case errors.As(err, &permanent):
			return nil, permanent.error
		case errors.As(err, &status) && status.Status < 500:
			return nil, err
		}
		if size(part) > before {
			left = tries
		} else {
			left--
		}
		if left <= 0 || ctx.Err() != nil {
			if have := size(part); have > 0 {
				return nil, &ContinueError{err, part, have, t.total}
			}
			return nil, err
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
			wait *= 2
		}
	}
	return out, d.finish(part, t, out)
}

// existing compares a file that is there already with what the server has.
func (d *Download) existing(ctx context.Context, st os.FileInfo) (*Done, error) {
	if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is there already and is no file", d.Dest)
	}
	res, err := d.open(ctx, http.Header{"Range": {"bytes=0-0"}})
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	t := &transfer{total: -1}
	t.read(res)
	if t.total != st.Size() {
		return nil, &ExistsError{d.Dest, st.Size(), t.total}
	}
	sum, err := fileSum(d.Dest)
	if err != nil {
		return nil, err
	}
	if t.sha != "" && t.sha != sum {
		return nil, &ExistsError{d.Dest, st.Size(), t.total}
	}
	return &Done{Bytes: st.Size(), SHA256: sum, Sized: true, Checked: t.sha != "", Already: true}, nil
}

// ExistsError says that another file has the name.
type ExistsError struct {
	Path       string
	Have, Want int64
}

func (e *ExistsError) Error() string {
	if e.Have == e.Want {
		return fmt.Sprintf("%s is there already, with other contents than the server's", e.Path)
	}
	return fmt.Sprintf("%s is there already, with %d bytes; the server's has %d", e.Path, e.Have, e.Want)
}

// Hint is what the user can do about it.
func (e *ExistsError) Hint() string { return "remove it, or give another name with -o" }

// open asks for the file, from where it is said to be through whatever
// redirections. What these said about the file is in the answer's header.
func (d *Download) open(ctx context.Context, header http.Header) (*http.Response, error) {
	h := *d.Client.HTTP
	linked := http.Header{}
	h.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		if len(via) >= 10 {
			return errors.New("ten redirections, and no file yet")
		}
		if via[0].URL.Scheme == "https" && req.URL.Scheme != "https" {
			return fmt.Errorf("it redirects to an unprotected address (%s)", req.URL.Host)
		}
		for _, k := range []string{"X-Linked-Etag", "X-Linked-Size"} {
			if v := req.Response.Header.Get(k); v != "" {
				linked.Set(k, v)
			}
		}
		return nil
	}
	c := *d.Client
	c.HTTP = &h
	if header == nil {
		header = http.Header{}
	}
	header.Set("Accept-Encoding", "identity") // so that lengths are those of the file
	res, err := c.get(ctx, d.Place.URL, d.Place.File, header)
	if err != nil {
		return nil, err
	}
	for k, v := range linked {
		res.Header[k] = v
	}
	return res, nil
}

var sha256Hex = regexp.MustCompile(`^[0-9a-f]{64}$`)

// read takes size, tag and checksum from an answer.
func (t *transfer) read(res *http.Response) {
	t.tag = res.Header.Get("Etag")
	if n, err := strconv.ParseInt(res.Header.Get("X-Linked-Size"), 10, 64); err == nil {
		t.total = n
	}
	if s := strings.Trim(strings.TrimPrefix(res.Header.Get("X-Linked-Etag"), "W/"), `"`); sha256Hex.MatchString(s) {
		t.sha = s
	}
	switch {
	case res.StatusCode == http.StatusPartialContent:
		if _, total, ok := contentRange(res); ok && total >= 0 {
			t.total = total
		}
	case res.ContentLength >= 0:
		t.total = res.ContentLength
	}
}

// contentRange reads "bytes FIRST-LAST/TOTAL"; total is -1 for "*".
func contentRange(res *http.Response) (first, total int64, ok bool) {
	s, found := strings.CutPrefix(res.Header.Get("Content-Range"), "bytes ")
	span, all, found2 := strings.Cut(s, "/")
	from, _, found3 := strings.Cut(span, "-")
	first, err := strconv.ParseInt(from, 10, 64)
	if !found || !found2 || !found3 || err != nil {
		return 0, 0, false
	}
	if total, err = strconv.ParseInt(all, 10, 64); err != nil {
		total = -1
	}
	return first, total, true
}

// attempt brings what is missing, or a part of it.
func (d *Download) attempt(ctx context.Context, part string, t *transfer, out *Done) error {
	f, err := os.OpenFile(part, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return errPermanent{fmt.Errorf("cannot write: %w", err)}
	}
	defer f.Close()
	have, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return errPermanent{err}
	}
	header := http.Header{}
	if tag, err := os.ReadFile(part + ".tag"); have > 0 && err == nil && strings.HasPrefix(string(tag), `"`) {
		header.Set("Range", fmt.Sprintf("bytes=%d-", have))
		header.Set("If-Range", string(tag))
	} else if have > 0 {
		have = 0 // nothing says that these bytes are of the same file
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	res, err := d.open(ctx, header)
	var status *StatusError
	if errors.As(err, &status) && status.Status == http.StatusRequestedRangeNotSatisfiable && have > 0 {
		// Whole already, or longer than the server's: ask for all of it.
		have = 0
		res, err = d.open(ctx, nil)
	}
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode == http.StatusPartialContent {
		first, _, ok := contentRange(res)
		if !ok || first != have {
			return errPermanent{fmt.Errorf("%s was asked for bytes from %d on and sends %q", res.Request.URL.Host, have, res.Header.Get("Content-Range"))}
		}
	} else {
		have = 0
	}
	t.read(res)
	if have < out.Resumed {
		out.Resumed = have
	}
	if err := f.Truncate(have); err != nil {
		return errPermanent{err}
	}
	if _, err := f.Seek(have, io.SeekStart); err != nil {
		return errPermanent{err}
	}
	if err := keepTag(part+".tag", t.tag); err != nil {
		return errPermanent{err}
	}
	return d.copy(ctx, cancel, f, res, have, t)
}

// keepTag writes the tag, unless it stands there: on a full disk writing it anew
// would lose it, and with it what has arrived.
func keepTag(name, tag string) error {
	if old, err := os.ReadFile(name); err == nil && string(old) == tag {
		return nil
	}
	return os.WriteFile(name, []byte(tag), 0o644)
}

var errStalled = errors.New("nothing came any more")

// copy writes the body to f until it ends, is interrupted, or stalls.
func (d *Download) copy(ctx context.Context, cancel context.CancelCauseFunc, f *os.File, res *http.Response, have int64, t *transfer) error {
	stall := time.AfterFunc(d.Client.Stall, func() { cancel(errStalled) })
	defer stall.Stop()
	buf := make([]byte, 256<<10)
	for {
		n, err := res.Body.Read(buf)
		stall.Reset(d.Client.Stall)
		if n > 0 {
			if have == 0 && !d.looksRight(buf[:n]) {
				return errPermanent{fmt.Errorf("%s sends no GGUF: it begins with %q", res.Request.URL.Host, buf[:min(n, 16)])}
			}
			written, werr := f.Write(buf[:n])
			have += int64(written)
			if werr != nil {
				return errPermanent{&ContinueError{werr, f.Name(), have, t.total}}
			}
			if d.Progress != nil {
				d.Progress(have, t.total)
			}
		}
		switch {
		case err == io.EOF && t.total >= 0 && have != t.total:
			if have > t.total {
				_ = f.Truncate(0)
				return errPermanent{fmt.Errorf("%s sends more than the %d bytes that it announced", res.Request.URL.Host, t.total)}
			}
			return io.ErrUnexpectedEOF
		case err == io.EOF:
			return nil
		case err != nil:
			if cause := context.Cause(ctx); errors.Is(cause, errStalled) {
				return fmt.Errorf("%w for %v", errStalled, d.Client.Stall)
			}
			return networkError(ctx, res.Request.URL.Host, err)
		}
	}
}

// looksRight reports whether a file that is called a GGUF begins as one: a
// server's page with an excuse does not.
func (d *Download) looksRight(b []byte) bool {
	return len(b) < 4 || !strings.HasSuffix(strings.ToLower(d.Place.File), ".gguf") || string(b[:4]) == "GGUF"
}

// finish checks the whole file and gives it its name.
func (d *Download) finish(part string, t *transfer, out *Done) error {
	sum, err := fileSum(part)
	if err != nil {
		return err
	}
	out.Bytes, out.SHA256, out.Sized, out.Checked = size(part), sum, t.total >= 0, t.sha != ""
	if t.sha != "" && t.sha != sum {
		os.Remove(part)
		os.Remove(part + ".tag")
		return fmt.Errorf("%s arrived damaged: its SHA-256 is %s, the server states %s; it was removed", d.Place.File, sum, t.sha)
	}
	if err := os.Rename(part, d.Dest); err != nil {
		return err
	}
	os.Remove(part + ".tag")
	return nil
}

func fileSum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// size is the length of a file, 0 if there is none.
func size(path string) int64 {
	st, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return st.Size()
}
