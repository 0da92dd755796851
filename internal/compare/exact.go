package compare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"stochopt/internal/record"
	"stochopt/internal/words"
)

// ref is the identity of a computation.
type ref struct{ key, extent string }

func refOf(r *record.Run) ref { return ref{r.Key, r.Extent} }

// exact compares the completed runs that both sides have, and returns which of those of the
// baseline the candidate has too, equal bit for bit. What the specification calls them does not
// count. Runs of equal keys that do not go equally far, or record elsewhere, have to be equal where
// both record.
func exact(base, cand Side) (diffs []Difference, equal map[ref]bool) {
	equal = make(map[ref]bool, len(base.Runs))
	theirs, byKey := make(map[ref]*record.Run, len(cand.Runs)), make(map[string]*record.Run, len(cand.Runs))
	for i := range cand.Runs {
		if c := &cand.Runs[i]; c.Completed() && theirs[refOf(c)] == nil {
			theirs[refOf(c)], byKey[c.Key] = c, c
		}
	}
	for i := range base.Runs {
		b := &base.Runs[i]
		c := cmp.Or(theirs[refOf(b)], byKey[b.Key])
		if _, seen := equal[refOf(b)]; seen || c == nil || !b.Completed() {
			continue
		}
		what := RunDifference(b, c)
		equal[refOf(b)] = what == "" && refOf(b) == refOf(c)
		if what != "" {
			diffs = append(diffs, Difference{
				Experiment: base.Name, Run: b.Name(), Algorithm: b.Algorithm, Key: b.Key, What: what, Excused: excuse(base, cand),
			})
		}
	}
	return diffs, equal
}

// excuse says why bits may differ, or is empty.
func excuse(base, cand Side) string {
	if base.Platform == "" || cand.Platform == "" || base.Platform == cand.Platform {
		return ""
	}
	return fmt.Sprintf("the records were made on %s and on %s", base.Platform, cand.Platform)
}

// RunDifference says where two records of one computation first differ, or returns "". If their
// extents differ, or the machine decided how far one of them got, only what both have is compared.
func RunDifference(b, c *record.Run) string {
	limited := []string{record.StatusOutOfTime, record.StatusOutOfMemory}
	if b.Extent != c.Extent || slices.Contains(limited, b.Status) || slices.Contains(limited, c.Status) {
		what, _ := commonDiffers(b.Measured(), c.Measured(), b.Extent == c.Extent)
		return what
	}
	what, x, y := FieldDifference(b, c), b.CurveChecksum(), c.CurveChecksum()
	if what != "" || x == y {
		return what
	}
	return cmp.Or(curvesDiffer(b.Measured(), c.Measured()), fmt.Sprintf("checksum of the curve: %s / %s", x, y))
}

// FieldDifference says which value of two records first differs, curves and labels aside, in the
// order of their names, or returns "".
func FieldDifference(b, c *record.Run) string {
	x, y := fields(b), fields(c)
	names := different(x, y)
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("%s: %s / %s", names[0], cmp.Or(x[names[0]], "none"), cmp.Or(y[names[0]], "none"))
}

func fields(r *record.Run) map[string]string {
	out := map[string]string{
		"task": r.Task, "dataset hash": r.DatasetHash, "stand-in": fmt.Sprint(r.StandIn),
		"algorithm": r.Algorithm, "version": fmt.Sprint(r.Version), "parameters": r.Params.String(),
		"repeat": fmt.Sprint(r.Repeat), "seed": fmt.Sprint(r.Seed), "status": r.Status + " (" + r.Reason + ")",
	}
	for name, n := range r.Rows {
		out["rows "+name] = fmt.Sprint(n)
	}
	for name, v := range r.Facts {
		out["fact "+name] = fmt.Sprint(v)
	}
	return out
}

// different lists the names of the values that are not the same, sorted.
func different[V any](a, b map[string]V) []string {
	return slices.DeleteFunc(union(a, b), func(name string) bool { return valueText(a, name) == valueText(b, name) })
}

func valueText[V any](m map[string]V, name string) string {
	if v, ok := m[name]; ok {
		return record.FormatParam(v)
	}
	return "none"
}

// curvesDiffer says where two curves first differ, or returns "": the columns in the order of their
// names, costs first.
func curvesDiffer(b, c record.Curve) string {
	x, y := columns(b), columns(c)
	for _, name := range union(x, y) {
		if len(x[name]) != len(y[name]) {
			return fmt.Sprintf("%s: %d / %d values", name, len(x[name]), len(y[name]))
		}
		for i, v := range x[name] {
			if w := y[name][i]; v != w {
				return differAt(name, i, v, w)
			}
		}
	}
	return ""
}

// commonDiffers is curvesDiffer at the iterations that both curves have, for runs that do not go
// equally far or record elsewhere. Unless all columns are wanted, it compares those that both have: a
// metric that is not defined to the end of a run is not on its record. ok is false if they have no
// iteration in common.
func commonDiffers(b, c record.Curve, all bool) (what string, ok bool) {
	b.Vectors, c.Vectors = nil, nil // are those of the end
	x, y := columns(b), columns(c)
	var names []string
	for _, name := range union(x, y) {
		switch n, m := len(x[name]), len(y[name]); {
		case n > 0 && m > 0:
			names = append(names, name)
		case all && n+m > 0:
			return fmt.Sprintf("%s: %d / %d values", name, n, m), true
		}
	}
	for i, n := range b.Cost[record.CostIterations] {
		j, both := slices.BinarySearch(c.Cost[record.CostIterations], n)
		if !both {
			continue
		}
		ok = true
		for _, name := range names {
			if v, w := x[name][i], y[name][j]; v != w {
				return differAt(name, i, v, w), true
			}
		}
	}
	return "", ok
}

func differAt(name string, point int, b, c string) string {
	const most = 40
	// A spectrum may be long: what both begin with is left out.
	x, y := strings.Fields(b), strings.Fields(c)
	for len(x) > 1 && len(y) > 1 && x[0] == y[0] {
		x, y = x[1:], y[1:]
	}
	b, c = strings.Join(x, " "), strings.Join(y, " ")
	return fmt.Sprintf("%s at point %d: %s / %s", name, point, words.Fit(b, most), words.Fit(c, most))
}

// columns are the texts of all that a curve records, by name: of each point, or entry of a vector.
func columns(c record.Curve) map[string][]string {
	out := map[string][]string{"spectrum": texts(c.Spectrum), "mistakes": texts(c.Mistakes)}
	for name, column := range c.Cost {
		out["cost "+name] = texts(column)
	}
	for split, metrics := range c.Metrics {
		for name, column := range metrics {
			out["curve "+split+"/"+name] = texts(column)
		}
	}
	for name, vector := range c.Vectors {
		out["vector "+name] = texts(vector)
	}
	return out
}

// texts writes values so that those with equal bits, and no others, read the same.
func texts[T any](values []T) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = fmt.Sprint(v)
	}
	return out
}

// union returns the names in either map, sorted.
func union[V any](a, b map[string]V) []string {
	return unique(slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b)))
}

func unique(texts []string) []string {
	slices.Sort(texts)
	return slices.Compact(texts)
}
