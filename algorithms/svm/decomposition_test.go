package svm

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// plainChoice is Decomposition.choose, one point after another.
func plainChoice(d *Decomposition) []int {
	rising, falling := newTopList(d.size), newTopList(d.size)
	for i := range d.n {
		x := d.u[i] - d.label(i)
		switch {
		case !d.bias:
			rising.add(i, d.moveGain(i))
			continue
		case d.up[i] != 0:
			rising.add(i, -x)
		}
		if d.low[i] != 0 {
			falling.add(i, x)
		}
	}
	if !d.bias {
		return rising.index
	}
	var working []int
	lists := [2][]int{rising.index, falling.index}
	for turn := 0; len(working) < d.size; turn = 1 - turn {
		for len(lists[turn]) > 0 {
			i := lists[turn][0]
			lists[turn] = lists[turn][1:]
			if !slices.Contains(working, i) {
				working = append(working, i)
				break
			}
		}
	}
	return working
}

// TestDecompositionChoice: the working set is that of the plain code, in its
// order, with ties and with responses that are lost in u_i - y_i.
func TestDecompositionChoice(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(4, 7))
	values := map[string]func() float64{
		"any":  rng.NormFloat64,
		"ties": func() float64 { return float64(rng.IntN(4)-2) / 2 },
		"tiny": func() float64 { return float64(rng.IntN(9)-4) * 0x1p-55 },
		"some": func() float64 { return float64(rng.IntN(3)-1)*0x1p-54 + float64(rng.IntN(2)) },
	}
	for name, value := range values {
		lost := 0
		for range 300 {
			n := 2 + rng.IntN(80)
			p, _ := newGaussianProblem(rng.Uint64(), n, 1+rng.IntN(n-1), n)
			for _, bias := range []bool{false, true} {
				d, err := NewDecomposition(DecompositionConfig{Lambda: 0.1, Bias: bias, Size: 2 + rng.IntN(12)}, p)
				if err != nil {
					t.Fatal(err)
				}
				for i := range n {
					d.set(i, d.upper*[]float64{0, 0, 0.3, 0.7, 1, 1}[rng.IntN(6)])
					d.u[i] = value()
					if i > 0 && d.u[i] != d.u[i-1] && d.u[i]-1 == d.u[i-1]-1 {
						lost++
					}
				}
				d.choose()
				if want := plainChoice(d); !slices.Equal(d.working, want) {
					t.Fatalf("%s, bias %v, size %d: working set %v, want %v\nu = %v", name, bias, d.size, d.working, want, d.u)
				}
				if slices.Contains(d.in, true) {
					t.Fatal("points of the working set are still marked")
				}
			}
		}
		if name == "tiny" && lost == 0 {
			t.Error("no two responses were lost in u - y")
		}
	}
}

func BenchmarkDecompositionChoice(b *testing.B) {
	g := newAdultSized()
	for _, bias := range []bool{false, true} {
		b.Run(fmt.Sprintf("bias=%v", bias), func(b *testing.B) {
			d, err := NewDecomposition(DecompositionConfig{Lambda: 1e-4, Bias: bias, Size: 10}, Problem{Rows: g, Positive: adultPositive})
			if err != nil {
				b.Fatal(err)
			}
			for range 50 {
				d.Step()
			}
			b.Run("fast", func(b *testing.B) {
				for b.Loop() {
					d.choose()
				}
			})
			b.Run("plain", func(b *testing.B) {
				for b.Loop() {
					plainChoice(d)
				}
			})
		})
	}
}
