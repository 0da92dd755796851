package sparse_test

import (
	"testing"

	"stochopt/algorithms/sparse"
	"stochopt/algorithms/sparse/sparsetest"
)

func TestConformanceRegression(t *testing.T) {
	var cases []sparsetest.Case
	for _, bias := range []bool{false, true} {
		name := map[bool]string{false: "", true: " bias"}[bias]
		og := &sparse.OsunaGirosiConfig{Epsilon: 0.25, C: 1, Bias: bias, Tolerance: 1e-6}
		cases = append(cases, sparsetest.Case{
			Name: "osuna-girosi" + name, Config: og, Bias: bias, Reference: true, Permuted: 1e-4, Lookahead: 5000,
			New: func(env sparsetest.Env) (sparse.Learner, error) {
				return sparse.NewOsunaGirosi(*og, env.Problem, env.Reference)
			},
		})
		ramp := &sparse.RampConfig{C: 1, S: -0.5, Bias: bias, Tolerance: 1e-6}
		cases = append(cases, sparsetest.Case{
			Name: "ramp" + name, Config: ramp, Bias: bias, Permuted: 1e-4, Lookahead: 5000,
			New: func(env sparsetest.Env) (sparse.Learner, error) { return sparse.NewRamp(*ramp, env.Problem) },
		})
		zs := &sparse.ZhanShenConfig{C: 1, Bias: bias, Exclude: 0.2, Epsilon: 0.25, Tolerance: 1e-6}
		cases = append(cases, sparsetest.Case{
			Name: "zhan-shen" + name, Config: zs, Bias: bias, Virtual: true, Reference: true, Permuted: 1e-4, Lookahead: 5000,
			// The curvature at a point is charged for what it evaluates by itself.
			Charge: func(n int, f sparsetest.Fetched) (least, most int64) {
				if f.Rows == 0 {
					return 1, int64(70 * n)
				}
				return int64(n * f.Rows), int64(n * f.Rows)
			},
			New: func(env sparsetest.Env) (sparse.Learner, error) {
				return sparse.NewZhanShen(*zs, env.Problem, env.Inputs, env.Reference)
			},
		})
	}
	sparsetest.Run(t, cases...)
}
