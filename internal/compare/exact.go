package compare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"stochopt/internal/record"
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
		if _, seen := equal[refOf(b)]; seen || !b.Completed() {
			continue
		}
		equal[refOf(b)] = false
		what := ""
		if c := theirs[refOf(b)]; c != nil {
			what = RunDifference(b, c)
			equal[refOf(b)] = what == ""
		} else if k := byKey[b.Key]; k != nil {
			what = prefixesDiffer(b.Measured(), k.Measured())
		}
		if what == "" {
			continue
		}
		diffs = append(diffs, Difference{
			Experiment: base.Name, Run: b.Name(), Algorithm: b.Algorithm, Key: b.Key, What: what, Excused: excuse(base, cand),
		})
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

// RunDifference says where two records of one computation first differ, or returns "". If the machine
// decided how far one of them got, only the points that both have are compared.
func RunDifference(b, c *record.Run) string {
	limited := []string{record.StatusOutOfTime, record.StatusOutOfMemory}
	if slices.Contains(limited, b.Status) || slices.Contains(limited, c.Status) {
		return curvesDiffer(common(b.Measured(), c.Measured()))
	}
	what, x, y := FieldDifference(b, c), b.CurveChecksum(), c.CurveChecksum()
	if what != "" || x == y {
		return what
	}
	return cmp.Or(curvesDiffer(b.Measured(), c.Measured()), fmt.Sprintf("checksum of the curve: %s / %s", x, y))
}

// FieldDifference says which value of two records first differs, curves and labels aside, or returns "".
func FieldDifference(b, c *record.Run) string {
	for _, f := range []struct {
		name string
		b, c any
	}{
		{"task", b.Task, c.Task},
		{"dataset hash", b.DatasetHash, c.DatasetHash},
		{"stand-in", b.StandIn, c.StandIn},
		{"algorithm", b.Algorithm, c.Algorithm},
		{"version", b.Version, c.Version},
		{"parameters", b.Params.String(), c.Params.String()},
		{"repeat", b.Repeat, c.Repeat},
		{"seed", b.Seed, c.Seed},
		{"status", b.Status, c.Status},
	} {
		if f.b != f.c {
			return fmt.Sprintf("%s: %v / %v", f.name, f.b, f.c)
		}
	}
	what := cmp.Or(valuesDiffer("rows", b.Rows, c.Rows), valuesDiffer("fact", b.Facts, c.Facts))
	if what == "" && b.Reason != c.Reason {
		what = fmt.Sprintf("reason: %q / %q", b.Reason, c.Reason)
	}
	return what
}

// valuesDiffer says which value of two maps first differs, in the order of their names.
func valuesDiffer[T int64 | float64](what string, b, c map[string]T) string {
	text := func(m map[string]T, name string) string {
		if v, ok := m[name]; ok {
			return fmt.Sprint(v)
		}
		return "none"
	}
	for _, name := range union(b, c) {
		_, inB := b[name]
		if _, inC := c[name]; inB != inC || b[name] != c[name] {
			return fmt.Sprintf("%s %s: %s / %s", what, name, text(b, name), text(c, name))
		}
	}
	return ""
}

// curvesDiffer says where two curves first differ: the columns in the order of their names, costs first.
func curvesDiffer(b, c record.Curve) string {
	what := lengthsDiffer("points of the curve", b.Len(), c.Len())
	for _, name := range union(b.Cost, c.Cost) {
		what = cmp.Or(what, columnsDiffer("cost "+name, b.Cost[name], c.Cost[name]))
	}
	for _, split := range union(b.Metrics, c.Metrics) {
		for _, name := range union(b.Metrics[split], c.Metrics[split]) {
			what = cmp.Or(what, columnsDiffer("curve "+split+"/"+name, b.Metrics[split][name], c.Metrics[split][name]))
		}
	}
	what = cmp.Or(what, lengthsDiffer("points of the spectrum", len(b.Spectrum), len(c.Spectrum)))
	for i := range min(len(b.Spectrum), len(c.Spectrum)) {
		what = cmp.Or(what, columnsDiffer(fmt.Sprintf("spectrum at point %d, eigenvalue", i), b.Spectrum[i], c.Spectrum[i]))
	}
	for _, name := range union(b.Vectors, c.Vectors) {
		what = cmp.Or(what, columnsDiffer("vector "+name, b.Vectors[name], c.Vectors[name]))
	}
	what = cmp.Or(what, lengthsDiffer("points of the mistakes", len(b.Mistakes), len(c.Mistakes)))
	for i := range min(len(b.Mistakes), len(c.Mistakes)) {
		if what == "" && !slices.Equal(b.Mistakes[i], c.Mistakes[i]) {
			what = fmt.Sprintf("mistakes at point %d", i)
		}
	}
	return what
}

func lengthsDiffer(what string, b, c int) string {
	if b == c {
		return ""
	}
	return fmt.Sprintf("%s: %d / %d", what, b, c)
}

func columnsDiffer[T int64 | float64](name string, b, c []T) string {
	if len(b) != len(c) {
		return fmt.Sprintf("%s: %d / %d values", name, len(b), len(c))
	}
	for i := range b {
		if b[i] != c[i] {
			return fmt.Sprintf("%s at point %d: %v / %v", name, i, b[i], c[i])
		}
	}
	return ""
}

// common returns what two curves recorded at the iterations that both have, without their vectors.
func common(b, c record.Curve) (record.Curve, record.Curve) {
	at := func(b, c record.Curve) record.Curve {
		theirs := map[int64]bool{}
		for _, n := range c.Cost[record.CostIterations] {
			theirs[n] = true
		}
		shared := func(i int) bool { return theirs[b.Cost[record.CostIterations][i]] }
		out := record.Curve{
			Cost: map[string][]int64{}, Metrics: map[string]map[string][]float64{},
			Spectrum: pick(b.Spectrum, shared), Mistakes: pick(b.Mistakes, shared),
		}
		for name, column := range b.Cost {
			out.Cost[name] = pick(column, shared)
		}
		for split, columns := range b.Metrics {
			out.Metrics[split] = map[string][]float64{}
			for name, column := range columns {
				out.Metrics[split][name] = pick(column, shared)
			}
		}
		return out
	}
	return at(b, c), at(c, b)
}

// pick returns the points of a column that are wanted.
func pick[T any](column []T, wanted func(i int) bool) (out []T) {
	for i, v := range column {
		if wanted(i) {
			out = append(out, v)
		}
	}
	return out
}

// prefixesDiffer says where the curves of two runs of one computation differ that do not
// go equally far: at the iterations and in the columns that both have. A metric that is
// not defined to the end of a run is not on its record.
func prefixesDiffer(b, c record.Curve) string {
	x, y := common(b, c)
	keepShared(x.Cost, y.Cost)
	keepShared(x.Metrics, y.Metrics)
	for split := range x.Metrics {
		keepShared(x.Metrics[split], y.Metrics[split])
	}
	if len(x.Spectrum) == 0 || len(y.Spectrum) == 0 {
		x.Spectrum, y.Spectrum = nil, nil
	}
	if len(x.Mistakes) == 0 || len(y.Mistakes) == 0 {
		x.Mistakes, y.Mistakes = nil, nil
	}
	return curvesDiffer(x, y)
}

// keepShared deletes what only one of two maps has.
func keepShared[V any](a, b map[string]V) {
	maps.DeleteFunc(a, func(name string, _ V) bool { _, ok := b[name]; return !ok })
	maps.DeleteFunc(b, func(name string, _ V) bool { _, ok := a[name]; return !ok })
}

// union returns the names in either map, sorted.
func union[V any](a, b map[string]V) []string {
	return unique(slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b)))
}
