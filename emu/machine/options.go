package machine

import (
	"io"
	"io/fs"

	"ssnail-kit/mega65/hw"
)

// Options say what machine is built and what is put into it.
type Options struct {
	Board hw.Board // default hw.BoardR6

	// Disk is a D81 image in drive 0 (unit 8), nil for none. The machine works
	// on a copy; DiskImage returns it.
	Disk []byte
	// SD is the folder that stands for the SD card, nil for no card. HDOS sees
	// its files; raw sectors of the card do not exist.
	SD fs.FS

	NoSSNAIL    bool    // $FFD7500 reads as unassigned
	Float       bool    // float numerics in the core instead of hw
	Threads     int     // core threads, 0 = 1
	Bandwidth   float64 // core memory traffic in bytes/s, 0 = hw.DefaultBandwidth
	StrictCache bool    // the CPU sees what the core wrote only after SYNC

	NTSC bool // 60 frames a second instead of 50

	// TestExit lets a program end the run by storing a status at $D6CF and then
	// $42 there; $D60F bit 5 then reads 0, as under xmega65. Exited reports it.
	TestExit bool

	Warn   io.Writer // one line, once, for each thing that is not emulated; nil = nowhere
	Serial io.Writer // bytes that the program sends by HDOS trap $7C and $D643
	Trace  io.Writer // every instruction with its registers; slow

	Break   []uint16          // PCs to stop at: RunFrame returns, Stopped tells
	Profile bool              // count cycles by address, see Machine.Profile
	Symbols map[string]uint32 // labels for Trace and Profile
}
