package claims

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"stochopt/internal/observe"
)

// drawn is a table of a ratio in some repeats, whose logarithm is normal about a mean.
func drawn(rng *rand.Rand, dataset string, repeats int, mean float64) observe.Table {
	q := observe.Quantity{Key: "b", Name: "a / b", Statistic: observe.GeometricMean, Between: observe.AtMost(1)}
	for i := range repeats {
		q.Add(i, observe.Value{Number: math.Exp(mean + rng.NormFloat64())})
	}
	return observe.Table{Claim: "a-claim", Dataset: dataset, Quantities: []observe.Quantity{q}}
}

// Where a series is compared with itself on each of six data sets, a claim about all, most or any of
// them is decided either way no more often than one about one, with two kinds of error of 2.5 % each.
func TestPartsOfEquals(t *testing.T) {
	t.Parallel()
	const trials = 300
	rng := rand.New(rand.NewPCG(31, 13))
	for _, holds := range []string{"", holdsMost, holdsAny} {
		outcomes := make(map[string]int)
		for range trials {
			var tables []observe.Table
			for i := range 6 {
				tables = append(tables, drawn(rng, fmt.Sprint(i), 10, 0))
			}
			outcomes[Decide([]Claim{{ID: "a-claim", Holds: holds, Check: aBelowB}}, Origin{}, tables)[0].Outcome]++
		}
		for _, wrong := range []string{Reproduced, NotReproduced} {
			if most := 0.025 + 2*math.Sqrt(0.025*0.975/trials); float64(outcomes[wrong])/trials > most {
				t.Errorf("holds %q: %d of %d are %s", holds, outcomes[wrong], trials, wrong)
			}
		}
	}
}

// What many parts leave open says so, and what is clear is decided whatever their number.
func TestPartsAtTheirLevels(t *testing.T) {
	t.Parallel()
	about := func(dataset string, mean float64) observe.Table { // a standard error of 0.1 with 9 degrees of freedom
		out := drawn(rand.New(rand.NewPCG(1, 1)), dataset, 10, 0)
		for i := range out.Quantities[0].Values {
			out.Quantities[0].Values[i].Number = math.Exp(mean + 0.3*float64(1-2*(i%2)))
		}
		return out
	}
	for _, tt := range []struct {
		holds string
		means []float64
		want  string
		text  string
	}{
		{"", []float64{0.25}, NotReproduced, ""},
		{"", []float64{0.25, -1, -1, -1}, Inconclusive, "is decided at 95 %, but not at the level for several parts"},
		{"", []float64{0.5, -1, -1, -1}, NotReproduced, ""},
		{"", []float64{-0.25, -0.25, -0.25, -0.25}, Reproduced, ""},
		{holdsAny, []float64{-0.25, 1, 1, 1}, Inconclusive, "is decided at 95 %, but not at the level for several parts"},
		{holdsAny, []float64{-0.5, 1, 1, 1}, Reproduced, ""},
		{holdsAny, []float64{0.25, 0.25, 0.25, 0.25}, NotReproduced, ""},
		{holdsMost, []float64{-0.5, -0.5, -0.25, 1}, Inconclusive, "is decided at 95 %, but not at the level for several parts"},
		{holdsMost, []float64{-0.5, -0.5, -0.5, 1}, Reproduced, ""},
		{holdsMost, []float64{0.5, 0.5, -1, -1}, NotReproduced, ""},
		{holdsMost, []float64{0.5, 0.25, -1, -1}, Inconclusive, "is decided at 95 %, but not at the level for several parts"},
	} {
		var tables []observe.Table
		for i, mean := range tt.means {
			tables = append(tables, about(fmt.Sprint(i), mean))
		}
		v := Decide([]Claim{{ID: "a-claim", Holds: tt.holds, Check: aBelowB}}, Origin{}, tables)
		wantOutcome(t, fmt.Sprint(tt.holds, tt.means), v[0], tt.want, tt.text)
	}
}
