package hub

import (
	"fmt"
	"net/url"
	"path"
	"strings"
)

// Place is where a file can be had.
type Place struct {
	URL  string
	Repo string // owner/name on the endpoint, "" for any other address
	File string // path within the repository, or the address's last part; "" names the whole repository
}

// Name is the file name to save under.
func (p Place) Name() string { return path.Base("/" + p.File) }

// Locate understands a URL, OWNER/NAME/FILE and OWNER/NAME. Addresses of a
// file's page (/blob/) become those of the file.
func (c *Client) Locate(s string) (Place, error) {
	if strings.Contains(s, "://") {
		return c.locateURL(s)
	}
	parts := strings.Split(strings.Trim(s, "/"), "/")
	if len(parts) < 2 {
		return Place{}, fmt.Errorf("%q is neither a URL nor OWNER/NAME/FILE", s)
	}
	for _, p := range parts {
		if p == "" || p == "." || p == ".." || strings.ContainsAny(p, "\\:?#%\x00") {
			return Place{}, fmt.Errorf("%q: %q cannot be part of a repository's name or file", s, p)
		}
	}
	repo := parts[0] + "/" + parts[1]
	return c.inRepo(repo, strings.Join(parts[2:], "/"), "main"), nil
}

func (c *Client) inRepo(repo, file, revision string) Place {
	p := Place{Repo: repo, File: file}
	if file != "" {
		p.URL = c.Base + "/" + escape(repo) + "/resolve/" + url.PathEscape(revision) + "/" + escape(file)
	}
	return p
}

func escape(p string) string { return (&url.URL{Path: p}).EscapedPath() }

func (c *Client) locateURL(s string) (Place, error) {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return Place{}, fmt.Errorf("%q is no address of a file: it must begin with https:// or http://", s)
	}
	if n := path.Base("/" + u.Path); n == ".." || n == "." || strings.ContainsAny(n, "\\:\x00") {
		return Place{}, fmt.Errorf("%q names no file", s)
	}
	base, _ := url.Parse(c.Base)
	def, _ := url.Parse(DefaultEndpoint)
	if u.Host == base.Host || u.Host == def.Host {
		parts := strings.Split(strings.Trim(u.Path, "/"), "/")
		switch {
		case len(parts) == 2:
			return c.inRepo(parts[0]+"/"+parts[1], "", ""), nil
		case len(parts) >= 5 && (parts[2] == "blob" || parts[2] == "resolve" || parts[2] == "raw"):
			return c.inRepo(parts[0]+"/"+parts[1], strings.Join(parts[4:], "/"), parts[3]), nil
		}
	}
	p := Place{URL: s, File: strings.Trim(path.Base("/"+u.Path), "/")}
	if p.File == "" || p.File == "." || p.File == ".." {
		return Place{}, fmt.Errorf("%s names no file", s)
	}
	return p, nil
}
