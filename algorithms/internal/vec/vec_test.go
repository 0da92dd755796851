package vec

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// agree checks that every pass on every path gives the bits of its reference implementation.
func agree(t *testing.T, in *input) {
	t.Helper()
	for _, p := range passes {
		want := p.run(in, p.naive)
		paths(func(path string) {
			if got := p.run(in, p.fast); !got.same(want) {
				t.Fatalf("%s, %s, n = %d:\n got %+v\nwant %+v\ninput %+v",
					p.name, path, len(in.u), got, want, in)
			}
		})
	}
}

func TestPassesEqualPlainCode(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for kind := range kinds {
		for n := range 101 {
			in, _ := newInput(rnd, n, kind)
			agree(t, in)
		}
		for _, n := range []int{1000, 4093} {
			in, _ := newInput(rnd, n, kind)
			agree(t, in)
		}
	}
}

// TestSortedElements uses sorted values, so that all elements or none improve a search.
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

// TestNothingElseIsWritten runs the passes in place, between guards.
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

// TestAllFiniteLooksEverywhere checks rows with a single element that is not finite, at each position.
func TestAllFiniteLooksEverywhere(t *testing.T) {
	for n := range 40 {
		k := make([]float32, n)
		paths(func(path string) {
			if !AllFinite(k) {
				t.Fatalf("%s: AllFinite is false for zeros", path)
			}
			for j := range k {
				k[j] = float32(math.Inf(1 - 2*(j&1)))
				if AllFinite(k) {
					t.Fatalf("%s: AllFinite is true with an infinity at %d of %d", path, j, n)
				}
				k[j] = 0
			}
		})
	}
}

func TestMisuse(t *testing.T) {
	u9, u8 := make([]float64, 9), make([]float64, 8)
	k9, k8 := make([]float32, 9), make([]float32, 8)
	m9, m8 := make([]int8, 9), make([]int8, 8)
	rows := func(dst []float64, coef int, row []float32) {
		AddRows(&[GroupSize][]float64{u9, u9, u9, dst}, make([]float64, coef), [][]float32{k9, row})
	}
	for want, calls := range map[string][]func(){
		badLength: {
			func() { AddScaled(u9, 1, k8) },
			func() { AddScaled2(u8, 1, u9, 1, k9) },
			func() { AddScaled2(u9, 1, u8, 1, k9) },
			func() { AddScaledPair(u9, 1, k8, 1, k9) },
			func() { AddScaledPair(u9, 1, k9, 1, k8) },
			func() { ArgMaxIf(u9, m8) },
			func() { ArgMinIf(u9, m8) },
			func() { AddScaledPairExtremes(u9, 1, k8, 1, k9, m9, m9) },
			func() { AddScaledPairExtremes(u9, 1, k9, 1, k8, m9, m9) },
			func() { AddScaledPairExtremes(u9, 1, k9, 1, k9, m8, m9) },
			func() { AddScaledPairExtremes(u9, 1, k9, 1, k9, m9, m8) },
			func() { SecondOrder(u9, m8, k9, u9, 1, 1) },
			func() { SecondOrder(u9, m9, k8, u9, 1, 1) },
			func() { SecondOrder(u9, m9, k9, u8, 1, 1) },
			func() { ArgMaxGain(u9, 1, u8, 1, u9) },
			func() { ArgMaxGain(u9, 1, u9, 1, u8) },
			func() { NextAbove(u9, 1, m8, 0) },
			func() { Dot32(u9, k8) },
			func() { rows(u8, 2*GroupSize, k9) },
			func() { rows(u9, 2*GroupSize-1, k9) },
			func() { rows(u9, 2*GroupSize, k8) },
		},
		badSign: {
			func() { ArgMaxGain(u9, 3, u9, 1, u9) },
			func() { NextAbove(u9, 0, m9, 0) },
		},
		shortDst: {func() { CompressBelow(u8, u9, 1) }, func() { CompressBelow(nil, u9, 1) }},
	} {
		for i, call := range calls {
			paths(func(path string) {
				defer func() {
					if got := recover(); got != want {
						t.Errorf("%s, call %d: panic %v, want %q", path, i, got, want)
					}
				}()
				call()
			})
		}
	}
}
