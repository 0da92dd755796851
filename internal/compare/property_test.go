package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"stochopt/internal/record"
)

// verdicts returns the verdicts and p-values of a report, which must not depend on order or units.
func verdicts(r *Report) string {
	var lines []string
	for _, c := range r.Cells {
		line := []any{c.Experiment, c.Dataset, c.Series, c.Params, c.Verdict}
		for _, m := range c.Measures {
			line = append(line, m.Kind, m.Verdict)
			if m.P != nil {
				line = append(line, *m.P)
			}
		}
		lines = append(lines, fmt.Sprintln(line...))
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// fixturePair returns sides with 8 repeats of the records of testdata. The candidate is slowed, which gives
// different verdicts.
func fixturePair(t *testing.T, seed uint64, unpaired bool) (base, cand []Side) {
	t.Helper()
	base, cand = drawSides(t, fixtureSides(t), 8, 1, seed)
	if unpaired {
		for i := range cand {
			cand[i].Runs = reseeded(cand[i].Runs, 1)
		}
	}
	return slowed(base, 0), slowed(cand, 0.4)
}

func TestOrderDoesNotMatter(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(2, 2))
	for _, unpaired := range []bool{false, true} {
		base, cand := fixturePair(t, 1, unpaired)
		o := Options{Alpha: 0.05, Tolerance: 0.05, Targets: []float64{0.05}}
		want := mustCompare(t, base, cand, o)
		for _, sides := range [][]Side{base, cand} {
			slices.Reverse(sides)
			for i := range sides {
				runs := sides[i].Runs
				rng.Shuffle(len(runs), func(a, b int) { runs[a], runs[b] = runs[b], runs[a] })
			}
		}
		got := mustCompare(t, base, cand, o)
		if verdicts(got) != verdicts(want) {
			t.Errorf("another order gives\n%s\nafter\n%s", verdicts(got), verdicts(want))
		}
	}
}

func TestUnitsDoNotMatter(t *testing.T) {
	t.Parallel()
	const costUnit, unit = 7, 3.7
	for _, unpaired := range []bool{false, true} {
		base, cand := fixturePair(t, 5, unpaired)
		base, cand = base[:1], cand[:1] // errors have a unit: rows
		const at, target = 500 * costUnits, 0.05
		o := Options{Alpha: 0.05, Tolerance: 0.05, At: []float64{at}, Targets: []float64{target}}
		want := mustCompare(t, base, cand, o)
		rescale := func(sides []Side) []Side {
			out := slices.Clone(sides)
			for i := range out {
				out[i].Runs = changed(out[i].Runs, func(_ int, r *record.Run) {
					for _, col := range r.Curve.Cost {
						for j := range col {
							col[j] *= costUnit
						}
					}
					for _, cols := range r.Curve.Metrics {
						for _, col := range cols {
							for j := range col {
								col[j] *= unit
							}
						}
					}
				})
			}
			return out
		}
		o.At, o.Targets = []float64{at * costUnit}, []float64{target * unit}
		got := mustCompare(t, rescale(base), rescale(cand), o)
		if verdicts(got) != verdicts(want) {
			t.Errorf("other units give\n%s\nafter\n%s", verdicts(got), verdicts(want))
		}
		for i, c := range got.Cells {
			for j, m := range c.Measures {
				if w := want.Cells[i].Measures[j]; m.Ratio != nil && math.Abs(m.Ratio.Hi-w.Ratio.Hi) > 1e-9*w.Ratio.Hi {
					t.Errorf("ratio %v after %v", *m.Ratio, *w.Ratio)
				}
			}
		}
	}
}

// If the sides are exchanged, better becomes worse and ratios are inverted.
func TestSidesAreSymmetric(t *testing.T) {
	t.Parallel()
	for _, unpaired := range []bool{false, true} {
		base, cand := fixturePair(t, 9, unpaired)
		there := mustCompare(t, base, cand, defaults)
		back := mustCompare(t, cand, base, defaults)
		mirrored := map[string]string{Better: Worse, Worse: Better}
		for i, c := range there.Cells {
			for j, m := range c.Measures {
				o := back.Cells[i].Measures[j]
				if m.Kind == Charged { // has no test
					continue
				}
				if *m.P != *o.P || !near(m.Ratio.Value*o.Ratio.Value, 1) {
					t.Errorf("%s %s: p %v and %v, ratios %v and %v", c.Series, m.Kind, *m.P, *o.P, m.Ratio.Value, o.Ratio.Value)
				}
				if w, ok := mirrored[m.Verdict]; ok && o.Verdict != w {
					t.Errorf("%s %s: %s and %s", c.Series, m.Kind, m.Verdict, o.Verdict)
				}
			}
		}
	}
}
