package vec

import (
	"math"
	"math/rand/v2"
	"slices"
)

// input holds arguments for every pass. The slices have the same length.
type input struct {
	u, v, alpha, diag []float64
	k, l              []float32
	up, low           []int8
	a, b              float64
	sign, t, upper    float64
	r                 int
}

// guard is the number of sentinel elements around every slice.
const guard = 64

// guarded returns a slice of n elements with offset off after the guard, and a function that reports
// whether the guards are unchanged.
func guarded[T comparable](n, off int, mark T) (s []T, intact func() bool) {
	array := make([]T, guard+off+n+guard)
	for i := range array {
		array[i] = mark
	}
	lo, hi := guard+off, guard+off+n
	return array[lo:hi:hi], func() bool {
		for i, x := range array {
			if (i < lo || i >= hi) && x != mark {
				return false
			}
		}
		return true
	}
}

var special = []float64{
	0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(),
	math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64, 0x1p-1030, -0x1p-1030,
	math.MaxFloat64, -math.MaxFloat64, 1e200, -1e200, 1e-200, 0x1p-1022,
}

var special32 = []float32{
	0, float32(math.Copysign(0, -1)), 1, -1, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()),
	math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32, math.MaxFloat32, -math.MaxFloat32, 0x1p-126,
}

// kinds is the number of kinds of random numbers: arbitrary, with ties, special, rarely special, and so
// close that their gains differ only in the last bits.
const kinds = 5

func value(rnd *rand.Rand, kind int) float64 {
	switch {
	case kind == 1:
		return float64(rnd.IntN(5) - 2)
	case kind == 4:
		return 0.4 + float64(rnd.IntN(6))*0x1p-54
	case kind == 2 || kind == 3 && rnd.IntN(20) == 0:
		return special[rnd.IntN(len(special))]
	}
	return rnd.NormFloat64()
}

func value32(rnd *rand.Rand, kind int) float32 {
	switch {
	case kind == 1:
		return float32(rnd.IntN(3)-1) / 2
	case kind == 4:
		return 0.5 + float32(rnd.IntN(2))*0x1p-24
	case kind == 2 || kind == 3 && rnd.IntN(20) == 0:
		return special32[rnd.IntN(len(special32))]
	}
	return rnd.Float32()
}

// draw returns n values of next, surrounded by guards at a random alignment. It appends a function to
// holds that reports whether the guards are unchanged.
func draw[T comparable](rnd *rand.Rand, n int, mark T, holds *[]func() bool, next func() T) []T {
	s, intact := guarded(n, rnd.IntN(9), mark)
	*holds = append(*holds, intact)
	for i := range s {
		s[i] = next()
	}
	return s
}

// newInput draws arguments of length n, each slice at a random alignment. It also returns a function
// that reports whether the guards are unchanged.
func newInput(rnd *rand.Rand, n, kind int) (*input, func() bool) {
	in := &input{sign: 1, r: rnd.IntN(n + 2)}
	var holds []func() bool
	for _, s := range []*[]float64{&in.u, &in.v, &in.alpha, &in.diag} {
		*s = draw(rnd, n, -12345.5, &holds, func() float64 { return value(rnd, kind) })
	}
	for _, s := range []*[]float32{&in.k, &in.l} {
		*s = draw(rnd, n, -12345.5, &holds, func() float32 { return value32(rnd, kind) })
	}
	for _, s := range []*[]int8{&in.up, &in.low} {
		share := rnd.IntN(4)
		*s = draw(rnd, n, 77, &holds, func() int8 {
			if rnd.IntN(4) <= share {
				return -1
			}
			return 0
		})
	}
	in.a, in.b, in.t = value(rnd, kind), value(rnd, kind), value(rnd, kind)
	if kind == 4 {
		in.b, in.t = 1, 0.25*float64(rnd.IntN(3))
	}
	if rnd.IntN(2) == 0 {
		in.sign = -1
	}
	in.upper = []float64{0, 0.25, 1, 100, 1e-300, 1e200, 1e250}[rnd.IntN(7)]
	for i, x := range in.alpha {
		in.alpha[i] = box(x, in.upper)
	}
	for i, x := range in.diag {
		in.diag[i] = math.Abs(x)
		if !(in.diag[i] <= math.MaxFloat64) {
			in.diag[i] = 1
		}
	}
	return in, func() bool {
		return !slices.ContainsFunc(holds, func(intact func() bool) bool { return !intact() })
	}
}

// box maps x to [0, upper].
func box(x, upper float64) float64 {
	switch x = math.Abs(x); {
	case !(x <= 1):
		return upper
	case x < 0.1:
		return 0
	default:
		return x * upper
	}
}

// clone returns a copy of the arguments that a pass may change.
func (in *input) clone() *input {
	c := *in
	c.u, c.v = slices.Clone(in.u), slices.Clone(in.v)
	return &c
}

// outcome holds all results of a pass.
type outcome struct {
	u, v   []float64
	values []float64
	counts []int
}

// same reports whether two outcomes have the same bits. All NaNs are equal.
func (o outcome) same(p outcome) bool {
	eq := func(a, b []float64) bool {
		return slices.EqualFunc(a, b, func(x, y float64) bool {
			return math.Float64bits(x) == math.Float64bits(y) || x != x && y != y
		})
	}
	return slices.Equal(o.counts, p.counts) && eq(o.u, p.u) && eq(o.v, p.v) && eq(o.values, p.values)
}
