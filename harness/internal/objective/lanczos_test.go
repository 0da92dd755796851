package objective

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
)

// A random direction has a component below the share no more often than is said, and
// not much less often.
func TestShareOfARandomDirection(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	for _, m := range []int{1, 2, 3, 10, 300} {
		const eta, trials = 0.1, 20_000
		share, short := shareOf(eta, m), 0
		for range trials {
			x := rng.NormFloat64()
			rest := 0.0
			for range m - 1 {
				rest += math.Pow(rng.NormFloat64(), 2)
			}
			if math.Abs(x) < share*math.Sqrt(x*x+rest) {
				short++
			}
		}
		// Within four standard deviations; for m > 2 the bound is tight.
		slack := 4 * math.Sqrt(eta*(1-eta)*trials)
		if n := float64(short); n > eta*trials+slack || m >= 10 && n < 0.9*eta*trials-slack {
			t.Errorf("m = %d: %d of %d below the share of %g", m, short, trials, eta)
		}
	}
}

// How often a start overlooks an eigenvalue is what its share allows, for spectra where
// one hides: alone above a cluster, above an even spread, and hardly above.
func TestHowOftenAStartOverlooksAnEigenvalue(t *testing.T) {
	const m, trials = 120, 1500
	spread := func(i int) float64 { return 0.9 * float64(m-i) / m }
	for name, spectrumOf := range map[string]func(i int) float64{
		"cluster":     func(i int) float64 { return 0.5 + 1e-9*float64(i%3) },
		"even spread": spread,
		"hardly":      func(i int) float64 { return 0.99999 * spread(i) / 0.9 },
	} {
		values := make([]float64, m)
		for i := range values {
			values[i] = spectrumOf(i)
		}
		values[0] = 1
		op := newOperator(spectrum(nil, values, false))
		rng := rand.New(rand.NewPCG(23, 24))
		for _, eta := range []float64{0.05, 0.3} {
			overlooked := 0
			for range trials {
				l := &lanczos{op: op, rng: rng}
				ok, err := l.below(1-1e-7, shareOf(eta, m))
				if err != nil {
					t.Fatal(err)
				}
				if ok {
					overlooked++
				}
			}
			if n, slack := float64(overlooked), 4*math.Sqrt(eta*(1-eta)*trials); n > eta*trials+slack {
				t.Errorf("%s: %d of %d starts overlook the largest eigenvalue, allowed are %g", name, overlooked, trials, eta)
			} else {
				t.Logf("%s, eta %g: %d of %d", name, eta, overlooked, trials)
			}
			// Nothing is above the largest eigenvalue, and the starts say so.
			l := &lanczos{op: op, rng: rng}
			if ok, err := l.below(1+1e-7, shareOf(eta, m)); !ok || err != nil {
				t.Errorf("%s: a start finds an eigenvalue above the largest (%v)", name, err)
			}
		}
	}
}

// What a search has missed is found: here it starts with eigenvectors that are not the
// leading ones.
func TestLanczosFindsWhatWasMissed(t *testing.T) {
	values := []float64{5, 4, 3, 2, 1, 0.5, 0.25, 0.125}
	rng := rand.New(rand.NewPCG(25, 26))
	op := newOperator(spectrum(nil, values, false))
	for _, missing := range []int{0, 1, 2} {
		l := &lanczos{op: op, rng: rng}
		if err := l.search(4); err != nil {
			t.Fatal(err)
		}
		if ok, err := l.confirm(4, 1); !ok || err != nil {
			t.Fatalf("the leading pairs are not confirmed (%v)", err)
		}
		l.found = without(l.found.Data, len(values), missing)
		l.values = append(append([]float64{}, l.values[:missing]...), l.values[missing+1:]...)
		if ok, _ := l.confirm(3, 1); ok {
			t.Errorf("eigenvalue %v was not missed", values[missing])
		}
	}
}

// without leaves out a row of a matrix of rows of a length.
func without(data []float64, length, i int) blas64.General {
	out := append(append([]float64{}, data[:i*length]...), data[(i+1)*length:]...)
	return blas64.General{Rows: len(out) / length, Cols: length, Stride: length, Data: out}
}
