// Package sdimage makes the image of a MEGA65's SD card: one FAT32 partition
// with files that are each in one piece, as HDOS wants disk images to be. It is
// for emulators that take a whole card; a real card is filled by copying files.
//
// sdimage.go lays the card out, directory.go writes directory entries. The
// layout follows Microsoft's FAT specification; there are no dates in it, so
// that the same files give the same image.
package sdimage

import (
	"encoding/binary"
	"fmt"
	"io"
	"path"
	"sort"
	"strings"
)

const (
	sector      = 512
	partition   = 2048 // first sector of the partition: 1 MB
	reserved    = 32   // sectors before the first FAT
	fats        = 2
	minSectors  = 64 << 20 / sector
	maxSectors  = 2 << 30 / sector
	minClusters = 65525 // fewer would be FAT16
	endOfChain  = 0x0FFFFFFF
	volumeLabel = "MEGA65     "
)

// File is a file on the card. Name may have one folder in front
// (SSNAIL/MODEL.SSNAIL); folders are made as needed.
type File struct {
	Name string
	Data []byte
}

// node is a file or folder with its place.
type node struct {
	name    string
	data    []byte
	dir     bool
	files   []*node
	cluster uint32
	count   uint32 // clusters
}

// card is a layout.
type card struct {
	total, perCluster  uint32 // sectors
	fatSectors, dataAt uint32
	clusters, next     uint32
	root               *node
}

// Write writes the image of a card that holds files. It has at least 64 MB.
func Write(w io.WriterAt, files []File) error {
	root := &node{dir: true}
	for _, f := range files {
		if err := root.add(f); err != nil {
			return err
		}
	}
	c, err := layout(root)
	if err != nil {
		return err
	}
	return c.write(w)
}

func (n *node) add(f File) error {
	dir, base := path.Split(f.Name)
	dir = strings.Trim(dir, "/")
	if base == "" || len(base) > 64 || strings.ContainsAny(base, "\\:*?\"<>|\x00") || strings.Contains(dir, "/") {
		return fmt.Errorf("%q is no name for the card: want NAME or FOLDER/NAME, at most 64 characters", f.Name)
	}
	for _, r := range f.Name {
		if r < ' ' || r > '~' {
			return fmt.Errorf("%q: HDOS finds ASCII names only", f.Name)
		}
	}
	to := n
	if dir != "" {
		to = nil
		for _, k := range n.files {
			if k.dir && strings.EqualFold(k.name, dir) {
				to = k
			}
		}
		if to == nil {
			to = &node{name: dir, dir: true}
			n.files = append(n.files, to)
		}
	}
	for _, k := range to.files {
		if strings.EqualFold(k.name, base) {
			return fmt.Errorf("%q is on the card twice", f.Name)
		}
	}
	to.files = append(to.files, &node{name: base, data: f.Data})
	return nil
}

// layout gives every file its clusters, one after the other.
func layout(root *node) (*card, error) {
	for perCluster := uint32(1); perCluster <= 64; perCluster *= 2 {
		c := &card{perCluster: perCluster, root: root, next: 2}
		c.place(root)
		need := (c.next - 2) * perCluster
		c.total = max(minSectors, partition+reserved+need+need/16+8192, partition+reserved+(minClusters+2048)*perCluster+need/64)
		if c.total > maxSectors {
			continue
		}
		inside := c.total - partition
		c.fatSectors = ((inside-reserved)/perCluster + 2 + sector/4 - 1) / (sector / 4)
		c.dataAt = partition + reserved + fats*c.fatSectors
		c.clusters = (c.total - c.dataAt) / perCluster
		if c.clusters+2 < c.next {
			continue
		}
		return c, nil
	}
	return nil, fmt.Errorf("the files are too much for a card of %d MB", maxSectors*sector>>20)
}

func (c *card) place(n *node) {
	size := uint32(len(n.data))
	if n.dir {
		entries := 3 // label or dots, and an end
		for _, k := range n.files {
			entries += 1 + longEntries(k.name)
		}
		size = uint32(entries * entrySize)
	}
	n.cluster = c.next
	bytes := c.perCluster * sector
	n.count = (size + bytes - 1) / bytes
	if n.count == 0 {
		n.cluster = 0 // an empty file has no cluster
	}
	c.next += n.count
	sort.SliceStable(n.files, func(i, j int) bool { return strings.ToUpper(n.files[i].name) < strings.ToUpper(n.files[j].name) })
	for _, k := range n.files {
		c.place(k)
	}
}

func (c *card) write(w io.WriterAt) error {
	put := func(at uint32, b []byte) error {
		_, err := w.WriteAt(b, int64(at)*sector)
		return err
	}
	boot := c.bootSector()
	for _, p := range []struct {
		at uint32
		b  []byte
	}{
		{0, c.mbr()}, {1, config()}, {partition, boot}, {partition + 1, c.info()},
		{partition + 6, boot}, {partition + 7, c.info()},
	} {
		if err := put(p.at, p.b); err != nil {
			return err
		}
	}
	fat := make([]byte, c.fatSectors*sector)
	binary.LittleEndian.PutUint32(fat[0:], 0x0FFFFFF8)
	binary.LittleEndian.PutUint32(fat[4:], endOfChain)
	c.chain(fat, c.root)
	for i := range uint32(fats) {
		if err := put(partition+reserved+i*c.fatSectors, fat); err != nil {
			return err
		}
	}
	if err := c.writeNode(put, c.root, nil); err != nil {
		return err
	}
	return put(c.total-1, make([]byte, sector)) // the card has its whole length
}

func (c *card) chain(fat []byte, n *node) {
	for i := range n.count {
		next := n.cluster + i + 1
		if i == n.count-1 {
			next = endOfChain
		}
		binary.LittleEndian.PutUint32(fat[4*(n.cluster+i):], next)
	}
	for _, k := range n.files {
		c.chain(fat, k)
	}
}

func (c *card) writeNode(put func(uint32, []byte) error, n, parent *node) error {
	b := n.data
	if n.dir {
		b = directory(n, parent)
	}
	if n.count > 0 {
		b = append(append([]byte(nil), b...), make([]byte, int(n.count*c.perCluster*sector)-len(b))...)
		if err := put(c.dataAt+(n.cluster-2)*c.perCluster, b); err != nil {
			return err
		}
	}
	for _, k := range n.files {
		if err := c.writeNode(put, k, n); err != nil {
			return err
		}
	}
	return nil
}

// mbr is the card's first sector: one partition of type FAT32 with LBA.
func (c *card) mbr() []byte {
	b := make([]byte, sector)
	e := b[446:]
	e[4] = 0x0C
	binary.LittleEndian.PutUint32(e[8:], partition)
	binary.LittleEndian.PutUint32(e[12:], c.total-partition)
	b[510], b[511] = 0x55, 0xAA
	return b
}

// config is the MEGA65's configuration sector, marked as set up.
func config() []byte {
	b := make([]byte, sector)
	b[0], b[1] = 1, 1
	b[0x0E] = 0x80
	return b
}

func (c *card) bootSector() []byte {
	b := make([]byte, sector)
	le := binary.LittleEndian
	copy(b, "\xEB\x58\x90MSWIN4.1")
	le.PutUint16(b[11:], sector)
	b[13] = byte(c.perCluster)
	le.PutUint16(b[14:], reserved)
	b[16] = fats
	b[21] = 0xF8 // fixed disk
	le.PutUint16(b[24:], 63)
	le.PutUint16(b[26:], 255)
	le.PutUint32(b[28:], partition)
	le.PutUint32(b[32:], c.total-partition)
	le.PutUint32(b[36:], c.fatSectors)
	le.PutUint32(b[44:], 2) // root directory's cluster
	le.PutUint16(b[48:], 1) // FSInfo
	le.PutUint16(b[50:], 6) // backup
	b[64], b[66] = 0x80, 0x29
	le.PutUint32(b[67:], 0x4D363553) // serial number: always the same
	copy(b[71:], volumeLabel)
	copy(b[82:], "FAT32   ")
	b[510], b[511] = 0x55, 0xAA
	return b
}

func (c *card) info() []byte {
	b := make([]byte, sector)
	le := binary.LittleEndian
	copy(b, "RRaA")
	copy(b[484:], "rrAa")
	le.PutUint32(b[488:], c.clusters-(c.next-2))
	le.PutUint32(b[492:], c.next)
	b[510], b[511] = 0x55, 0xAA
	return b
}
