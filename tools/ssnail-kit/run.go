package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"ssnail-kit/host/gguf"
	"ssnail-kit/host/session"
)

func runCommand() *cli.Command {
	return &cli.Command{
		Name:  "run",
		Usage: "let a model go on from a prompt, here on the PC",
		UsageText: `ssnail-kit run [options] MODEL.gguf|IMAGE.ssnail

The model runs in the emulated SSNAIL core, driven as the MEGA65 drives it. A
GGUF is converted in memory first. The text goes to standard output, folded to
the MEGA65's characters; statistics go to standard error. With an encoder each
line of the prompt is embedded and the most similar earlier lines are shown.

Examples:
   ssnail-kit run stories.gguf --prompt "Once upon a time" -n 60
   ssnail-kit run stories.ssnail --prompt "Once upon a time" --greedy --numerics hw
   ssnail-kit run stories.gguf --prompt "The dog" --seed 7 --json --quiet`,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "prompt", Aliases: []string{"p"}, Usage: "`TEXT` to go on from"},
		}, chatFlags()...),
		Action: runAction,
	}
}

func runAction(c *cli.Context) error {
	path, err := oneModel(c, "model (.gguf or .ssnail)")
	if err != nil {
		return err
	}
	set, err := chatSettings(c)
	if err != nil {
		return err
	}
	set.Echo = true
	m, err := loadModel(c, path)
	if err != nil {
		return err
	}
	defer m.Close()
	s, err := openSession(c, m)
	if err != nil {
		return err
	}
	describe(c, s)
	chat, err := session.NewChat(s, set, c.App.Writer, c.App.ErrWriter)
	if err != nil {
		return err
	}
	texts := []string{c.String("prompt")}
	if s.Encoder() {
		texts = strings.Split(c.String("prompt"), "\n")
	}
	for _, text := range texts {
		err := chat.Turn(c.Context, text)
		var full *session.FullError
		if errors.As(err, &full) {
			return withHint(fmt.Errorf("%s: %w", path, err), "shorten the prompt, or convert with a longer --ctx")
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	if c.Context.Err() != nil {
		return errSilent // stopped by the user, which was said
	}
	return nil
}

// describe shows which model it is.
func describe(c *cli.Context, s *session.Session) {
	if !quiet(c) {
		fmt.Fprintf(c.App.ErrWriter, "%s\n", gguf.Plain(s.Image().Description))
	}
}
