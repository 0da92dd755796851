package spec

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxMistakes is the maximum number of reported mistakes.
const maxMistakes = 100

// Error is one mistake in a specification.
type Error struct {
	Pos Position
	Msg string
}

// Error returns "file:line:col: message", or "--set k=v: message".
func (e *Error) Error() string { return e.Pos.String() + ": " + e.Msg }

// Errors is the list of mistakes in a specification, in the order of the file.
type Errors []*Error

// Error returns one mistake per line.
func (e Errors) Error() string { return strings.Join(names(e, (*Error).Error), "\n") }

// Position is the position of a value or key: a file with line and column, both from 1, or a --set option.
type Position struct {
	File      string
	Line, Col int
	Set       string
}

// String returns "file:line:col" or "--set k=v".
func (p Position) String() string {
	if p.Set != "" {
		return "--set " + p.Set
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// in returns the position of a line and column in the same file, or p for a --set option.
func (p Position) in(line, col int) Position {
	if p.Set == "" {
		p.Line, p.Col = line, col
	}
	return p
}

// path is the path to a value in a specification: keys and indices, each after a sep.
type path string

const sep = "\x00"

// at returns the path of keys and indices from the root.
func at(components ...any) path { return path("").in(components...) }

// in returns the path of keys and indices from p.
func (p path) in(components ...any) path {
	for _, c := range components {
		p += path(sep + fmt.Sprint(c))
	}
	return p
}

// within reports whether p is q or inside q.
func (p path) within(q path) bool { return p == q || strings.HasPrefix(string(p), string(q)+sep) }

// components returns the keys and indices.
func (p path) components() []string { return strings.Split(string(p), sep)[1:] }

// locate returns the value at a path, or nil if it is absent. The label and the positions of key and value are
// those of the innermost present part of the path. The label is such as "algorithms.msg.step", with ids of list items.
func (n *node) locate(p path) (value *node, keyPos, pos Position, label string) {
	keyPos, pos = n.pos, n.pos
	for _, c := range p.components() {
		next, text := n.get(c), "."+c
		if i, err := strconv.Atoi(c); n.kind == sequence && err == nil && i < len(n.items) {
			next, text = n.items[i], "["+c+"]"
			if id := next.identity(); id != "" {
				text = "." + id
			}
		}
		if next == nil {
			return nil, keyPos, pos, strings.TrimPrefix(label, ".")
		}
		keyPos, pos, label = next.pos, next.pos, label+text
		if f := n.field(c); f != nil {
			keyPos = f.pos
		}
		n = next
	}
	return n, keyPos, pos, strings.TrimPrefix(label, ".")
}

// reporter collects the mistakes in the specification with the given root.
type reporter struct {
	root *node
	errs Errors
	// undecoded has the paths of values that could not be decoded, wrong the paths of other mistakes.
	undecoded, wrong []path
}

// failAt reports a mistake at a position. It ignores a repetition: a mistake in the selected profile is found in the
// profile and again after the merge.
func (r *reporter) failAt(pos Position, format string, args ...any) {
	mistake := Error{Pos: pos, Msg: fmt.Sprintf(format, args...)}
	known := slices.ContainsFunc(r.errs, func(e *Error) bool { return *e == mistake })
	if !known && len(r.errs) <= maxMistakes {
		r.errs = append(r.errs, &mistake)
	}
}

// fail reports a mistake at the value of a path, or at the innermost present part of the path. It reports nothing
// if the value contains another mistake or could not be decoded, because one mistake must not cause others.
func (r *reporter) fail(p path, format string, args ...any) { r.report(p, false, format, args...) }

// failKey reports a mistake at the key of a path.
func (r *reporter) failKey(p path, format string, args ...any) { r.report(p, true, format, args...) }

func (r *reporter) report(p path, key bool, format string, args ...any) {
	inside := func(q path) bool { return q != p && q.within(p) }
	overlaps := func(q path) bool { return q.within(p) || p.within(q) }
	if len(r.errs) > maxMistakes || slices.ContainsFunc(r.wrong, inside) || slices.ContainsFunc(r.undecoded, overlaps) {
		return
	}
	n, keyPos, pos, label := r.root.locate(p)
	if n != nil && n.kind == invalid {
		return
	}
	if key {
		pos = keyPos
	}
	if label != "" {
		format, args = "%s: "+format, append([]any{label}, args...)
	}
	r.failAt(pos, format, args...)
	r.wrong = append(r.wrong, p)
}

// present reports whether there is a value at a path.
func (r *reporter) present(p path) bool {
	n, _, _, _ := r.root.locate(p)
	return n != nil
}

// clean reports whether the values at the paths have no mistakes.
func (r *reporter) clean(paths ...path) bool {
	return !slices.ContainsFunc(slices.Concat(r.undecoded, r.wrong), func(q path) bool {
		return slices.ContainsFunc(paths, q.within)
	})
}

// err returns the mistakes in order of position, --set options last, or nil.
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
	if len(r.errs) > maxMistakes {
		r.errs[maxMistakes].Msg = "… and more mistakes"
	}
	return r.errs
}
