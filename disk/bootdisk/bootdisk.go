// Package bootdisk puts the kit's own D81 together: the program that the
// MEGA65 starts, a README for its TYPE command, and the models' images, in the
// order and under the names that the program looks for.
package bootdisk

import (
	"errors"
	"fmt"
	"io"

	"ssnail-kit/disk/d81"
	"ssnail-kit/host/image"
)

// Model is an image that shall go on the disk.
type Model struct {
	Source string // the file that it was made from, for its name
	Image  io.ReaderAt
	Size   int64 // bytes
}

// Options say what goes on a disk. Models that do not fit are left out and
// reported; the program and the README always fit.
type Options struct {
	Name     string // of the disk, at most 16 characters; "": SSNAIL
	Program  []byte // AUTOBOOT.C65 with its load address
	Softcore []byte // nil: left out
	Models   []Model
}

// File is what became of one file.
type File struct {
	Name   string // on the disk
	Source string // the model's file, "" for the kit's own
	Bytes  int64
	Blocks int
	Left   bool // did not fit: not on the disk
}

// Disk is a finished disk.
type Disk struct {
	Image *d81.Image
	Files []File
}

// Left lists the models that did not fit.
func (d *Disk) Left() []File {
	var out []File
	for _, f := range d.Files {
		if f.Left {
			out = append(out, f)
		}
	}
	return out
}

// Build makes the disk. A model that is no whole image is an error; one that
// does not fit is left out.
func Build(o Options) (*Disk, error) {
	if o.Name == "" {
		o.Name = "SSNAIL"
	}
	img, err := d81.New(o.Name, "SN")
	if err != nil {
		return nil, err
	}
	d := &Disk{Image: img}
	if len(o.Program) < 3 || o.Program[0] != 0x01 || o.Program[1] != 0x20 {
		return nil, errors.New("the program does not load at $2001")
	}
	if err := d.add(d81.NameProgram, d81.PRG, o.Program); err != nil {
		return nil, err
	}
	if o.Softcore != nil {
		if err := d.add(d81.NameSoftcore, d81.PRG, o.Softcore); err != nil {
			return nil, err
		}
	}
	var titles []string
	images := make([][]byte, len(o.Models))
	for i, m := range o.Models {
		h, err := image.Open(m.Image, m.Size)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Source, err)
		}
		titles = append(titles, h.Header.Description)
		if m.Size > d81.MaxFile {
			continue
		}
		images[i] = make([]byte, m.Size)
		if _, err := m.Image.ReadAt(images[i], 0); err != nil && err != io.EOF {
			return nil, fmt.Errorf("%s: %w", m.Source, err)
		}
	}
	if err := d.add(d81.NameReadme, d81.SEQ, readme(titles, o.Softcore != nil)); err != nil {
		return nil, err
	}
	taken := map[string]bool{}
	for i, m := range o.Models {
		name := d81.ImageName(m.Source, func(n string) bool { return taken[n] })
		taken[name] = true
		f := File{Name: name, Source: m.Source, Bytes: m.Size, Blocks: d81.BlocksFor(int(m.Size))}
		err := error(&d81.FullError{})
		if images[i] != nil {
			err = img.Add(name, d81.SEQ, images[i])
		}
		var full *d81.FullError
		if errors.As(err, &full) {
			f.Left = true
		} else if err != nil {
			return nil, err
		}
		d.Files = append(d.Files, f)
	}
	return d, nil
}

func (d *Disk) add(name string, t d81.FileType, b []byte) error {
	if err := d.Image.Add(name, t, b); err != nil {
		return err
	}
	d.Files = append(d.Files, File{Name: name, Bytes: int64(len(b)), Blocks: d81.BlocksFor(len(b))})
	return nil
}
