package sparse

import (
	"context"
	"errors"
	"math"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/svm"
)

// invalidRows are rows whose length or diagonal does not match the training points.
type invalidRows struct {
	svm.Rows
	length int
	diag   []float64
}

func (r invalidRows) Len() int        { return r.length }
func (r invalidRows) Diag() []float64 { return r.diag }

// invalidInputs is an input space with an invalid dimension or parameter.
type invalidInputs struct {
	Inputs
	dim   int
	gamma float64
}

func (o invalidInputs) Dim() int       { return o.dim }
func (o invalidInputs) Gamma() float64 { return o.gamma }

func second[T any](_ T, err error) error { return err }

// TestErrors checks invalid arguments of constructors that the conformance suite does not cover.
func TestErrors(t *testing.T) {
	in := gaussianCloud(7, 8, 2, 0.5)
	p, ref := in.problem(), in.trained(t)
	order, rng, ctx := newDrawnOrder(1, 8), basisRand(16), context.Background()
	nan, inf := math.NaN(), math.Inf(1)
	refuse := func(what any, err error) {
		t.Helper()
		if err == nil {
			t.Errorf("%T %+v: no error", what, what)
		}
	}
	diag := in.Diag()
	for _, rows := range []invalidRows{
		{in, 9, append(in.Diag(), 1)}, {in, 8, diag[:7]},
		{in, 8, append([]float64{-1}, diag[1:]...)}, {in, 8, append([]float64{nan}, diag[1:]...)},
	} {
		refuse(rows, checkProblem("m", svm.Problem{Rows: rows, Positive: 4}, false))
	}
	for _, r := range []Reference{
		{Bias: nan}, {NormSq: inf}, {NormSq: -1}, {Alpha: []float64{nan}}, {Scores: []float64{-2 * maxScore}},
	} {
		r.Alpha, r.Scores = append(r.Alpha, ref.Alpha[len(r.Alpha):]...), append(r.Scores, ref.Scores[len(r.Scores):]...)
		refuse(r, checkReference("m", &r, 8))
	}
	for _, other := range []Inputs{gaussianCloud(7, 9, 2, 0.5), invalidInputs{in, 2, 0}, invalidInputs{in, 2, inf}, invalidInputs{in, 0, 1}} {
		refuse(other, checkInputs("m", other, 8))
	}

	refuse("pipeline without an optimiser", second(NewPipeline(p, nil, 1, nil)))
	for _, c := range []SpSVMConfig{
		{}, {C: inf}, {C: nan}, {C: 1e201}, {C: 1, Support: 9, Candidates: 1}, {C: 1, Support: 1},
	} {
		refuse(c, second(NewSpSVM(ctx, c, p, rng)))
	}
	for _, c := range []RSVMConfig{{Ratio: 1}, {C: 1}, {C: 1, Ratio: 1.5}, {C: 1, Ratio: nan}} {
		refuse(c, second(NewRSVM(ctx, c, p, rng)))
	}
	for _, c := range []CPSPConfig{
		{}, {C: inf}, {C: 1}, {C: 1, Basis: 9}, {C: 1, Basis: 2}, {C: 1, Basis: 2, Tolerance: nan},
		{C: 1, Basis: 2, Tolerance: 1, Every: 1}, {C: 1, Basis: 2, Tolerance: 1, Starts: 1},
	} {
		refuse(c, second(NewCPSP(ctx, c, p, in, rng)))
	}
	for _, c := range []OsunaGirosiConfig{{C: 1, Epsilon: -1}, {C: 1, Epsilon: nan}, {C: 1, Epsilon: inf}, {}, {C: nan}, {C: 1, Tolerance: -1}} {
		refuse(c, second(NewOsunaGirosi(c, p, ref)))
	}
	for _, c := range []RampConfig{{C: 1, S: 1}, {C: 1, S: nan}, {C: 1, S: -inf}, {C: -1}, {C: 1, Tolerance: nan}} {
		refuse(c, second(NewRamp(c, p)))
	}
	for _, c := range []ZhanShenConfig{{C: 1, Exclude: 1}, {C: 1, Exclude: nan}, {C: 1, Epsilon: -1}, {}, {C: 1, Tolerance: inf}} {
		refuse(c, second(NewZhanShen(c, p, in, ref)))
	}
	for _, support := range []int{0, 9} {
		refuse(support, second(NewCSVM(ctx, CSVMConfig{Support: support}, p, in, ref)))
		refuse(support, second(NewReducedSet(ReducedSetConfig{Support: support}, p, in, ref)))
	}
	for _, budget := range []int{0, -5} {
		refuse(budget, second(NewForgetron(BudgetConfig{Budget: budget}, p, order)))
	}
	smo := suite.Must(svm.NewSMO(svm.SMOConfig{Lambda: 0.01}, p))
	for name, err := range map[string]error{
		"spsvm without generator": second(NewSpSVM(ctx, SpSVMConfig{C: 1}, p, nil)),
		"rsvm without generator":  second(NewRSVM(ctx, RSVMConfig{C: 1, Ratio: 1}, p, nil)),
		"cpsp without generator":  second(NewCPSP(ctx, CPSPConfig{C: 1, Basis: 2, Tolerance: 1, Starts: 1, Every: 1}, p, in, nil)),
		"rbp without generator":   second(NewRBP(BudgetConfig{Budget: 3}, p, order, nil)),
		"forgetron without order": second(NewForgetron(BudgetConfig{Budget: 3}, p, nil)),
		"no optimiser":            second(NewOptimiser(OptimiserConfig{}, p, nil)),
		"optimiser, no support":   second(NewOptimiser(OptimiserConfig{Support: -1}, p, smo)),
		"ramp, one class":         second(NewRamp(RampConfig{C: 1, Bias: true}, svm.Problem{Rows: in})),
	} {
		refuse(name, err)
	}

	wrong, oneSided := *ref, *ref
	wrong.Scores, oneSided.Scores = make([]float64, 8), make([]float64, 8)
	for i := range 8 {
		wrong.Scores[i], oneSided.Scores[i] = -p.Label(i), 1
	}
	for _, c := range []SparsifyConfig{{Epsilon: 1, Eta: -1}, {Epsilon: 1, Eta: 1e101}, {Epsilon: 1, Eta: nan}, {Eta: 1}} {
		refuse(c, second(NewSparsify(c, p, ref)))
	}
	good := SparsifyConfig{Eta: 0.5, Epsilon: 0.5, Relearn: true}
	refuse("reference that is wrong everywhere", second(NewSparsify(good, p, &wrong)))
	refuse("bias learned from one class", second(NewSparsify(good, p, &oneSided)))
	good.Relearn = false
	if _, err := NewSparsify(good, p, &oneSided); err != nil {
		t.Errorf("reference that is right on one class only, with its bias kept: %v", err)
	}
}

// TestContext checks that a cancelled context ends a step.
func TestContext(t *testing.T) {
	p, _, _ := basisProblem(17, 30, 15)
	ctx, cancel := context.WithCancelCause(context.Background())
	spsvm := suite.Must(NewSpSVM(ctx, SpSVMConfig{C: 1, Support: 1, Candidates: 1}, p, basisRand(18)))
	rsvm, err := NewRSVM(ctx, RSVMConfig{C: 1, Ratio: 1}, p, basisRand(18))
	if err != nil {
		t.Fatal(err)
	}
	cancel(errors.New("the budget is used up"))
	for _, l := range []Learner{spsvm, rsvm} {
		if status := l.Step(); status.State != algorithms.Failed || l.Cost() != (algorithms.Cost{}) {
			t.Errorf("%T: %v, cost %+v", l, status, l.Cost())
		}
	}
}
