package objective

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"

	"stochopt/algorithms/svm"

	"gonum.org/v1/gonum/floats/scalar"
)

// SVMReference is the certified optimum of a regularised SVM problem.
type SVMReference struct {
	Solved
	// Version is the version of the solver.
	Version int    `json:"version"`
	Kernel  string `json:"kernel"`
	Bias    bool   `json:"bias"`
	// Given is the form of the given regularisation, "lambda", "nu" or "R", and Value its value.
	Given string  `json:"given"`
	Value float64 `json:"value"`
	// Method names the solver, and Iterations counts its steps.
	Method     string `json:"method"`
	Iterations int64  `json:"iterations"`
	// Within is the relative gap to which the classifier was trained, 0 if only the optimum was asked
	// for. If it is positive, the coefficients are stored. Unless nu was given, the gap then determines
	// the accuracy of nu and of the hinge loss.
	Within float64 `json:"within,omitempty"`
	SVMOptimum
}

// SVMOptimum is a feasible dual point of a regularised SVM problem with the numbers that it certifies.
// They are recomputed from the coefficients, not taken from the solver.
type SVMOptimum struct {
	// Lambda is the given lambda, or the lambda whose optimum has the given nu or R to a relative
	// accuracy of 1e-4.
	Lambda float64 `json:"lambda"`
	// Primal = lambda/2 |w|^2 + mean hinge loss at the best bias is an upper bound on the optimum, and
	// Dual = lambda (1'alpha - |w|^2/2) a lower bound.
	Primal float64 `json:"primal"`
	Dual   float64 `json:"dual"`
	// Norm is |w|, which is R, and Hinge the mean hinge loss.
	Norm  float64 `json:"norm"`
	Hinge float64 `json:"hinge"`
	// Alpha has the n coefficients, in the order of the points, if Within is positive.
	Alpha []float64 `json:"alpha,omitempty"`
	// bound is the part of the hinge loss from points whose alpha is at its upper bound. At the optimum
	// it equals Hinge.
	bound float64
}

// Gap returns (Primal - Dual)/Primal.
func (o *SVMOptimum) Gap() float64 { return (o.Primal - o.Dual) / o.Primal }

// Nu returns Hinge/Norm, 0 if w = 0.
func (o *SVMOptimum) Nu() float64 {
	if o.Norm == 0 {
		return 0
	}
	return o.Hinge / o.Norm
}

func (r *SVMReference) id() string {
	bias := "without bias"
	if r.Bias {
		bias = "with bias"
	}
	id := fmt.Sprintf("%s, svm %d, kernel %q %s, %s=%s", r.Solved.id(), r.Version, r.Kernel, bias, r.Given,
		strconv.FormatFloat(r.Value, 'g', -1, 64))
	if r.Within > 0 {
		id += fmt.Sprintf(", classifier within %g", r.Within)
	}
	return id
}

// identityTolerance is the relative tolerance for equations between numbers of a reference.
const identityTolerance = 1e-12

// check implements Optimum. Each number must be consistent with the others.
func (r *SVMReference) check() error {
	asked, of := map[string]float64{"lambda": r.Lambda, "nu": r.Nu(), "R": r.Norm}[r.Given]
	p := primal(r.Lambda, r.Norm*r.Norm, r.Hinge)
	switch {
	case r.DatasetHash == "" || r.Kernel == "" || !of:
		return errors.New("its dataset hash, kernel or regularisation is missing")
	case !(r.Lambda > 0 && r.Iterations > 0 && r.Primal > 0 && r.Norm >= 0 && r.Hinge >= 0):
		return errors.New("its lambda, iterations or primal value is not positive, or its norm or hinge loss is negative")
	case !scalar.EqualWithinRel(r.Primal, p, identityTolerance):
		return fmt.Errorf("its primal value is %v, but its |w| and hinge loss give %v", r.Primal, p)
	case r.Dual > r.Primal || r.Gap() > r.tolerance():
		return fmt.Errorf("a relative gap of %v is no certificate of optimality", r.Gap())
	case r.Given == "lambda" && asked != r.Value, !scalar.EqualWithinRel(asked, r.Value, 2*inverseAccuracy):
		return fmt.Errorf("its %s is %v, but its given value is %v", r.Given, asked, r.Value)
	case (len(r.Alpha) > 0) != (r.Within > 0):
		return errors.New("its coefficients are missing or unexpected")
	}
	return r.checkAlpha()
}

// checkAlpha returns an error if the coefficients, if there are any, are infeasible or have another dual
// value.
func (r *SVMReference) checkAlpha() error {
	if len(r.Alpha) == 0 {
		return nil
	}
	sum, upper := 0.0, 1/(r.Lambda*float64(len(r.Alpha)))
	for i, v := range r.Alpha {
		if !(v >= 0 && v <= upper*(1+dualTolerance)) {
			return fmt.Errorf("its coefficient %d is %v, outside [0, %v]", i, v, upper)
		}
		sum += v
	}
	dual := math.Min(r.Lambda*(sum-r.Norm*r.Norm/2), r.Primal)
	if math.Abs(dual-r.Dual) > dualTolerance*r.Primal {
		return fmt.Errorf("its dual value is %v, but its coefficients give %v", r.Dual, dual)
	}
	return nil
}

// tolerance returns the largest relative gap of a certified optimum.
func (r *SVMReference) tolerance() float64 {
	if r.Within > 0 {
		return r.Within
	}
	return certifiedGap
}

// certifiedGap is the relative duality gap that makes an optimum a reference.
const certifiedGap = 1e-6

// GetSVM returns the stored reference of a problem, or solves the problem and stores the result. The
// fields of want up to Value identify the problem. A positive Within also asks for the classifier,
// trained to that gap. Other fields are ignored. GetSVM reads only the training columns of the kernel
// rows of p. It calls report, if not nil, repeatedly with the relative duality gap at the current
// lambda and the number of steps.
//
// GetSVM returns the error of the context, or an error if no optimum has the given nu or R, or if the
// solver does not reach the gap.
func (r *References) GetSVM(
	ctx context.Context, want SVMReference, p svm.Problem, report func(gap float64, steps int64),
) (*SVMReference, error) {
	if ref, ok := r.find(want.id()).(*SVMReference); ok {
		return ref, nil
	}
	s := &svmSolver{problem: trainOnly(p), bias: want.Bias, within: want.tolerance(), report: report}
	s.rough = want.Within > 0 && want.Given == "lambda"
	var o *SVMOptimum
	var err error
	switch want.Given {
	case "lambda":
		o, err = s.optimum(ctx, want.Value)
	case "nu", "R":
		o, err = s.inverse(ctx, want.Given, want.Value)
	default:
		panic("objective: regularisation is not lambda, nu or R")
	}
	if err != nil {
		return nil, err
	}
	want.Method, want.Iterations, want.SVMOptimum = "smo", s.iterations, *o
	want.bound = 0 // not stored
	if want.Within == 0 {
		want.Alpha = nil
	}
	return &want, r.add(&want)
}

// trainOnly restricts a problem to its training points.
func trainOnly(p svm.Problem) svm.Problem {
	return svm.Problem{Rows: trainRows{p.Rows}, Positive: p.Positive}
}

type trainRows struct{ svm.Rows }

func (r trainRows) Len() int            { return r.Train() }
func (r trainRows) Row(i int) []float32 { return r.Rows.Row(i)[:r.Train()] }
func (r trainRows) Diag() []float64     { return r.Rows.Diag()[:r.Train()] }
