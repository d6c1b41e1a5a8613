package asm

import (
	"fmt"
	"strings"
)

// Error is what is wrong in one line of the source.
type Error struct {
	File string
	Line int
	Msg  string
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg) }

// ErrorList holds all errors that were found, at most maxErrors.
type ErrorList []*Error

const maxErrors = 20

func (l ErrorList) Error() string {
	s := make([]string, len(l))
	for i, e := range l {
		s[i] = e.Error()
	}
	return strings.Join(s, "\n")
}

func (l ErrorList) err() error {
	if len(l) == 0 {
		return nil
	}
	return l
}

func (l *ErrorList) add(file string, line int, format string, args ...any) {
	if len(*l) >= maxErrors {
		return
	}
	e := &Error{file, line, fmt.Sprintf(format, args...)}
	for _, old := range *l {
		if *old == *e {
			return // a loop or a macro said so before
		}
	}
	*l = append(*l, e)
}
