// Command train trains the kit's own models. It is for the kit's developers;
// users have the results in host/builtin.
//
//	go run ./tools/train -recipe story -o DIR
//
// DIR gets NAME.gguf, NAME.csv and NAME.png (the loss) and NAME.checkpoint, from which
// a stopped run goes on. The same recipe gives the same model on any number of
// threads.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"time"

	"ssnail-kit/host/train"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintf(os.Stderr, "train: %v\n", err)
		os.Exit(1)
	}
}

func run() error {
	name := flag.String("recipe", "story", "story, gpt2 or encoder")
	dir := flag.String("o", ".", "folder for the results")
	steps := flag.Int("steps", 0, "optimiser steps (default: the recipe's)")
	threads := flag.Int("threads", runtime.NumCPU(), "PC threads")
	flag.Parse()
	r, ok := train.Recipes[*name]
	if !ok {
		return fmt.Errorf("-recipe %q: want story, gpt2 or encoder", *name)
	}
	if *steps > 0 {
		r.Steps = *steps
	}
	if err := os.MkdirAll(*dir, 0o755); err != nil {
		return err
	}
	base := filepath.Join(*dir, r.Name)
	t, err := train.NewTrainer(r, *threads)
	if err != nil {
		return err
	}
	curve, err := resume(t, base)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	fmt.Fprintf(os.Stderr, "%s: %d parameters, %d steps from %d\n", r.Name, t.Model.Count(), r.Steps, t.Done())
	started, first, sum := time.Now(), t.Done(), 0.0
	err = t.Run(ctx, func(p train.Progress) error {
		curve = append(curve, p)
		sum += p.Loss
		if (p.Step+1)%100 == 0 {
			left := time.Since(started) / time.Duration(t.Done()-first) * time.Duration(r.Steps-t.Done())
			fmt.Fprintf(os.Stderr, "step %5d  loss %.4f  norm %.3f  rate %.1e  %v left\n", p.Step+1, sum/100, p.Norm, p.Rate, left.Round(time.Second))
			sum = 0
		}
		if (p.Step+1)%500 == 0 {
			return save(t, base, curve)
		}
		return nil
	})
	if e := save(t, base, curve); e != nil || err != nil {
		return errors.Join(err, e)
	}
	if err := write(base+".gguf", t.WriteGGUF); err != nil {
		return err
	}
	if r.Shape.Arch == "bert" {
		top, err := t.Top1(200)
		if err != nil {
			return err
		}
		fmt.Printf("%s.gguf: top-1 among 200 held-out sentences: %.1f %%\n", base, 100*top)
		return nil
	}
	p, err := t.Perplexity(300)
	if err != nil {
		return err
	}
	fmt.Printf("%s.gguf: perplexity of 300 held-out stories: %.4f a token\n", base, p)
	return nil
}

// resume takes up the run that a checkpoint in the folder is of.
func resume(t *train.Trainer, base string) ([]train.Progress, error) {
	f, err := os.Open(base + ".checkpoint")
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := t.Load(f); err != nil {
		return nil, fmt.Errorf("%s.checkpoint: %w", base, err)
	}
	b, err := os.ReadFile(base + ".csv")
	if err != nil {
		return nil, err
	}
	curve := train.ReadCSV(bytes.NewReader(b))
	return curve[:min(len(curve), t.Done())], nil
}

func save(t *train.Trainer, base string, curve []train.Progress) error {
	if err := write(base+".csv", func(w io.Writer) error { return train.WriteCSV(w, curve) }); err != nil {
		return err
	}
	err := write(base+".png", func(w io.Writer) error { return train.WritePNG(w, t.Name+": loss, nats", curve) })
	if err != nil {
		return err
	}
	return write(base+".checkpoint", t.Save)
}

// write writes beside and renames.
func write(name string, f func(w io.Writer) error) error {
	var b bytes.Buffer
	if err := f(&b); err != nil {
		return err
	}
	if err := os.WriteFile(name+".part", b.Bytes(), 0o644); err != nil {
		return err
	}
	return os.Rename(name+".part", name)
}
