package pca

import (
	"math"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/suite"
)

// BenchmarkStep measures a step at d = 784 and k = 8, after 2000 steps. It also reports the mean rank
// k' of the iterates.
func BenchmarkStep(b *testing.B) {
	const d, k, warm = 784, 8, 2000
	rows := imageLike(4096, d)
	step, large := algorithms.InverseSqrt{C: 1}, algorithms.InverseSqrt{C: 32}
	for _, bench := range []struct {
		name string
		new  func(src Source) (Learner, error)
		warm int
	}{
		{"saa", func(src Source) (Learner, error) { return NewSAA(SAAConfig{K: k}, src) }, warm},
		{"power", func(src Source) (Learner, error) {
			return NewPower(PowerConfig{K: k, Step: step}, src, streamRand(92))
		}, warm},
		{"gha", func(src Source) (Learner, error) { return NewGHA(GHAConfig{K: k, Step: step}, src, streamRand(92)) }, warm},
		{"grouse", func(src Source) (Learner, error) {
			return NewGROUSE(GROUSEConfig{K: k, Step: step}, src, streamRand(92))
		}, warm},
		{"incremental", func(src Source) (Learner, error) { return NewIncremental(IncrementalConfig{K: k}, src) }, warm},
		{"msg", func(src Source) (Learner, error) {
			return NewMSG(MSGConfig{K: k, Step: step}, src, streamRand(92))
		}, warm},
		{"capped-msg", func(src Source) (Learner, error) {
			return NewCappedMSG(CappedMSGConfig{K: k, Cap: k + 1, Step: step}, src, streamRand(92))
		}, warm},
		{"warmuth-kuzmin", func(src Source) (Learner, error) {
			return NewWarmuthKuzmin(WarmuthKuzminConfig{K: k, Step: large}, src, nil)
		}, warm},
		{"warmuth-kuzmin-naive", func(src Source) (Learner, error) {
			return NewWarmuthKuzminNaive(WarmuthKuzminConfig{K: k, Step: large}, src, nil)
		}, 0},
	} {
		b.Run(bench.name, func(b *testing.B) {
			l := suite.Must(bench.new(&cycle{rows: rows}))
			mustStep(b, l, bench.warm)
			b.ReportAllocs()
			var ranks, n float64
			for b.Loop() {
				mustStep(b, l, 1)
				ranks += float64(l.Rank())
				n++
			}
			b.ReportMetric(ranks/n, "rank")
		})
	}
}

// imageLike returns n samples with E|x|^2 = 1 and a spectrum that decays as in images.
func imageLike(n, d int) [][]float64 {
	rng := streamRand(91)
	std := make([]float64, d)
	var trace float64
	for i := range std {
		std[i] = 1 / (1 + float64(i)/6)
		trace += std[i] * std[i]
	}
	rows := make([][]float64, n)
	for r := range rows {
		rows[r] = make([]float64, d)
		for i := range rows[r] {
			rows[r][i] = rng.NormFloat64() * std[i] / math.Sqrt(trace)
		}
	}
	return rows
}

// cycle repeats its rows.
type cycle struct {
	rows [][]float64
	next int
}

func (c *cycle) Dim() int { return len(c.rows[0]) }

func (c *cycle) Next() ([]float64, bool) {
	x := c.rows[c.next%len(c.rows)]
	c.next++
	return x, true
}
