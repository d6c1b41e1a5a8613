package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"ssnail-kit/disk/bootdisk"
	"ssnail-kit/emu/drive"
	"ssnail-kit/emu/machine"
	"ssnail-kit/host/builtin"
	"ssnail-kit/host/gguf"
)

func demoCommand() *cli.Command {
	return &cli.Command{
		Name:      "demo",
		Usage:     "chat with the kit's own model on an emulated MEGA65",
		ArgsUsage: "[MODEL]",
		UsageText: `ssnail-kit demo [options] [MODEL.gguf|MODEL.ssnail]

Converts the model that the kit brings along (or yours), makes a boot disk in
memory, and boots it in the emulated MEGA65. On a terminal you chat with it,
Ctrl-] leaves. Without one three prompts are typed, the screens are printed,
and demo.png is written into the current folder.

Examples:
   ssnail-kit demo
   ssnail-kit demo --encoder
   ssnail-kit demo my-model.gguf`,
		Flags: append(modelFlags(),
			&cli.BoolFlag{Name: "encoder", Usage: "the sentence encoder instead of the story model"}),
		Action: demoAction,
	}
}

// demoPicture is where the picture of the last screen goes.
const demoPicture = "demo.png"

// demoPrompts are typed when nobody is there to type.
var (
	storyPrompts   = []string{"Once upon a time", "Lily and Tom were friends.", "One day, Max was walking in the forest."}
	encoderPrompts = []string{"Tom found a little dog by the river.", "Lily made a cake for her mom.", "By the river, Tom met a little dog."}
)

func demoAction(c *cli.Context) error {
	if c.NArg() > 1 {
		return usagef("demo takes one model, got %d", c.NArg())
	}
	if c.NArg() == 1 && c.IsSet("encoder") {
		return usagef("--encoder takes the kit's own encoder, and %s is named", c.Args().First())
	}
	m, err := demoModel(c)
	if err != nil {
		return err
	}
	defer m.Close()
	if err := notAnInput("", demoPicture, m.Inputs()...); err != nil {
		return err
	}
	prog, core, err := programs(true)
	if err != nil {
		return err
	}
	disk, err := bootdisk.Build(bootdisk.Options{Program: prog, Softcore: core, Models: []bootdisk.Model{
		{Source: m.Path, Image: bytes.NewReader(m.Bytes), Size: int64(len(m.Bytes))},
	}})
	if err != nil {
		return err
	}
	if len(disk.Left()) > 0 {
		return withHint(fmt.Errorf("%s: too big for a disk", m.Path), "ssnail-kit disk writes such a model for the SD card")
	}
	opt := machine.Options{Disk: disk.Image.Bytes()}
	warn := &heldWriter{}
	if !quiet(c) {
		warn.w, opt.Warn = c.App.ErrWriter, warn
	}
	em, err := machine.New(opt)
	if err != nil {
		return err
	}
	if err := em.Boot(); err != nil {
		return err
	}
	out := fileOf(c.App.Writer)
	in, inFile := c.App.Reader.(*os.File)
	if out != nil && inFile && term.IsTerminal(int(out.Fd())) && term.IsTerminal(int(in.Fd())) {
		fmt.Fprintln(c.App.ErrWriter, "This is an emulated MEGA65. Type the start of a story and press RETURN;\nRETURN alone goes on, Ctrl-C stops the model, Ctrl-] leaves the emulator.")
		if !m.Image.Header.Encoder() {
			run := drive.Run{M: em, Steps: []drive.Step{{Wait: "> "}, {Keys: []byte(wholeStory)}}}
			if _, err := run.Do(c.Context); err != nil {
				return err
			}
		}
		time.Sleep(2 * time.Second) // to be read before the screen is cleared
		return interactive(c, em, nil, nil, in, out, warn)
	}
	return demoUnattended(c, em, m)
}

// demoModel loads the model that was named, or one of the kit's own as Q8_0.
func demoModel(c *cli.Context) (*loadedModel, error) {
	if c.NArg() == 1 {
		return loadModel(c, c.Args().First())
	}
	name, b := "ssnail-story.gguf", builtin.Story()
	if c.Bool("encoder") {
		name, b = "ssnail-encoder.gguf", builtin.Encoder()
	}
	f, err := gguf.NewFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, err
	}
	for flag, value := range map[string]string{"wtype": "q8_0", "type": "Story"} {
		if flag == "type" && c.Bool("encoder") {
			value = "Encoder"
		}
		if !c.IsSet(flag) {
			if err := c.Set(flag, value); err != nil {
				return nil, err
			}
		}
	}
	return convertInMemory(c, name, f)
}

// wholeStory makes a turn as long as the longest story of the kit's own model.
const wholeStory = "/n 240\r"

func demoUnattended(c *cli.Context, em *machine.Machine, m *loadedModel) error {
	prompts := storyPrompts
	if m.Image.Header.Encoder() {
		prompts = encoderPrompts
	}
	started := time.Now()
	for i, p := range prompts {
		text := wholeStory + p + "\r"
		if i > 0 && !m.Image.Header.Encoder() {
			text = "/reset\r" + text
		}
		run := drive.Run{M: em, Steps: []drive.Step{{Wait: "> "}, {Keys: []byte(text)}}}
		end, err := run.Do(c.Context)
		if err != nil {
			return err
		}
		if why := end.Explain(&run); why != "" {
			return fmt.Errorf("prompt %q: %s", p, why)
		}
		fmt.Fprintf(c.App.Writer, "%s\n%s", strings.Repeat("-", 80), em.Screen())
	}
	fmt.Fprintln(c.App.Writer, strings.Repeat("-", 80))
	if err := writeFile(demoPicture, c.App.Writer, em.Screen().PNG); err != nil {
		return err
	}
	if !quiet(c) {
		fmt.Fprintln(c.App.ErrWriter, "the last screen as a picture: demo.png")
		printStats(c.App.ErrWriter, em.Stats(), time.Since(started))
	}
	return nil
}
