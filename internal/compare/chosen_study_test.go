package compare

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/selection"
)

var manyChosen = flag.Int("chosen", 24, "number of A/A comparisons of one cell with a choice in TestFalseAlarmsOfChoices; of n cells there are an nth as many, and at least 2")

// method is a made-up method that has to be tuned: its curve at a step is
// fast/cost + slow, times noise. The second and the third step are nearly level over the
// curve, and far apart at its end; the last one diverges now and then.
type method struct {
	// lead is the logarithm of how much worse the third step is than the second in
	// what is selected by.
	lead float64
	// scatter is the noise of a run, together of what its repeat brings.
	scatter, together float64
}

var madeSteps = []float64{0.25, 0.5, 1, 2}

// curve returns the values at testCosts without noise.
func (m method) curve(step int) []float64 {
	fast, slow := []float64{800, 100, 10, 1}[step], []float64{0.02, 0.1, 0, 3}[step]
	y := make([]float64, len(testCosts))
	for i, x := range testCosts {
		y[i] = fast/float64(x) + slow
	}
	if step == 2 {
		var gap float64
		var at []float64
		for _, x := range testCosts {
			at = append(at, float64(x))
		}
		for _, of := range []struct {
			sign float64
			y    []float64
		}{{math.Exp(m.lead), m.curve(1)}, {-1, y}} {
			gap += of.sign * observe.Curve{X: at, Y: of.y}.MeanOverSteps()
		}
		for i := range y {
			y[i] += gap
		}
	}
	return y
}

func overCurve(by string) selection.Rule {
	return selection.Rule{By: by, Metric: "suboptimality", Over: selection.OverCurve, Tune: []string{"step.c"}}
}

// runs are n repeats of the method at all steps, with a validation split that is as noisy
// again. Those of one stream are the same.
func (m method) runs(series string, n int, seed, stream uint64) []record.Run {
	var curves [][]float64
	for step := range madeSteps {
		curves = append(curves, m.curve(step))
	}
	rng := rand.New(rand.NewPCG(stream, 41))
	var out []record.Run
	for repeat := range n {
		together := m.together * rng.NormFloat64()
		for step, c := range madeSteps {
			r := testRun(series, repeat, 1)
			r.Params, r.Seed = record.Params{"k": int64(4), "step.c": c}, seed
			noise, seen := together+m.scatter*rng.NormFloat64(), m.scatter*rng.NormFloat64()
			test, validation := make([]float64, len(testCosts)), make([]float64, len(testCosts))
			for i, y := range curves[step] {
				test[i] = y * math.Exp(noise)
				validation[i] = test[i] * math.Exp(seen)
			}
			r.Curve.Metrics = map[string]map[string][]float64{"test": {"suboptimality": test}, "validation": {"suboptimality": validation}}
			if diverges := rng.Float64() < 0.03; step == 3 && diverges {
				r = failed(r, record.StatusDiverged, "NaN")
			}
			r.Key = fmt.Sprint(series, repeat, step, seed, stream)
			out = append(out, r)
		}
	}
	return out
}

// leads are those of the cells in turn, from a tie to a clear winner.
var leads = []float64{0, 0.03, 0.06, 0.1, 0.5, 0, 0.03, 0.06}

// madeSides are two sides of some cells, independent but labelled as pairs or not.
func madeSides(by string, cells, trial int, paired bool) (base, cand []Side) {
	sides := [2]Side{}
	for side := range sides {
		s := Side{Name: "made", Rule: overCurve(by)}
		for i := range cells {
			m := method{lead: leads[i%len(leads)], scatter: 0.15, together: 0.15}
			seed := uint64(7)
			if side == 1 && !paired {
				seed = 8
			}
			s.Runs = append(s.Runs, m.runs(fmt.Sprintf("s%d", i), validationRuns, seed, uint64(2*trial+side)<<8+uint64(i))...)
		}
		sides[side] = s
	}
	return sides[:1], sides[1:]
}

// A method that is tuned on both sides must not be told apart from itself more often than
// alpha.
func TestFalseAlarmsOfChoices(t *testing.T) {
	if testing.Short() {
		t.Skip("many comparisons")
	}
	t.Parallel()
	for _, by := range []string{selection.ByValidation, selection.ByOracle} {
		for _, paired := range []bool{true, false} {
			for _, cells := range []int{1, 8} {
				n := min(max(*manyChosen/cells, 2), 2000)
				got := tallies(t, n, []float64{usual.Tolerance}, func(trial int) ([]Side, []Side) {
					return madeSides(by, cells, trial, paired)
				})
				got[0].holdsAlpha(t, fmt.Sprintf("%s, paired %v, %d cells", by, paired, cells))
			}
		}
	}
}
