package sparse

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/svm"
)

// memoryRows is a kernel matrix in memory.
type memoryRows = suite.Matrix

// gaussianRows returns the kernel matrix of points, ridge added to its diagonal.
func gaussianRows(x [][]float64, gamma, ridge float64) *memoryRows {
	m := suite.Points{X: x}.Gram(func(x, y []float64) float64 {
		var d float64
		for f := range x {
			d += (x[f] - y[f]) * (x[f] - y[f])
		}
		return decay(gamma * d)
	})
	for i, row := range m.K {
		row[i] += float32(ridge)
		m.D[i] = float64(row[i])
	}
	return m
}

func cloud(rng *rand.Rand, n, d int) [][]float64 {
	x := make([][]float64, n)
	for i := range x {
		x[i] = make([]float64, d)
		for f := range x[i] {
			x[i][f] = rng.NormFloat64()
		}
		// Two clouds, the first half positive.
		if i < n/2 {
			x[i][0] += 1.5
		}
	}
	return x
}

func solve(t testing.TB, q *boxQP, tolerance float64) {
	t.Helper()
	for range 200000 {
		_, status := q.step(tolerance)
		if status.Stop() {
			if status.Reason == "" {
				t.Fatal("no reason")
			}
			return
		}
	}
	t.Fatal("no convergence in 200000 steps")
}

// proximalOracle maximises the dual by accelerated proximal gradient ascent without
// any working sets: with a bias the prox, soft thresholding clipped to the box under
// sum beta = 0, is found by bisection for the multiplier.
func proximalOracle(m *memoryRows, target, lo, hi []float64, epsilon float64, bias bool) (beta []float64, objective float64) {
	n := len(target)
	var lipschitz float64
	for _, row := range m.K {
		var s float64
		for _, v := range row {
			s += math.Abs(float64(v))
		}
		lipschitz = max(lipschitz, s)
	}
	step := 1 / lipschitz
	prox := func(dst, z []float64, nu float64) (sum float64) {
		for i, v := range z {
			v -= nu
			v = math.Copysign(max(0, math.Abs(v)-step*epsilon), v)
			dst[i] = min(max(v, lo[i]), hi[i])
			sum += dst[i]
		}
		return sum
	}
	beta, z, y := make([]float64, n), make([]float64, n), make([]float64, n)
	old, momentum := make([]float64, n), 1.0
	for range 1500 {
		for i := range z {
			u := 0.0
			for j, v := range m.K[i] {
				u += float64(v) * y[j]
			}
			z[i] = y[i] + step*(target[i]-u)
		}
		copy(old, beta)
		if bias {
			a, b := -1e3, 1e3
			for range 100 {
				if nu := (a + b) / 2; prox(beta, z, nu) > 0 {
					a = nu
				} else {
					b = nu
				}
			}
		} else {
			prox(beta, z, 0)
		}
		next := (1 + math.Sqrt(1+4*momentum*momentum)) / 2
		for i := range y {
			y[i] = beta[i] + (momentum-1)/next*(beta[i]-old[i])
		}
		momentum = next
	}
	for i, b := range beta {
		u := 0.0
		for j, v := range m.K[i] {
			u += float64(v) * beta[j]
		}
		objective += b*target[i] - epsilon*math.Abs(b) - 0.5*b*u
	}
	return beta, objective
}

// boxProblems calls f on small problems of all kinds.
func boxProblems(t *testing.T, f func(t *testing.T, rng *rand.Rand, m *memoryRows, q *boxQP)) {
	rng := rand.New(rand.NewPCG(1, 2))
	for trial := range 60 {
		n := 4 + 3*(trial%5)
		bias, epsilon := trial%2 == 0, [3]float64{0, 0.1, 0.5}[trial%3]
		m := gaussianRows(cloud(rng, n, 2), 0.7, 0.05)
		q, err := newBoxQP("test", svm.Problem{Rows: m, Positive: n / 2}, bias, epsilon)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			q.target[i] = 2 * rng.NormFloat64()
			q.lo[i], q.hi[i] = -2*rng.Float64(), 2*rng.Float64()
			switch rng.IntN(6) {
			case 0:
				q.lo[i] = 0
			case 1:
				q.hi[i] = 0
			case 2:
				q.lo[i], q.hi[i] = 0, 0
			}
			q.x[i] = -q.target[i]
		}
		t.Run(fmt.Sprintf("%d n=%d bias=%t epsilon=%g", trial, n, bias, epsilon), func(t *testing.T) { f(t, rng, m, q) })
	}
}

func TestBoxQPMatchesProximalGradient(t *testing.T) {
	t.Parallel()
	boxProblems(t, func(t *testing.T, rng *rand.Rand, m *memoryRows, q *boxQP) {
		q.begin()
		last := q.objective()
		for step := 0; ; step++ {
			if step > 100000 {
				t.Fatal("no convergence in 100000 steps")
			}
			rows, status := q.step(1e-9)
			if status.Stop() {
				break
			}
			if want := map[bool]int{true: 2, false: 1}[q.bias]; rows != want {
				t.Fatalf("a step took %d rows, want %d", rows, want)
			}
			if now := q.objective(); now < last-1e-12*math.Abs(last) {
				t.Fatalf("the dual objective fell from %v to %v", last, now)
			} else {
				last = now
			}
		}
		checkOptimal(t, m, q, 1e-6)
	})
}

// TestBoxQPStartsAnywhere: boxes that change under a solution, and a start at
// coefficients that are outside of the boxes or do not sum to 0, lead to the same.
func TestBoxQPStartsAnywhere(t *testing.T) {
	t.Parallel()
	boxProblems(t, func(t *testing.T, rng *rand.Rand, m *memoryRows, q *boxQP) {
		p := svm.Problem{Rows: m, Positive: q.n / 2}
		ref := &Reference{Alpha: make([]float64, q.n), Scores: make([]float64, q.n), Bias: 0.3}
		for i := range q.n {
			ref.Alpha[i] = 2 * rng.NormFloat64()
		}
		for i := range q.n {
			ref.Scores[i] = ref.Bias
			for j, v := range m.K[i] {
				ref.Scores[i] += float64(v) * p.Label(j) * ref.Alpha[j]
			}
		}
		q.startAt(p, ref)
		solve(t, q, 1e-9)
		checkOptimal(t, m, q, 1e-6)
		for i := range q.n {
			switch i % 3 {
			case 0:
				q.rebox(i, 0, 0)
			case 1:
				q.rebox(i, -q.hi[i], -q.lo[i])
			}
		}
		q.settle()
		solve(t, q, 1e-9)
		checkOptimal(t, m, q, 1e-6)
	})
}

// checkOptimal: the residuals are those of beta, which is feasible, the gap is
// closed, and the objective is that of the oracle.
func checkOptimal(t *testing.T, m *memoryRows, q *boxQP, tolerance float64) {
	t.Helper()
	var sum float64
	var nonzero int
	for i, b := range q.beta {
		u := 0.0
		for j, v := range m.K[i] {
			u += float64(v) * q.beta[j]
		}
		if math.Abs(u-q.target[i]-q.x[i]) > 1e-9 {
			t.Fatalf("residual %d is %v, want %v", i, q.x[i], u-q.target[i])
		}
		if b < q.lo[i] || b > q.hi[i] {
			t.Fatalf("beta_%d = %v is outside of [%v, %v]", i, b, q.lo[i], q.hi[i])
		}
		if b != 0 {
			nonzero++
		}
		sum += b
	}
	if nonzero != q.nonzero {
		t.Errorf("%d coefficients are counted, want %d", q.nonzero, nonzero)
	}
	if q.bias && math.Abs(sum) > 1e-9 {
		t.Errorf("the coefficients sum to %v", sum)
	}
	_, want := proximalOracle(m, q.target, q.lo, q.hi, q.epsilon, q.bias)
	got := q.objective()
	if math.Abs(got-want) > tolerance*max(1, math.Abs(want)) {
		t.Errorf("dual objective %v, want %v", got, want)
	}
	if gap := q.primal(q.offset()) - got; gap < -1e-9 || gap > 100*tolerance*max(1, math.Abs(want)) {
		t.Errorf("duality gap %v of %v", gap, got)
	}
}

// TestBestCoordinateIsBest: the search by a rising bar finds what trying all finds.
func TestBestCoordinateIsBest(t *testing.T) {
	boxProblems(t, func(t *testing.T, rng *rand.Rand, m *memoryRows, q *boxQP) {
		if q.bias {
			return
		}
		q.begin()
		for range 50 {
			var best float64
			choice := -1
			for i := range q.n {
				for _, sign := range []float64{1, -1} {
					room := q.hi[i] > q.beta[i]
					if sign < 0 {
						room = q.lo[i] < q.beta[i]
					}
					if !room {
						continue
					}
					if _, gain := q.along(i, sign); gain > best {
						best, choice = gain, i
					}
				}
			}
			if choice >= 0 && (q.next.i != choice || q.next.gain != best) {
				t.Fatalf("the choice is %d with a gain of %v, want %d with %v", q.next.i, q.next.gain, choice, best)
			}
			if _, status := q.step(1e-12); status.Stop() {
				return
			}
		}
	})
}

// TestClimbFindsTheMaximum: against a grid, where the slope is known anywhere.
func TestClimbFindsTheMaximum(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for trial := range 2000 {
		a := lineAscent{slope: 3 * rng.Float64(), curvature: 2 * rng.Float64(), limit: 2 * rng.Float64(), drop: rng.Float64(), kinks: [2]float64{2 * rng.Float64(), 2 * rng.Float64()}}
		if trial%3 == 0 {
			a.kinks[trial%2] = noKink
		}
		if trial%7 == 0 {
			a.curvature = 0
		}
		value := func(x float64) float64 {
			v := x*a.slope - 0.5*a.curvature*x*x
			for _, k := range a.kinks {
				v -= a.drop * max(0, x-k)
			}
			return v
		}
		at, gain := a.climb()
		if at < 0 || at > a.limit {
			t.Fatalf("%+v: %v is off the line", a, at)
		}
		if v := value(at); math.Abs(v-gain) > 1e-12 {
			t.Fatalf("%+v: gain %v at %v, want %v", a, gain, at, v)
		}
		for k := range 201 {
			if v := value(a.limit * float64(k) / 200); v > gain+1e-12 {
				t.Fatalf("%+v: gain %v at %v, but %v at %v", a, gain, at, v, a.limit*float64(k)/200)
			}
		}
	}
}

// BenchmarkSVRStep measures a step at n = 20000, the rows in memory for few places.
func BenchmarkSVRStep(b *testing.B) {
	const n = 20000
	rng := rand.New(rand.NewPCG(5, 6))
	x := cloud(rng, 256, 5)
	place := make([]int, n)
	for i := range place {
		place[i] = rng.IntN(len(x))
	}
	base := gaussianRows(x, 0.2, 0)
	rows := make([][]float32, len(x))
	for p := range rows {
		rows[p] = make([]float32, n)
		for j, q := range place {
			rows[p][j] = base.K[p][q]
		}
	}
	m := &memoryRows{}
	for _, p := range place {
		m.K, m.D = append(m.K, rows[p]), append(m.D, 1)
	}
	for _, bias := range []bool{false, true} {
		b.Run(fmt.Sprintf("bias=%t", bias), func(b *testing.B) {
			fresh := func() *boxQP {
				q, err := newBoxQP("bench", svm.Problem{Rows: m, Positive: n / 2}, bias, 1e-3)
				if err != nil {
					b.Fatal(err)
				}
				rng := rand.New(rand.NewPCG(7, 8))
				for i := range n {
					q.target[i] = rng.NormFloat64()
					q.x[i], q.lo[i], q.hi[i] = -q.target[i], -0.01, 0.01
				}
				q.begin()
				return q
			}
			q := fresh()
			for b.Loop() {
				if _, status := q.step(1e-3); status.Stop() {
					b.StopTimer()
					q = fresh()
					b.StartTimer()
				}
			}
		})
	}
}
