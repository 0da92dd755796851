package registry

import (
	"errors"
	"fmt"

	"stochopt/algorithms"
	"stochopt/algorithms/pca"
	"stochopt/harness/internal/spec"
)

// resolveCapped fills in the cap K = k+1 of the thesis's experiments, and the
// start that goes with it.
func resolveCapped(p Params) {
	p.fill("cap", int64(p.Int("k")+1))
	start := pca.StartRandomLowRank
	if p.Int("cap") == p.Int("k") {
		start = pca.StartRandomSubspace
	}
	p.fill("start", string(start))
}

// NewPCA constructs a PCA algorithm with the parameters given, which have
// passed the catalog's checks.
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
	rng := env.Rand(roleOutput)
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
		Doc: "dimension of the subspace sought, 0 < k < d"}
	paramStart = spec.Param{Name: "start", Kind: "string",
		Doc: "first iterate: random-low-rank has k+1 random directions of equal weight, uniform is a multiple of I, random-subspace a random rank-k projection, zero is 0, with tr M at most k"}
	paramIterate = spec.Param{Name: "iterate", Kind: "string", Default: "last", Choices: []string{"last", "average", "sample"},
		Doc: "what is measured: the last iterate, the average of the iterates (O(d^2) more per step), or one of them drawn uniformly"}
	paramUnrelax = spec.Param{Name: "unrelax", Kind: "string", Default: "top-k", Choices: []string{"top-k", "decompose"},
		Doc: "how a relaxed iterate becomes a subspace: its top k directions, or a draw from its convex decomposition"}
	paramForm = spec.Param{Name: "form", Kind: "string", Default: "efficient", Choices: []string{"efficient", "naive"},
		Doc: "what is stored: only the uncapped eigenpairs, or the full d x d matrix (the reference implementation; O(d^3) per step)"}
	paramCap = spec.Param{Name: "cap", Kind: "int", Min: bound(1),
		Doc: "upper bound K on the rank of the iterates; k+1 if absent"}
	paramDirections = spec.Param{Name: "cap", Kind: "int", Min: bound(1),
		Doc: "number K of directions kept, of which the k largest are the subspace; k if absent"}
	paramTies = spec.Param{Name: "ties", Kind: "string", Choices: []string{"old", "new"},
		Doc: "which of two directions of equal weight is kept: the older one (the default), or that of the sample"}
	paramRaise = spec.Param{Name: "raise-when-stuck", Kind: "int", Default: int64(0), Min: bound(0),
		Doc: "raise the cap by one after this many iterations without improvement at full rank; 0: never"}
	paramCappedStart = spec.Param{Name: "start", Kind: "string", Choices: []string{"random-low-rank", "random-subspace", "zero"},
		Doc: paramStart.Doc + "; the former if absent and the cap is above k"}
	stepParams = []spec.Param{
		{Name: "step.schedule", Kind: "string", Default: "inverse-sqrt", Choices: []string{"inverse-sqrt", "inverse", "constant"},
			Doc: "eta_t = c/sqrt(t), c/t or c"},
		{Name: "step.c", Kind: "float", Min: bound(0), Tunable: true,
			Doc: "the constant c of the step size"},
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

// checkPCA reports wrong combinations of parameters that are each right by themselves.
func checkPCA(p Params) error {
	if limit, ok := p["cap"]; ok {
		k, least := p.Int("k"), p.Int("k")
		if p.Text("start") == string(pca.StartRandomLowRank) {
			least++
		}
		if p.Int("cap") < k {
			return fmt.Errorf("cap = %v is less than k = %d: the iterates need at least k directions", limit, k)
		}
		if p.Int("cap") < least {
			return fmt.Errorf("cap = %v is less than the k+1 = %d directions of start: random-low-rank; raise cap or use start: random-subspace", limit, least)
		}
	}
	if p.Text("start") == string(pca.StartZero) && p.Text("unrelax") == "decompose" {
		return errors.New("unrelax: decompose needs tr M = k, but from start: zero it is at most k; use unrelax: top-k")
	}
	if !p.has("step.schedule") {
		return nil
	}
	c, given := p["step.c"]
	switch {
	case !given && p.Text("step.schedule") != "theory":
		return fmt.Errorf("step.c is missing: give the constant of the %s schedule", p.Text("step.schedule"))
	case given && p.Float("step.c") <= 0:
		return fmt.Errorf("step.c = %v: the step size must be positive", c)
	}
	return nil
}

// theoryStep returns the constant step size of an algorithm's analysis.
type theoryStep func(d, k int, horizon int64) (algorithms.Constant, error)

func msgTheory(_, k int, horizon int64) (algorithms.Constant, error) {
	return pca.MSGTheoryStep(k, horizon)
}

// schedule returns the step sizes that the parameters describe. theory is nil
// for algorithms whose parameters do not offer it.
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
