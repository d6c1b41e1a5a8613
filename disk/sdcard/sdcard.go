// Package sdcard lays out a folder whose contents are copied to the MEGA65's
// SD card: the program on a disk image, the models' images beside it, settings,
// and a text that says what to do.
//
//	SSNAIL.D81             the program, to be mounted and booted
//	READ-ME.TXT            what to do
//	SSNAIL/CONFIG.TXT      settings, read by the program when it starts
//	SSNAIL/NAME.SSNAIL     one image per model
//
// Hypervisors look files up by whole names and take no paths, and some older
// ones fall back to short names: so the part before the dot has at most eight
// capitals and digits, and is different for each model.
package sdcard

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"ssnail-kit/disk/bootdisk"
	"ssnail-kit/host/image"
)

// Names on the card.
const (
	DiskName   = "SSNAIL.D81"
	ReadmeName = "READ-ME.TXT"
	Folder     = "SSNAIL"
	ConfigName = "CONFIG.TXT"
	ImageExt   = ".SSNAIL"
)

// MaxModels is how many models the program lists: MODELS_MAX in its source.
const MaxModels = 30

const diskBytes = 819200

// File is an image on the card.
type File struct {
	Name        string // in the folder SSNAIL
	Source      string // the model's file
	Bytes       int64
	MemNeeded   uint32
	Description string
	Encoder     bool
}

// Card is a layout in the making. Until Finish, everything lies in a folder of
// its own within the target, which Abort removes.
type Card struct {
	Files []File

	dir     string
	staging string
	created bool // the target was made here
	kept    []string
	taken   map[string]bool
}

// ForeignError says that the target holds something that is not the kit's.
type ForeignError struct{ Dir, Name string }

func (e *ForeignError) Error() string {
	return fmt.Sprintf("%s holds %s, which is not of ssnail-kit's making", e.Dir, e.Name)
}

// Hint is what the user can do about it.
func (e *ForeignError) Hint() string {
	return "name a folder that is new or empty, and copy its contents to the card afterwards"
}

// Begin starts a layout in a folder, which is made if it does not exist. It
// may hold what an earlier layout left, and nothing else.
func Begin(dir string) (*Card, error) {
	c := &Card{dir: dir, taken: map[string]bool{}}
	list, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		if err := os.Mkdir(dir, 0o755); err != nil {
			return nil, err
		}
		c.created = true
	case err != nil:
		return nil, err
	}
	var leftover []string
	for _, e := range list {
		if ok, _ := filepath.Match(stagingPattern, e.Name()); ok && e.IsDir() {
			leftover = append(leftover, filepath.Join(dir, e.Name()))
		} else if err := c.ours(e); err != nil {
			return nil, err
		}
	}
	for _, path := range leftover { // of a layout that was killed
		if err := os.RemoveAll(path); err != nil {
			return nil, err
		}
	}
	if c.staging, err = os.MkdirTemp(dir, stagingPattern); err == nil {
		err = os.Mkdir(filepath.Join(c.staging, Folder), 0o755)
	}
	if err != nil {
		c.Abort()
		return nil, err
	}
	return c, nil
}

// stagingPattern names the folder in which a layout grows.
const stagingPattern = ".ssnail-*.part"

// ofDesktop tells the files that desktops leave in every folder they show.
func ofDesktop(name string) bool {
	return name == ".DS_Store" || strings.HasPrefix(name, "._") || name == "Thumbs.db" || name == "desktop.ini"
}

// ours checks an entry of the target.
func (c *Card) ours(e os.DirEntry) error {
	name := e.Name()
	if ofDesktop(name) {
		return nil
	}
	path := filepath.Join(c.dir, name)
	foreign := &ForeignError{c.dir, name}
	switch {
	case name == DiskName && e.Type().IsRegular():
		if st, err := e.Info(); err != nil || st.Size() != diskBytes || !diskIsOurs(path) {
			return foreign
		}
		return nil
	case name == ReadmeName && beginsWith(path, readmeTitle):
		return nil
	case name != Folder || !e.IsDir():
		return foreign
	}
	list, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	for _, e := range list {
		name, path := e.Name(), filepath.Join(path, e.Name())
		switch {
		case ofDesktop(name):
		case name == ConfigName && beginsWith(path, configTitle):
		case strings.HasSuffix(name, ImageExt) && beginsWith(path, image.Magic):
			c.kept = append(c.kept, name)
		default:
			return &ForeignError{c.dir, Folder + "/" + name}
		}
	}
	return nil
}

// diskIsOurs looks for the program's name in a disk's directory.
func diskIsOurs(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	b := make([]byte, 512) // the first sectors of files' names: track 40, sector 3
	_, err = f.ReadAt(b, (39*40+3)*256)
	return err == nil && bytes.Contains(b, []byte("AUTOBOOT.C65"))
}

func beginsWith(path, text string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	b := make([]byte, len(text))
	_, err = io.ReadFull(f, b)
	return err == nil && string(b) == text
}

// Add copies a model's image to the layout and returns its name there.
func (c *Card) Add(source string, r io.ReaderAt, size int64) (string, error) {
	if len(c.Files) == MaxModels {
		return "", fmt.Errorf("%s: the program lists %d models at most", source, MaxModels)
	}
	im, err := image.Open(r, size)
	if err != nil {
		return "", fmt.Errorf("%s: %w", source, err)
	}
	name := c.name(source)
	f, err := os.OpenFile(filepath.Join(c.staging, Folder, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return "", err
	}
	_, err = io.Copy(f, io.NewSectionReader(r, 0, size))
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return "", fmt.Errorf("writing %s: %w", name, err)
	}
	c.Files = append(c.Files, File{
		Name: name, Source: source, Bytes: size, MemNeeded: im.Header.MemNeeded,
		Description: im.Header.Description, Encoder: im.Header.Flags&image.FlagEncoder != 0,
	})
	return name, nil
}

// name makes the name of an image: capitals and digits of the source's name,
// eight at most; one that is taken gets a number at its end.
func (c *Card) name(source string) string {
	base := filepath.Base(source)
	if ext := filepath.Ext(base); ext != base {
		base = strings.TrimSuffix(base, ext)
	}
	var b strings.Builder
	for _, r := range strings.ToUpper(base) {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			b.WriteRune(r)
		}
	}
	stem := b.String()
	if stem == "" {
		stem = "MODEL"
	}
	for n := 1; ; n++ {
		tail := ""
		if n > 1 {
			tail = fmt.Sprint(n)
		}
		s := stem[:min(len(stem), 8-len(tail))] + tail
		if !c.taken[s] {
			c.taken[s] = true
			return s + ImageExt
		}
	}
}

// Finish adds the program, the software core (nil: none), settings and text, and
// puts everything in its place.
func (c *Card) Finish(program, softcore []byte, s Settings) error {
	disk, err := bootdisk.Build(bootdisk.Options{Name: "SSNAIL", Program: program, Softcore: softcore})
	if err != nil {
		return err
	}
	config, err := s.encode(c.Files)
	if err != nil {
		return err
	}
	for _, f := range []struct {
		name string
		b    []byte
	}{
		{DiskName, disk.Image.Bytes()},
		{ReadmeName, readme(c.Files)},
		{filepath.Join(Folder, ConfigName), config},
	} {
		if err := os.WriteFile(filepath.Join(c.staging, f.name), f.b, 0o644); err != nil {
			return err
		}
	}
	if err := os.Mkdir(filepath.Join(c.dir, Folder), 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	for _, f := range c.Files {
		if err := c.place(filepath.Join(Folder, f.Name)); err != nil {
			return err
		}
	}
	for _, name := range []string{filepath.Join(Folder, ConfigName), ReadmeName, DiskName} {
		if err := c.place(name); err != nil {
			return err
		}
	}
	c.created = false
	return os.RemoveAll(c.staging)
}

func (c *Card) place(name string) error {
	return os.Rename(filepath.Join(c.staging, name), filepath.Join(c.dir, name))
}

// Kept lists images of earlier layouts that are still in the folder.
func (c *Card) Kept() []string {
	var out []string
	for _, name := range c.kept {
		if !c.taken[strings.TrimSuffix(name, ImageExt)] {
			out = append(out, name)
		}
	}
	return out
}

// Abort removes what is not finished; after Finish it does nothing.
func (c *Card) Abort() {
	if c.staging != "" {
		os.RemoveAll(c.staging)
	}
	if c.created {
		os.Remove(filepath.Join(c.dir, Folder)) // only if empty
		os.Remove(c.dir)
	}
}
