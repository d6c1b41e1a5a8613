package main

import (
	"errors"
	"fmt"
)

// errSilent ends a command with status 1 when everything was said already.
var errSilent = errors.New("failed")

// statusError ends a command with a status of its own.
type statusError struct {
	error
	status int
}

// usageError is wrong usage of the command line: exit status 2.
type usageError struct {
	err  error
	hint string
}

func usagef(format string, args ...any) usageError {
	return usageError{err: fmt.Errorf(format, args...)}
}

func (e usageError) hinted(hint string) usageError { e.hint = hint; return e }
func (e usageError) Error() string                 { return e.err.Error() }
func (e usageError) Unwrap() error                 { return e.err }

// Hint is what to type next.
func (e usageError) Hint() string { return e.hint }

// hintedError is an error with a remedy, printed on a line of its own.
type hintedError struct {
	error
	hint string
}

// withHint adds what to type next to err.
func withHint(err error, hint string) error {
	if err == nil {
		return nil
	}
	return hintedError{err, hint}
}

func (e hintedError) Unwrap() error { return e.error }

// Hint is what to type next.
func (e hintedError) Hint() string { return e.hint }
