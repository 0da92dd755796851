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

// ref identifies a run by its key and extent.
type ref struct{ key, extent string }

func refOf(r *record.Run) ref { return ref{r.Key, r.Extent} }

// compareBits compares the completed runs of both sides that have equal keys, except their labels. If the extents
// differ, the runs must be equal at common iterations. equal reports, for runs of the baseline, whether the candidate
// has the same run with equal bits.
func compareBits(base, cand Side) (diffs []Difference, equal map[ref]bool) {
	equal = make(map[ref]bool, len(base.Runs))
	byRef, byKey := make(map[ref]*record.Run, len(cand.Runs)), make(map[string]*record.Run, len(cand.Runs))
	for i := range cand.Runs {
		if c := &cand.Runs[i]; c.Completed() && byRef[refOf(c)] == nil {
			byRef[refOf(c)], byKey[c.Key] = c, c
		}
	}
	for i := range base.Runs {
		b := &base.Runs[i]
		c := cmp.Or(byRef[refOf(b)], byKey[b.Key])
		if _, seen := equal[refOf(b)]; seen || c == nil || !b.Completed() {
			continue
		}
		what, compared := RunDifference(b, c)
		equal[refOf(b)] = compared && what == "" && refOf(b) == refOf(c)
		if what != "" {
			diffs = append(diffs, Difference{
				Experiment: base.Name, Run: b.Name(), Algorithm: b.Algorithm, Key: b.Key, What: what, Excused: excuse(base, cand),
			})
		}
	}
	return diffs, equal
}

// excuse returns the reason why the bits of the sides may differ, or "".
func excuse(base, cand Side) string {
	if base.Platform == "" || cand.Platform == "" || base.Platform == cand.Platform {
		return ""
	}
	return fmt.Sprintf("the records were made on %s and on %s", base.Platform, cand.Platform)
}

// RunDifference describes the first difference between two records of a run, or returns "". If their extents differ, it
// compares only common iterations and columns. If one of them reached a limit of time or memory, it compares only
// common iterations; without any, compared is false.
func RunDifference(b, c *record.Run) (what string, compared bool) {
	limited := func(r *record.Run) bool {
		return r.Status == record.StatusOutOfTime || r.Status == record.StatusOutOfMemory
	}
	if b.Extent != c.Extent || limited(b) || limited(c) {
		return commonDifference(b.Measured(), c.Measured(), b.Extent == c.Extent)
	}
	what, x, y := FieldDifference(b, c), b.CurveChecksum(), c.CurveChecksum()
	if what != "" || x == y {
		return what, true
	}
	return cmp.Or(curveDifference(b.Measured(), c.Measured()), fmt.Sprintf("checksum of the curve: %s / %s", x, y)), true
}

// FieldDifference describes the first difference between two records, in the order of the names of fields, or
// returns "". It ignores curves and labels.
func FieldDifference(b, c *record.Run) string {
	x, y := fields(b), fields(c)
	if maps.Equal(x, y) { // the usual case
		return ""
	}
	names := different(x, y)
	return fmt.Sprintf("%s: %s / %s", names[0], cmp.Or(x[names[0]], "none"), cmp.Or(y[names[0]], "none"))
}

// fields returns the texts of the fields of a record by name, without curves and labels.
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

// different returns the names of the values that differ, sorted.
func different[V any](a, b map[string]V) []string {
	return slices.DeleteFunc(union(a, b), func(name string) bool { return valueText(a, name) == valueText(b, name) })
}

// valueText returns the text of a value, or "none" if the map lacks it.
func valueText[V any](m map[string]V, name string) string {
	if v, ok := m[name]; ok {
		return record.FormatParam(v)
	}
	return "none"
}

// curveDifference describes the first difference between two curves, in the order of the names of columns, or
// returns "".
func curveDifference(b, c record.Curve) string {
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

// commonDifference is curveDifference at common iterations, without vectors. If all is set, a column of only one curve
// is a difference. Otherwise such a column is ignored, because a metric that is undefined at the end of a run is not
// recorded. ok is false if the curves have no common iteration.
func commonDifference(b, c record.Curve, all bool) (what string, ok bool) {
	b.Vectors, c.Vectors = nil, nil // vectors belong to the last iteration
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
	for i, iteration := range b.Cost[record.CostIterations] {
		j, common := slices.BinarySearch(c.Cost[record.CostIterations], iteration)
		if !common {
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

// differAt describes two different values of a column. It omits common words at their beginning, because a spectrum may
// be long.
func differAt(name string, point int, b, c string) string {
	const most = 40 // characters of a value
	x, y := strings.Fields(b), strings.Fields(c)
	for len(x) > 1 && len(y) > 1 && x[0] == y[0] {
		x, y = x[1:], y[1:]
	}
	b, c = strings.Join(x, " "), strings.Join(y, " ")
	return fmt.Sprintf("%s at point %d: %s / %s", name, point, words.Fit(b, most), words.Fit(c, most))
}

// columns returns the texts of the values of a curve, by name: of each point, or of each entry of a vector.
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

// texts formats values. Two texts are equal if and only if the bits of the values are equal.
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

// unique returns the distinct texts, sorted. It overwrites texts.
func unique(texts []string) []string {
	slices.Sort(texts)
	return slices.Compact(texts)
}
