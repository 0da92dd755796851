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

var falseAlarmComparisons = flag.Int("false-alarms", 24, "number of comparisons in TestFalseAlarms, divided by the number of cells")

// method is a synthetic method with a tuned step. Its curve is (fast/cost + slow) * noise. The second and the third
// step have almost equal means over the curve and very different ends. The last one diverges sometimes.
type method struct {
	// lead is the logarithm of the ratio of the scores of the third and the second step.
	lead float64
	// runNoise and repeatNoise are the standard deviations of the noise of a run and of a repeat.
	runNoise, repeatNoise float64
}

var steps = []float64{0.25, 0.5, 1, 2}

// curve returns the values of a step at testCosts without noise.
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

// runs returns n repeats of the method at all steps, with additional noise on the validation split. Equal streams
// give equal runs.
func (m method) runs(series string, n int, seed, stream uint64) []record.Run {
	var curves [][]float64
	for step := range steps {
		curves = append(curves, m.curve(step))
	}
	rng := rand.New(rand.NewPCG(stream, 41))
	var out []record.Run
	for repeat := range n {
		shared := m.repeatNoise * rng.NormFloat64()
		for step, c := range steps {
			r := testRun(series, repeat, 1)
			r.Params, r.Seed = record.Params{"k": int64(4), "step.c": c}, seed
			noise, validationNoise := shared+m.runNoise*rng.NormFloat64(), m.runNoise*rng.NormFloat64()
			test, validation := make([]float64, len(testCosts)), make([]float64, len(testCosts))
			for i, y := range curves[step] {
				test[i] = y * math.Exp(noise)
				validation[i] = test[i] * math.Exp(validationNoise)
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

// leads has the leads of the cells, from a tie to a clear winner.
var leads = []float64{0, 0.03, 0.06, 0.1, 0.5, 0, 0.03, 0.06}

// independentSides returns two sides with independent runs, which are labelled as pairs or not.
func independentSides(by string, cells, trial int, paired bool) (base, cand []Side) {
	sides := [2]Side{}
	for side := range sides {
		s := Side{Name: "exp", Rule: overCurve(by)}
		for i := range cells {
			m := method{lead: leads[i%len(leads)], runNoise: 0.15, repeatNoise: 0.15}
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

// The rate of false alarms of a method compared with itself, with selection, is at most alpha.
func TestFalseAlarms(t *testing.T) {
	if testing.Short() {
		t.Skip("many comparisons")
	}
	t.Parallel()
	for _, by := range []string{selection.ByValidation, selection.ByOracle} {
		for _, paired := range []bool{true, false} {
			for _, cells := range []int{1, 8} {
				n := min(max(*falseAlarmComparisons/cells, 2), 2000)
				got := tallies(t, n, []float64{defaults.Tolerance}, func(trial int) ([]Side, []Side) {
					return independentSides(by, cells, trial, paired)
				})
				got[0].holdsAlpha(t, fmt.Sprintf("%s, paired %v, %d cells", by, paired, cells))
			}
		}
	}
}
