package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// chainsOf returns chains of tests with the given p-values.
func chainsOf(ps ...[]float64) (chains [][]*Estimate) {
	for _, p := range ps {
		var chain []*Estimate
		for _, v := range p {
			chain = append(chain, &Estimate{P: v})
		}
		chains = append(chains, chain)
	}
	return chains
}

// Chains of one test are Holm's procedure: the example of R's p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm").
func TestHolm(t *testing.T) {
	chains := chainsOf([]float64{0.01}, []float64{0.04}, []float64{0.03}, []float64{0.005})
	adjust(chains, 0.05, 1)
	for i, want := range []float64{0.03, 0.06, 0.06, 0.02} {
		if got := *chains[i][0].Adjusted; math.Abs(got-want) > 1e-15 {
			t.Errorf("p = %v is adjusted to %v, want %v", chains[i][0].P, got, want)
		}
	}
}

// graphical implements the procedure of Bretz et al. literally, with weights and transitions that are
// updated after each rejection.
func graphical(chains [][]*Estimate, alpha float64) map[*Estimate]bool {
	var nodes []*Estimate
	chainOf := map[*Estimate]int{}
	for i, c := range chains {
		nodes = append(nodes, c...)
		for _, e := range c {
			chainOf[e] = i
		}
	}
	first := func(e *Estimate) bool { return chains[chainOf[e]][0] == e }
	n := len(nodes)
	w, g := make([]float64, n), make([][]float64, n)
	for i, a := range nodes {
		g[i] = make([]float64, n)
		if first(a) {
			w[i] = 1 / float64(len(chains))
		}
		last := i+1 == n || first(nodes[i+1])
		for j, b := range nodes {
			switch {
			case !last && j == i+1:
				g[i][j] = 1
			case last && first(b) && chainOf[b] != chainOf[a]:
				g[i][j] = 1 / float64(len(chains)-1)
			}
		}
	}
	out := map[*Estimate]bool{}
	left := map[int]bool{}
	for i := range nodes {
		left[i] = true
	}
	for {
		r := slices.IndexFunc(nodes, func(a *Estimate) bool {
			i := slices.Index(nodes, a)
			return left[i] && w[i] > 0 && a.P <= alpha*w[i]*(1+1e-9)
		})
		if r < 0 {
			return out
		}
		out[nodes[r]] = true
		delete(left, r)
		next := make([][]float64, n)
		for k := range n {
			next[k] = make([]float64, n)
			for l := range n {
				if d := 1 - g[k][r]*g[r][k]; left[k] && left[l] && k != l && d > 1e-12 {
					next[k][l] = (g[k][l] + g[k][r]*g[r][l]) / d
				}
			}
		}
		for k := range left {
			w[k] += w[r] * g[r][k]
		}
		g = next
	}
}

func TestChainsRejectAsTheGraphicalProcedure(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 9))
	rejections := 0
	for range 300 {
		var ps [][]float64
		tests := 0
		for range 1 + rng.IntN(6) {
			var p []float64
			for range 1 + rng.IntN(3) {
				p = append(p, math.Pow(rng.Float64(), 6))
				tests++
			}
			ps = append(ps, p)
		}
		chains := chainsOf(ps...)
		want := graphical(chains, 0.05)
		rejections += len(want)
		if n := adjust(chains, 0.05, 1); n != tests {
			t.Fatalf("%d of %d p-values are adjusted", n, tests)
		}
		for _, e := range slices.Concat(chains...) {
			if (*e.Adjusted <= 0.05) != want[e] || *e.Adjusted < e.P || *e.Adjusted > 1 {
				t.Fatalf("chains %v: p = %v is adjusted to %v, but rejected by the procedure: %v", ps, e.P, *e.Adjusted, want[e])
			}
		}
	}
	if rejections < 300 {
		t.Errorf("only %d rejections", rejections)
	}
}

// cellsOf returns n cells with two measures whose smallest possible p-value is least.
func cellsOf(n int, least float64) (cells [][]*Estimate) {
	for range n {
		cells = append(cells, []*Estimate{{Least: least}, {Least: least}})
	}
	return cells
}

func leastOf(pairs int) float64 { return Settings{Alpha: 0.05}.leastP(true, pairs, pairs) }

func TestFamilies(t *testing.T) {
	t.Parallel()
	ten, six := leastOf(10), leastOf(6)
	for name, c := range map[string]struct {
		cells        [][]*Estimate
		chains, left int
		gated        bool
	}{
		"few":                     {cellsOf(12, ten), 24, 0, false},
		"as many as cells":        {cellsOf(24, ten), 24, 0, true},
		"too many":                {cellsOf(26, ten), 0, 26, false},
		"one of few repeats":      {append(cellsOf(12, ten), cellsOf(1, six)...), 24, 1, false},
		"without enough repeats":  {cellsOf(3, leastOf(4)), 0, 0, false},
		"some without enough too": {append(cellsOf(2, leastOf(2)), cellsOf(2, ten)...), 4, 0, false},
	} {
		f := Correct(c.cells, 0.05, 1)
		if f.Chains != c.chains || f.Untested != c.left || f.Gated != c.gated {
			t.Errorf("%s: %d chains, gated %v, %d left, want %d, %v, %d", name, f.Chains, f.Gated, f.Untested, c.chains, c.gated, c.left)
		}
	}
}
