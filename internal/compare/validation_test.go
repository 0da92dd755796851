package compare

import (
	"flag"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"stochopt/internal/stats"

	"golang.org/x/sync/errgroup"
)

const (
	// comparisons is the number of A/A comparisons, validationRuns that of repeats
	// of a side.
	comparisons    = 20
	validationRuns = 10
)

var manyComparisons = flag.Int("many", 4, "number of A/A comparisons of 24 cells in TestFalseAlarms")

var powerComparisons = flag.Int("power", 3, "number of comparisons at each slow-down in TestPower")

// Comparisons allocate a lot and keep little.
func TestMain(m *testing.M) {
	debug.SetGCPercent(800)
	m.Run()
}

// tally counts the outcomes of comparisons.
type tally struct {
	comparisons, cells int
	// rejected counts the comparisons with any adjusted p-value of at most alpha,
	// alarmed those with any cell better or worse, failed those with one worse.
	rejected, alarmed, failed int
	verdicts                  map[string]int
}

func (t *tally) add(r *Report) {
	if t.verdicts == nil {
		t.verdicts = map[string]int{}
	}
	t.comparisons++
	rejected, alarmed, failed := false, false, false
	for _, c := range r.Cells {
		t.cells++
		t.verdicts[c.Verdict]++
		alarmed = alarmed || c.Verdict == Better || c.Verdict == Worse
		failed = failed || c.Verdict == Worse
		for _, m := range c.Measures {
			rejected = rejected || m.Adjusted != nil && *m.Adjusted <= r.Options.Alpha
		}
	}
	t.rejected += boolean(rejected)
	t.alarmed += boolean(alarmed)
	t.failed += boolean(failed)
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (t *tally) share(verdict string) float64 { return float64(t.verdicts[verdict]) / float64(t.cells) }

// holdsAlpha checks that no more comparisons reject than alpha allows.
func (t *tally) holdsAlpha(test *testing.T, name string) {
	test.Helper()
	lo, hi := stats.ClopperPearson(t.rejected, t.comparisons, 0.95)
	test.Logf("%s: %d of %d reject (95%% interval %.1f%% to %.1f%%), %d with a false alarm, %d with a false regression",
		name, t.rejected, t.comparisons, 100*lo, 100*hi, t.alarmed, t.failed)
	test.Logf("cells: %.1f%% equivalent, %.1f%% inconclusive", 100*t.share(Equivalent), 100*t.share(Inconclusive))
	if lo > usual.Alpha {
		test.Errorf("%s: %d of %d comparisons reject, more than alpha", name, t.rejected, t.comparisons)
	}
}

// tolerances are those at which the comparisons of records are judged.
var tolerances = []float64{0, 0.05}

// tallies makes n comparisons, as many at once as there are processors, and judges each at every tolerance.
func tallies(t *testing.T, n int, tolerances []float64, sides func(trial int) (base, cand []Side)) []tally {
	t.Helper()
	out := make([]tally, len(tolerances))
	var mu sync.Mutex
	var workers errgroup.Group
	workers.SetLimit(runtime.GOMAXPROCS(0))
	for trial := range n {
		workers.Go(func() error {
			base, cand := sides(trial)
			for j, tolerance := range tolerances {
				r, err := Compare(base, cand, Options{Alpha: usual.Alpha, Tolerance: tolerance})
				if err != nil {
					return err
				}
				mu.Lock()
				out[j].add(r)
				mu.Unlock()
			}
			return nil
		})
	}
	if err := workers.Wait(); err != nil {
		t.Fatal(err)
	}
	return out
}

// Two disjoint sets of repeats of the same computation must not be told apart more
// often than alpha, whether they are compared as if paired or as what they are.
func TestFalseAlarms(t *testing.T) {
	if testing.Short() {
		t.Skip("many comparisons")
	}
	t.Parallel()
	from := recorded100(t)
	for _, mode := range []struct {
		name   string
		seed   uint64
		copies int
		n      int
	}{{"paired", 0, 1, comparisons}, {"unpaired", 1, 1, comparisons}, {"paired, 24 cells", 0, 3, *manyComparisons}} {
		got := tallies(t, mode.n, tolerances, func(trial int) ([]Side, []Side) {
			base, cand := drawnOften(t, from, validationRuns, mode.copies, uint64(trial))
			for i := range cand {
				cand[i].Runs = relabelled(cand[i].Runs, mode.seed)
			}
			return base, cand
		})
		for j, tol := range tolerances {
			got[j].holdsAlpha(t, fmt.Sprintf("%s, tolerance %v", mode.name, tol))
		}
	}
}

// powerTable is the share of cells, and of comparisons with any of them, that are
// found worse at each slow-down, at the tolerances 0 and 5% each: paired, as
// independent samples, and paired with 24 cells. It is what -power 200 gives.
var powerTable = []struct {
	by    float64
	cells [6]float64
	fails [6]float64
}{
	{0, [6]float64{0, 0, 0.001, 0.001, 0, 0}, [6]float64{0, 0, 0.010, 0.010, 0, 0}},
	{0.05, [6]float64{1, 0.375, 0.008, 0.002, 1, 0.071}, [6]float64{1, 1, 0.060, 0.020, 1, 0.909}},
	{0.1, [6]float64{1, 0.743, 0.026, 0.007, 1, 0.601}, [6]float64{1, 1, 0.130, 0.045, 1, 1}},
	{0.2, [6]float64{1, 0.908, 0.120, 0.044, 1, 0.821}, [6]float64{1, 1, 0.515, 0.250, 1, 1}},
	{0.5, [6]float64{1, 1, 0.684, 0.519, 1, 0.990}, [6]float64{1, 1, 1, 0.990, 1, 1}},
}

// A slow-down stretches the counters: the candidate needs so much more of the cost
// for the same values. Paired runs have common random numbers, as when a program is
// changed and the seeds are not.
func TestPower(t *testing.T) {
	if testing.Short() {
		t.Skip("many comparisons")
	}
	t.Parallel()
	from := recorded100(t)
	var table strings.Builder
	for _, row := range powerTable {
		fmt.Fprintf(&table, "| %.0f%% ", 100*row.by)
		for u, mode := range []struct {
			unpaired bool
			copies   int
		}{{false, 1}, {true, 1}, {false, 3}} {
			got := tallies(t, *powerComparisons/mode.copies, tolerances, func(trial int) ([]Side, []Side) {
				base, other := drawnOften(t, from, validationRuns, mode.copies, uint64(1e6)+uint64(trial))
				cand := base
				if mode.unpaired {
					cand = other
					for i := range cand {
						cand[i].Runs = relabelled(cand[i].Runs, 1)
					}
				}
				return slowed(base, 0), slowed(cand, row.by)
			})
			for j, k := range got {
				cells, fails := k.share(Worse), float64(k.failed)/float64(k.comparisons)
				fmt.Fprintf(&table, "| %.1f%% / %.1f%% ", 100*cells, 100*fails)
				for _, c := range []struct {
					what      string
					got, want float64
				}{{"cells", cells, row.cells[2*u+j]}, {"comparisons", fails, row.fails[2*u+j]}} {
					if sd := math.Sqrt(c.want * (1 - c.want) / float64(k.comparisons)); math.Abs(c.got-c.want) > 3.5*sd+0.01 {
						t.Errorf("slow-down %v, %+v, tolerance %v: %.3f of the %s found worse, the table has %.3f", row.by, mode, tolerances[j], c.got, c.what, c.want)
					}
				}
			}
		}
		table.WriteString("|\n")
	}
	t.Logf("share of cells / of comparisons found worse; at the tolerances 0%% and 5%% each: paired, unpaired, paired and 24 cells:\n%s", table.String())
}
