package session

import (
	"fmt"

	"ssnail-kit/emu/core"
	"ssnail-kit/host/image"
)

// budget bounds the instructions that a script executes for one position, or
// an encoder for one text, so that a damaged script whose jumps lead back ends
// with an error.
type budget struct {
	core        *core.Core
	limit, used uint64
	script      uint32
}

// passes is how often a script may execute all of its slots for one position;
// the scripts of the converter do it less than once.
const passes = 64

func (s *Session) budget(positions int) budget {
	slots := uint64(s.im.Weights-s.im.Script) / image.InstructionBytes
	return budget{core: s.core, limit: passes * slots * uint64(positions), script: s.im.Script}
}

// renew starts the next position.
func (b *budget) renew() { b.used = 0 }

// spend counts one instruction. An error has ended the job.
func (b *budget) spend() error {
	if b.used++; b.used <= b.limit {
		return nil
	}
	b.core.Abort()
	return fmt.Errorf("the script at $%07X came to no result in %d instructions and stands at $%07X: its jumps lead back, the image is damaged; make it again from its model", b.script, b.limit, b.core.PC)
}
