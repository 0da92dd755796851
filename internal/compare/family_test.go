package compare

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// singles is the family of tests without order.
func singles(n int) family {
	var f family
	for i := range n {
		f.chains = append(f.chains, []test{{i, 0}})
	}
	return f
}

// holm adjusts p-values as a family without order.
func holm(p []float64) []float64 {
	adjusted := singles(len(p)).adjusted(func(t test) float64 { return p[t.cell] }, 1)
	out := make([]float64, len(p))
	for i := range out {
		out[i] = *adjusted[test{i, 0}]
	}
	return out
}

func TestHolm(t *testing.T) {
	// The example of R's p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm").
	got := holm([]float64{0.01, 0.04, 0.03, 0.005})
	want := []float64{0.03, 0.06, 0.06, 0.02}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-15 {
			t.Fatalf("adjusted %v, want %v", got, want)
		}
	}
	if got := holm(nil); len(got) != 0 {
		t.Errorf("holm(nil) = %v", got)
	}
}

// stepDown is Holm's procedure as he states it: reject in order of size while the
// k-th of m p-values is at most alpha/(m-k+1).
func stepDown(p []float64, alpha float64) []bool {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		if p[i] < p[j] {
			return -1
		}
		return 1
	})
	out := make([]bool, len(p))
	for k, i := range order {
		if p[i] > alpha/float64(len(p)-k) {
			break
		}
		out[i] = true
	}
	return out
}

// graphical is the procedure of Bretz et al. as they state it, with weights and
// transitions that are updated at each rejection.
func graphical(chains [][]test, p func(test) float64, alpha float64) map[test]bool {
	var nodes []test
	first := map[test]bool{}
	for _, c := range chains {
		first[c[0]] = true
		nodes = append(nodes, c...)
	}
	n := len(nodes)
	w, g := make([]float64, n), make([][]float64, n)
	for i, a := range nodes {
		g[i] = make([]float64, n)
		if first[a] {
			w[i] = 1 / float64(len(chains))
		}
		last := i+1 == n || first[nodes[i+1]]
		for j, b := range nodes {
			switch {
			case !last && j == i+1:
				g[i][j] = 1
			case last && first[b] && b.cell != a.cell:
				g[i][j] = 1 / float64(len(chains)-1)
			}
		}
	}
	out := map[test]bool{}
	left := map[int]bool{}
	for i := range nodes {
		left[i] = true
	}
	for {
		r := slices.IndexFunc(nodes, func(a test) bool {
			i := slices.Index(nodes, a)
			return left[i] && w[i] > 0 && p(a) <= alpha*w[i]*(1+1e-9)
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

func TestHolmRejectsAsTheStepDownProcedure(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	for range 300 {
		p := make([]float64, 1+rng.IntN(12))
		for i := range p {
			p[i] = math.Pow(rng.Float64(), 4)
		}
		adjusted := holm(p)
		for i, rejected := range stepDown(p, 0.05) {
			if rejected != (adjusted[i] <= 0.05) {
				t.Fatalf("p-values %v: number %d is adjusted to %v, the procedure rejects it: %v", p, i, adjusted[i], rejected)
			}
			if adjusted[i] < p[i] || adjusted[i] > 1 {
				t.Fatalf("p-value %v is adjusted to %v", p[i], adjusted[i])
			}
		}
	}
}

func TestChainsRejectAsTheGraphicalProcedure(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 9))
	rejections := 0
	for range 300 {
		f := family{ordered: true}
		p := map[test]float64{}
		for i := range 1 + rng.IntN(6) {
			var c []test
			for j := range 1 + rng.IntN(3) {
				p[test{i, j}] = math.Pow(rng.Float64(), 6)
				c = append(c, test{i, j})
			}
			f.chains = append(f.chains, c)
		}
		of := func(t test) float64 { return p[t] }
		adjusted, want := f.adjusted(of, 1), graphical(f.chains, of, 0.05)
		rejections += len(want)
		if len(adjusted) != len(p) {
			t.Fatalf("%d of %d p-values are adjusted", len(adjusted), len(p))
		}
		for id, v := range adjusted {
			if (*v <= 0.05) != want[id] {
				t.Fatalf("chains %v with %v: %v is adjusted to %v, the procedure rejects it: %v", f.chains, p, id, *v, want[id])
			}
		}
	}
	if rejections < 300 {
		t.Errorf("only %d rejections", rejections)
	}
}

// cellsOf are n cells whose two measures, at a cost and over the area, can have the
// p-value least and no smaller one.
func cellsOf(n int, least float64) []comparison {
	cells := make([]comparison, n)
	for i := range cells {
		cells[i].measurements = []measurement{{Measure: Measure{Kind: AtCost}}, {Measure: Measure{Kind: Area}}}
		cells[i].estimates = []*estimate{{least: least}, {least: least}}
	}
	return cells
}

func TestFamilies(t *testing.T) {
	ten, six := leastSignFlip(10), leastSignFlip(6)
	for name, c := range map[string]struct {
		cells         []comparison
		chains, left  int
		ordered, area bool
		warning       string
	}{
		"few":                     {cellsOf(12, ten), 24, 0, false, false, ""},
		"as many as cells":        {cellsOf(24, ten), 24, 0, true, true, "the area"},
		"too many":                {cellsOf(26, ten), 0, 26, false, false, "none is tested"},
		"one of few repeats":      {append(cellsOf(12, ten), cellsOf(1, six)...), 24, 1, false, false, "not tested, because with so few repeats and so many cells they cannot be significant: 1 cell"},
		"without enough repeats":  {cellsOf(3, leastSignFlip(4)), 0, 0, false, false, ""},
		"some without enough too": {append(cellsOf(2, leastSignFlip(2)), cellsOf(2, ten)...), 4, 0, false, false, ""},
	} {
		f := newFamily(c.cells, 0.05)
		if len(f.chains) != c.chains || f.left != c.left || f.ordered != c.ordered {
			t.Errorf("%s: %d chains, ordered %v, %d left, want %d, %v, %d", name, len(f.chains), f.ordered, f.left, c.chains, c.ordered, c.left)
		}
		if c.area && (f.chains[0][0] != test{0, 1} || f.chains[0][1] != test{0, 0}) {
			t.Errorf("%s: the first chain is %v, want the area first", name, f.chains[0])
		}
		if c.warning == "" && f.warning() != "" {
			t.Errorf("%s: warning %q", name, f.warning())
		}
		wantText(t, f.warning(), c.warning)
	}
}
