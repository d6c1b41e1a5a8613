package machine

import (
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"
	"unicode/utf16"
)

// sdEntry is a file or folder of the card as HDOS sees it.
type sdEntry struct {
	name    string // upper case, low bytes of its UTF-16 units
	host    string // path in the host folder; "" for .. and .
	isDir   bool
	size    int64
	cluster uint32
}

// maxSDFile is the largest file that HDOS loads: 65,535 sectors.
const maxSDFile = 65_535 * sectorSize

// hdosName is a host name as HDOS reads it from the card, "" if it is too long
// for it.
func hdosName(host string) string {
	units := utf16.Encode([]rune(host))
	if len(units) > 64 {
		return ""
	}
	b := make([]byte, len(units))
	for i, u := range units {
		b[i] = byte(u)
	}
	for i, c := range b {
		if 'a' <= c && c <= 'z' {
			b[i] = c - 0x20
		}
	}
	return string(b)
}

// sdList reads the current directory.
func (m *Machine) sdList() ([]sdEntry, byte) {
	if m.opt.SD == nil {
		m.warn("HDOS: there is no SD card")
		return nil, hdosNoDrive
	}
	h := &m.hdos
	list, err := fs.ReadDir(m.opt.SD, h.dir)
	if err != nil {
		m.warn("SD folder: %s", err.Error())
		return nil, hdosReadError
	}
	var out []sdEntry
	if h.dir != "." {
		out = append(out, sdEntry{name: ".", isDir: true}, sdEntry{name: "..", isDir: true})
	}
	for i, e := range list {
		info, err := fs.Stat(m.opt.SD, path.Join(h.dir, e.Name())) // follows links
		name := hdosName(e.Name())
		if err != nil || name == "" || !info.IsDir() && !info.Mode().IsRegular() {
			continue
		}
		out = append(out, sdEntry{
			name: name, host: path.Join(h.dir, e.Name()), isDir: info.IsDir(), size: info.Size(), cluster: uint32(i) + 3,
		})
	}
	// The trap reads directory sectors through the same buffer.
	for i := range m.sd.buffer {
		m.sd.buffer[i] = 0xE5
	}
	m.sd.control |= 0x80
	m.sectorRead()
	return out, 0
}

// find looks for the requested name among the entries; rest is what follows it.
func (h *hdos) find(list []sdEntry) (e *sdEntry, rest []sdEntry) {
	for i := range list {
		if list[i].name == h.name {
			return &list[i], list[i+1:]
		}
	}
	return nil, nil
}

func (m *Machine) sdFindfile() byte {
	list, code := m.sdList()
	if code != 0 {
		return code
	}
	if _, full := m.hdos.open(nil); full != 0 {
		return full
	}
	e, _ := m.hdos.find(list)
	m.hdos.found = e
	if e == nil {
		return hdosNotFound
	}
	return 0
}

// sdFindfirst leaves its directory open: its descriptor is the caller's.
func (m *Machine) sdFindfirst() byte {
	list, code := m.sdList()
	if code != 0 {
		return code
	}
	d := &descriptor{isDir: true, entries: list}
	fd, code := m.hdos.open(d)
	if code != 0 {
		return code
	}
	if code = m.findIn(d); code == 0 {
		m.cpu.A = fd
	}
	return code
}

func (m *Machine) sdFindnext() byte {
	for i, d := range m.hdos.fds {
		if d != nil && d.isDir {
			code := m.findIn(d)
			if code != 0 {
				m.hdos.fds[i] = nil // HDOS closes it itself where nothing more is found
			}
			return code
		}
	}
	return hdosDescriptor
}

func (m *Machine) findIn(d *descriptor) byte {
	e, rest := m.hdos.find(d.entries)
	d.entries = rest
	m.hdos.found = e
	if e == nil {
		return hdosNotFound
	}
	return 0
}

func (m *Machine) sdChdir() byte {
	h := &m.hdos
	switch e := h.found; {
	case e == nil:
		return hdosNotFound
	case !e.isDir:
		return hdosNotDir
	case e.name == "..":
		h.dir = path.Dir(h.dir)
	case e.name != ".":
		h.dir = e.host
	}
	return 0
}

func (m *Machine) sdOpendir() byte {
	list, code := m.sdList()
	if code != 0 {
		return code
	}
	fd, code := m.hdos.open(&descriptor{isDir: true, entries: list})
	if code == 0 {
		m.cpu.A = fd
	}
	return code
}

// direntSize is the length of the record that readdir writes.
const direntSize = 87

func (m *Machine) sdReaddir(fail func(byte) (byte, bool)) (byte, bool) {
	c := &m.cpu
	if !userPage(c.Y) {
		return fail(hdosAddress)
	}
	if c.X >= hdosDescriptors || m.hdos.fds[c.X] == nil {
		return fail(hdosDescriptor)
	}
	d := m.hdos.fds[c.X]
	if !d.isDir {
		return fail(hdosNotDir)
	}
	if len(d.entries) == 0 {
		return fail(hdosCluster)
	}
	e := &d.entries[0]
	d.entries = d.entries[1:]
	var r [direntSize]byte
	copy(r[:63], e.name)
	r[0x40] = byte(min(len(e.name), 63))
	copy(r[0x41:0x4C], shortName(e.name))
	binary.LittleEndian.PutUint32(r[0x4E:], e.cluster)
	binary.LittleEndian.PutUint32(r[0x52:], uint32(min(e.size, 0xFFFFFFFF)))
	r[0x56] = 0x20
	if e.isDir {
		r[0x56] = 0x10
		clear(r[0x52:0x56])
	}
	for i, v := range r {
		c.Poke(uint16(c.Y)<<8+uint16(i), v)
	}
	m.hdos.found = e
	return 0, true
}

// shortName makes the 8.3 form: eleven characters, cut to NAME~1 where needed.
func shortName(name string) string {
	if name == "." || name == ".." {
		return name + strings.Repeat(" ", 11-len(name))
	}
	base, ext := name, ""
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		base, ext = name[:i], name[i+1:]
	}
	clean := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r == ' ' || r == '.' {
				return -1
			}
			return r
		}, s)
	}
	b, e := clean(base), clean(ext)
	if b != base || e != ext || len(b) > 8 || len(e) > 3 {
		b = b[:min(len(b), 6)] + "~1"
		e = e[:min(len(e), 3)]
	}
	return b + strings.Repeat(" ", 8-len(b)) + e + strings.Repeat(" ", 3-len(e))
}

// contents reads a file of the card; its size is what the host says now.
func (m *Machine) contents(e *sdEntry) ([]byte, byte) {
	f, err := m.opt.SD.Open(e.host)
	if err == nil {
		defer f.Close()
		var b []byte
		if b, err = io.ReadAll(io.LimitReader(f, 1<<32)); err == nil {
			return b, 0
		}
	}
	if !errors.Is(err, fs.ErrNotExist) {
		m.warn("SD folder: %s", err.Error())
	}
	return nil, hdosReadError
}

// sdOpen opens what the last find found.
func (m *Machine) sdOpen() byte {
	h := &m.hdos
	e := h.found
	switch {
	case e == nil:
		m.warn("HDOS openfile without a file found: fails here, HDOS opens the entry that it read last")
		return hdosNotFound
	case e.isDir:
		return hdosIsDir
	}
	data, code := m.contents(e)
	if code != 0 {
		return code
	}
	d := &descriptor{data: data}
	fd, code := h.open(d)
	if code != 0 {
		return code
	}
	h.reading = d
	m.cpu.A = fd
	return 0
}

// sdLoad loads the named file to X, Y, Z in the 16 MB at base.
func (m *Machine) sdLoad(base uint32) byte {
	c := &m.cpu
	if code := m.sdFindfile(); code != 0 {
		return code
	}
	e := m.hdos.found
	if e.isDir {
		return hdosIsDir
	}
	if e.size > maxSDFile {
		return hdosFileLong
	}
	data, code := m.contents(e)
	if code != 0 {
		return code
	}
	if len(data) > maxSDFile {
		return hdosFileLong
	}
	at := uint32(c.X) | uint32(c.Y)<<8 | uint32(c.Z)<<16
	for len(data) > 0 {
		n := 1
		if s := m.writable(base + at); s != nil && base+at >= 2 && m.stale == nil {
			n = copy(s[:min(len(s), int(0x1000000-at))], data)
		} else {
			m.writePhys(base+at, data[0])
		}
		data = data[n:]
		at = (at + uint32(n)) & 0xFFFFFF
	}
	// About 20 cycles a byte within the trap, besides the card.
	sectors := uint64(e.size+sectorSize-1) / sectorSize
	m.stats.SDSectors += sectors
	m.stall(sectors * (sdTicks + 20*sectorSize))
	return 0
}

// sdAttach mounts the named D81 on a drive.
func (m *Machine) sdAttach(n int) byte {
	if code := m.sdFindfile(); code != 0 {
		return code
	}
	e := m.hdos.found
	if e.isDir {
		m.hdos.open(&descriptor{isDir: true, entries: nil}) // stays open until closeall
		return hdosIsDir
	}
	if e.size != diskBytes {
		return hdosImageLength
	}
	data, code := m.contents(e)
	if code != 0 {
		return code
	}
	if m.floppy.insert(n, data) != nil {
		return hdosImageLength
	}
	m.floppy.drive[n].fromCard = true
	return 0
}
