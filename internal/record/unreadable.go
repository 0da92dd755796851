package record

import (
	"errors"
	"fmt"
)

// UnreadableError says that the curve or the timing of a run cannot be read.
type UnreadableError struct {
	Run string
	Err error
}

// Error implements error.
func (e *UnreadableError) Error() string { return fmt.Sprintf("cannot read %s: %v", e.Run, e.Err) }

// Unwrap returns the cause, a *DamageError if the database is damaged.
func (e *UnreadableError) Unwrap() error { return e.Err }

// CatchUnreadable, deferred, turns a panic with an *UnreadableError into an error.
func CatchUnreadable(err *error) { caught(recover(), err, true) }

// CatchLeftOut is CatchUnreadable for curves that the folder leaves out, and for nothing else.
func CatchLeftOut(err *error) { caught(recover(), err, false) }

func caught(p any, err *error, all bool) {
	if p == nil {
		return
	}
	e, ok := p.(*UnreadableError)
	if !ok || !all && !errors.Is(e, ErrLeftOut) {
		panic(p)
	}
	*err = e
}
