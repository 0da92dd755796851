package run

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"time"

	"stochopt/algorithms/kernel"
	"stochopt/algorithms/sparse"
	"stochopt/algorithms/svm"
	"stochopt/harness/internal/objective"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/seed"
	"stochopt/internal/finite"
	"stochopt/internal/record"
)

// kernelRun is a run of a kernelTask.
type kernelRun struct {
	*kernelTask
	it     *plan.Item
	shared *svmShared
	needs  registry.Needs
	timing *record.Timing

	// reg has the known forms of the regularisation. form and value are its given form, "lambda",
	// "nu" or "R", and the value in that form.
	reg   objective.Regularisation
	form  string
	value float64
	// optimum is the certified optimum that the run needs or is compared with, or nil. trained is its
	// classifier, nil unless the method approximates it.
	optimum *objective.SVMReference
	trained *trained
	// rows reads the kernel rows of the method; nil if it uses none. cacheSeconds is the time it took
	// to create their cache.
	rows         *kernel.Reader
	cacheSeconds float64

	// trainRows and evalRows read the kernel rows that evaluate sparse classifiers: on the training points
	// and on the other points. evalRows is nil if there are only training points. inputs is the input space, nil
	// unless the method constructs vectors.
	trainRows, evalRows *readers
	inputs              *kernel.Inputs
}

// openCache returns the cache of the kernel rows that the method sees. All runs share it, but with
// record.alone each run gets a new one. Call done when all readers are open.
func (r *kernelRun) openCache() (c *kernel.Cache, done func(), err error) {
	to := r.shared.points.Len()
	if r.sparse {
		to = r.shared.layout.Train
	}
	if r.settings.plan.Spec.Record.Alone {
		if c, err = r.newCache(0, to); err != nil {
			return nil, nil, err
		}
		return c, c.Close, nil
	}
	build := func() (*kernel.Cache, error) { return r.newCache(0, to) }
	c, r.cacheSeconds, err = r.shared.caches.get(0, build)
	return c, func() {}, err
}

// newCache returns an empty cache of kernel rows over the points from <= i < to.
func (r *kernelRun) newCache(from, to int) (*kernel.Cache, error) {
	sh := r.shared
	return kernel.NewCache(kernel.CacheConfig{
		Kernel: sh.kern, Points: sh.points, Train: sh.layout.Train, From: from, To: to, Pool: r.pool,
	})
}

// problem returns the training problem, which reads kernel rows from a reader.
func (r *kernelRun) problem(rows *kernel.Reader) svm.Problem {
	return svm.Problem{Rows: rows, Positive: r.shared.layout.Positive}
}

// env returns the environment for the constructor of the method.
func (r *kernelRun) env(ctx context.Context) registry.Env {
	sh, start := r.shared, time.Now()
	return registry.Env{
		Context: ctx,
		Kern:    sh.kern,
		C:       r.regularisers()["C"],
		Lambda:  r.reg.Lambda, Nu: r.reg.Nu, R: r.reg.R, Bias: r.reg.Bias,
		Order: func(kind string) svm.Order {
			return newOrder(kind, sh.layout.Train, r.settings.stream(r.it, seed.RoleOrder))
		},
		Rand: func(role string) *rand.Rand { return r.settings.stream(r.it, role) },
		Vectors: func() (kernel.Vectors, int, int) {
			return tableRows{r.it.Problem.Data.Table, sh.order}, sh.layout.Train, sh.layout.Positive
		},
		Kernel: func() svm.Problem { return r.problem(r.rows) },
		Linear: func() svm.LinearProblem {
			return svm.LinearProblem{Features: sh.points.Features(sh.layout.Train), Positive: sh.layout.Positive}
		},
		Inputs:    func() sparse.Inputs { return r.inputs },
		Reference: func() *sparse.Reference { return &r.trained.reference },
		Clock:     func() float64 { return time.Since(start).Seconds() },
		External:  r.settings.startProgram(ctx, r.it),
	}
}

// readRegularisation reads the regularisation from the parameters, which give it in one form.
func (r *kernelRun) readRegularisation() {
	r.reg = objective.Regularisation{Lambda: math.NaN(), Nu: math.NaN(), R: math.NaN(), Bias: r.it.Params.Bool("bias")}
	r.form = registry.Regulariser(r.it.Params)
	r.value = r.it.Params.Float(r.form)
	switch r.form {
	case "C":
		r.form, r.value = "lambda", 1/(r.value*float64(r.shared.layout.Train))
		r.reg.Lambda = r.value
	case "lambda":
		r.reg.Lambda = r.value
	case "nu":
		r.reg.Nu = r.value
	case "R":
		r.reg.R = r.value
	}
}

// resolveRegularisation computes lambda, nu and R from the certified optimum, and the classifier that the method
// approximates. The optimum is needed if the method takes another form than the given one, or if the
// record includes the suboptimality.
func (r *kernelRun) resolveRegularisation(ctx context.Context) error {
	if !needsOptimum(r.it) {
		return nil
	}
	depends := r.it.Algorithm.DependsOnReference(r.it.Params)
	seconds, err := r.solve(ctx)
	switch {
	case err == nil:
	case !depends && errors.Is(err, objective.ErrNotCertified):
		r.warnOfReference(err)
		return nil
	default:
		return fmt.Errorf("the reference optimum: %w", err)
	}
	if depends {
		r.timing.SetupSeconds += seconds
	}
	r.reg.Lambda = r.optimum.Lambda
	if r.form != "nu" {
		r.reg.Nu = r.optimum.Nu()
	}
	if r.form != "R" {
		r.reg.R = r.optimum.Norm
	}
	return nil
}

// solve sets the certified optimum, and its classifier if the method needs it. It returns the seconds
// that this execution spent on them.
func (r *kernelRun) solve(ctx context.Context) (seconds float64, err error) {
	rows := r.rows
	if rows == nil {
		cache, done, err := r.openCache()
		if err != nil {
			return 0, err
		}
		// Free the memory, which the run itself needs.
		defer done()
		rows = cache.Reader()
		defer rows.Close()
	}
	if !r.needs.Reference {
		r.optimum, seconds, err = r.reference(ctx, r.referenceID(), rows)
		return seconds, err
	}
	want := r.referenceID()
	want.Within = registry.SparseReferenceGap
	r.trained, seconds, err = r.shared.trained.get(referenceName(want), func() (*trained, error) {
		optimum, _, err := r.reference(ctx, want, rows)
		if err != nil {
			return nil, err
		}
		return r.newTrained(ctx, optimum)
	})
	if err == nil {
		r.optimum, r.timing.ReferenceSeconds = r.trained.optimum, seconds
	}
	return seconds, err
}

// warnOfReference warns, once per problem, that its records have no suboptimality.
func (r *kernelRun) warnOfReference(err error) {
	form := registry.Regulariser(r.it.Params)
	problem := fmt.Sprintf("dataset %q, %s, bias %t, %s = %g",
		r.it.Problem.Entry.ID, r.shared.key.kernel, r.reg.Bias, form, r.it.Params.Float(form))
	r.warnOnce(problem, fmt.Sprintf("%s: no suboptimality is recorded, because the reference optimum could not be "+
		"certified: %v, or set record.reference to false", problem, err))
}

// referenceID identifies the reference optimum of the problem, regularised as given.
func (r *kernelRun) referenceID() objective.SVMReference {
	pr, key := r.it.Problem, r.shared.key
	want := objective.SVMReference{
		Solved: objective.Solved{
			Dataset: pr.Data.Name, DatasetHash: key.data, Split: key.split, Repeat: key.repeat,
			Seed: r.settings.plan.Spec.Seed, Protocol: seed.Protocol,
		},
		Version: registry.ReferenceVersion,
		Kernel:  key.kernel, Bias: r.reg.Bias, Given: r.form, Value: r.value,
	}
	if pr.FixedSplit() && pr.Entry.Subset == nil {
		want.Seed = 0 // nothing is drawn
	}
	return want
}

// referenceName names an optimum uniquely among the optima of one split and kernel.
func referenceName(want objective.SVMReference) string {
	return fmt.Sprint(want.Given, want.Value, want.Bias, want.Within)
}

// reference returns a certified optimum and the seconds that this execution spent on it. It solves the
// optimum unless an earlier run or execution has.
func (r *kernelRun) reference(
	ctx context.Context, want objective.SVMReference, rows *kernel.Reader,
) (*objective.SVMReference, float64, error) {
	return r.shared.references.get(referenceName(want), func() (*objective.SVMReference, error) {
		return r.settings.refs.GetSVM(ctx, want, r.problem(rows), r.settings.reportSolving(r.it))
	})
}

// reportSolving returns a function that reports the progress of a reference optimum: after 2 s, then every
// 10 s.
func (s settings) reportSolving(it *plan.Item) func(gap float64, steps int64) {
	form := registry.Regulariser(it.Params)
	next := time.Now().Add(2 * time.Second)
	return func(gap float64, steps int64) {
		if now := time.Now(); now.After(next) {
			next = now.Add(10 * time.Second)
			s.Note(fmt.Sprintf("%s: solving the reference optimum (%s = %g): relative gap %.1e after %d steps",
				it.Problem.Entry.ID, form, it.Params.Float(form), gap, steps))
		}
	}
}

// regularisers returns the regularisation in all forms. An unknown value is NaN.
func (r *kernelRun) regularisers() map[string]float64 {
	n := float64(r.shared.layout.Train)
	forms := map[string]float64{"lambda": r.reg.Lambda, "C": 1 / (r.reg.Lambda * n), "nu": r.reg.Nu, "R": r.reg.R}
	if given := registry.Regulariser(r.it.Params); given != "" {
		forms[given] = r.it.Params.Float(given) // avoids the rounding of a conversion
	}
	return forms
}

// facts returns the known finite facts about the problem. For a distribution with a reference
// classifier u they include its expected hinge loss L*, its norm and its 0/1 loss.
func (r *kernelRun) facts() map[string]float64 {
	facts := r.regularisers()
	if ref := r.optimum; ref != nil {
		facts["reference_primal"], facts["reference_dual"], facts["reference_gap"] = ref.Primal, ref.Dual, ref.Gap()
		facts["reference_norm"], facts["reference_hinge"] = ref.Norm, ref.Hinge
	}
	if u := r.it.Problem.Data.Reference; u != nil {
		facts["l_star"], facts["u_norm"], facts["u_error"] = u.HingeLoss, u.Norm, u.ZeroOne
	}
	if r.trained != nil {
		maps.Copy(facts, r.trained.facts)
	}
	if v, ok := r.shared.layout.ConstantError(); ok && r.sparse {
		facts[record.FactConstantError] = v
	}
	maps.DeleteFunc(facts, func(_ string, v float64) bool { return !finite.Is(v) })
	return facts
}
