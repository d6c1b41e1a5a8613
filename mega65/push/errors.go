package push

import (
	"errors"
	"fmt"
)

// MemoryError is memory that does not hold what was written to it.
type MemoryError struct {
	Addr  uint32
	Bytes int
	Tries int
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("memory $%07X-$%07X does not hold what was written, %d times: is there RAM, is it the RAM that SSNAIL uses?",
		e.Addr, e.Addr+uint32(e.Bytes)-1, e.Tries)
}

func asMemory(err error, m **MemoryError) bool { return errors.As(err, m) }

// Failure is a push that did not reach its end, and what it has left behind.
type Failure struct {
	Err         error
	State       string // of the machine, in words
	Done, Total int64  // bytes verified in the machine, of how many
	remedy      string
}

func (f *Failure) Error() string {
	return fmt.Sprintf("%v; %s, %d of %d bytes verified there", f.Err, f.State, f.Done, f.Total)
}

func (f *Failure) Unwrap() error { return f.Err }

// Hint is what to do next.
func (f *Failure) Hint() string { return f.remedy }

// hinted is an error with a remedy.
type hinted struct {
	error
	hint string
}

func (h hinted) Unwrap() error { return h.error }

// Hint is what to do next.
func (h hinted) Hint() string { return h.hint }

func withHint(err error, format string, args ...any) error {
	return hinted{err, fmt.Sprintf(format, args...)}
}
