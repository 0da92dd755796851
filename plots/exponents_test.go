package plots

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/stats"
	"stochopt/internal/words"
)

// powerLaw describes runs of a series with an excess error of epsilon at a cost of at least (R^p/epsilon)^q. The number
// of support vectors is the square root of the cost. The best setting is n = 200 and lambda = 0.1.
type powerLaw struct {
	series  string
	q, p    float64
	repeats int
	noise   float64
}

func (l powerLaw) runs() []record.Run {
	rng := rand.New(rand.NewPCG(11, 12))
	var runs []record.Run
	for _, radius := range []float64{2, 3, 4, 6} {
		for _, n := range []int64{100, 200, 400} {
			for _, lambda := range []float64{0.1, 1} {
				for repeat := range l.repeats {
					penalty := math.Exp(l.noise * rng.NormFloat64())
					if n != 200 {
						penalty *= 3
					}
					if lambda != 0.1 {
						penalty *= 2
					}
					runs = append(runs, l.run(radius, n, lambda, repeat, penalty))
				}
			}
		}
	}
	return runs
}

func (l powerLaw) run(radius float64, n int64, lambda float64, repeat int, penalty float64) record.Run {
	s := svmSynth{
		series: l.series, dataset: fmt.Sprintf("r%v-n%d", radius, n), repeat: repeat, start: 0.5, floor: 0.1, rate: 0.5, perStep: 10,
		params: record.Params{"lambda": lambda},
	}
	r, _ := s.run()
	r.Rows = map[string]int64{"train": n, "train_of": 5000, "test": 500}
	r.Facts = map[string]float64{"u_norm": radius, "l_star": 0.05}
	var iterations, cost []int64
	var excess, support []float64
	for i := int64(1); len(cost) == 0 || cost[len(cost)-1] < 1<<40; i++ {
		c := 10 * int64(math.Ceil(math.Pow(1.01, float64(i))))
		if len(cost) > 0 && c <= cost[len(cost)-1] {
			continue
		}
		iterations, cost = append(iterations, i), append(cost, c)
		excess = append(excess, 0.05+math.Pow(radius, l.p)*math.Pow(float64(c)/penalty, -1/l.q))
		support = append(support, math.Sqrt(float64(c)))
	}
	r.Curve = record.Curve{
		Cost:    map[string][]int64{"iterations": iterations, "kernel_evals": cost},
		Metrics: map[string]map[string][]float64{"test": {"error": excess}, "state": {"support": support}},
	}
	return r
}

// boundsTable returns a table with the exponents of 1/epsilon and of R in the cost and in the support.
func boundsTable() Table {
	targets := []float64{0.1, 0.05, 0.02, 0.01}
	return Table{
		ID: "tab-bounds", Kind: KindExponents,
		Columns: []string{"ε = Ω(L*)", "exponent_epsilon", "exponent_u_norm", "s_epsilon", "s_norm", "observations", "runs"},
		Theory: map[string]map[string]string{
			"sbp": {"ε = Ω(L*)": "(R/ε)^2"},
			"sgd": {"ε = Ω(L*)": "(R^2/ε)^3"},
			"rff": {"ε = Ω(L*)": "d R^4/ε^3"},
		},
		Exponents: []observe.Exponent{
			{Over: observe.OverEpsilon, With: []string{"u_norm"}, Targets: targets},
			{Over: "u_norm", With: []string{observe.OverEpsilon}, Targets: targets},
			{ID: "s_epsilon", Over: observe.OverEpsilon, With: []string{"u_norm"}, Of: "support", Targets: targets},
			{ID: "s_norm", Over: "u_norm", With: []string{observe.OverEpsilon}, Of: "support", Targets: targets},
		},
	}
}

func TestTableOfExponents(t *testing.T) {
	t.Parallel()
	sbp, sgd := powerLaw{"sbp", 2, 1, 3, 0.02}, powerLaw{"sgd", 3, 2, 3, 0.02}
	in := inputOf(append(sbp.runs(), sgd.runs()...)...)
	g := build(t, boundsTable(), in)
	if len(g.Rows) != 3 {
		t.Fatalf("%d rows", len(g.Rows))
	}
	for series, want := range map[string][4]float64{"sbp": {2, 2, 1, 1}, "sgd": {3, 6, 1.5, 3}} {
		name := listed.Name(series)
		row := rowOf(t, g, name)
		for i, id := range []string{"exponent_epsilon", "exponent_u_norm", "s_epsilon", "s_norm"} {
			if got := parsed(t, row[id].Value); math.Abs(got-want[i]) > 0.05 {
				t.Errorf("%s: %s is %v, want %v", name, id, got, want[i])
			}
			var value, lo, hi float64
			_, err := fmt.Sscanf(row[id].Text, "%f [%f, %f]", &value, &lo, &hi)
			if err != nil || lo > value || value > hi || hi-lo > 0.2 {
				t.Errorf("%s: %s is %q", name, id, row[id].Text)
			}
			if spread := parsed(t, row[id].Spread); math.Abs(spread-(hi-lo)/2) > 0.011 {
				t.Errorf("%s: %s has the spread %v", name, id, spread)
			}
			// Claims use the same power laws.
			law, err := lawOf(boundsTable(), id, in.Choice.Runs(), series)
			if err != nil || words.Exact(law.Exponents[0].Value) != row[id].Value {
				t.Errorf("%s: the law of %s is %+v (%v), the table has %+v", name, id, law, err, row[id])
			}
		}
		if row["observations"] != (Cell{Text: "16 of 16", Value: "16"}) || row["runs"].Text != "72" {
			t.Errorf("%s: observations %+v, runs %+v", name, row["observations"], row["runs"])
		}
	}
	if row := rowOf(t, g, "Fourier features"); row["ε = Ω(L*)"].Text != "d R^4/ε^3" || row["exponent_u_norm"] != missing || row["observations"] != missing {
		t.Errorf("theory alone: %+v", row)
	}
	for i, want := range []string{
		"ε = Ω(L*)", "Measured exponent of 1/ε", "Measured exponent of R",
		"Measured exponent of 1/ε in support vectors", "Measured exponent of R in support vectors",
	} {
		if got := g.Columns[1+i].Title; got != want {
			t.Errorf("column %d is %q, want %q", i, got, want)
		}
	}
	// One note covers all laws on the same variables.
	if len(g.Notes) != 2 {
		t.Errorf("notes %q", g.Notes)
	}
	if len(g.Remarks) > 0 {
		t.Errorf("remarks %q", g.Remarks)
	}
}

func TestExponentsTakeTheBestSetting(t *testing.T) {
	t.Parallel()
	runs := powerLaw{"sbp", 2, 1, 2, 0}.runs()
	tab := boundsTable()
	want := rowOf(t, build(t, tab, inputOf(runs...)), "SBP")
	best := slices.DeleteFunc(slices.Clone(runs), func(r record.Run) bool { return r.Rows["train"] != 200 || r.Params["lambda"] != 0.1 })
	for _, id := range tab.Columns[1:6] {
		if got := rowOf(t, build(t, tab, inputOf(best...)), "SBP")[id]; got != want[id] {
			t.Errorf("%s of the best setting is %+v, of all settings %+v", id, got, want[id])
		}
	}
	// If n is a variable of the law, it is not selected.
	over := []observe.Exponent{{Over: observe.OverN, With: []string{"u_norm", observe.OverEpsilon}, Targets: []float64{0.1, 0.05}}}
	for i := range runs {
		for j := range runs[i].Curve.Cost["kernel_evals"] {
			c := &runs[i].Curve.Cost["kernel_evals"][j]
			*c = *c * runs[i].Rows["train"] / 100
			if runs[i].Rows["train"] == 200 {
				*c *= 3 // the same penalty as for other n
			}
		}
	}
	g := build(t, Table{ID: "t", Kind: KindExponents, Columns: []string{"exponent_n", "observations"}, Exponents: over}, inputOf(runs...))
	if row := rowOf(t, g, "SBP"); math.Abs(parsed(t, row["exponent_n"].Value)-1) > 0.02 || row["observations"].Text != "24 of 24" {
		t.Errorf("over n: %+v", row)
	}
}

// Targets that are not reached, or reached before the first point, are left out and counted.
func TestExponentsCountMissingObservations(t *testing.T) {
	t.Parallel()
	runs := powerLaw{"sbp", 2, 1, 3, 0}.runs()
	tab := boundsTable()
	targets := func(more ...float64) {
		for i := range tab.Exponents {
			tab.Exponents[i].Targets = append([]float64{0.1, 0.05, 0.02}, more...)
		}
	}
	targets(1e-12)
	row := rowOf(t, build(t, tab, inputOf(runs...)), "SBP")
	if row["observations"].Text != "12 of 16: 4 not reached" || math.Abs(parsed(t, row["exponent_epsilon"].Value)-2) > 0.05 {
		t.Errorf("not reached: %+v", row)
	}
	targets(5)
	if row := rowOf(t, build(t, tab, inputOf(runs...)), "SBP"); row["observations"].Text != "12 of 16: 4 reached at once" {
		t.Errorf("at once: %+v", row["observations"])
	}
	// The median of three repeats tolerates one miss, not two.
	targets()
	for lost, want := range map[int]string{1: "12 of 12", 2: "9 of 12: 3 not reached"} {
		damaged := slices.Clone(runs)
		for i := range damaged {
			if r := &damaged[i]; r.Facts["u_norm"] == 3 && r.Repeat < lost {
				r.Curve.Metrics = map[string]map[string][]float64{
					"test":  {"error": slices.Repeat([]float64{0.5}, len(r.Curve.Cost["kernel_evals"]))},
					"state": r.Curve.Metrics["state"],
				}
			}
		}
		if row := rowOf(t, build(t, tab, inputOf(damaged...)), "SBP"); row["observations"].Text != want {
			t.Errorf("%d repeats lost: %+v", lost, row["observations"])
		}
	}
	// A series may record no support.
	targets()
	for i := range runs {
		delete(runs[i].Curve.Metrics, "state")
	}
	row = rowOf(t, build(t, tab, inputOf(runs...)), "SBP")
	if row["s_epsilon"] != missing || row["observations"].Text != "12 of 12" {
		t.Errorf("without support: %+v", row)
	}
}

// Of settings with the same cost, the one with the smallest dependent variable counts, in any order of runs.
func TestExponentsDoNotDependOnTheOrderOfRuns(t *testing.T) {
	t.Parallel()
	var runs []record.Run
	for _, radius := range []float64{2, 3, 4, 6} {
		for _, lambda := range []float64{0.1, 1, 10} {
			r := powerLaw{series: "sgd", q: 2, p: 1}.run(radius, 200, lambda, 0, 1)
			if lambda != 1 {
				support := r.Curve.Metrics["state"]["support"]
				for i := range support {
					support[i] *= math.Pow(radius, lambda/10)
				}
			}
			runs = append(runs, r)
		}
	}
	best := slices.DeleteFunc(slices.Clone(runs), func(r record.Run) bool { return r.Params["lambda"] != 1.0 })
	want, err := lawOf(boundsTable(), "s_norm", best, "sgd")
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		slices.Reverse(runs)
		runs = append(runs[5:], runs[:5]...)
		law, err := lawOf(boundsTable(), "s_norm", runs, "sgd")
		if err != nil {
			t.Fatal(err)
		}
		// The order of sums affects rounding.
		if got, w := law.Exponents[0], want.Exponents[0]; math.Abs(got.Value-w.Value)+math.Abs(got.Lo-w.Lo)+math.Abs(got.Hi-w.Hi) > 1e-9 {
			t.Errorf("exponent %v, want %v", got, w)
		}
	}
}

// lawOf fits the power law of a column to the runs of series.
func lawOf(table Table, column string, runs []record.Run, series ...string) (stats.Law, error) {
	all, err := table.PowerLaws().Observe(column, series, runs)
	if err != nil {
		return stats.Law{}, err
	}
	points := [][]stats.Point{}
	for _, s := range all {
		points = append(points, s.Points)
	}
	return stats.FitPowerLaw(len(points[0][0].X), points...)
}

func TestPowerLawsThatCannotBeObserved(t *testing.T) {
	t.Parallel()
	runs := powerLaw{"sgd", 2, 1, 1, 0}.runs()
	without := boundsTable()
	without.Exponents[0].Over = "no_such_fact"
	for _, c := range []struct {
		table  Table
		column string
		series []string
	}{
		{boundsTable(), "no_such", []string{"sgd"}},
		{boundsTable(), "s_norm", []string{"sgd", "pegasos"}},
		{without, "exponent_no_such_fact", []string{"sgd"}},
	} {
		if _, err := lawOf(c.table, c.column, runs, c.series...); err == nil {
			t.Errorf("%s of %q: no error", c.column, c.series)
		}
	}
}
