package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"ssnail-kit/host/hub"
)

func fetchCommand() *cli.Command {
	return &cli.Command{
		Name:      "fetch",
		Usage:     "download a model",
		ArgsUsage: "URL|OWNER/NAME/FILE",
		UsageText: `ssnail-kit fetch [-o FILE] URL|OWNER/NAME/FILE

Downloads a file, from any address or from a repository on Hugging Face. What
was interrupted goes on where it stopped when the command is given again; until
it is whole the file has another name (.part). Its size is checked, and its
SHA-256 where the server states one. A file that exists is never replaced.

Examples:
   ssnail-kit fetch ggml-org/tiny-llamas/stories260K.gguf
   ssnail-kit fetch https://example.org/model.gguf -o mine.gguf
   ssnail-kit fetch OWNER/NAME             lists the repository's files`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "o", Aliases: []string{"output"}, Usage: "save as `FILE` (default: the file's own name)"},
		},
		Action: fetchAction,
	}
}

func fetchAction(c *cli.Context) error {
	if c.NArg() != 1 {
		return usagef("fetch wants one URL or OWNER/NAME/FILE, got %d", c.NArg()).hinted("ssnail-kit models lists some")
	}
	h, err := newHub()
	if err != nil {
		return err
	}
	p, err := h.Locate(c.Args().First())
	if err != nil {
		return usagef("%v", err).hinted("ssnail-kit models lists some")
	}
	if p.File == "" {
		return listRepository(c, h, p.Repo)
	}
	dest := c.String("o")
	if dest == "" {
		dest = p.Name()
	}
	if st, err := os.Stat(dest); err == nil && st.IsDir() {
		dest = filepath.Join(dest, p.Name())
	}
	bar := &bar{c: c, what: p.Name()}
	d := &hub.Download{Client: h, Place: p, Dest: dest}
	if !quiet(c) && isTerminal(c.App.ErrWriter) {
		d.Progress = bar.update
	}
	done, err := d.Run(c.Context)
	bar.finish()
	if err != nil {
		return err
	}
	if quiet(c) {
		return nil
	}
	how := "of a size that the server does not state"
	switch {
	case done.Checked:
		how = "size and SHA-256 checked"
	case done.Sized:
		how = "size checked"
	}
	switch {
	case done.Already:
		fmt.Fprintf(c.App.Writer, "%s: was there already, %d bytes, %s\n", dest, done.Bytes, how)
	case done.Resumed > 0:
		fmt.Fprintf(c.App.Writer, "%s: %d bytes, the first %d of them from an earlier attempt, %s\n", dest, done.Bytes, done.Resumed, how)
	default:
		fmt.Fprintf(c.App.Writer, "%s: %d bytes, %s\n", dest, done.Bytes, how)
	}
	return nil
}

// listRepository prints what a repository has, since a file must be chosen.
func listRepository(c *cli.Context, h *hub.Client, repo string) error {
	files, err := h.Files(c.Context, repo)
	if err != nil {
		return err
	}
	files = hub.Describe(files)
	best := hub.Best(files)
	if best == nil {
		return fmt.Errorf("%s has no GGUF file that is a whole model", repo)
	}
	for _, f := range files {
		fmt.Fprintf(c.App.Writer, "%s/%s  %s, %s\n", repo, f.Path, f.Format, megabytes(uint64(f.Bytes)))
	}
	return usageError{fmt.Errorf("%s is a repository; name one of its files", repo), fmt.Sprintf("ssnail-kit fetch %s/%s", repo, best.Path)}
}
