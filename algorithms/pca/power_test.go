package pca

import (
	"math"
	"strings"
	"testing"

	"stochopt/algorithms"

	"gonum.org/v1/gonum/mat"
)

func newTestPower(t *testing.T, k int, step algorithms.Schedule, d int, rows [][]float64) *Power {
	t.Helper()
	p, err := NewPower(PowerConfig{K: k, Step: step}, &rowSource{d, rows}, streamRand(20))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The span is that of Oja's method, which orthonormalises in each step.
func TestPowerAgainstOja(t *testing.T) {
	t.Parallel()
	const d, n = 12, 4000
	for _, k := range []int{1, 3, 11} {
		for _, step := range []algorithms.Schedule{
			algorithms.InverseSqrt{C: 0.5}, algorithms.Inverse{C: 2}, algorithms.Constant{C: 0.05}, algorithms.InverseSqrt{C: 30},
		} {
			rows := normalRows(n, d, 0.8, 21)
			p := newTestPower(t, k, step, d, rows)
			oja, y := p.u.clone(), make([]float64, k)
			var want, got State
			for i, x := range rows {
				oja.transMulTo(y, x)
				oja.rankOne(step.At(int64(i+1)), x, y)
				oja.orthonormalise()
				mustStep(t, p, 1)
				if i%97 != 0 && i != n-1 {
					continue
				}
				oja.stateTo(&want, k)
				p.StateTo(&got)
				if e := spanDistance(want.U, got.U); !(e < 1e-10) {
					t.Fatalf("k = %d, step %v: %g from Oja's subspace after %d steps", k, step, e, i+1)
				}
			}
		}
	}
}

// Each step is U + eta x x^T U, whatever the basis.
func TestPowerAgainstDense(t *testing.T) {
	const d, k, n = 7, 3, 50
	rows := normalRows(n, d, 0.9, 22)
	step := algorithms.InverseSqrt{C: 2}
	p := newTestPower(t, k, step, d, rows)
	var before, after State
	p.StateTo(&before)
	for i, row := range rows {
		mustStep(t, p, 1)
		p.StateTo(&after)
		x := mat.NewVecDense(d, row)
		var y mat.VecDense
		y.MulVec(before.U.T(), x)
		var want mat.Dense
		want.RankOne(before.U, step.At(int64(i+1)), x, &y)
		var qr mat.QR
		qr.Factorize(&want)
		var q mat.Dense
		qr.QTo(&q)
		if e := spanDistance(q.Slice(0, d, 0, k), after.U); !(e < 1e-12) {
			t.Fatalf("step %d is %g off", i+1, e)
		}
		before = *after.Clone()
	}
}

// The norm that is kept up to date is right, and bounds the condition number.
func TestPowerConditioning(t *testing.T) {
	const d, k, n = 8, 3, 2000
	p := newTestPower(t, k, algorithms.Constant{C: 0.1}, d, normalRows(n, d, 0.7, 23))
	var orthonormalisations int
	for i := range n {
		mustStep(t, p, 1)
		if p.norm2 == k {
			orthonormalisations++
		}
		u := mat.NewDense(k, d, p.u.data)
		if fro := mat.Norm(u, 2); !(math.Abs(fro*fro/p.norm2-1) < 1e-10) {
			t.Fatalf("step %d: |U|_F^2 = %g, kept up to date %g", i+1, fro*fro, p.norm2)
		}
		cond := mat.Cond(u, 2)
		if limit := conditionLimit * math.Sqrt(k); !(cond <= math.Sqrt(p.norm2)*(1+1e-12)) || !(cond <= limit) {
			t.Fatalf("step %d: condition number %g, bounds %g and %g", i+1, cond, math.Sqrt(p.norm2), limit)
		}
	}
	if orthonormalisations == 0 || orthonormalisations > n/20 {
		t.Errorf("%d orthonormalisations in %d steps", orthonormalisations, n)
	}
}

func TestPowerRefusals(t *testing.T) {
	src := &rowSource{d: 4}
	step := algorithms.Constant{C: 1}
	for _, test := range []struct {
		name string
		err  func() error
	}{
		{"nil source", func() error { _, err := NewPower(PowerConfig{K: 1, Step: step}, nil, streamRand(1)); return err }},
		{"nil rng", func() error { _, err := NewPower(PowerConfig{K: 1, Step: step}, src, nil); return err }},
		{"negative step", func() error {
			_, err := NewPower(PowerConfig{K: 1, Step: algorithms.Constant{C: -1}}, src, streamRand(1))
			return err
		}},
		{"NaN step", func() error {
			_, err := NewPower(PowerConfig{K: 1, Step: algorithms.Constant{C: math.NaN()}}, src, streamRand(1))
			return err
		}},
		{"infinite step", func() error {
			_, err := NewPower(PowerConfig{K: 1, Step: algorithms.Inverse{C: math.Inf(1)}}, src, streamRand(1))
			return err
		}},
		{"gha: nil source", func() error { _, err := NewGHA(GHAConfig{K: 1, Step: step}, nil, streamRand(1)); return err }},
		{"gha: nil rng", func() error { _, err := NewGHA(GHAConfig{K: 1, Step: step}, src, nil); return err }},
		{"grouse: nil source", func() error { _, err := NewGROUSE(GROUSEConfig{K: 1, Step: step}, nil, streamRand(1)); return err }},
		{"grouse: nil rng", func() error { _, err := NewGROUSE(GROUSEConfig{K: 1, Step: step}, src, nil); return err }},
		{"saa: nil source", func() error { _, err := NewSAA(SAAConfig{K: 1}, nil); return err }},
	} {
		if err := test.err(); err == nil {
			t.Errorf("%s: no error", test.name)
		}
	}
}

// later is a schedule whose second step size cannot be used.
type later struct{ second float64 }

func (s later) At(t int64) float64 {
	if t == 2 {
		return s.second
	}
	return 0.1
}

func (s later) String() string { return "later" }

func TestStepSizeThatCannotBeUsed(t *testing.T) {
	const d = 4
	rows := normalRows(3, d, 0.9, 24)
	for _, eta := range []float64{-1, math.NaN(), math.Inf(1)} {
		for name, make := range map[string]func(src Source) (Learner, error){
			"power": func(src Source) (Learner, error) {
				return NewPower(PowerConfig{K: 1, Step: later{eta}}, src, streamRand(25))
			},
			"gha": func(src Source) (Learner, error) {
				return NewGHA(GHAConfig{K: 1, Step: later{eta}}, src, streamRand(25))
			},
			"grouse": func(src Source) (Learner, error) {
				return NewGROUSE(GROUSEConfig{K: 1, Step: later{eta}}, src, streamRand(25))
			},
		} {
			l, err := make(&rowSource{d, rows})
			if err != nil {
				t.Fatal(err)
			}
			mustStep(t, l, 1)
			status := l.Step()
			if status.State != algorithms.Failed || !strings.Contains(status.Reason, "iteration 2") {
				t.Errorf("%s: step size %g: status %v: %q", name, eta, status.State, status.Reason)
			}
		}
	}
}
