package svm

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// adultSized are rows of a Gaussian kernel with the sizes and the balance of
// Adult, computed one at a time and timed, so that a benchmark can leave that
// out.
type adultSized struct {
	x    [][4]float64
	rows [2][]float32 // those returned last
	turn int
	diag []float64
	time time.Duration
}

const (
	adultAll      = 48842
	adultTrain    = 32561
	adultPositive = 7841
)

func newAdultSized() *adultSized {
	rng := rand.New(rand.NewPCG(1, 1))
	g := &adultSized{x: make([][4]float64, adultAll), rows: [2][]float32{make([]float32, adultAll), make([]float32, adultAll)}, diag: make([]float64, adultAll)}
	for j := range g.x {
		shift := 0.7
		if j >= adultPositive && (j < adultTrain || rng.IntN(4) != 0) {
			shift = -0.7
		}
		for k := range g.x[j] {
			g.x[j][k] = rng.NormFloat64() + shift
		}
		g.diag[j] = 1
	}
	return g
}

func (g *adultSized) Train() int      { return adultTrain }
func (g *adultSized) Len() int        { return adultAll }
func (g *adultSized) Diag() []float64 { return g.diag }
func (g *adultSized) Row(i int) []float32 {
	start := time.Now()
	g.turn = 1 - g.turn
	a, row := g.x[i], g.rows[g.turn]
	for j, b := range g.x {
		var d float64
		for k := range a {
			d += (a[k] - b[k]) * (a[k] - b[k])
		}
		row[j] = float32(math.Exp(-0.1 * d))
	}
	g.time += time.Since(start)
	return row
}

func BenchmarkSBPStep(b *testing.B) {
	for _, test := range []struct {
		name string
		cfg  SBPConfig
	}{
		{"nobias", SBPConfig{Nu: 0.02}},
		{"bias", SBPConfig{Nu: 0.02, Bias: true}},
		{"pair", SBPConfig{Nu: 0.02, Bias: true, Pair: true}},
		{"hard", SBPConfig{}},
	} {
		b.Run(test.name, func(b *testing.B) {
			g := newAdultSized()
			a, err := NewSBP(test.cfg, Problem{Rows: g, Positive: adultPositive}, rand.New(rand.NewPCG(1, 2)))
			if err != nil {
				b.Fatal(err)
			}
			for range 1000 {
				a.Step()
			}
			g.time = 0
			for b.Loop() {
				if s := a.Step(); s.Stop() {
					b.Fatal(s.Reason)
				}
			}
			perStep := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / float64(b.N) }
			b.ReportMetric(perStep(b.Elapsed()-g.time), "ns/step")
			b.ReportMetric(perStep(g.time), "ns/row")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkSBPPlainStep is the same step as it is written down: every vector
// scaled and averaged element by element, the water level from scratch.
func BenchmarkSBPPlainStep(b *testing.B) {
	for _, bias := range []bool{false, true} {
		name := "nobias"
		if bias {
			name = "bias"
		}
		b.Run(name, func(b *testing.B) {
			g := newAdultSized()
			p := Problem{Rows: g, Positive: adultPositive}
			rng := rand.New(rand.NewPCG(1, 2))
			u, sum := make([]float64, adultAll), make([]float64, adultAll)
			alpha, sumA := make([]float64, adultTrain), make([]float64, adultTrain)
			c := make([]float64, adultTrain)
			var rSq float64
			t := 0
			step := func() {
				t++
				for i := range c {
					c[i] = p.Label(i) * u[i]
				}
				level := [2]float64{}
				first, last := 0, adultTrain
				if bias {
					gamma, b, _ := WaterLevelBias(c[:adultPositive], c[adultPositive:], 0.02*adultTrain)
					level = [2]float64{gamma - b, gamma + b}
					if rng.IntN(2) == 0 {
						last = adultPositive
					} else {
						first = adultPositive
					}
				} else {
					gamma, _ := WaterLevel(c, 0.02*adultTrain)
					level = [2]float64{gamma, gamma}
				}
				var under []int
				for i := first; i < last; i++ {
					if i < adultPositive && c[i] < level[0] || i >= adultPositive && c[i] < level[1] {
						under = append(under, i)
					}
				}
				if len(under) == 0 {
					under = append(under, first+rng.IntN(last-first))
				}
				i := under[rng.IntN(len(under))]
				eta := 1 / math.Sqrt(float64(t))
				rSq += 2*eta*c[i] + eta*eta
				alpha[i] += eta
				d := eta * p.Label(i)
				for j, k := range g.Row(i) {
					u[j] += d * float64(k)
				}
				if rSq > 1 {
					f := 1 / math.Sqrt(rSq)
					for i := range alpha {
						alpha[i] *= f
					}
					for j := range u {
						u[j] *= f
					}
					rSq = 1
				}
				for i, a := range alpha {
					sumA[i] += a
				}
				for j, x := range u {
					sum[j] += x
				}
			}
			for range 300 {
				step()
			}
			g.time = 0
			for b.Loop() {
				step()
			}
			perStep := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / float64(b.N) }
			b.ReportMetric(perStep(b.Elapsed()-g.time), "ns/step")
			b.ReportMetric(perStep(g.time), "ns/row")
			b.ReportMetric(0, "ns/op")
		})
	}
}
