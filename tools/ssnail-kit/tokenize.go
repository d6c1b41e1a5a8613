package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"ssnail-kit/host/gguf"
	"ssnail-kit/host/image"
	"ssnail-kit/host/tokenizer"
)

func tokenizeCommand() *cli.Command {
	return &cli.Command{
		Name:      "tokenize",
		Usage:     "show the tokens of a text, by a GGUF's or an image's tokenizer",
		ArgsUsage: "FILE TEXT",
		UsageText: `ssnail-kit tokenize FILE TEXT [options]

FILE is a .gguf, which may hold a vocabulary only, or a .ssnail, whose tables
are read as the MEGA65 reads them (TEXT is folded to ASCII first). The ids go to
standard output, with commas between them.

Examples:
   ssnail-kit tokenize stories.gguf 'Once upon a time'
   ssnail-kit tokenize stories.ssnail 'Once upon a time' --pieces
   ssnail-kit tokenize embed.gguf 'hello world' --no-bos`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "pieces", Usage: "one token a line, with its text"},
			&cli.BoolFlag{Name: "no-bos", Usage: "leave out what the tokenizer adds by itself: BOS, [CLS], [SEP]"},
			&cli.BoolFlag{Name: "special", Usage: "text such as </s> means the special token (a .gguf only)"},
		},
		Action: tokenizeAction,
	}
}

func tokenizeAction(c *cli.Context) error {
	if c.NArg() != 2 {
		return usagef("tokenize takes a file and a text, got %d arguments", c.NArg()).hinted("put the text in quotes: ssnail-kit tokenize model.gguf 'Once upon a time'")
	}
	t, err := openTokenizer(c, c.Args().First())
	if err != nil {
		return err
	}
	ids, err := t.encode(c.Args().Get(1), !c.Bool("no-bos"))
	if err != nil {
		return fmt.Errorf("%s: %w", c.Args().First(), err)
	}
	if !c.Bool("pieces") {
		s := make([]string, len(ids))
		for i, id := range ids {
			s[i] = strconv.FormatUint(uint64(id), 10)
		}
		fmt.Fprintln(c.App.Writer, strings.Join(s, ","))
		return nil
	}
	for _, id := range ids {
		piece, err := t.piece(id)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Args().First(), err)
		}
		fmt.Fprintf(c.App.Writer, "%d\t%s\n", id, piece)
	}
	return nil
}

// anyTokenizer is a GGUF's or an image's.
type anyTokenizer struct {
	encode func(text string, special bool) ([]uint32, error)
	piece  func(id uint32) (string, error)
}

func openTokenizer(c *cli.Context, path string) (*anyTokenizer, error) {
	isImage, err := startsLikeImage(path)
	if err != nil {
		return nil, err
	}
	if isImage {
		if c.Bool("special") {
			return nil, usagef("--special: an image's tokenizer takes all text as plain text")
		}
		m, err := loadImage(path)
		if err != nil {
			return nil, err
		}
		return imageTokenizer(path, m.Image)
	}
	f, err := openGGUF(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // the vocabulary is in memory
	return ggufTokenizer(c, path, f)
}

func ggufTokenizer(c *cli.Context, path string, f *gguf.File) (*anyTokenizer, error) {
	v, err := tokenizer.FromGGUF(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	t, err := tokenizer.New(v)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if s := t.Warning(); s != "" && !quiet(c) {
		fmt.Fprintf(c.App.ErrWriter, "warning: %s: %s\n", path, s)
	}
	return &anyTokenizer{
		encode: func(text string, special bool) ([]uint32, error) {
			return t.Encode(text, tokenizer.Options{AddSpecial: special, ParseSpecial: c.Bool("special")}), nil
		},
		piece: func(id uint32) (string, error) {
			p := t.Piece(id)
			if len(p) == 0 && int(id) < len(v.Pieces) {
				return "special " + v.Pieces[id], nil
			}
			return strconv.Quote(string(p)), nil
		},
	}, nil
}

func imageTokenizer(path string, im *image.Image) (*anyTokenizer, error) {
	t, err := image.NewTokenizer(im, im.Header)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &anyTokenizer{
		encode: func(text string, special bool) ([]uint32, error) {
			ids, err := t.Encode(folded(text), false)
			if err != nil || special {
				return ids, err
			}
			if len(ids) > 0 && ids[0] == t.Begin() {
				ids = ids[1:]
			}
			if n := len(ids); n > 0 && ids[n-1] == t.End() {
				ids = ids[:n-1]
			}
			return ids, nil
		},
		piece: func(id uint32) (string, error) {
			p, err := t.Piece(id)
			if err == nil && len(p) == 0 {
				return "special", nil
			}
			return strconv.Quote(string(p)), err
		},
	}, nil
}

// folded is a text as the MEGA65 can hold it.
func folded(text string) []byte {
	var f image.Folder
	return f.Fold(nil, []byte(text))
}
