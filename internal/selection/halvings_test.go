package selection

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"stochopt/internal/record"
	"stochopt/internal/stats"
)

// sparseCandidate returns a run with the given supports and random mistakes.
func sparseCandidate(rng *rand.Rand, dataset, series string, params record.Params, repeat, rows int, rate float64, support ...float64) record.Run {
	r := record.Run{
		Schema: record.Schema, Key: fmt.Sprint(dataset, series, params, repeat), Extent: "e", Task: "svm-sparse",
		Dataset: dataset, DatasetHash: "hash of " + dataset, Series: series, Algorithm: series, Version: 1,
		Params: params, Repeat: repeat, Seed: 7, Status: record.StatusFinished, Reason: "budget",
		Rows: map[string]int64{"train": 100, "test": int64(rows)},
	}
	iterations := make([]int64, len(support))
	errors := make([]float64, len(support))
	for i, s := range support {
		iterations[i] = int64(i + 1)
		set := record.IndexSet{}
		for j := range rows {
			if rng.Float64() < rate/math.Sqrt(1+s) {
				set = append(set, int32(j))
			}
		}
		errors[i] = float64(len(set)) / float64(rows)
		r.Curve.Mistakes = append(r.Curve.Mistakes, set)
	}
	r.Curve.Cost = map[string][]int64{"iterations": iterations}
	r.Curve.Metrics = map[string]map[string][]float64{"test": {"error": errors}, "state": {"support": support}}
	return r
}

// sparseGrid returns the runs of a series over a grid of eta, with random supports.
func sparseGrid(rng *rand.Rand, dataset, series string, repeats, rows int) []record.Run {
	var runs []record.Run
	for repeat := range repeats {
		for _, eta := range []float64{4, 1, 0.25} {
			n := 1 + rng.IntN(6)
			support := make([]float64, n)
			for i := range support {
				support[i] = float64(rng.IntN(40))
			}
			support[0] = float64(1 + rng.IntN(5))
			runs = append(runs, sparseCandidate(rng, dataset, series, record.Params{"C": 1.0, "eta": eta}, repeat, rows, 0.8, support...))
		}
	}
	return runs
}

// bruteOptions returns the points of a run that are options at a size.
func bruteOptions(r *record.Run, size int, over string) (points []int) {
	column := r.Curve.Metrics["state"]["support"]
	largest := -1
	for i, s := range column {
		if s < 1 || s > float64(size) {
			continue
		}
		points = append(points, i)
		if largest < 0 || s >= column[largest] {
			largest = i
		}
	}
	if over != OverAny && largest >= 0 {
		return []int{largest}
	}
	return points
}

// bruteErrors returns the errors on the reporting rows and on the validation rows.
func bruteErrors(mistakes record.IndexSet, rows int, validates func(int) bool) (reported, validation float64) {
	var wrong, of [2]float64
	for j := range rows {
		half := 0
		if validates(j) {
			half = 1
		}
		of[half]++
		if slices.Contains(mistakes, int32(j)) {
			wrong[half]++
		}
	}
	return wrong[0] / of[0], wrong[1] / of[1]
}

// bruteHalving chooses a classifier in one halving. It returns its errors on both halves and its
// mistakes.
func bruteHalving(runs []record.Run, repeat, size int, over string, validates func(int) bool) (reported, validation float64, chosen record.IndexSet) {
	best, bestSupport, bestEta := math.Inf(1), 0.0, 0.0
	for _, r := range runs {
		if r.Repeat != repeat {
			continue
		}
		points := bruteOptions(&r, size, over)
		slices.Reverse(points) // the latest first
		for _, point := range points {
			report, v := bruteErrors(r.Curve.Mistakes[point], int(r.Rows["test"]), validates)
			s, eta := r.Curve.Metrics["state"]["support"][point], r.Params["eta"].(float64)
			if v < best || v == best && (s < bestSupport || s == bestSupport && eta < bestEta) {
				best, bestSupport, bestEta = v, s, eta
				reported, chosen = report, r.Curve.Mistakes[point]
			}
		}
	}
	return reported, best, chosen
}

func TestHalvingsAgainstBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	rises := 0
	for round := range 50 {
		over := []string{"", OverLargest, OverAny}[round%3]
		rows := 2 + rng.IntN(150)
		runs := sparseGrid(rng, "adult", "sparsify", 1+rng.IntN(3), rows)
		o := Rule{By: ByHalvings, Halvings: 1 + rng.IntN(8), Seed: uint64(round), Tune: []string{"eta"}, Over: over, Sizes: []int{7, 13, 4000}}
		h := choose(t, runs, o)
		if len(h.Series) != 1 {
			t.Fatalf("%d curves", len(h.Series))
		}
		c := &h.Series[0]
		drawn := drawHalvings(halvingStream(o.Seed, "hash of adult", int64(rows)), int64(rows), o.Halvings)
		for i, size := range c.Sizes {
			var errors, validations, variance float64
			for _, repeat := range c.Repeats {
				var each, controlled []float64
				_, _, fixed := bruteHalving(runs, repeat, size, over, func(int) bool { return true })
				for _, set := range drawn.validating {
					validates := func(j int) bool { return set[j/64]>>(j%64)&1 == 1 }
					e, v, _ := bruteHalving(runs, repeat, size, over, validates)
					control, controlValidation := bruteErrors(fixed, rows, validates)
					each, controlled = append(each, e), append(controlled, v+control-controlValidation)
					validations += v
				}
				m := stats.Mean(each)
				errors += m
				alone := len(c.Repeats) == 1
				if alone && (!slices.EqualFunc(c.ByHalving[i], each, near) ||
					!slices.EqualFunc(c.ValidationByHalving[i], controlled, near)) {
					t.Fatalf("round %d, size %d: errors by halving %v, want %v", round, size, c.ByHalving[i], each)
				}
				if at := slices.Index(c.Repeats, repeat); !near(c.ByRepeat[at][i], m) || !near(c.ValidationByRepeat[at][i], stats.Mean(controlled)) {
					t.Fatalf("round %d, size %d: %v and %v in repeat %d, want %v and %v", round, size, c.ByRepeat[at][i], c.ValidationByRepeat[at][i], repeat, m, stats.Mean(controlled))
				}
				for _, e := range each {
					variance += (e - m) * (e - m) / float64(max(len(each)-1, 1))
				}
			}
			n := float64(len(c.Repeats))
			if !near(c.Error[i], errors/n) || !near(c.Validation[i], validations/n/float64(o.Halvings)) || math.Abs(c.SD[i]-math.Sqrt(variance/n)) > 1e-9 {
				t.Fatalf("round %d, size %d: %v ± %v, validation %v; want %v ± %v, %v", round, size, c.Error[i], c.SD[i], c.Validation[i],
					errors/n, math.Sqrt(variance/n), validations/n/float64(o.Halvings))
			}
			if i > 0 && c.Validation[i] > c.Validation[i-1]+1e-12 {
				if over == OverAny {
					t.Fatalf("round %d: the validation error increases from %v to %v at size %d", round, c.Validation[i-1], c.Validation[i], size)
				}
				rises++
			}
			votes := 0
			for _, v := range c.Votes[i] {
				votes += v.Count
			}
			if votes != o.Halvings*len(c.Repeats) {
				t.Errorf("%d votes", votes)
			}
		}
		if c.Sizes[0] != c.Least || c.Sizes[len(c.Sizes)-1] != c.Most || slices.Contains(c.Sizes, 4000) {
			t.Errorf("sizes %v from %d to %d", c.Sizes, c.Least, c.Most)
		}
		_, below := c.At(c.Least - 1)
		if i, above := c.At(4000); below || !above || i != len(c.Sizes)-1 {
			t.Errorf("At has a value below the least size (%v), or none above the largest", below)
		}
	}
	if rises == 0 {
		t.Error("with OverLargest the validation error never increases: the test cannot distinguish OverAny")
	}
}

func TestDrawHalvings(t *testing.T) {
	for _, rows := range []int64{1, 2, 63, 64, 65, 1001} {
		a := drawHalvings("a", rows, 10)
		b := drawHalvings("a", rows, 4)
		if !reflect.DeepEqual(a.validating[:4], b.validating) {
			t.Errorf("%d rows: the first halvings depend on the number of halvings", rows)
		}
		var all record.IndexSet
		for i := range rows {
			all = append(all, int32(i))
		}
		for _, n := range a.count(all) {
			if int64(n) != rows/2 {
				t.Errorf("%d of %d rows validate", n, rows)
			}
		}
	}
	// Each row is a validation row about half of the time, each pair about a quarter.
	h := drawHalvings("c", 10, 4000)
	for i := range 10 {
		for j := range 10 {
			n := 0
			for _, set := range h.validating {
				if set[0]>>i&1 == 1 && set[0]>>j&1 == 1 {
					n++
				}
			}
			want := 4000 * 0.5
			if i != j {
				want = 4000 * 5 * 4 / 90.0
			}
			if math.Abs(float64(n)-want) > 5*math.Sqrt(4000*0.25) {
				t.Errorf("rows %d and %d validate together %d times, want about %v", i, j, n, want)
			}
		}
	}
}

func TestHalvingsAreDeterministicAndPaired(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	runs := slices.Concat(sparseGrid(rng, "adult", "sparsify", 2, 91), sparseGrid(rng, "ijcnn", "sparsify", 1, 60))
	twin := slices.Clone(runs)
	for i := range twin {
		twin[i].Series = "other"
	}
	o := Rule{By: ByHalvings, Halvings: 20, Seed: 3, Tune: []string{"eta"}}
	h := choose(t, slices.Concat(runs, twin), o)
	if len(h.Series) != 4 {
		t.Fatalf("%d curves", len(h.Series))
	}
	for i := range 2 {
		if a, b := h.Series[i], h.Series[i+2]; !slices.Equal(a.Error, b.Error) || !slices.Equal(a.SD, b.SD) {
			t.Error("two series with equal predictions differ: the halvings are not paired")
		}
	}
	slices.Reverse(twin)
	a, b := h.Series[0], choose(t, twin, o).Series[1]
	if !slices.Equal(a.Error, b.Error) || !reflect.DeepEqual(a.Votes, b.Votes) {
		t.Error("the result depends on the order of the runs")
	}
	o.Seed++
	if other := choose(t, runs, o); slices.Equal(other.Series[0].Error, h.Series[0].Error) {
		t.Error("the halvings do not depend on the seed")
	}
	for i := range runs {
		if c := h.Of(&runs[i]); c == nil || c.Name != "sparsify" || c.Dataset != runs[i].Dataset {
			t.Errorf("%s belongs to %+v", runs[i].Name(), c)
		}
	}
}

func TestUnfinishedRunsOfTradeoffs(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	make1 := func(eta float64, repeat int, status string, support ...float64) record.Run {
		r := sparseCandidate(rng, "forest", "cpsp", record.Params{"eta": eta}, repeat, 30, 0.5, support...)
		r.Status, r.Reason = status, "600 s"
		return r
	}
	runs := []record.Run{
		make1(1, 0, record.StatusFinished, 0, 4),
		make1(2, 0, record.StatusOutOfTime, 2),
		make1(3, 0, record.StatusDiverged, 1),
		make1(4, 0, record.StatusOutOfMemory),
		make1(1, 1, record.StatusFinished, 3),
	}
	h := choose(t, runs, Rule{By: ByHalvings, Halvings: 3, Tune: []string{"eta"}})
	c := &h.Series[0]
	if c.Least != 3 || c.Most != 4 || !slices.Equal(c.Repeats, []int{0, 1}) {
		t.Errorf("sizes from %d to %d, repeats %v", c.Least, c.Most, c.Repeats)
	}
	want := []string{
		"candidate eta=2: repeat 0 ran out of time: 600 s",
		"candidate eta=3: repeat 0 diverged: 600 s", "candidate eta=4: repeat 0 ran out of memory: 600 s",
	}
	if !slices.Equal(c.Warnings, want) {
		t.Errorf("warnings %q, want %q", c.Warnings, want)
	}
	none := choose(t, runs[3:4], Rule{By: ByHalvings, Halvings: 3, Tune: []string{"eta"}}).Series[0]
	if len(none.Sizes) != 0 || len(none.Warnings) != 2 || none.Pick(10) != nil {
		t.Errorf("%+v", none)
	}
}

// A grid is too narrow if the choice is at one end for half of the sizes. The grid needs three or more
// values, the curve ten or more sizes, and the parameter must not determine the support size.
func TestTradeoffEdges(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	var runs []record.Run
	add := func(dataset string, eta any, rate float64, support ...float64) *record.Run {
		runs = append(runs, sparseCandidate(rng, dataset, "s", record.Params{"eta": eta}, 0, 300, rate, support...))
		return &runs[len(runs)-1]
	}
	grid := func(dataset string, best, values int, support ...float64) {
		for eta := range values {
			rate := 0.9
			if eta == best {
				rate = 0.1
			}
			add(dataset, float64(eta), rate, support...)
		}
	}
	ten := []float64{1, 2, 5, 10}
	grid("high", 3, 4, ten...)
	grid("low", 0, 3, ten...)
	grid("within", 1, 3, ten...)
	grid("two values", 1, 2, ten...)
	grid("nine sizes", 3, 4, 1, 2, 5, 9)
	for eta := range 3 { // the largest is best up to 99 vectors, then the middle one
		r := add("half of the sizes", float64(eta), 1.5, 10, 100, 1000)
		for i := range r.Curve.Mistakes {
			if eta == 2 && i == 0 || eta == 1 && i > 0 {
				r.Curve.Mistakes[i] = record.IndexSet{}
			}
		}
	}
	for _, basis := range []int64{4, 8, 200} {
		add("one support", basis, 0.9, 3*float64(basis))
		add("budget", basis, 0.9, 1, float64(basis)/2, float64(basis))
	}
	h := choose(t, runs, Rule{By: ByHalvings, Halvings: 5, Tune: []string{"eta"}})
	for _, c := range h.Series {
		want := map[string]string{"high": "high", "low": "low"}[c.Dataset]
		if c.Edge != want || (len(c.Warnings) > 0) != (want != "") {
			t.Errorf("%s: edge %q, warnings %q", c.Dataset, c.Edge, c.Warnings)
		}
	}
}

// Errors contain the name of the run and the missing data.
func TestTradeoffErrors(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	good := func() record.Run { return sparseCandidate(rng, "d", "s", record.Params{"eta": 1.0}, 0, 30, 0.5, 1, 2) }
	const name, both = "results: d s[eta=1] repeat 0 has ", ": selection by size needs both at each point"
	for want, change := range map[string]func(*record.Run){
		"2 points, 0 records of mistakes and 2 of support" + both:         func(r *record.Run) { r.Curve.Mistakes = nil },
		"2 points, 2 records of mistakes and 0 of support" + both:         func(r *record.Run) { delete(r.Curve.Metrics, "state") },
		"31 test rows, but others of its series have 30 on the same data": func(r *record.Run) { r.Rows["test"] = 31 },
	} {
		r := good()
		change(&r)
		if _, err := Choose([]record.Run{good(), r}, Rule{By: ByHalvings}); err == nil || err.Error() != name+want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if h := choose(t, nil, Rule{By: ByHalvings}); len(h.Series) != 0 || h.Halvings != DefaultHalvings {
		t.Errorf("%+v", h)
	}
}

func TestPick(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	for round := range 40 {
		runs := sparseGrid(rng, "adult", "sparsify", 2, 40)
		over := []string{OverLargest, OverAny}[round%2]
		h := choose(t, runs, Rule{By: ByHalvings, Halvings: 2, Tune: []string{"eta"}, Over: over})
		size := 5 + rng.IntN(40)
		got := h.Series[0].Pick(size)
		if got == nil {
			t.Fatalf("round %d: no classifier of at most %d vectors", round, size)
		}
		least := math.Inf(1)
		for _, r := range runs {
			for _, point := range bruteOptions(&r, size, over) {
				least = min(least, r.Curve.Metrics["test"]["error"][point])
			}
		}
		if got.Score != least || got.Run.Curve.Metrics["test"]["error"][got.Point] != least || got.Support > size || got.Support != int(got.Run.Curve.Metrics["state"]["support"][got.Point]) {
			t.Fatalf("round %d: %d of %s with error %v, want %v", round, got.Point, got.Run.Name(), got.Score, least)
		}
	}
	a := sparseCandidate(rng, "d", "s", record.Params{"eta": 2.0}, 0, 30, 0, 3)
	b := sparseCandidate(rng, "d", "s", record.Params{"eta": 1.0}, 1, 30, 0, 3)
	c := sparseCandidate(rng, "d", "s", record.Params{"eta": 1.0}, 0, 30, 0, 3)
	smaller := sparseCandidate(rng, "d", "s", record.Params{"eta": 8.0}, 1, 30, 0, 2)
	for _, test := range []struct {
		runs []record.Run
		want record.Run
	}{{[]record.Run{a, b, c}, c}, {[]record.Run{b, a}, b}, {[]record.Run{a, smaller, c}, smaller}} {
		h := choose(t, test.runs, Rule{By: ByHalvings, Tune: []string{"eta"}})
		if got := h.Series[0].Pick(10); got == nil || got.Run.Key != test.want.Key {
			t.Errorf("Pick returned %+v, want %s", got, test.want.Name())
		}
		if got := h.Series[0].Pick(1); got != nil {
			t.Errorf("Pick returned %s with %d vectors", got.Run.Name(), got.Support)
		}
	}
}

// The CSV has a row with votes for each size, and one row for a series without classifiers.
func TestTradeoffCSV(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 22))
	lost := sparseCandidate(rng, "forest", "spsvm", record.Params{"eta": 1.0}, 0, 40, 0.5)
	lost.Status, lost.Reason = record.StatusOutOfMemory, "would take 12 GB, limit 8 GB"
	runs := []record.Run{lost}
	for i := range 4 { // two repeats: half of the rows are wrong with one vector, one row with two vectors
		r := sparseCandidate(rng, "adult", "sparsify", record.Params{"C": 1.0, "eta": []float64{1, 4}[i%2]}, i/2, 8, 0, 1, 2)
		r.Curve.Mistakes = []record.IndexSet{{0, 1, 2, 3}, {int32(i)}}
		runs = append(runs, r)
	}
	h := choose(t, runs, Rule{By: ByHalvings, Over: OverLargest, Halvings: 4, Tune: []string{"eta"}})
	const want = `dataset,group,stand_in,series,algorithm,params,by,over,halvings,repeats,test_rows,support_size,error,deviation_over_halvings,deviation_over_repeats,validation_error,chosen,chosen_share,choices,warnings
forest,,false,spsvm,spsvm,,halvings,largest,4,0,0,,,,,,,,,"candidate eta=1: repeat 0 ran out of memory: would take 12 GB, limit 8 GB; no run has a classifier with support vectors"
adult,,false,sparsify,sparsify,C=1,halvings,largest,4,2,8,1,0.5625,0.125,0,0.4375,eta=1,1,eta=1 8,
adult,,false,sparsify,sparsify,C=1,halvings,largest,4,2,8,2,0.25,0,0,0,eta=1,0.625,"eta=1 5, eta=4 3",
`
	if got := written(t, h); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if err := h.WriteCSV(fullWriter{}); !errors.Is(err, errFull) {
		t.Errorf("%v", err)
	}
}
