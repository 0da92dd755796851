package registry

import (
	"errors"
	"fmt"

	"stochopt/algorithms"
	"stochopt/algorithms/pca"
	"stochopt/harness/internal/seed"
	"stochopt/harness/internal/spec"
)

// resolveCapped sets the defaults of cap and start. The default cap, K = k+1, is that of the thesis's
// experiments.
func resolveCapped(p Params) {
	p.fill("cap", int64(p.Int("k")+1))
	start := pca.StartRandomLowRank
	if p.Int("cap") == p.Int("k") {
		start = pca.StartRandomSubspace
	}
	p.fill("start", string(start))
}

// NewPCA constructs a PCA algorithm. The parameters must have passed the checks of the catalog.
func NewPCA(a *Algorithm, env Env, p Params) (_ pca.Learner, err error) {
	p = a.Resolve(p)
	if p.Text("step.schedule") != "" && a.Program == nil {
		if env.Step, err = env.schedule(p, a.theory); err != nil {
			return nil, err
		}
	}
	l, err := a.pca(env, p)
	if err != nil {
		return nil, err
	}
	rng := env.Rand(seed.RoleOutput)
	switch p.Text("iterate") {
	case "average":
		l, err = pca.NewAveraged(l)
	case "sample":
		l, err = pca.NewSampled(l, rng)
	}
	if err == nil && p.Text("unrelax") == "decompose" {
		l, err = pca.NewDecomposed(l, rng)
	}
	return l, err
}

// Parameter groups that several algorithms share.
var (
	paramK = spec.Param{Name: "k", Kind: "int", Required: true, Min: bound(1),
		Doc: "dimension of the subspace, 0 < k < d"}
	paramStart = spec.Param{Name: "start", Kind: "string",
		Doc: "first iterate: k+1 random directions of equal weight (random-low-rank), a multiple of I (uniform), a random rank-k projection (random-subspace), or 0 (zero), from where tr M is at most k"}
	paramIterate = spec.Param{Name: "iterate", Kind: "string", Default: "last", Choices: []string{"last", "average", "sample"},
		Doc: "measured iterate: the last one, the average of all (O(d^2) more per step), or one drawn uniformly"}
	paramUnrelax = spec.Param{Name: "unrelax", Kind: "string", Default: "top-k", Choices: []string{"top-k", "decompose"},
		Doc: "conversion of a relaxed iterate to a subspace: its top k directions, or a draw from its convex decomposition"}
	paramForm = spec.Param{Name: "form", Kind: "string", Default: "efficient", Choices: []string{"efficient", "naive"},
		Doc: "representation: only the uncapped eigenpairs (efficient), or the full d x d matrix (naive, the reference implementation; O(d^3) per step)"}
	paramCap = spec.Param{Name: "cap", Kind: "int", Min: bound(1),
		Doc: "upper bound K on the rank of the iterates; k+1 if absent"}
	paramDirections = spec.Param{Name: "cap", Kind: "int", Min: bound(1),
		Doc: "number K of directions kept, the k largest of which span the subspace; k if absent"}
	paramTies = spec.Param{Name: "ties", Kind: "string", Choices: []string{"old", "new"},
		Doc: "which of two directions of equal weight to keep: the older one (the default) or the direction of the sample"}
	paramRaise = spec.Param{Name: "raise-when-stuck", Kind: "int", Default: int64(0), Min: bound(0),
		Doc: "number of iterations without improvement at full rank after which the cap is raised by one; 0 means never"}
	paramCappedStart = spec.Param{Name: "start", Kind: "string", Choices: []string{"random-low-rank", "random-subspace", "zero"},
		Doc: paramStart.Doc + "; if absent, random-low-rank, or random-subspace if the cap is k"}
	stepParams = []spec.Param{
		{Name: "step.schedule", Kind: "string", Default: "inverse-sqrt", Choices: []string{"inverse-sqrt", "inverse", "constant"},
			Doc: "eta_t = c/sqrt(t), c/t or c"},
		{Name: "step.c", Kind: "float", Min: bound(0), Tunable: true,
			Doc: "constant c of the step size"},
	}
	theoryParams = []spec.Param{
		{Name: "step.schedule", Kind: "string", Default: "inverse-sqrt", Choices: []string{"inverse-sqrt", "inverse", "constant", "theory"},
			Doc: "eta_t = c/sqrt(t), c/t, c, or c times the constant step size of the convergence proof"},
		stepParams[1],
	}
)

func bound(v float64) *float64 { return &v }

func withDefault(p spec.Param, def any, choices ...string) spec.Param {
	p.Default, p.Choices = def, choices
	return p
}

func params(groups ...any) []spec.Param {
	var out []spec.Param
	for _, g := range groups {
		switch g := g.(type) {
		case spec.Param:
			out = append(out, g)
		case []spec.Param:
			out = append(out, g...)
		}
	}
	return out
}

// checkPCA returns an error for an invalid combination of individually valid parameters.
func checkPCA(p Params) error {
	if limit, ok := p["cap"]; ok {
		k, least := p.Int("k"), p.Int("k")
		if p.Text("start") == string(pca.StartRandomLowRank) {
			least++
		}
		if p.Int("cap") < k {
			return fmt.Errorf("cap = %v is less than k = %d: iterates need rank at least k", limit, k)
		}
		if p.Int("cap") < least {
			return fmt.Errorf("cap = %v is less than k+1 = %d, the rank of start: random-low-rank; "+
				"raise cap or use start: random-subspace", limit, least)
		}
	}
	if p.Text("start") == string(pca.StartZero) && p.Text("unrelax") == "decompose" {
		return errors.New("unrelax: decompose needs tr M = k, but with start: zero it may be less; use unrelax: top-k")
	}
	if !p.has("step.schedule") {
		return nil
	}
	c, given := p["step.c"]
	switch {
	case !given && p.Text("step.schedule") != "theory":
		return fmt.Errorf("step.c is missing: set the constant of the %s schedule", p.Text("step.schedule"))
	case given && p.Float("step.c") <= 0:
		return fmt.Errorf("step.c = %v: the step size must be positive", c)
	}
	return nil
}

// theoryStep returns the constant step size from the analysis of an algorithm.
type theoryStep func(d, k int, horizon int64) (algorithms.Constant, error)

func msgTheory(_, k int, horizon int64) (algorithms.Constant, error) {
	return pca.MSGTheoryStep(k, horizon)
}

// schedule returns the schedule that the parameters describe. theory is nil for algorithms without the
// schedule "theory".
func (e Env) schedule(p Params, theory theoryStep) (algorithms.Schedule, error) {
	c := p.Float("step.c")
	switch p.Text("step.schedule") {
	case "inverse":
		return algorithms.Inverse{C: c}, nil
	case "constant":
		return algorithms.Constant{C: c}, nil
	case "theory":
		s, err := theory(e.Source.Dim(), p.Int("k"), e.Horizon)
		if p.has("step.c") {
			s.C *= c
		}
		return s, err
	}
	return algorithms.InverseSqrt{C: c}, nil
}
