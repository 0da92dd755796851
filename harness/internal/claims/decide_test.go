package claims

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"stochopt/internal/observe"
	"stochopt/internal/stats"
)

// ratios returns a quantity that must be at most 1, with one value per repeat.
func ratios(name string, numbers ...float64) observe.Quantity {
	q := observe.Quantity{Key: name, Name: name, Statistic: observe.GeometricMean, Between: observe.AtMost(1)}
	for i, v := range numbers {
		q.Add(observe.Value{Row: i, Number: v})
	}
	return q
}

// about returns ten ratios. The mean of their logarithms is mean, with a standard error of 0.1.
func about(mean float64) []float64 {
	numbers := make([]float64, 10)
	for i := range numbers {
		numbers[i] = math.Exp(mean + 0.3*float64(1-2*(i%2)))
	}
	return numbers
}

func table(dataset string, of ...observe.Quantity) observe.Table {
	return observe.Table{Claim: "a-claim", Dataset: dataset, Quantities: of}
}

func decide(holds string, tables ...observe.Table) Verdict {
	return Decide([]Claim{{ID: "a-claim", Holds: holds, Check: aBelowB}}, Origin{}, tables)[0]
}

// Levels are corrected for the number of parts any of which decides. The p-value of a verdict is the p-value of
// Student's t times that number.
func TestPartsAtTheirLevels(t *testing.T) {
	t.Parallel()
	p := func(mean float64) float64 { return 2 * stats.Student(9).CDF(-mean/0.1) }
	const open = "is decided at 95 %, but not at the level for several parts"
	for _, tt := range []struct {
		holds string
		means []float64
		want  string
		text  string
		p     float64
	}{
		{"", []float64{0.25}, NotReproduced, "", p(0.25)},
		{"", []float64{0.1}, Inconclusive, "", 0},
		{"", []float64{0.25, -1, -1, -1}, Inconclusive, open, 0},
		{"", []float64{0.4, -1, -1}, NotReproduced, "", 3 * p(0.4)},
		{"", []float64{-0.25, -0.3, -0.35}, Reproduced, "", p(0.25)},
		{holdsAny, []float64{-0.25, 1, 1, 1}, Inconclusive, open, 0},
		{holdsAny, []float64{-0.4, 1, 1}, Reproduced, "", 3 * p(0.4)},
		{holdsAny, []float64{0.25, 0.25, 0.25, 0.25}, NotReproduced, "", p(0.25)},
		{holdsMost, []float64{-0.5, -0.5, -0.25, 1}, Inconclusive, open, 0},
		{holdsMost, []float64{-0.35, -0.4, 1}, Reproduced, "", 2 * p(0.35)},
		{holdsMost, []float64{0.5, 0.5, -1, -1}, NotReproduced, "", 3 * p(0.5)},
		{holdsMost, []float64{0.5, 0.25, -1, -1}, Inconclusive, open, 0},
	} {
		var tables []observe.Table
		for i, mean := range tt.means {
			tables = append(tables, table(fmt.Sprint(i), ratios("a / b", about(mean)...)))
		}
		v := decide(tt.holds, tables...)
		wantOutcome(t, fmt.Sprint(tt.holds, tt.means), v, tt.want, tt.text)
		if math.Abs(v.P-tt.p) > 0.021*tt.p {
			t.Errorf("%s %v: p %v, want %v", tt.holds, tt.means, v.P, tt.p)
		}
	}
	// Each of two quantities refutes a part at a corrected level. Both must hold.
	for _, tt := range []struct {
		first, second float64
		want          string
		p             float64
	}{
		{0.6, 0.35, NotReproduced, 2 * p(0.6)}, {0.25, -1, Inconclusive, 0}, {-0.25, -0.35, Reproduced, p(0.25)},
	} {
		v := decide("", table("d", ratios("a / b", about(tt.first)...), ratios("a / c", about(tt.second)...)))
		wantOutcome(t, fmt.Sprint("two quantities ", tt), v, tt.want)
		if math.Abs(v.P-tt.p) > 0.025*tt.p {
			t.Errorf("%+v: p %v", tt, v.P)
		}
	}
}

// Imported observations may lack all values, or repeats of a rival.
func TestValuesAreLacking(t *testing.T) {
	t.Parallel()
	unequal := table("d", ratios("a / b", 1, 1), ratios("a / c", 1))
	unequal.Best = true
	for _, of := range []observe.Table{table("d"), table("d", ratios("a / b")), unequal} {
		wantOutcome(t, fmt.Sprint(of.Quantities), decide("", of), NotRun, "the observations lack values")
	}
}

// The rate of wrong verdicts on equal series is at most 5 %: on all, most or any of six datasets, and
// against the best of three others.
func TestVerdictsOnEquals(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	const trials = 250
	var rng *rand.Rand
	normal := func(n int) []float64 {
		numbers := make([]float64, n)
		for i := range numbers {
			numbers[i] = math.Exp(rng.NormFloat64())
		}
		return numbers
	}
	parts := func() (tables []observe.Table) {
		for i := range 6 {
			tables = append(tables, table(fmt.Sprint(i), ratios("a / b", normal(10)...)))
		}
		return tables
	}
	rivals := func() []observe.Table {
		of, a := table("d"), normal(6)
		of.Best = true
		for _, rival := range []string{"b", "c", "d"} {
			ratio := normal(6)
			for i := range ratio {
				ratio[i] *= a[i]
			}
			of.Quantities = append(of.Quantities, ratios(rival, ratio...))
		}
		return []observe.Table{of}
	}
	for i, tables := range []func() []observe.Table{parts, parts, parts, rivals} {
		holds := []string{"", holdsMost, holdsAny, ""}[i]
		rng = rand.New(rand.NewPCG(31, uint64(i)))
		outcomes := make(map[string]int)
		for range trials {
			outcomes[decide(holds, tables()...).Outcome]++
		}
		for _, wrong := range []string{Reproduced, NotReproduced} {
			n := outcomes[wrong]
			if most := 0.025 + 2*math.Sqrt(0.025*0.975/trials); float64(n)/trials > most {
				t.Errorf("%d, holds %q: %d of %d are %s", i, holds, n, trials, wrong)
			}
		}
	}
}
