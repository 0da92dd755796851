package cluster

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"stochopt/harness/internal/forecast"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/plantest"
)

// random returns groups of runs that take times of several orders of magnitude.
func random(rng *rand.Rand) (groups []sharing, items map[*plan.Item]float64) {
	items = make(map[*plan.Item]float64)
	for range 1 + rng.IntN(6) {
		g := sharing{shared: 20 * rng.Float64()}
		for range 1 + rng.IntN(40) {
			it, seconds := new(plan.Item), 10*rng.ExpFloat64()
			g.items, g.own = append(g.items, it), append(g.own, seconds)
			items[it] = seconds
		}
		groups = append(groups, g)
	}
	return groups, items
}

// Each run is in one task; a task is longer than asked for only where a run alone, or what
// it shares, is; and where what is shared takes next to nothing no two tasks could be one.
func TestPackKeepsAllRunsAndTheirTime(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 300 {
		groups, own := random(rng)
		most := 20 + 300*rng.Float64()
		bins := pack(groups, most, round%2 == 0)
		seen := make(map[*plan.Item]bool)
		least := most
		for i, b := range bins {
			sum := 0.0
			for _, it := range b.items {
				if seen[it] {
					t.Fatalf("round %d: a run is in two tasks", round)
				}
				seen[it] = true
				sum += own[it]
			}
			if len(b.items) == 0 || b.seconds < sum-1e-9 {
				t.Errorf("round %d: a task of %d runs is said to take %v s, its runs alone take %v", round, len(b.items), b.seconds, sum)
			}
			if i > 0 && b.seconds > bins[i-1].seconds {
				t.Errorf("round %d: a longer task comes after a shorter one", round)
			}
			if i > 0 && b.seconds+least <= most {
				t.Errorf("round %d: tasks of %v and %v s could be one of %v", round, b.seconds, least, most)
			}
			least = min(least, b.seconds)
		}
		if len(seen) != len(own) {
			t.Errorf("round %d: %d of %d runs are in tasks", round, len(seen), len(own))
		}
	}
}

func TestCutKeepsTheLength(t *testing.T) {
	even := sharing{shared: 2}
	for range 100 {
		even.items, even.own = append(even.items, new(plan.Item)), append(even.own, 1)
	}
	for most, want := range map[float64]int{1000: 1, 102: 1, 101: 2, 22: 5, 12: 10} {
		pieces := even.cut(most, true)
		if len(pieces) != want {
			t.Errorf("at most %v s: %d pieces, want %d", most, len(pieces), want)
		}
		for _, p := range pieces {
			if p.seconds > most+1 {
				t.Errorf("at most %v s: a piece takes %v", most, p.seconds)
			}
		}
	}
	// What is shared would be most of each task: they are as long as that, at least.
	dear := sharing{items: even.items, own: even.own, shared: 50}
	if pieces := dear.cut(20, true); len(pieces) != 2 {
		t.Errorf("%d pieces that take 50 s to prepare, and 100 s in all, want 2", len(pieces))
	}
	if pieces := dear.cut(52, false); len(pieces) != 50 {
		t.Errorf("%d pieces of at most 52 s, want 50", len(pieces))
	}
	one := sharing{items: even.items[:1], own: []float64{500}}
	if pieces := one.cut(20, true); len(pieces) != 1 || pieces[0].seconds != 500 {
		t.Errorf("one run makes %v", pieces)
	}
	if pieces := (sharing{items: even.items[:3], own: make([]float64, 3)}).cut(0, true); len(pieces) != 1 {
		t.Errorf("runs that take no time make %d pieces", len(pieces))
	}
}

const sweep = `version: 1
name: sweep
task: pca
seed: 7
repeats: 6
budget: {iterations: 4000}
record: {points: 4}
datasets:
  - {id: g, source: simulated-gaussian, with: {dim: 12, gap: 2}, problem: {k: 2}}
  - {id: h, source: simulated-gaussian, with: {dim: 40, gap: 2}, problem: {k: 2}}
algorithms:
  - {id: msg, step: {c: [0.25, 1, 4]}}
  - {id: incremental}
select: {by: none}
`

// With so many tasks, none has much more than its share of the time.
func TestPackIntoAtMostSoManyTasks(t *testing.T) {
	p := plantest.Build(t, sweep, nil)
	f := forecast.New(p.Items, forecast.Measured())
	all := 0.0
	for _, s := range f.Left(p.Items, p.Items) {
		all += s
	}
	for _, n := range []int{1, 2, 3, 7, 24, 48, 1000} {
		tasks := Pack(f, p.Items, Packing{Tasks: n})
		if len(tasks) > n || len(tasks) < min(n, len(p.Items))*9/10 {
			t.Errorf("%d tasks, want at most %d", len(tasks), n)
		}
		keys := make(map[string]bool)
		for i, task := range tasks {
			if task.Number != i+1 || n <= 7 && task.Seconds > 1.5*all/float64(n) {
				t.Errorf("of %d: task %d is number %d and takes %v of %v s", n, i+1, task.Number, task.Seconds, all)
			}
			for _, key := range task.Keys {
				keys[key] = true
			}
		}
		if len(keys) != len(p.Items) {
			t.Errorf("of %d: %d of %d runs are in tasks", n, len(keys), len(p.Items))
		}
	}
}

// Tasks as long as the runs of one data set do not mix data sets, and do not follow the
// index modulo their number.
func TestPackKeepsWhatIsSharedTogether(t *testing.T) {
	p := plantest.Build(t, sweep, nil)
	f := forecast.New(p.Items, forecast.Measured())
	of := make(map[string]string)
	for _, it := range p.Items {
		of[it.ID.Text()] = it.Problem.Entry.ID
	}
	tasks := Pack(f, p.Items, Packing{Tasks: 8})
	mixed := 0
	for _, task := range tasks {
		if slices.ContainsFunc(task.Keys, func(key string) bool { return of[key] != of[task.Keys[0]] }) {
			mixed++
		}
	}
	if mixed > 1 {
		t.Errorf("%d of %d tasks have runs on both data sets", mixed, len(tasks))
	}
	if again := Pack(f, p.Items, Packing{Tasks: 8}); fmt.Sprint(keysOf(again)) != fmt.Sprint(keysOf(tasks)) {
		t.Error("the same runs are divided in two ways")
	}
}

func keysOf(tasks []*plan.Task) (all [][]string) {
	for _, task := range tasks {
		all = append(all, task.Keys)
	}
	return all
}
