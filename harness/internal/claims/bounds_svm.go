package claims

import (
	"errors"
	"fmt"
	"math"

	"stochopt/results/record"
)

// boundsSVM lists the bounds of theorems on kernel SVM training, chapters 1 and 2,
// and what these chapters say of functions and water levels. Those on learners are
// for K(x, x) <= 1. After T steps an average is of w_1, …, w_T, in place of the w_0,
// …, w_{T-1} that the theorems are on; it is within |w_T|/T of that, which is where
// the terms in 1/T come from.
var boundsSVM = []bound{
	{
		name:   "sbp-average",
		judged: "distance of f to the optimum / bound",
		task:   "svm",
		about:  []string{"sbp"},
		doc:    "f(u/|u|) - f(w) <= 3/sqrt(T) + 1/T in expectation, for the average w of T iterates of the SBP and the certified optimum u (Cotter 2013, Lemma lem:svm-sbp:zinkevich-batch, with the constants of Zinkevich 2003: (D^2/2 + 1)/sqrt(T) with the diameter D = 2)",
		form:   onAverage,
		values: sbpAverageBound,
	},
	{
		name:   "sgd-average",
		judged: "hinge loss above the optimum / bound",
		task:   "svm",
		about:  []string{"sgd"},
		doc:    "hinge(w) - hinge(u) <= R sqrt(8/T) + R/T in expectation, for the average w of T iterates of norm-constrained SGD and the certified optimum u (Cotter 2013, Theorem thm:svm-introduction:norm-constrained-runtime, with Zinkevich's constants, as ERRATA has it)",
		form:   onAverage,
		values: func(r *record.Run) ([]int, []float64, []float64, error) { return sgdAverageBound(r, math.Sqrt(8)) },
	},
	{
		name:   "sgd-average-printed",
		judged: "hinge loss above the optimum / bound",
		task:   "svm",
		about:  []string{"sgd"},
		doc:    "hinge(w) - hinge(u) <= R sqrt(1/(2T)) + R/T in expectation: the same with the constant that is printed, which does not hold for all data (Cotter 2013, proof of Theorem thm:svm-introduction:norm-constrained-runtime)",
		form:   onAverage,
		values: func(r *record.Run) ([]int, []float64, []float64, error) { return sgdAverageBound(r, math.Sqrt(0.5)) },
	},
	{
		name:   "pegasos-average",
		judged: "suboptimality / bound",
		task:   "svm",
		about:  []string{"pegasos"},
		doc:    "suboptimality <= 2 (2 + ln T)/(lambda T) in expectation, for the average of T iterates of Pegasos (Shalev-Shwartz, Singer & Srebro 2007, with |w| <= 1/lambda). It is below the 84 ln T/(lambda T) of Cotter 2013, proof of Theorem thm:svm-introduction:regularized-runtime, for T >= 2",
		form:   onAverage,
		values: pegasosAverageBound,
	},
	{
		name:   "perceptron-mistakes",
		judged: "mistakes / bound",
		task:   "svm",
		about:  []string{"perceptron"},
		doc:    "M <= L + |u| sqrt(L) + |u|^2 for the mistakes in a pass over n examples, L = n hinge(u), with the certified optimum for u (Cotter 2013, proof of Theorem thm:svm-sbp:perceptron-runtime; Shalev-Shwartz 2007)",
		form:   everyRun,
		values: perceptronMistakesBound,
	},
	{
		name:   "perceptron-conversion",
		judged: "error / bound",
		task:   "svm",
		about:  []string{"perceptron"},
		doc:    "E error(w) = E M/T <= L* + |u| sqrt(L*/T) + |u|^2/T for an iterate w drawn from the first T of a single pass, with M mistakes, and the known classifier u whose expected hinge loss is L* (Cotter 2013, proof of Theorem thm:svm-sbp:perceptron-runtime)",
		form:   onAverage,
		values: perceptronConversionBound,
	},
	{
		name:   "psi-above-zero-one",
		judged: "zero-one loss / psi",
		task:   "loss",
		about:  []string{"psi"},
		doc:    "[z <= 0] <= psi(z) (Cotter 2013, Lemma lem:svm-introduction:generalization-from-empirical-loss)",
		form:   everyRun,
		values: psiAboveZeroOne,
	},
	{
		name:   "psi-below-hinge",
		judged: "psi / hinge loss",
		task:   "loss",
		about:  []string{"psi"},
		doc:    "psi(z) <= max(0, 1 - z) (ibid.)",
		form:   everyRun,
		values: psiBelowHinge,
	},
	{
		name:   "psi-bounded",
		judged: "psi / bound",
		task:   "loss",
		about:  []string{"psi"},
		doc:    "psi(z) <= 5/4 (ibid.)",
		form:   everyRun,
		values: psiBounded,
	},
	{
		name:   "psi-smooth",
		judged: "second difference / bound",
		task:   "loss",
		about:  []string{"psi"},
		doc:    "|psi(z+h) - 2 psi(z) + psi(z-h)| <= 4 h^2, as 4-smoothness has it (ibid.)",
		form:   everyRun,
		values: psiSmooth,
	},
	{
		name:   "water-volume",
		judged: "error of the volume / rounding",
		task:   "svm",
		doc:    "|sum_i max(0, gamma - c_i) - n nu| <= 1e-9 n nu: the water covers the responses to a common level (Cotter 2013, section 2.3.2)",
		form:   everyRun,
		values: waterVolume,
	},
	{
		name:   "water-equal-basins",
		judged: "points under water of the one class / of the other",
		task:   "svm",
		doc:    "with a bias, water covers as many points of each class, where those at the surface may be counted or not: the larger number of those below it is at most the smaller number of those not above it (Cotter 2013, section 2.3.5)",
		form:   everyRun,
		values: waterEqualBasins,
	},
}

// sbpAverageBound reads f of the average iterate off the record. The classifier is
// that average divided by its own f, which makes its mean hinge loss nu/f. Where
// f <= 0 it is the average itself, told by its norm, which is then at most 1: f is
// taken for 0, and the left-hand side is at least what is returned.
//
// The optimum of the slack-constrained problem is u/|u| with the value 1/|u| = 1/R,
// for nu is that of u.
func sbpAverageBound(r *record.Run) (at []int, value, limit []float64, err error) {
	p, err := svmRunOf(r, "sbp")
	if err != nil {
		return nil, nil, nil, err
	}
	nu, radius, err := p.facts2("nu", "R")
	if err == nil {
		err = firstOf(p.unitKernel(), p.within("nu", nu, 1e-9, math.Inf(1)))
	}
	if err != nil {
		return nil, nil, nil, err
	}
	hinge, norm := p.column("train", "hinge"), p.column("state", "norm")
	if hinge == nil || norm == nil {
		return nil, nil, nil, errors.New("no hinge loss on the split train, or no norm")
	}
	for i, steps := range p.iterations {
		f := 0.0
		if norm[i] > 1 && hinge[i] > 0 {
			f = nu / hinge[i]
		}
		T := float64(steps)
		at, value, limit = append(at, i), append(value, 1/radius-f), append(limit, 3/math.Sqrt(T)+1/T)
	}
	return at, value, limit, nil
}

func sgdAverageBound(r *record.Run, constant float64) (at []int, value, limit []float64, err error) {
	p, err := svmRunOf(r, "sgd")
	if err != nil {
		return nil, nil, nil, err
	}
	radius, optimum, err := p.facts2("R", "reference_hinge")
	norm, errNorm := p.fact("reference_norm")
	if err == nil {
		err = firstOf(errNorm, p.unitKernel(), p.wants("iterate", "average"), p.wants("order", "uniform"))
	}
	if err == nil && norm > radius*(1+1e-9) {
		err = fmt.Errorf("the norm of the optimum is %.6g, R = %.6g", norm, radius)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	hinge := p.column("train", "hinge")
	if hinge == nil {
		return nil, nil, nil, errors.New("no hinge loss on the split train")
	}
	for i, steps := range p.iterations {
		T := float64(steps)
		at, value, limit = append(at, i), append(value, hinge[i]-optimum), append(limit, constant*radius/math.Sqrt(T)+radius/T)
	}
	return at, value, limit, nil
}

func pegasosAverageBound(r *record.Run) (at []int, value, limit []float64, err error) {
	p, err := svmRunOf(r, "pegasos")
	if err != nil {
		return nil, nil, nil, err
	}
	lambda, err := p.fact("lambda")
	if err == nil {
		err = firstOf(p.unitKernel(), p.wants("iterate", "average"), p.wants("order", "uniform"))
	}
	if err != nil {
		return nil, nil, nil, err
	}
	above := p.column("state", "suboptimality")
	if above == nil {
		return nil, nil, nil, errors.New("no suboptimality: there is no certified optimum")
	}
	for i, steps := range p.iterations {
		T := float64(steps)
		at, value, limit = append(at, i), append(value, above[i]), append(limit, 2*(2+math.Log(T))/(lambda*T))
	}
	return at, value, limit, nil
}

// perceptronMistakesBound is judged at the last point of the first pass. An example
// is seen once there, so that the support vectors are the mistakes.
func perceptronMistakesBound(r *record.Run) (at []int, value, limit []float64, err error) {
	p, err := svmRunOf(r, "perceptron")
	if err != nil {
		return nil, nil, nil, err
	}
	norm, hinge, err := p.facts2("reference_norm", "reference_hinge")
	if err == nil {
		err = firstOf(p.unitKernel(), p.wants("order", "pass"), p.wants("conversion", "last"))
	}
	if err != nil {
		return nil, nil, nil, err
	}
	support, n, last := p.column("state", "support"), r.Rows["train"], -1
	for i, steps := range p.iterations {
		if steps <= n {
			last = i
		}
	}
	if support == nil || last < 0 {
		return nil, nil, nil, errors.New("no number of support vectors within the first pass")
	}
	total := float64(n) * hinge
	return []int{last}, support[last : last+1], []float64{total + norm*math.Sqrt(total) + norm*norm}, nil
}

// perceptronConversionBound has the mistakes for the error of a drawn iterate: each is
// tried on an example that it has not seen. The average of T iterates has the support
// of the last of them, which is before the T-th example is looked at.
func perceptronConversionBound(r *record.Run) (at []int, value, limit []float64, err error) {
	p, err := svmRunOf(r, "perceptron")
	if err != nil {
		return nil, nil, nil, err
	}
	norm, loss, err := p.facts2("u_norm", "l_star")
	if err == nil {
		err = firstOf(p.wants("order", "pass"), p.wants("kernel", "linear"))
	}
	if err != nil {
		return nil, nil, nil, err
	}
	unseen := 0.0
	switch p.Params["conversion"] {
	case "last":
	case "average":
		unseen = 1
	default:
		return nil, nil, nil, fmt.Errorf("conversion is %v, whose support vectors are not the mistakes", p.Params["conversion"])
	}
	support := p.column("state", "support")
	if support == nil {
		return nil, nil, nil, errors.New("no number of support vectors")
	}
	for i, steps := range p.iterations {
		if steps > r.Rows["train"] {
			break
		}
		T := float64(steps)
		at, value, limit = append(at, i), append(value, (support[i]+unseen)/T), append(limit, loss+norm*math.Sqrt(loss/T)+norm*norm/T)
	}
	if len(at) == 0 {
		return nil, nil, nil, errors.New("no point within the first pass")
	}
	return at, value, limit, nil
}

// svmRun is what the bounds on learners read.
type svmRun struct {
	*record.Run
	iterations []int64
}

func svmRunOf(r *record.Run, algorithm string) (svmRun, error) {
	p := svmRun{r, r.Curve.Cost["iterations"]}
	if r.Algorithm != algorithm {
		return p, fmt.Errorf("the bound is on %s, the run of %s", algorithm, r.Algorithm)
	}
	if len(p.iterations) == 0 || p.iterations[0] < 1 {
		return p, errors.New("no point, or one before the first step")
	}
	return p, nil
}

func (p svmRun) fact(name string) (float64, error) {
	v, ok := p.Facts[name]
	if !ok {
		return 0, fmt.Errorf("no fact %s", name)
	}
	return v, p.within(name, v, 0, math.Inf(1))
}

func (p svmRun) facts2(a, b string) (va, vb float64, err error) {
	va, errA := p.fact(a)
	vb, errB := p.fact(b)
	return va, vb, firstOf(errA, errB)
}

func (svmRun) within(name string, v, lo, hi float64) error {
	if !(lo <= v && v < hi) {
		return fmt.Errorf("%s is %.4g, out of the range of the bound", name, v)
	}
	return nil
}

// wants is an error unless a parameter has the value that the hypotheses ask for.
func (p svmRun) wants(name, value string) error {
	if got := p.Params[name]; got != value {
		return fmt.Errorf("%s is %v, the bound is for %s", name, got, value)
	}
	return nil
}

// unitKernel is an error unless the kernel is known to have K(x, x) <= 1.
func (p svmRun) unitKernel() error {
	if p.Params["kernel"] != "gaussian" {
		return fmt.Errorf("the kernel is %v, the bound for K(x, x) <= 1, which the gaussian one has", p.Params["kernel"])
	}
	return nil
}

// column is a column of the curve, or nil if it is not there in full.
func (p svmRun) column(split, metric string) []float64 {
	if c := p.Curve.Metrics[split][metric]; len(c) == len(p.iterations) {
		return c
	}
	return nil
}
