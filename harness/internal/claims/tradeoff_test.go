package claims

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"stochopt/internal/record"
	"stochopt/internal/selection"
)

// sparse returns runs with classifiers of 1, 10, 100 and 1000 support vectors. Their error probability on
// each test row falls from rate to floor.
func sparse(
	dataset, series string, repeats int, seed uint64, rows int, eta, rate, floor float64, sizes ...float64,
) []record.Run {
	if len(sizes) == 0 {
		sizes = []float64{1, 10, 100, 1000}
	}
	rng := rand.New(rand.NewPCG(seed, 11))
	var out []record.Run
	for repeat := range repeats {
		r := record.Run{
			Schema: record.Schema, Key: fmt.Sprint(dataset, series, eta, repeat), Dataset: dataset, DatasetHash: "hash",
			Series: series, Algorithm: series, Params: record.Params{"C": 1.0, "eta": eta}, Repeat: repeat,
			Seed: 7, Status: record.StatusFinished,
			Rows: map[string]int64{"train": 100, "test": int64(rows)}, Facts: map[string]float64{"reference_error": floor},
			Curve: record.Curve{Cost: map[string][]int64{}, Metrics: map[string]map[string][]float64{"test": {}, "state": {}}},
		}
		for i, size := range sizes {
			set := record.IndexSet{}
			for j := range rows {
				if rng.Float64() < floor+(rate-floor)/math.Sqrt(size) {
					set = append(set, int32(j))
				}
			}
			r.Curve.Cost["iterations"] = append(r.Curve.Cost["iterations"], int64(i+1))
			r.Curve.Metrics["state"]["support"] = append(r.Curve.Metrics["state"]["support"], size)
			r.Curve.Metrics["test"]["error"] = append(r.Curve.Metrics["test"]["error"], float64(len(set))/float64(rows))
			r.Curve.Mistakes = append(r.Curve.Mistakes, set)
		}
		out = append(out, r)
	}
	return out
}

func sizesInput(t *testing.T, runs []record.Run) Input {
	t.Helper()
	h, err := selection.Choose(runs, selection.Rule{By: selection.ByHalvings, Tune: []string{"eta"}, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	return Input{Choice: h}
}

// certain marks all runs as deterministic.
func certain(in Input) Input {
	for _, r := range in.Choice.Runs() {
		in.Deterministic = append(in.Deterministic, DatasetSeries{r.Dataset, r.Series})
	}
	return in
}

// A single training run of a random method decides nothing, even if its halvings are clear. Its numbers are shown.
func TestOrderOfTradeoffs(t *testing.T) {
	t.Parallel()
	of := func(repeats int, rate, floor float64) Input {
		return sizesInput(t, join(sparse("d", "a", repeats, 1, 1000, 1, rate, floor),
			sparse("d", "a", repeats, 2, 1000, 4, 1.5*rate, floor), sparse("d", "b", repeats, 3, 1000, 1, 0.5, 0.1)))
	}
	const once, random = "over halvings of one test set, not over repeats", "says nothing about another training run"
	for _, tt := range []struct {
		name string
		in   Input
		o    Order
		want string
		n    int
		text string
	}{
		{"below, one repeat", certain(of(1, 0.3, 0.05)), Order{}, Reproduced, 100, once},
		{"below, one random run", of(1, 0.3, 0.05), Order{}, Inconclusive, 100, random},
		{"above, one repeat", certain(of(1, 0.7, 0.2)), Order{}, NotReproduced, 100, once},
		{"about equal, one repeat", certain(of(1, 0.5, 0.1)), Order{}, Inconclusive, 100, once},
		{"below, three repeats", of(3, 0.3, 0.05), Order{}, Reproduced, 3, ""},
		{"above, three repeats", of(3, 0.7, 0.2), Order{}, NotReproduced, 3, ""},
		{"at the end", certain(of(1, 0.5, 0.05)), Order{Over: overEnd}, Reproduced, 100, ""},
		{"within 20", certain(of(1, 0.3, 0.1)), Order{Range: Range{Until: 20}}, Reproduced, 100, ""},
		{"beyond", certain(of(1, 0.3, 0.05)), Order{Range: Range{After: 2000, Until: 4000}}, Reproduced, 100, ""},
	} {
		tt.o.Cost = "support"
		v := judgeOne(t, claimOf(orderOf(tt.o)), tt.in)
		wantOutcome(t, tt.name, v, tt.want, tt.text)
		if e := v.Parts[0].Estimates[0]; e.N != tt.n || e.Lo == e.Hi || v.Doubtful != (tt.text == random) {
			t.Errorf("%s: doubtful %v, %+v", tt.name, v.Doubtful, e)
		}
	}
}

// For a single classifier, the deviation over halvings equals the standard error of the error on the whole
// test set.
func TestIntervalOverHalvings(t *testing.T) {
	t.Parallel()
	const rows = 2000
	in := certain(sizesInput(t, sparse("d", "a", 1, 5, rows, 1, 0.2, 0.2, 10)))
	level := levelOf(Reading{Series: "a", Curve: Curve{Cost: "support"}}, ptr(0.1), ptr(0.3))
	v := judgeOne(t, claimOf(level), in)
	wantOutcome(t, "level", v, Reproduced)
	e := v.Parts[0].Estimates[0]
	p := in.Choice.Runs()[0].Curve.Metrics["test"]["error"][0]
	se := math.Sqrt(p * (1 - p) / rows)
	if math.Abs(e.Value-p) > se/2 || math.Abs((e.Hi-e.Lo)/2/1.984-se) > 0.25*se {
		t.Errorf("%+v, want %v with a standard error of %v", e, p, se)
	}
}

func TestReadingsOfTradeoffs(t *testing.T) {
	t.Parallel()
	in := sizesInput(t, join(sparse("d", "a", 1, 1, 4000, 1, 0.6, 0.1), sparse("d", "b", 1, 2, 4000, 1, 0.6, 0.1, 1, 100)))
	support := Curve{Cost: "support"}
	read := func(series, what string, target *Value) Reading {
		return Reading{Series: series, Curve: support, Read: what, Target: target}
	}
	fact := Value{Fact: "reference_error", Times: 1.4}
	to := func(series string) Reading { return read(series, readCostTo, isp(0.3)) }
	for _, tt := range []struct {
		name  string
		check Check
		want  string
	}{
		{"reaches a fact", Check{Reaches: &Reaches{Series: "a", Curve: support, Value: fact}}, Reproduced},
		{"not with 10", Check{Reaches: &Reaches{Series: "a", Curve: support, Value: fact, Within: isp(10)}}, NotReproduced},
		{"a size", ratioOf(to("a"), to("b"), ptr(0.05), ptr(0.2)), Reproduced},
		{"the largest", ratioOf(read("a", readCost, nil), read("b", readCost, nil), ptr(10), ptr(10)), Reproduced},
	} {
		wantOutcome(t, tt.name, judgeOne(t, claimOf(tt.check), certain(in)), tt.want)
	}
	wantOutcome(t, "another cost", judgeOne(t, claimOf(aBelowB), in), Inconclusive, "one repeat")
}
