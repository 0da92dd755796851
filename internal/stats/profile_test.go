package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

var never = math.Inf(1)

// at returns the share of a profile at x.
func (p Profile) at(x float64) float64 {
	share := 0.0
	for i, step := range p.X {
		if step <= x {
			share = p.Shares[i].Value
		}
	}
	return share
}

// The costs and shares are from test_benchmark_tools.py of the package global_opt_bench. Each solver fails on two of
// six problems, one of which is the same. BenchmarkProfiles.jl has the same definition.
func TestPublishedPerformanceProfile(t *testing.T) {
	t.Parallel()
	once := func(costs ...float64) (c Costs) {
		for _, v := range costs {
			c = append(c, [][]float64{{v}})
		}
		return c
	}
	a, b := once(2, 2.5, never, 5, never, 5.4), once(4, 3, 6, never, never, 1.8)
	profiles := PerformanceProfiles([]Costs{a, b})
	for i, want := range [][]float64{{0.5, 0.5, 2. / 3}, {1. / 3, 2. / 3, 2. / 3}} {
		for j, tau := range []float64{1, 2, 10} {
			if got := profiles[i].at(tau); math.Abs(got-want[j]) > 1e-15 {
				t.Errorf("solver %d within %v: %v, want %v", i, tau, got, want[j])
			}
		}
	}
}

// The costs are those of random search on the sphere function to reach 10^1.5, 10, 10^0.5 and 1 in two instances of
// two dimensions, from bbobexp_f1_DIM2_i1.dat of COCO's repository. The shares follow from the definition of Hansen et
// al. 2016, without division by the dimension.
func TestPublishedRuntimeProfile(t *testing.T) {
	t.Parallel()
	p := Costs{{{1, 2, 15, 15}, {4, 18, 18, never}}}.RuntimeProfile()
	if want := []float64{1, 2, 4, 15, 18}; !slices.Equal(p.X, want) {
		t.Fatalf("steps at %v, want %v", p.X, want)
	}
	shares := []struct{ cost, share float64 }{{0, 0}, {1, 1. / 8}, {2, 2. / 8}, {14, 3. / 8}, {15, 5. / 8}, {18, 7. / 8}}
	for _, want := range shares {
		if got := p.at(want.cost); got != want.share {
			t.Errorf("at %v: %v, want %v", want.cost, got, want.share)
		}
	}
	// At 18, one repeat reaches three of four targets, the other all.
	if last := p.Shares[4]; last.Lo != 0.75 || last.Hi != 1 {
		t.Errorf("interval %+v", last)
	}
}

// randomCosts returns costs of methods for 3 problems and 2 targets. Some targets are not reached, and some runs are
// missing.
func randomCosts(rng *rand.Rand, methods, repeats int) (all []Costs) {
	for range methods {
		c := make(Costs, 3)
		for p := range c {
			c[p] = make([][]float64, repeats)
			for k := range c[p] {
				if easy := float64(1 + rng.IntN(20)); k == 0 || rng.IntN(8) > 0 {
					c[p][k] = []float64{easy, easy * float64(1+rng.IntN(3))}
				}
				if rng.IntN(4) == 0 && c[p][k] != nil {
					c[p][k][1] = never
				}
			}
		}
		all = append(all, c)
	}
	return all
}

// The profiles agree with their definitions.
func TestProfilesAgainstBruteForce(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	for range 10 {
		methods := randomCosts(rng, 3, 1+rng.IntN(6))
		performance := PerformanceProfiles(methods)
		for m, c := range methods {
			runtime := c.RuntimeProfile()
			for _, x := range []float64{1, 1.5, 2, 3, 7, 20, 60} {
				reached, all, within, pairs := 0.0, 0.0, 0.0, 0.0
				for p := range c {
					for target := range 2 {
						var medians []float64
						for o := range methods {
							var costs []float64
							for _, repeat := range methods[o][p] {
								if repeat == nil {
									continue
								}
								costs = append(costs, repeat[target])
								if o == m {
									all++
								}
								if o == m && repeat[target] <= x {
									reached++
								}
							}
							medians = append(medians, Median(costs))
						}
						pairs++
						if own := medians[m]; own < never && own <= x*slices.Min(medians) {
							within++
						}
					}
				}
				if got := runtime.at(x); got != reached/all {
					t.Errorf("runtime profile at %v: %v, want %v", x, got, reached/all)
				}
				if got := performance[m].at(x); got != within/pairs {
					t.Errorf("performance profile at %v: %v, want %v", x, got, within/pairs)
				}
			}
			for _, p := range []Profile{runtime, performance[m]} {
				for i, s := range p.Shares {
					if s.Lo > s.Hi || s.Hi > 1 || i > 0 && (s.Value < p.Shares[i-1].Value || s.Lo < p.Shares[i-1].Lo) {
						t.Fatalf("shares %+v", p.Shares)
					}
				}
			}
		}
	}
}

func TestProfilesOfNothing(t *testing.T) {
	t.Parallel()
	none := Costs{{{never}, {never}}}
	for _, p := range append(PerformanceProfiles([]Costs{none, none}), none.RuntimeProfile()) {
		if len(p.X) != 0 {
			t.Errorf("steps at %v", p.X)
		}
	}
}

// The intervals of ten repeats have a coverage of about 90 %, as in docs/results-folder.md. Costs have the noise of a
// repeat on a problem and of a target.
func TestCoverageOfRuntimeProfiles(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 6))
	sample := func(repeats int) Costs {
		c := make(Costs, 3)
		for p := range c {
			c[p] = make([][]float64, repeats)
			for k := range c[p] {
				shared := 0.5 * rng.NormFloat64()
				for target := range 10 {
					cost := math.Exp(float64(p) + float64(target)/3 + shared + 0.3*rng.NormFloat64())
					c[p][k] = append(c[p][k], cost)
				}
			}
		}
		return c
	}
	const trials, cost = 40, 10
	all := slices.Concat(slices.Concat(sample(10_000)...)...)
	truth, hits := sharesOf(all, []float64{cost})[0], 0
	for range trials {
		p := sample(10).RuntimeProfile()
		i, found := slices.BinarySearch(p.X, cost)
		if !found {
			i--
		}
		hits += boolean(p.Shares[i].Lo <= truth && truth <= p.Shares[i].Hi)
	}
	if _, hi := ClopperPearson(hits, trials, 0.95); hi < 0.9 {
		t.Errorf("%d of %d intervals cover", hits, trials)
	}
}
