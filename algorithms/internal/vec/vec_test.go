package vec

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// agree runs every pass on every path and demands the bits of the plain code.
func agree(t *testing.T, in *input) {
	t.Helper()
	for _, p := range passes {
		want := p.run(in, p.naive)
		paths(func(path string) {
			if got := p.run(in, p.fast); !got.same(want) {
				t.Fatalf("%s, %s, n = %d:\n got %+v\nwant %+v\ninput %+v", p.name, path, len(in.u), got, want, in)
			}
		})
	}
}

func TestPassesEqualPlainCode(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for n := range 101 {
		for kind := range kinds {
			for range 2 {
				in, _ := newInput(rnd, n, kind)
				agree(t, in)
			}
		}
	}
	for _, n := range []int{1000, 4093, 30011} {
		for kind := range kinds {
			in, _ := newInput(rnd, n, kind)
			agree(t, in)
		}
	}
}

// In ascending and descending order every element or none improves a search.
func TestSortedElements(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{7, 64, 1003} {
		in, _ := newInput(rnd, n, 0)
		slices.Sort(in.u)
		agree(t, in)
		slices.Reverse(in.u)
		agree(t, in)
		for j := range in.u {
			in.u[j] = 0.5
		}
		agree(t, in)
	}
}

// Unlike agree, the passes run in place here, between guards.
func TestNothingElseIsWritten(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for n := range 70 {
		for _, p := range passes {
			in, intact := newInput(rnd, n, n%kinds)
			alpha, diag := slices.Clone(in.alpha), slices.Clone(in.diag)
			k, l := slices.Clone(in.k), slices.Clone(in.l)
			up, low := slices.Clone(in.up), slices.Clone(in.low)
			paths(func(path string) {
				p.fast(in)
				if !intact() {
					t.Fatalf("%s, %s, n = %d: wrote outside its slices", p.name, path, n)
				}
				o := outcome{u: alpha, v: diag, values: widen(k, l)}
				if !o.same(outcome{u: in.alpha, v: in.diag, values: widen(in.k, in.l)}) || !slices.Equal(up, in.up) || !slices.Equal(low, in.low) {
					t.Fatalf("%s, %s, n = %d: changed an argument", p.name, path, n)
				}
			})
		}
	}
}

func widen(rows ...[]float32) (out []float64) {
	for _, row := range rows {
		for _, x := range row {
			out = append(out, float64(x))
		}
	}
	return out
}

// Each element in turn is the only one that is not finite.
func TestAllFiniteLooksEverywhere(t *testing.T) {
	for n := range 40 {
		k := make([]float32, n)
		paths(func(path string) {
			if !AllFinite(k) {
				t.Fatalf("%s: zeros are not finite", path)
			}
			for j := range k {
				k[j] = float32(math.Inf(1 - 2*(j&1)))
				if AllFinite(k) {
					t.Fatalf("%s: infinity at %d of %d overlooked", path, j, n)
				}
				k[j] = 0
			}
		})
	}
}

// The sums do depend on the order, or the tests above would show nothing.
func TestOrderOfSumMatters(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 10))
	differ := 0
	for range 50 {
		in, _ := newInput(rnd, 500, 0)
		_, lanes := Below(in.u, math.Inf(1))
		plain := 0.0
		for _, x := range in.u {
			plain += x
		}
		if math.Abs(lanes-plain) > 1e-10 {
			t.Fatalf("sum %v, want %v", lanes, plain)
		}
		if lanes != plain {
			differ++
		}
	}
	if differ == 0 {
		t.Error("the sum in eight lanes was never another than the sum in one")
	}
}

func TestLeastAndNone(t *testing.T) {
	inf := math.Inf(1)
	paths(func(path string) {
		x, none := make([]float64, 20), make([]int8, 20)
		if j, v := ArgMaxIf(x, none); j != -1 || v != -inf {
			t.Errorf("%s: ArgMaxIf of nothing is %d, %v", path, j, v)
		}
		if j, v := ArgMinIf(x, none); j != -1 || v != inf {
			t.Errorf("%s: ArgMinIf of nothing is %d, %v", path, j, v)
		}
		if j, v := SecondOrder(x, none, make([]float32, 20), x, -1, 1); j != -1 || v != -inf {
			t.Errorf("%s: SecondOrder of nothing is %d, %v", path, j, v)
		}
	})
}

func TestMisuse(t *testing.T) {
	u9, u8 := make([]float64, 9), make([]float64, 8)
	k9, k8 := make([]float32, 9), make([]float32, 8)
	m9, m8 := make([]int8, 9), make([]int8, 8)
	for name, c := range map[string]struct {
		want string
		call func()
	}{
		"AddScaled":                 {badLength, func() { AddScaled(u9, 1, k8) }},
		"AddScaled2 u":              {badLength, func() { AddScaled2(u8, 1, u9, 1, k9) }},
		"AddScaled2 v":              {badLength, func() { AddScaled2(u9, 1, u8, 1, k9) }},
		"AddScaledPair k":           {badLength, func() { AddScaledPair(u9, 1, k8, 1, k9) }},
		"AddScaledPair l":           {badLength, func() { AddScaledPair(u9, 1, k9, 1, k8) }},
		"CompressBelow short":       {shortDst, func() { CompressBelow(u8, u9, 1) }},
		"CompressBelow empty":       {shortDst, func() { CompressBelow(nil, u9, 1) }},
		"ArgMaxIf":                  {badLength, func() { ArgMaxIf(u9, m8) }},
		"ArgMinIf":                  {badLength, func() { ArgMinIf(u9, m8) }},
		"AddScaledPairExtremes k":   {badLength, func() { AddScaledPairExtremes(u9, 1, k8, 1, k9, m9, m9) }},
		"AddScaledPairExtremes l":   {badLength, func() { AddScaledPairExtremes(u9, 1, k9, 1, k8, m9, m9) }},
		"AddScaledPairExtremes up":  {badLength, func() { AddScaledPairExtremes(u9, 1, k9, 1, k9, m8, m9) }},
		"AddScaledPairExtremes low": {badLength, func() { AddScaledPairExtremes(u9, 1, k9, 1, k9, m9, m8) }},
		"SecondOrder mask":          {badLength, func() { SecondOrder(u9, m8, k9, u9, 1, 1) }},
		"SecondOrder k":             {badLength, func() { SecondOrder(u9, m9, k8, u9, 1, 1) }},
		"SecondOrder diag":          {badLength, func() { SecondOrder(u9, m9, k9, u8, 1, 1) }},
		"ArgMaxGain alpha":          {badLength, func() { ArgMaxGain(u9, 1, u8, 1, u9) }},
		"ArgMaxGain diag":           {badLength, func() { ArgMaxGain(u9, 1, u9, 1, u8) }},
		"ArgMaxGain sign":           {badSign, func() { ArgMaxGain(u9, 3, u9, 1, u9) }},
		"NextAbove sign":            {badSign, func() { NextAbove(u9, 0, m9, 0) }},
		"NextAbove mask":            {badLength, func() { NextAbove(u9, 1, m8, 0) }},
		"Dot32":                     {badLength, func() { Dot32(u9, k8) }},
	} {
		paths(func(path string) {
			defer func() {
				if got := recover(); got != c.want {
					t.Errorf("%s, %s: panic %v, want %q", name, path, got, c.want)
				}
			}()
			c.call()
		})
	}
}

func TestNothingIsAllocated(t *testing.T) {
	in, _ := newInput(rand.New(rand.NewPCG(11, 12)), 99, 0)
	dst := make([]float64, 99)
	paths(func(path string) {
		if got := testing.AllocsPerRun(10, func() {
			Below(in.u, in.t)
			CompressBelow(dst, in.u, in.t)
			ArgMaxIf(in.u, in.up)
			AddScaledPairExtremes(in.u, in.a, in.k, in.b, in.l, in.up, in.low)
			SecondOrder(in.u, in.up, in.k, in.diag, in.t, in.b)
			ArgMaxGain(in.u, in.sign, in.alpha, in.upper, in.diag)
			Dot32(in.u, in.k)
		}); got != 0 {
			t.Errorf("%s: %v allocations", path, got)
		}
	})
}

func FuzzPasses(f *testing.F) {
	f.Add(uint64(1), uint16(17), uint8(2))
	f.Add(uint64(2), uint16(1000), uint8(3))
	f.Fuzz(func(t *testing.T, seed uint64, n uint16, kind uint8) {
		in, _ := newInput(rand.New(rand.NewPCG(seed, 0)), int(n)%2048, int(kind)%kinds)
		agree(t, in)
	})
}
