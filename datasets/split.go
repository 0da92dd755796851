package datasets

import (
	"fmt"
	"math"
	"math/rand/v2"

	"stochopt/internal/whole"
)

// Fractions says how the rows of a table are shared out: each is in [0, 1], and they sum
// to one but for rounding.
type Fractions struct {
	Train, Validation, Test float64
}

// Sizes returns the numbers of rows: train ends at n*Train and validation at
// n*(Train+Validation), both rounded half up, and test is the rest. It returns
// an error if a positive fraction gets no row.
func (f Fractions) Sizes(n int) (train, validation, test int, err error) {
	// The small term undoes representation errors such as 0.7+0.1 < 0.8.
	end := func(p float64) int { return whole.Within(math.Floor(float64(n)*p+0.5+1e-6), 0, n) }
	train = end(f.Train)
	validation = end(f.Train+f.Validation) - train
	test = n - train - validation
	if f.Test == 0 {
		validation, test = n-train, 0
		if f.Validation == 0 {
			train, validation = n, 0
		}
	}
	for _, p := range []struct {
		name string
		v    float64
		n    int
	}{{"train", f.Train, train}, {"validation", f.Validation, validation}, {"test", f.Test, test}} {
		if p.v > 0 && p.n == 0 {
			return 0, 0, 0, fmt.Errorf("split: %s %v of %d rows is no row at all", p.name, p.v, n)
		}
	}
	return train, validation, test, nil
}

// Split shares out the rows 0 … n-1 at random, without replacement. The three
// lists are disjoint, together have every row, are in random order, and depend
// on n, f and the state of rng only. For the sizes see Fractions.Sizes. An
// empty list is nil.
func Split(n int, f Fractions, rng *rand.Rand) (train, validation, test []int, err error) {
	if n <= 0 {
		return nil, nil, nil, fmt.Errorf("split: %d rows", n)
	}
	a, b, c, err := f.Sizes(n)
	if err != nil {
		return nil, nil, nil, err
	}
	p := rng.Perm(n)
	cut := func(lo, size int) []int {
		if size == 0 {
			return nil
		}
		return p[lo : lo+size : lo+size]
	}
	return cut(0, a), cut(a, b), cut(a+b, c), nil
}
