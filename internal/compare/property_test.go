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

// verdicts are what must not depend on order or units, a line of each cell.
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

// realPair draws 8 repeats of the real records for each side, the candidate's
// slowed, so that all sorts of verdicts turn up.
func realPair(t *testing.T, seed uint64, unpaired bool) (base, cand []Side) {
	t.Helper()
	base, cand = drawnOften(t, recorded100(t), 8, 1, seed)
	if unpaired {
		for i := range cand {
			cand[i].Runs = relabelled(cand[i].Runs, 1)
		}
	}
	return slowed(base, 0), slowed(cand, 0.4)
}

func TestOrderDoesNotMatter(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(2, 2))
	for _, unpaired := range []bool{false, true} {
		base, cand := realPair(t, 1, unpaired)
		o := Options{Alpha: 0.05, Tolerance: 0.05, Targets: []float64{0.05}}
		want := reported(t, base, cand, o)
		for _, sides := range [][]Side{base, cand} {
			slices.Reverse(sides)
			for i := range sides {
				runs := sides[i].Runs
				rng.Shuffle(len(runs), func(a, b int) { runs[a], runs[b] = runs[b], runs[a] })
			}
		}
		got := reported(t, base, cand, o)
		if verdicts(got) != verdicts(want) {
			t.Errorf("another order gives\n%s\nafter\n%s", verdicts(got), verdicts(want))
		}
	}
}

func TestUnitsDoNotMatter(t *testing.T) {
	t.Parallel()
	const costUnit, unit = 7, 3.7
	for _, unpaired := range []bool{false, true} {
		base, cand := realPair(t, 5, unpaired)
		base, cand = base[:1], cand[:1] // errors have a unit: rows
		const at, target = 500 * units, 0.05
		o := Options{Alpha: 0.05, Tolerance: 0.05, At: []float64{at}, Targets: []float64{target}}
		want := reported(t, base, cand, o)
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
		got := reported(t, rescale(base), rescale(cand), o)
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

// The sides change places: better becomes worse, and ratios their inverse.
func TestSidesAreSymmetric(t *testing.T) {
	t.Parallel()
	for _, unpaired := range []bool{false, true} {
		base, cand := realPair(t, 9, unpaired)
		there := reported(t, base, cand, usual)
		back := reported(t, cand, base, usual)
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
