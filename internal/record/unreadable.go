package record

import "fmt"

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
func CatchUnreadable(err *error) {
	switch p := recover().(type) {
	case nil:
	case *UnreadableError:
		*err = p
	default:
		panic(p)
	}
}
