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

// validationRuns is the number of repeats of a side.
const validationRuns = 10

var powerComparisons = flag.Int("power", 3, "number of comparisons at each slow-down in TestPower")

// TestMain sets the garbage collector for comparisons, which allocate much and keep little.
func TestMain(m *testing.M) {
	debug.SetGCPercent(800)
	m.Run()
}

// tally counts the outcomes of comparisons.
type tally struct {
	comparisons, cells int
	// rejected counts comparisons with an adjusted p-value of at most alpha, alarmed those with a cell that is
	// better or worse, failed those with a cell that is worse.
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

// holdsAlpha checks that the rate of rejections is at most alpha.
func (t *tally) holdsAlpha(test *testing.T, name string) {
	test.Helper()
	lo, hi := stats.ClopperPearson(t.rejected, t.comparisons, 0.95)
	test.Logf("%s: %d of %d reject (95%% interval %.1f%% to %.1f%%), %d with a false alarm, %d with a false regression",
		name, t.rejected, t.comparisons, 100*lo, 100*hi, t.alarmed, t.failed)
	test.Logf("cells: %.1f%% equivalent, %.1f%% inconclusive", 100*t.share(Equivalent), 100*t.share(Inconclusive))
	if lo > defaults.Alpha {
		test.Errorf("%s: %d of %d comparisons reject, more than alpha", name, t.rejected, t.comparisons)
	}
}

// tolerances has the tolerances of powerTable.
var tolerances = []float64{0, 0.05}

// tallies makes n comparisons at each tolerance, in parallel.
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
				r, err := Compare(base, cand, Options{Alpha: defaults.Alpha, Tolerance: tolerance})
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

// powerTable has the shares of cells, and of comparisons with any cell, that are worse at each slow-down. The columns
// are pairs, independent samples, and pairs with 24 cells, each at the tolerances 0 and 5%. It is the result for
// -power 200.
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

// Slowed runs have larger costs for the same values. Paired runs have the same random numbers, as if only the program
// had changed. The independent samples without a slow-down measure the rate of false alarms.
func TestPower(t *testing.T) {
	if testing.Short() {
		t.Skip("many comparisons")
	}
	t.Parallel()
	from := fixtureSides(t)
	var table strings.Builder
	for _, row := range powerTable {
		fmt.Fprintf(&table, "| %.0f%% ", 100*row.by)
		for u, mode := range []struct {
			unpaired bool
			copies   int
		}{{false, 1}, {true, 1}, {false, 3}} {
			got := tallies(t, *powerComparisons/mode.copies, tolerances, func(trial int) ([]Side, []Side) {
				base, other := drawSides(t, from, validationRuns, mode.copies, uint64(1e6)+uint64(trial))
				cand := base
				if mode.unpaired {
					cand = other
					for i := range cand {
						cand[i].Runs = reseeded(cand[i].Runs, 1)
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
						t.Errorf("slow-down %v, %+v, tolerance %v: %.3f of the %s are worse, want %.3f",
							row.by, mode, tolerances[j], c.got, c.what, c.want)
					}
				}
			}
		}
		table.WriteString("|\n")
	}
	t.Logf("worse cells / comparisons, at the tolerances 0%% and 5%% each: paired, unpaired, paired with 24 cells:\n%s", table.String())
}
