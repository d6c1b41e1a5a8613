package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"ssnail-kit/disk/d81"
	"ssnail-kit/host/image"
)

func TestBootDisk(t *testing.T) {
	a, err := bootDisk()
	if err != nil {
		t.Fatal(err)
	}
	b, err := bootDisk()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a, b) {
		t.Error("two disks differ")
	}
	disk, err := d81.Open(a)
	if err != nil {
		t.Fatal(err)
	}
	if errs := disk.Validate(); len(errs) > 0 {
		t.Errorf("the disk is not in order: %v", errs)
	}
	files, err := disk.Files()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range files {
		names = append(names, e.Name)
		if !strings.HasSuffix(e.Name, ".SSNL") {
			continue
		}
		content, err := disk.ReadFile(e)
		if err != nil {
			t.Fatal(err)
		}
		im, err := image.Open(bytes.NewReader(content), int64(len(content)))
		if err != nil {
			t.Fatal(err)
		}
		if im.Header.MemNeeded > 8<<20 {
			t.Errorf("the model needs %d bytes: too much for an R3", im.Header.MemNeeded)
		}
	}
	if got := strings.Join(names, " "); got != "AUTOBOOT.C65 SOFTCORE README SSNAIL-STOR.SSNL" {
		t.Errorf("on the disk: %s", got)
	}
}

func TestReadme(t *testing.T) {
	for i, l := range strings.Split(readme, "\n") {
		if len(l) > 80 {
			t.Errorf("line %d has %d characters", i+1, len(l))
		}
	}
	for _, target := range allTargets {
		if _, _, ok := strings.Cut(target, "/"); !ok {
			t.Errorf("target %q", target)
		}
	}
}

func TestFailedBuildLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	d := &dist{out: dir, version: "v", targets: []string{"amiga/m68k"}, goTool: "go", say: t.Logf}
	if err := d.make(context.Background()); err == nil || !strings.Contains(err.Error(), "amiga/m68k") {
		t.Errorf("got %v", err)
	}
	if list, _ := os.ReadDir(dir); len(list) != 0 {
		t.Errorf("left behind: %v", list)
	}
}

// Two distributions, the second from a copy of the build cache that is empty,
// have the same bytes. It compiles everything twice: set SSNAIL_DIST=1.
func TestReproducible(t *testing.T) {
	if os.Getenv("SSNAIL_DIST") == "" {
		t.Skip("SSNAIL_DIST is not set: two builds from empty caches are not compared")
	}
	target := runtime.GOOS + "/" + runtime.GOARCH
	var sums [2][]byte
	for i := range sums {
		dir := t.TempDir()
		t.Setenv("GOCACHE", t.TempDir())
		d := &dist{out: dir, version: "v", targets: []string{target}, goTool: "go", say: t.Logf}
		if err := d.make(context.Background()); err != nil {
			t.Fatal(err)
		}
		var err error
		if sums[i], err = os.ReadFile(filepath.Join(dir, sumsName)); err != nil {
			t.Fatal(err)
		}
		if sum, err := exec.LookPath("sha256sum"); err == nil {
			cmd := exec.Command(sum, "-c", "--quiet", sumsName)
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("sha256sum: %v\n%s", err, out)
			}
		}
	}
	if !bytes.Equal(sums[0], sums[1]) {
		t.Errorf("first:\n%ssecond:\n%s", sums[0], sums[1])
	}
}
