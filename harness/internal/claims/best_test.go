package claims

import (
	"math"
	"slices"
	"testing"

	"stochopt/internal/observe"
	"stochopt/internal/record"
)

// Of two rivals one is the best for few vectors, the other for many; neither is below
// a everywhere.
func TestOrderBelowTheBest(t *testing.T) {
	t.Parallel()
	of := func(repeats int, floor float64) []record.Run {
		return join(sparse("d", "a", repeats, 1, 2000, 1, 0.5, floor),
			sparse("d", "few", repeats, 2, 2000, 1, 0.3, 0.3, 1, 10), sparse("d", "many", repeats, 3, 2000, 1, 0.9, 0.15, 10, 1000),
			sparse("d", "never", repeats, 4, 2000, 1, 0.9, 0.9))
	}
	for _, tt := range []struct {
		name    string
		repeats int
		floor   float64
		o       Order
		want    string
	}{
		{"below", 1, 0.02, Order{Range: Range{After: 30, Until: 1000}}, Reproduced},
		{"below, three repeats", 3, 0.02, Order{Range: Range{After: 30, Until: 1000}}, Reproduced},
		{"above where the other is worse", 1, 0.4, Order{Range: Range{Until: 5}}, NotReproduced},
		{"above, three repeats", 3, 0.4, Order{Range: Range{Until: 5}}, NotReproduced},
		{"not comparable", 1, 0.4, Order{Ratio: 100, Least: 1.05}, Reproduced},
		{"comparable", 1, 0.4, Order{Ratio: 1.05}, NotReproduced},
		{"about equal", 1, 0.18, Order{Range: Range{After: 900, Until: 1000}}, Inconclusive},
	} {
		tt.o.Series, tt.o.Below, tt.o.Best, tt.o.Cost = "a", []string{"never", "few", "many"}, true, observe.CostSupport
		v := judgeOne(t, claimOf(Check{Order: &tt.o}), certain(sizesInput(t, of(tt.repeats, tt.floor))))
		wantOutcome(t, tt.name, v, tt.want, "a / best of never, few, many, error over support")
	}
}

// The envelope against its definition, with curves that begin and end at different
// costs.
func TestBest(t *testing.T) {
	t.Parallel()
	ls := func(name string, level bool, x []float64, y ...[]float64) *lines {
		out := &lines{series: name, of: make([]*line, len(y))}
		for id := range y {
			out.of[id] = &line{Curve: observe.Curve{X: x, Y: y[id], Floor: 0.01, Stays: level}}
		}
		return out
	}
	a := ls("a", true, []float64{1, 100}, []float64{0.9, 0.8}, []float64{0.9, 0.8})
	b := ls("b", true, []float64{2, 8}, []float64{0.5, 0.4}, []float64{0.1, 0.4})
	c := ls("c", false, []float64{4, 16}, []float64{0.3, 0.1}, []float64{0.3, 0})
	got := best(a, []*lines{b, c})
	for id := range 2 {
		// At 4 c's 0.3 beats b's sqrt(0.4667 x 0.2); at 8 its sqrt(0.2333 x 0.2) b's 0.4.
		want := []float64{b.of[id].Y[0], c.of[id].LineAt(4), c.of[id].LineAt(8), c.of[id].Y[1], b.of[id].Y[1]}
		if math.Sqrt(b.of[0].LineAt(4)*b.of[1].LineAt(4)) < 0.3 {
			want[1] = b.of[id].LineAt(4)
		}
		if l := got.of[id]; !slices.Equal(l.X, []float64{2, 4, 8, 16, 100}) || !slices.Equal(l.Y, want) || l.Stays {
			t.Errorf("replicate %d: %v over %v, want %v", id, l.Y, l.X, want)
		}
	}
}

// Among equals the choice fits the half that it was made on better. Where there is
// nothing to choose, or the choice is clear, both halves show the same but for chance.
func TestTestAboveValidation(t *testing.T) {
	t.Parallel()
	half := func(split string) Reading {
		return Reading{Series: "a", Curve: Curve{Cost: observe.CostSupport, Split: split}, Read: readMean}
	}
	above := claimOf(Check{Ratio: &Ratio{Of: half(""), To: half(record.SplitValidation), Between: []*float64{ptr(1.01), nil}}})
	grid := func(repeats, values int, worse float64) (runs []record.Run) {
		for eta := range values {
			rate := min(0.3+worse*float64(eta), 1)
			runs = append(runs, sparse("d", "a", repeats, uint64(eta+1), 400, float64(eta+1), rate, rate)...)
		}
		return runs
	}
	for _, tt := range []struct {
		name  string
		runs  []record.Run
		want  string
		parts string
	}{
		{"of thirty equals", grid(1, 30, 0), Reproduced, "mean error / mean validation error"},
		{"of thirty equals, three repeats", grid(3, 30, 0), Reproduced, ""},
		{"of one", grid(1, 1, 0), NotReproduced, "mean error / mean validation error: 1.00 ("},
		{"of one, three repeats", grid(3, 1, 0), NotReproduced, ""},
		{"of four that differ", grid(1, 4, 0.2), NotReproduced, ""},
		{"of two, one a little better", grid(1, 2, 0.02), Inconclusive, ""},
	} {
		wantOutcome(t, tt.name, judgeOne(t, above, certain(sizesInput(t, tt.runs))), tt.want, tt.parts)
	}
	if err := claimOf(Check{Level: &Level{Reading: half(record.SplitTrain), Between: []*float64{ptr(1), nil}}}).Validate(); err == nil {
		t.Error("a trade-off on the training data is accepted")
	}
}
