package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"

	"ssnail-kit/disk/bootdisk"
	"ssnail-kit/firmware"
	"ssnail-kit/host/builtin"
	"ssnail-kit/host/convert"
	"ssnail-kit/host/gguf"
)

var allTargets = []string{
	"darwin/amd64", "darwin/arm64", "linux/amd64", "linux/arm64", "windows/amd64", "windows/arm64",
}

const (
	diskName   = "ssnail.d81"
	readmeName = "READ-ME.txt"
	sumsName   = "SHA256SUMS"
)

// dist is one distribution.
type dist struct {
	out     string
	version string
	targets []string
	goTool  string
	say     func(format string, args ...any)
}

// make builds everything beside the folder and then moves it there.
func (d *dist) make(ctx context.Context) error {
	if err := os.MkdirAll(d.out, 0o755); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(d.out, ".dist-*.part")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	var names []string
	put := func(name string, b []byte) error {
		names = append(names, name)
		return os.WriteFile(filepath.Join(tmp, name), b, 0o644)
	}
	disk, err := bootDisk()
	if err != nil {
		return err
	}
	if err := put(diskName, disk); err != nil {
		return err
	}
	if err := put(readmeName, []byte(strings.ReplaceAll(readme, "\n", "\r\n"))); err != nil {
		return err
	}
	for _, target := range d.targets {
		name, err := d.build(ctx, tmp, target)
		if err != nil {
			return err
		}
		names = append(names, name)
	}
	sums, err := checksums(tmp, names)
	if err != nil {
		return err
	}
	if err := put(sumsName, sums); err != nil {
		return err
	}
	for _, name := range names {
		if err := os.Rename(filepath.Join(tmp, name), filepath.Join(d.out, name)); err != nil {
			return err
		}
	}
	d.say("%s: %d files", d.out, len(names))
	return nil
}

// bootDisk is the disk with the program and the story model as Q8_0.
func bootDisk() ([]byte, error) {
	b := builtin.Story()
	f, err := gguf.NewFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, fmt.Errorf("the kit's own model: %w", err)
	}
	p, err := convert.New(f, convert.Options{WType: "q8_0", Type: "Story"})
	if err != nil {
		return nil, fmt.Errorf("the kit's own model: %w", err)
	}
	var im bytes.Buffer
	if _, err := p.WriteTo(&im); err != nil {
		return nil, fmt.Errorf("the kit's own model: %w", err)
	}
	prog, err := firmware.Build(firmware.Options{})
	if err != nil {
		return nil, fmt.Errorf("the program for the MEGA65: %w", err)
	}
	core, err := firmware.Build(firmware.Options{Root: firmware.SoftCore})
	if err != nil {
		return nil, fmt.Errorf("the software core for the MEGA65: %w", err)
	}
	disk, err := bootdisk.Build(bootdisk.Options{Program: prog.PRG, Softcore: core.PRG, Models: []bootdisk.Model{
		{Source: "ssnail-story.gguf", Image: bytes.NewReader(im.Bytes()), Size: int64(im.Len())},
	}})
	if err != nil {
		return nil, err
	}
	if left := disk.Left(); len(left) > 0 {
		return nil, fmt.Errorf("%s needs %d blocks and does not fit on the disk", left[0].Source, left[0].Blocks)
	}
	return disk.Image.Bytes(), nil
}

// build compiles the command for one system and returns the file's name.
// Nothing of this machine gets in: no paths, no build id, no cgo, no state of
// the checkout but the version.
func (d *dist) build(ctx context.Context, dir, target string) (string, error) {
	goos, arch, ok := strings.Cut(target, "/")
	if !ok {
		return "", fmt.Errorf("%q is no target, want os/arch", target)
	}
	name := "ssnail-kit-" + goos + "-" + arch
	if goos == "windows" {
		name += ".exe"
	}
	d.say("building %s", name)
	cmd := exec.CommandContext(ctx, d.goTool, "build", "-trimpath", "-buildvcs=false",
		"-ldflags", "-s -w -buildid= -X main.version="+d.version,
		"-o", filepath.Join(dir, name), "ssnail-kit/tools/ssnail-kit")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+arch, "GOFLAGS=", "GOEXPERIMENT=", "GOAMD64=v1", "GOARM64=v8.0")
	var b bytes.Buffer
	cmd.Stdout, cmd.Stderr = &b, &b
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", target, err, b.String())
	}
	return name, nil
}

// checksums is in the format of sha256sum, in the order of the names.
func checksums(dir string, names []string) ([]byte, error) {
	names = append([]string(nil), names...)
	sort.Strings(names)
	var out bytes.Buffer
	for _, name := range names {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&out, "%x  %s\n", sha256.Sum256(b), name)
	}
	return out.Bytes(), nil
}
