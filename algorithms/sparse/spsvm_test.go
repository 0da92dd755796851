package sparse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/svm"

	"gonum.org/v1/gonum/mat"
)

// basisProblem returns two overlapping clouds in the plane with the kernel 1/(1 + |x-x'|^2). It
// returns the rows, each valid for two calls, and the kernel matrix.
func basisProblem(stream uint64, n, positive int) (p svm.Problem, rows *suite.Guard, k [][]float32) {
	points := suite.Blobs(basisRand(stream), positive, n-positive, 0, 2, 1.5, 0)
	m := points.Gram(suite.Cauchy(1))
	rows = suite.NewGuard(m)
	return svm.Problem{Rows: rows, Positive: positive}, rows, m.K
}

func basisRand(stream uint64) *rand.Rand { return rand.New(rand.NewPCG(41, stream)) }

// naiveObjective computes 1/2 theta' A theta + C/2 sum of squared hinge losses for the
// expansion over basis with coefficients beta and bias b. A is K_JJ + ridge I. If ridge < 0,
// A is the identity, and b is regularised too.
func naiveObjective(k [][]float32, positive int, c, ridge float64, basis []int, beta []float64, b float64) float64 {
	var f float64
	for s, i := range basis {
		if ridge < 0 {
			f += beta[s] * beta[s] / 2
			continue
		}
		f += ridge * beta[s] * beta[s] / 2
		for t, j := range basis {
			f += beta[s] * beta[t] * float64(k[i][j]) / 2
		}
	}
	if ridge < 0 {
		f += b * b / 2
	}
	for i := range k {
		o := b
		for s, j := range basis {
			o += beta[s] * float64(k[j][i])
		}
		if i >= positive {
			o = -o
		}
		if o < 1 {
			f += c / 2 * (1 - o) * (1 - o)
		}
	}
	return f
}

// steepest returns the largest central difference of the objective in a
// coefficient, or in b if there is a bias.
func steepest(f func(beta []float64, b float64) float64, beta []float64, b float64, bias bool) float64 {
	const h = 1e-6
	var most float64
	for k := range beta {
		up, down := slices.Clone(beta), slices.Clone(beta)
		up[k] += h
		down[k] -= h
		most = max(most, math.Abs(f(up, b)-f(down, b))/(2*h))
	}
	if bias {
		most = max(most, math.Abs(f(beta, b+h)-f(beta, b-h))/(2*h))
	}
	return most
}

func newTestSpSVM(t *testing.T, cfg SpSVMConfig, p svm.Problem, stream uint64) *SpSVM {
	t.Helper()
	cfg.Support, cfg.Candidates = cmp.Or(cfg.Support, p.Rows.Train()), cmp.Or(cfg.Candidates, 10)
	a := suite.Must(NewSpSVM(context.Background(), cfg, p, basisRand(stream)))
	return a
}

// objectiveOf returns a function that computes the objective of a over its current basis by
// brute force.
func objectiveOf(a *SpSVM, k [][]float32) func(beta []float64, b float64) float64 {
	return func(beta []float64, b float64) float64 {
		return naiveObjective(k, a.p.Positive, a.c, a.ridge, a.basis, beta, b)
	}
}

// TestSpSVMSteps checks each step of a run: it adds one function, the objective does not
// increase and agrees with naiveObjective, and its gradient vanishes.
func TestSpSVMSteps(t *testing.T) {
	t.Parallel()
	const n, positive = 90, 35
	for _, bias := range []bool{false, true} {
		for _, c := range []float64{0.1, 10} {
			t.Run(fmt.Sprintf("bias=%v,C=%g", bias, c), func(t *testing.T) {
				p, _, k := basisProblem(1, n, positive)
				a := newTestSpSVM(t, SpSVMConfig{C: c, Bias: bias, Support: 40}, p, 2)
				a.tolerance = 1e-17
				before := math.Inf(1)
				for step := 1; ; step++ {
					status := a.Step()
					if len(a.basis) != step || !a.Final() || a.Support() != step {
						t.Fatalf("step %d: %d functions, final %v, support %d",
							step, len(a.basis), a.Final(), a.Support())
					}
					var e Expansion
					a.ExpansionTo(&e)
					if !bias && e.Bias != 0 {
						t.Fatalf("bias %v", e.Bias)
					}
					f := objectiveOf(a, k)
					now := f(e.Coef, e.Bias)
					if math.Abs(now-a.Objective()) > 1e-9*now {
						t.Fatalf("step %d: objective %v, want %v", step, a.Objective(), now)
					}
					if now > before*(1+1e-12) {
						t.Fatalf("step %d: objective %v after %v", step, now, before)
					}
					before = now
					if g := steepest(f, e.Coef, e.Bias, bias); g > 1e-6*(1+c) {
						t.Fatalf("step %d: gradient %v, want 0", step, g)
					}
					if status.Stop() {
						if step != 40 || status.State != algorithms.Exhausted {
							t.Fatalf("step %d: %v", step, status)
						}
						break
					}
				}
			})
		}
	}
}

// TestSpSVMChoosesTheBest compares every choice with a golden section search over each
// candidate.
func TestSpSVMChoosesTheBest(t *testing.T) {
	t.Parallel()
	const n, positive = 40, 22
	p, _, k := basisProblem(3, n, positive)
	for _, bias := range []bool{false, true} {
		a := newTestSpSVM(t, SpSVMConfig{C: 3, Bias: bias, Candidates: n}, p, 4)
		for range 15 {
			var e Expansion
			a.ExpansionTo(&e)
			type candidate struct{ f, t float64 }
			found := map[int]candidate{}
			best := math.Inf(1)
			for j := range n {
				if slices.Contains(a.basis, j) {
					continue
				}
				basis := append(slices.Clone(a.basis), j)
				f := func(t float64) float64 {
					return naiveObjective(k, positive, 3, a.ridge, basis, append(slices.Clone(e.Coef), t), e.Bias)
				}
				at := goldenSection(f, -50, 50)
				found[j] = candidate{f(at), at}
				best = min(best, f(at))
			}
			at, _, _, coef, err := a.choose()
			if err != nil {
				t.Fatal(err)
			}
			j := a.outside[at]
			if got := found[j]; got.f > best*(1+1e-9) || math.Abs(coef-got.t) > 1e-4*(1+math.Abs(coef)) {
				t.Fatalf("with %d functions: chose %d with coefficient %v; its minimum is %v at %v, the best is %v",
					len(a.basis), j, coef, got.f, got.t, best)
			}
			if status := a.Step(); status.Stop() {
				t.Fatal(status)
			}
			if a.basis[len(a.basis)-1] != j {
				t.Fatalf("added %d, want %d", a.basis[len(a.basis)-1], j)
			}
		}
	}
}

// TestBasisDegenerate runs SpSVM and RSVM with singular K_JJ and with one class, under weak and strong
// regularisation. The objective must not increase and the classifier must be finite.
func TestBasisDegenerate(t *testing.T) {
	_, _, k := basisProblem(7, 12, 6)
	for i := 1; i < len(k); i += 2 { // points i and i-1 are equal
		copy(k[i], k[i-1])
		for j := range k {
			k[j][i] = k[j][i-1]
		}
	}
	same, nothing := make([][]float32, 9), make([][]float32, 9)
	for i := range same {
		same[i], nothing[i] = slices.Repeat([]float32{1}, 9), make([]float32, 9)
	}
	for name, p := range map[string]svm.Problem{
		"duplicates": {Rows: suite.NewMatrix(k), Positive: 6},
		"constant":   {Rows: suite.NewMatrix(same), Positive: 4},
		"zero":       {Rows: suite.NewMatrix(nothing), Positive: 4},
		"one class":  {Rows: suite.NewMatrix(k), Positive: 12},
	} {
		for _, bias := range []bool{false, true} {
			for _, c := range []float64{1e-4, 1e5} {
				greedy := newTestSpSVM(t, SpSVMConfig{C: c, Bias: bias, Candidates: 3}, p, 8)
				direct := newTestRSVM(t, RSVMConfig{C: c, Bias: bias, Ratio: 1}, p, 36)
				iterative := newTestRSVM(t, RSVMConfig{C: c, Bias: bias, Ratio: 1}, p, 36)
				iterative.directRows = 0
				for method, l := range map[string]interface {
					Learner
					Objective() float64
				}{"spsvm": greedy, "rsvm": direct, "rsvm by conjugate gradients": iterative} {
					before := l.Objective()
					for stop := false; !stop; {
						stop = l.Step().Stop()
						if now := l.Objective(); !(now <= before*(1+1e-9)+1e-12) {
							t.Fatalf("%s, %s, bias %v, C = %v: objective %v after %v",
								method, name, bias, c, now, before)
						} else {
							before = now
						}
					}
					var e Expansion
					l.ExpansionTo(&e)
					bad := slices.ContainsFunc(append(e.Coef, e.Bias), func(v float64) bool { return v-v != 0 })
					if bad || l.Support() != len(e.Coef) {
						t.Fatalf("%s, %s: %+v", method, name, e)
					}
				}
				if len(greedy.basis) != p.Rows.Train() {
					t.Fatalf("%s, bias %v, C = %v: %d functions", name, bias, c, len(greedy.basis))
				}
			}
		}
	}
}

// TestSpSVMCandidates checks that candidates are distinct, outside J, uniformly distributed and
// charged.
func TestSpSVMCandidates(t *testing.T) {
	const n, kappa, runs = 12, 4, 600
	p, rows, _ := basisProblem(9, n, 6)
	counts := make([]int, n)
	for r := range runs {
		a := newTestSpSVM(t, SpSVMConfig{C: 1, Candidates: kappa}, p, uint64(100+r))
		rows.Reset()
		a.Step()
		for j := range rows.Indices {
			counts[j]++
		}
	}
	for j, c := range counts {
		if want := float64(runs * kappa / n); math.Abs(float64(c)-want) > 5*math.Sqrt(want) {
			t.Errorf("point %d was a candidate %d times, want about %v", j, c, want)
		}
	}
	a := newTestSpSVM(t, SpSVMConfig{C: 1, Candidates: kappa}, p, 10)
	for stop := false; !stop; {
		rows.Reset()
		inside, before := slices.Clone(a.basis), a.Cost()
		stop = a.Step().Stop()
		want := min(kappa, n-len(inside))
		if slices.ContainsFunc(inside, func(j int) bool { return rows.Indices[j] }) || !rows.Indices[a.basis[len(inside)]] ||
			len(rows.Indices) != want || rows.Calls != want || a.Cost().KernelEvals-before.KernelEvals != int64(want*n) {
			t.Fatalf("%d candidates %v outside %v, cost %+v", rows.Calls, rows.Indices, inside, a.Cost())
		}
	}
}

// TestBasisBytes checks that the memory bounds are between one and two times the size of the rows.
func TestBasisBytes(t *testing.T) {
	const n, m = 20000, 1000
	for name, test := range map[string][2]int64{
		"spsvm": {SpSVMBytes(n, m), m}, "rsvm": {RSVMBytes(n, m), m}, "rsvm, all points": {RSVMBytes(n, n), n},
	} {
		if rows := 4 * n * test[1]; test[0] < rows || test[0] > 2*rows {
			t.Errorf("%s: %d bytes; the rows take %d", name, test[0], rows)
		}
	}
}

// TestNewtonSingular checks the error for equations that no ridge makes positive definite.
func TestNewtonSingular(t *testing.T) {
	for _, h := range []float64{-1e-9, 0, math.NaN()} {
		q := primal{h: mat.NewSymDense(1, []float64{h})}
		if _, err := q.direction([]float64{1}); !errors.Is(err, errSingular) {
			t.Errorf("H = %v: error %v", h, err)
		}
	}
}

func goldenSection(f func(float64) float64, lo, hi float64) float64 {
	ratio := (math.Sqrt(5) - 1) / 2
	x, y := hi-ratio*(hi-lo), lo+ratio*(hi-lo)
	fx, fy := f(x), f(y)
	for range 70 {
		if fx < fy {
			hi, y, fy = y, x, fx
			x = hi - ratio*(hi-lo)
			fx = f(x)
		} else {
			lo, x, fx = x, y, fy
			y = lo + ratio*(hi-lo)
			fy = f(y)
		}
	}
	return (lo + hi) / 2
}
