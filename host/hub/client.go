package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// DefaultEndpoint is where models are looked for unless told otherwise.
const DefaultEndpoint = "https://huggingface.co"

// Client talks to a server with Hugging Face's API.
type Client struct {
	Base  string        // endpoint without a final slash
	HTTP  *http.Client  // requests; follows redirects itself
	Stall time.Duration // a transfer that brings nothing for so long is given up
	Limit time.Duration // an answer of the API that is not complete by then is given up; 0: two minutes
}

// New makes a client for an endpoint; "" is DefaultEndpoint.
func New(endpoint string) (*Client, error) {
	if endpoint == "" {
		endpoint = DefaultEndpoint
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("the endpoint %q is no address of a server: it must begin with https:// or http://", endpoint)
	}
	tr := http.DefaultTransport.(*http.Transport).Clone()
	tr.ResponseHeaderTimeout = 30 * time.Second
	return &Client{
		Base:  strings.TrimRight(endpoint, "/"),
		HTTP:  &http.Client{Transport: tr},
		Stall: 60 * time.Second,
	}, nil
}

// maxAnswer bounds an answer of the API. A page of models with the chat
// templates that the server adds is about a megabyte.
const maxAnswer = 32 << 20

// NetworkError says that a server could not be reached or broke off.
type NetworkError struct {
	Host string
	Err  error
}

func (e *NetworkError) Error() string { return fmt.Sprintf("no answer from %s: %v", e.Host, e.Err) }
func (e *NetworkError) Unwrap() error { return e.Err }

// Hint is what the user can do about it.
func (e *NetworkError) Hint() string {
	return "check the network; HF_ENDPOINT=https://... takes another server, and ssnail-kit models without --search needs none"
}

// StatusError is an answer with a status that is no success.
type StatusError struct {
	URL    string
	Status int
	What   string        // what was asked for
	After  time.Duration // how long the server asks to wait, 0: it does not say
}

func (e *StatusError) Error() string {
	s := fmt.Sprintf("%s: the server answers %d (%s)", e.What, e.Status, http.StatusText(e.Status))
	switch e.Status {
	case http.StatusUnauthorized, http.StatusForbidden:
		s += ": the model is private, or its licence must be accepted on its page first"
	case http.StatusNotFound:
		s += ": there is no such repository or file"
	case http.StatusTooManyRequests:
		s += ": too many requests"
	}
	return s
}

// Hint is what the user can do about it.
func (e *StatusError) Hint() string {
	switch e.Status {
	case http.StatusNotFound:
		return "check the spelling, capitals included; ssnail-kit models --search WORDS lists repositories with their files"
	case http.StatusTooManyRequests:
		if e.After > 0 && e.After < 24*time.Hour {
			return fmt.Sprintf("wait %v and try again", e.After)
		}
		return "wait five minutes and try again"
	case http.StatusUnauthorized, http.StatusForbidden:
		return "download it with a browser where you are logged in, and convert that file"
	}
	return "try again later"
}

// get sends a request and returns an answer with status 200 or 206; other
// answers are errors. The caller closes the body.
func (c *Client) get(ctx context.Context, address, what string, header http.Header) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %q is no address: %w", what, address, err)
	}
	for k, v := range header {
		req.Header[k] = v
	}
	req.Header.Set("User-Agent", "ssnail-kit")
	res, err := c.HTTP.Do(req)
	if err != nil {
		return nil, networkError(ctx, req.URL.Host, err)
	}
	if res.StatusCode != http.StatusOK && res.StatusCode != http.StatusPartialContent {
		res.Body.Close()
		wait, _ := strconv.ParseUint(res.Header.Get("Retry-After"), 10, 31) // 0 if it is a date or nothing
		return nil, &StatusError{address, res.StatusCode, what, time.Duration(wait) * time.Second}
	}
	return res, nil
}

// networkError strips the method and address that net/http puts in front.
func networkError(ctx context.Context, host string, err error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return errors.New("interrupted")
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &NetworkError{host, errors.New("its answer is not complete after the time that an answer may take")}
	}
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	var dns *net.DNSError
	if errors.As(err, &dns) {
		err = fmt.Errorf("its name is not known here (%s)", dns.Err)
	}
	return &NetworkError{host, err}
}

// json gets and decodes an answer of the API, and returns the address of the
// next page, "" if there is none.
func (c *Client) json(ctx context.Context, address, what string, v any) (next string, err error) {
	limit := c.Limit
	if limit == 0 {
		limit = 2 * time.Minute
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	res, err := c.get(ctx, address, what, nil)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err != nil {
		return "", networkError(ctx, res.Request.URL.Host, err)
	}
	if len(b) > maxAnswer {
		return "", fmt.Errorf("%s: the answer is longer than %d MB", what, maxAnswer>>20)
	}
	if err := json.Unmarshal(b, v); err != nil {
		return "", fmt.Errorf("%s: the answer of %s is not what the API sends: %w", what, res.Request.URL.Host, err)
	}
	return nextPage(res), nil
}

// nextPage reads the Link header: <address>; rel="next". A page on another
// server is not followed.
func nextPage(res *http.Response) string {
	for _, part := range strings.Split(res.Header.Get("Link"), ",") {
		address, rel, ok := strings.Cut(part, ";")
		address = strings.TrimSpace(address)
		if !ok || !strings.Contains(rel, `rel="next"`) || len(address) < 2 || address[0] != '<' || address[len(address)-1] != '>' {
			continue
		}
		u, err := res.Request.URL.Parse(address[1 : len(address)-1])
		if err == nil && u.Host == res.Request.URL.Host && u.Scheme == res.Request.URL.Scheme {
			return u.String()
		}
	}
	return ""
}
