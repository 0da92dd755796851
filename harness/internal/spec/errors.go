package spec

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Error is one mistake in a specification.
type Error struct {
	// Pos says where it is.
	Pos Position
	// Msg says what is wrong and, where there is a good guess, what to do.
	Msg string
}

// Error returns "file:line:col: message", or "--set k=v: message".
func (e *Error) Error() string { return e.Pos.String() + ": " + e.Msg }

// Errors holds all mistakes in a specification, in the order of the file.
type Errors []*Error

// Error returns the mistakes, one a line.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, err := range e {
		lines[i] = err.Error()
	}
	return strings.Join(lines, "\n")
}

// Position is where a part of a specification was written: in a file, at a
// line and column that count from 1, or in a --set option.
type Position struct {
	File      string
	Line, Col int
	Set       string
}

// String returns "file:line:col", or "--set k=v".
func (p Position) String() string {
	if p.Set != "" {
		return "--set " + p.Set
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// in returns the position of a line and column of the same origin.
func (p Position) in(line, col int) Position {
	if p.Set == "" {
		p.Line, p.Col = line, col
	}
	return p
}

// reporter collects errors, each once.
type reporter struct {
	errs Errors
	// more counts the mistakes that are not told, as there are so many.
	more int
	seen map[string]bool
	// bad holds the paths of nodes that could not be decoded.
	bad []string
	// refused holds where values are of which all has been said.
	refused map[Position]bool
}

// refuse reports what is wrong with a value, after which nothing else is said of it.
func (r *reporter) refuse(pos Position, err error) {
	r.at(pos, "%s", err)
	if r.refused == nil {
		r.refused = make(map[Position]bool)
	}
	r.refused[pos] = true
}

func (r *reporter) at(pos Position, format string, args ...any) {
	if r.refused[pos] {
		return
	}
	if len(r.errs) >= maxMistakes {
		r.more++
		return
	}
	e := &Error{Pos: pos, Msg: fmt.Sprintf(format, args...)}
	key := e.Error()
	if r.seen[key] {
		return
	}
	if r.seen == nil {
		r.seen = make(map[string]bool)
	}
	r.seen[key] = true
	r.errs = append(r.errs, e)
}

// err returns the errors in order of position, --set options last, or nil.
func (r *reporter) err() error {
	if len(r.errs) == 0 {
		return nil
	}
	slices.SortStableFunc(r.errs, func(x, y *Error) int {
		a, b := x.Pos, y.Pos
		if (a.Set == "") != (b.Set == "") {
			return len(a.Set) - len(b.Set)
		}
		return cmp.Or(a.Line-b.Line, a.Col-b.Col)
	})
	if r.more > 0 {
		last := r.errs[len(r.errs)-1].Pos
		r.errs = append(r.errs, &Error{Pos: last, Msg: fmt.Sprintf("… and %d more mistakes", r.more)})
	}
	return r.errs
}
