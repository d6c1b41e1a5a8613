package firmware

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"ssnail-kit/disk/d81"
	"ssnail-kit/emu/machine"
)

// files walks the directory on the machine and reads every SEQ file.
func (r *rig) files() (list [][]byte, err error) {
	fail := func(res result) error {
		code := fmt.Sprint("error ", res.A)
		if uint32(res.A) == r.at("ERR_CHAIN") {
			code = "ERR_CHAIN"
		}
		return fmt.Errorf("%s at track %d sector %d", code, r.byteAt(r.base("err_track")), r.byteAt(r.base("err_sector")))
	}
	if res := r.call("dir_start", 0, 0); res.C {
		return nil, fail(res)
	}
	for {
		res := r.call("dir_next", 0, 0)
		if res.C {
			return list, fail(res)
		}
		if res.Z {
			return list, nil
		}
		r.call("d81_open", 0, 0)
		data := []byte{}
		for {
			res := r.call("d81_next", 0, 0)
			if res.C {
				return list, fail(res)
			}
			b := r.m.Peek(r.base("blk_ptr"), 4)
			n := int(b[2]) | int(b[3])<<8
			if n == 0 {
				break
			}
			data = append(data, r.m.Peek(uint32(b[0])|uint32(b[1])<<8, n)...)
		}
		list = append(list, data)
	}
}

// The program's walk over directory and chains finds what the disk package has
// written: files of all lengths around sector borders, of other types between
// them, over several directory sectors.
func TestDiskWalk(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for round := range 2 {
		d, err := d81.New("TEST", "tt")
		if err != nil {
			t.Fatal(err)
		}
		var want [][]byte
		for i := range 4 + round*16 {
			data := make([]byte, []int{1, 253, 254, 255, 508, 509, 2 + rng.IntN(1500)}[rng.IntN(7)])
			for j := range data {
				data[j] = byte(rng.Uint32())
			}
			typ := d81.SEQ
			if rng.IntN(3) == 0 {
				typ = d81.PRG
			} else {
				want = append(want, data)
			}
			if err := d.Add(fmt.Sprintf("FILE%d", i), typ, data); err != nil {
				t.Fatal(err)
			}
		}
		r := newRig(t, machine.Options{Disk: d.Bytes()})
		got, err := r.files()
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(want) {
			t.Fatalf("round %d: %d SEQ files, want %d", round, len(got), len(want))
		}
		for i := range want {
			if !bytes.Equal(got[i], want[i]) {
				t.Fatalf("round %d: file %d differs: %d bytes, want %d", round, i, len(got[i]), len(want[i]))
			}
		}
	}
}

// Broken chains end in an error that names the place, never in a loop.
func TestDiskWalkBroken(t *testing.T) {
	const first = (39*40 + 3) * 256 // the first directory sector
	for _, c := range []struct {
		name  string
		patch func(b []byte)
		want  string
	}{
		{"directory loop", func(b []byte) { b[first], b[first+1] = 40, 3 }, "ERR_CHAIN at track 40 sector 3"},
		{"directory off the disk", func(b []byte) { b[first], b[first+1] = 81, 0 }, "ERR_CHAIN at track 81 sector 0"},
		{"file off the disk", func(b []byte) { b[first+3] = 99 }, "ERR_CHAIN at track 99 sector"},
		{"bad sector", func(b []byte) { b[first+4] = 40 }, "sector 40"},
		{"file loop", func(b []byte) {
			at := ((int(b[first+3])-1)*40 + int(b[first+4])) * 256
			b[at], b[at+1] = b[first+3], b[first+4]
		}, "ERR_CHAIN at"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := d81.New("TEST", "tt")
			if err != nil {
				t.Fatal(err)
			}
			if err := d.Add("A", d81.SEQ, make([]byte, 1000)); err != nil {
				t.Fatal(err)
			}
			b := d.Bytes()
			c.patch(b)
			r := newRig(t, machine.Options{Disk: b})
			_, err = r.files()
			if err == nil || !bytes.Contains([]byte(err.Error()), []byte(c.want)) {
				t.Fatalf("%v, want %q", err, c.want)
			}
		})
	}
}
