package vec

import (
	"math"
	"slices"
)

// Converting a product prevents the compiler from fusing it with an addition (arm64).

// pass is a function of the package with a plain reference implementation. Both may change u and v of
// their input.
type pass struct {
	name  string
	fast  func(in *input) (values []float64, counts []int)
	naive func(in *input) (values []float64, counts []int)
}

// in8 sums the values of the positions for which f returns true, in the order of the package.
func in8(n int, f func(j int) (float64, bool)) (sum float64, count int) {
	var s [8]float64
	for l := range s {
		for j := l; j < n; j += 8 {
			if x, ok := f(j); ok {
				s[l] += x
				count++
			}
		}
	}
	return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7])), count
}

// best returns the first position of the largest value, among the positions for which f returns true.
func best(n int, f func(j int) (float64, bool)) (int, float64) {
	at, most := -1, math.Inf(-1)
	for j := range n {
		if x, ok := f(j); ok && x > most {
			at, most = j, x
		}
	}
	return at, most
}

func f64(x float64) []float64 { return []float64{x} }

// add adds a k to u.
func add(u []float64, a float64, k []float32) {
	for j, k := range k {
		m := float64(a * float64(k))
		u[j] += m
	}
}

func (in *input) under(j int) (float64, bool) {
	return in.u[j], in.u[j] < in.t
}

func (in *input) values() (s []float64) {
	for j := range in.u {
		if c, ok := in.under(j); ok {
			s = append(s, c)
		}
	}
	return s
}

func (in *input) below() ([]float64, []int) {
	sum, count := in8(len(in.u), in.under)
	return f64(sum), []int{count}
}

func (in *input) largest(mask []int8, sign float64) (int, float64) {
	j, v := best(len(in.u), func(j int) (float64, bool) { return sign * in.u[j], mask[j] != 0 })
	return j, sign * v
}

// gain computes the gain of a coordinate by its definition.
func (in *input) gain(j int) (float64, bool) {
	g := 1 - float64(in.sign*in.u[j])
	delta := 0.0
	switch {
	case in.diag[j] > 0:
		delta = g / in.diag[j]
	case g != 0:
		delta = math.Copysign(math.Inf(1), g)
	}
	delta = math.Min(math.Max(delta, -in.alpha[j]), in.upper-in.alpha[j])
	half := float64(0.5 * delta * in.diag[j])
	return delta * (g - half), true
}

func (in *input) masked(j int) (float64, bool) { return in.sign * in.u[j], in.up[j] != 0 }

// quantile returns a value that few elements exceed.
func (in *input) quantile(f func(j int) (float64, bool)) float64 {
	var all []float64
	for j := range in.u {
		if x, ok := f(j); ok && x == x {
			all = append(all, x)
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)-1-len(all)/20]
}

// next returns, for several levels, the positions plus 1 of the values above the level from position r
// on, followed by -1. It returns at most 1000 numbers.
func (in *input) next(f func(j int) (float64, bool)) (at []int) {
	for _, t := range []float64{in.t, 0, math.Inf(-1), in.quantile(f)} {
		for j := min(in.r, len(in.u)); j < len(in.u) && len(at) < 1000; j++ {
			if x, ok := f(j); ok && x > t {
				at = append(at, j+1)
			}
		}
		if len(at) < 1000 {
			at = append(at, -1)
		}
	}
	return at
}

var passes = []pass{
	{"AddScaled", func(in *input) ([]float64, []int) {
		AddScaled(in.u, in.a, in.k)
		return nil, nil
	}, func(in *input) ([]float64, []int) {
		add(in.u, in.a, in.k)
		return nil, nil
	}},
	{"AddScaled2", func(in *input) ([]float64, []int) {
		AddScaled2(in.u, in.a, in.v, in.b, in.k)
		return nil, nil
	}, func(in *input) ([]float64, []int) {
		add(in.u, in.a, in.k)
		add(in.v, in.b, in.k)
		return nil, nil
	}},
	{"AddScaledPair", func(in *input) ([]float64, []int) {
		AddScaledPair(in.u, in.a, in.k, in.b, in.l)
		return nil, nil
	}, func(in *input) ([]float64, []int) {
		add(in.u, in.a, in.k)
		add(in.u, in.b, in.l)
		return nil, nil
	}},
	{"Below", func(in *input) ([]float64, []int) {
		count, sum := Below(in.u, in.t)
		return f64(sum), []int{count}
	}, (*input).below},
	{"CompressBelow", func(in *input) ([]float64, []int) {
		dst, intact := guarded(len(in.values()), 1, 54321.0) // the smallest possible destination
		n := CompressBelow(dst, in.u, in.t)
		if !intact() {
			panic("wrote outside dst")
		}
		return dst, []int{n}
	}, func(in *input) ([]float64, []int) {
		s := in.values()
		return s, []int{len(s)}
	}},
	{"ArgMaxIf", func(in *input) ([]float64, []int) {
		j, v := ArgMaxIf(in.u, in.up)
		return f64(v), []int{j}
	}, func(in *input) ([]float64, []int) {
		j, v := in.largest(in.up, 1)
		return f64(v), []int{j}
	}},
	{"ArgMinIf", func(in *input) ([]float64, []int) {
		j, v := ArgMinIf(in.u, in.up)
		return f64(v), []int{j}
	}, func(in *input) ([]float64, []int) {
		j, v := in.largest(in.up, -1)
		return f64(v), []int{j}
	}},
	{"AddScaledPairExtremes", func(in *input) ([]float64, []int) {
		i, v, j, w := AddScaledPairExtremes(in.u, in.a, in.k, in.b, in.l, in.up, in.low)
		return []float64{v, w}, []int{i, j}
	}, func(in *input) ([]float64, []int) {
		add(in.u, in.a, in.k)
		add(in.u, in.b, in.l)
		i, v := in.largest(in.up, -1)
		j, w := in.largest(in.low, 1)
		return []float64{v, w}, []int{i, j}
	}},
	{"SecondOrder", func(in *input) ([]float64, []int) {
		j, gain := SecondOrder(in.u, in.up, in.k, in.diag, in.t, in.b)
		return f64(gain), []int{j}
	}, func(in *input) ([]float64, []int) {
		j, gain := best(len(in.u), func(j int) (float64, bool) {
			d, q := in.u[j]-in.t, in.b+in.diag[j]-float64(2*float64(in.k[j]))
			if q != q {
				q = 0
			}
			return d * d / math.Max(q, 1e-12), in.up[j] != 0 && d > 0
		})
		return f64(gain), []int{j}
	}},
	{"ArgMaxGain", func(in *input) ([]float64, []int) {
		j, gain := ArgMaxGain(in.u, in.sign, in.alpha, in.upper, in.diag)
		return f64(gain), []int{j}
	}, func(in *input) ([]float64, []int) {
		j, gain := best(len(in.u), in.gain)
		return f64(gain), []int{j}
	}},
	{"NextAbove", func(in *input) (_ []float64, at []int) {
		for _, t := range []float64{in.t, 0, math.Inf(-1), in.quantile(in.masked)} {
			from := min(in.r, len(in.u))
			for from >= 0 && len(at) < 1000 {
				next := NextAbove(in.u[from:], in.sign, in.up[from:], t)
				if from += next + 1; next < 0 {
					from = -1
				}
				at = append(at, from)
			}
		}
		return nil, at
	}, func(in *input) ([]float64, []int) {
		return nil, in.next(in.masked)
	}},
	{"Dot32", func(in *input) ([]float64, []int) {
		return f64(Dot32(in.u, in.k)), nil
	}, func(in *input) ([]float64, []int) {
		sum, _ := in8(len(in.u), func(j int) (float64, bool) { return float64(in.u[j] * float64(in.k[j])), true })
		return f64(sum), nil
	}},
	{"AllFinite", func(in *input) ([]float64, []int) {
		ok := AllFinite(in.k)
		if ok != AllFinite(slices.Repeat(in.k, 3)) {
			panic("finite or not?")
		}
		if ok {
			return nil, []int{1}
		}
		return nil, []int{0}
	}, func(in *input) ([]float64, []int) {
		for _, x := range in.k {
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				return nil, []int{0}
			}
		}
		return nil, []int{1}
	}},
}

func (p pass) run(in *input, f func(in *input) ([]float64, []int)) outcome {
	c := in.clone()
	values, counts := f(c)
	return outcome{c.u, c.v, values, counts}
}
