package run

import (
	"context"
	"math/rand/v2"

	"stochopt/algorithms/sparse"
	"stochopt/algorithms/svm"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/seed"
)

// env is what the constructor is given.
func (r *sparseRun) env(ctx context.Context) registry.Env {
	sh := r.shared
	n := sh.layout.Train
	stream := func(role string) *rand.Rand { return r.settings.stream(r.it, role) }
	return registry.Env{
		Kernel: r.problem,
		// A classifier is not measured while the method is at work.
		Inputs:    func() sparse.Inputs { return r.inputs },
		Reference: func() *sparse.Reference { return &r.trained.reference },
		Context:   ctx,
		Kern:      sh.kern,
		C:         problemFacts(r.it.Params, r.reg, n, nil)["C"], Lambda: r.reg.Lambda, Nu: r.reg.Nu, R: r.reg.R,
		Bias:  r.reg.Bias,
		Order: func(kind string) svm.Order { return newOrder(kind, n, stream(seed.RoleOrder)) },
		Rand:  stream,
	}
}
