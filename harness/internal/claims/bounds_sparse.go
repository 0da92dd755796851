package claims

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"stochopt/results/record"
)

// boundsSparse lists the bounds of theorems on sparse SVMs, chapter 3, where w is the
// reference classifier and w~ what approximates it, and what that chapter says of loss
// functions. Those on numbers of steps are for 0 <= K(x, x') <= 1.
var boundsSparse = []bound{
	{
		name:   "sparsify-steps",
		judged: "steps / bound",
		task:   "svm-sparse",
		about:  sparsifiers,
		doc:    "T <= |w|^2/(eta (2 epsilon - eta)) steps to f(w~) <= epsilon, which is 4|w|^2 for eta = epsilon = 1/2, and half as many on pairs (Cotter 2013, Lemma lem:svm-sparse:convergence-rate, with the general step size of its proof; section 3.3.7 as ERRATA has it)",
		form:   everyRun,
		values: sparsifyStepsBound,
	},
	{
		name:   "sparsify-support",
		judged: "support / bound",
		task:   "svm-sparse",
		about:  sparsifiers,
		doc:    "support <= |w|^2/(eta (2 epsilon - eta)) where f(w~) <= epsilon, which is 4|w|^2 for eta = epsilon = 1/2 (ibid.)",
		form:   everyRun,
		values: sparsifySupportBound,
	},
	{
		name:   "sparsify-norm",
		judged: "norm / bound",
		task:   "svm-sparse",
		about:  sparsifiers,
		doc:    "|w~| <= 2|w| all along, as each step leads closer to w where eta < 2 epsilon (Cotter 2013, section 3.3.4, end, which has O(|w|))",
		form:   everyRun,
		values: func(r *record.Run) ([]int, []float64, []float64, error) { return sparsifyNormBound(r, 2) },
	},
	{
		name:   "sparsify-norm-constraint",
		judged: "norm / bound",
		task:   "svm-sparse",
		about:  []string{"sparsify-smooth"},
		doc:    "|w~| <= |w| of the norm-constrained problem (Cotter 2013, equation eq:svm-sparse:objective-approximation-smooth)",
		form:   everyRun,
		values: func(r *record.Run) ([]int, []float64, []float64, error) { return sparsifyNormBound(r, 1) },
	},
	{
		name:   "sparsify-slant",
		judged: "slant loss / hinge loss of the reference",
		task:   "svm-sparse",
		about:  sparsifiers,
		doc:    "slant(w~) <= hinge(w) on the training data where f(w~) <= 1/2 (Cotter 2013, Lemma lem:svm-sparse:slant-loss)",
		form:   everyRun,
		values: sparsifySlantBound,
	},
	{
		name:   "compression",
		judged: "slant loss on test data / bound",
		task:   "svm-sparse",
		about:  []string{"sparsify"},
		doc:    "L(w~) <= L^(w~) + sqrt(32 L^(w~) c/n) + 8 c/n, c = k ln n + ln(1/D), for the slant loss L on test and L^ on training data after k <= n/2 steps, with probability 1-D, here 99% (Cotter 2013, Theorem thm:svm-sparse:compression-bound)",
		form:   everyRun,
		values: compressionBound,
	},
	{
		name:   "reference-errors-support",
		judged: "training errors / support of the reference",
		task:   "svm-sparse",
		doc:    "the share of the training points that w misclassifies is at most the share that are support vectors (Cotter 2013, section 3.1)",
		form:   everyRun,
		values: referenceErrorsBound,
	},
	{
		name:   "slant-shifted-below-hinge",
		judged: "shifted slant loss / hinge loss",
		task:   "loss",
		about:  []string{"slant"},
		doc:    "slant(z - 1/2) <= max(0, 1 - z) (Cotter 2013, section 3.3.1)",
		form:   everyRun,
		values: func(r *record.Run) ([]int, []float64, []float64, error) {
			return lossBelow(r, "slant", 0.5, func(z, slant float64) (float64, float64) { return slant, hingeAt(z) })
		},
	},
	{
		name:   "smooth-above-slant",
		judged: "slant loss / smooth loss",
		task:   "loss",
		about:  []string{"smooth"},
		doc:    "slant(z) <= smooth(z) (Cotter 2013, section 3.3.4)",
		form:   everyRun,
		values: func(r *record.Run) ([]int, []float64, []float64, error) {
			return lossBelow(r, "smooth", 0, func(z, smooth float64) (float64, float64) { return slantAt(z), smooth })
		},
	},
	{
		name:   "smooth-below-slant",
		judged: "smooth loss / shifted slant loss",
		task:   "loss",
		about:  []string{"smooth"},
		doc:    "smooth(z) <= slant(z - 1/6) (ibid.)",
		form:   everyRun,
		values: func(r *record.Run) ([]int, []float64, []float64, error) {
			return lossBelow(r, "smooth", 0, func(z, smooth float64) (float64, float64) { return smooth, slantAt(z - 1.0/6) })
		},
	},
	{
		name:   "smooth-below-hinge",
		judged: "smooth loss / shifted hinge loss",
		task:   "loss",
		about:  []string{"smooth"},
		doc:    "smooth(z) <= max(0, 1 - (z + 1/3)) (ibid.)",
		form:   everyRun,
		values: func(r *record.Run) ([]int, []float64, []float64, error) {
			return lossBelow(r, "smooth", 0, func(z, smooth float64) (float64, float64) { return smooth, hingeAt(z + 1.0/3) })
		},
	},
	{
		name:   "smooth-bounded",
		judged: "smooth loss / bound",
		task:   "loss",
		about:  []string{"smooth"},
		doc:    "smooth(z) <= 1 (ibid.)",
		form:   everyRun,
		values: func(r *record.Run) ([]int, []float64, []float64, error) {
			return lossBelow(r, "smooth", 0, func(_, smooth float64) (float64, float64) { return smooth, 1 })
		},
	},
	{
		name:   "smooth-smooth",
		judged: "second difference / bound",
		task:   "loss",
		about:  []string{"smooth"},
		doc:    "|smooth(z+h) - 2 smooth(z) + smooth(z-h)| <= 4 h^2, as 4-smoothness has it (ibid.)",
		form:   everyRun,
		values: smoothSmooth,
	},
}

// sparsifyRounding is what rounding is granted, relative to a bound: kernel rows are
// of single precision.
const sparsifyRounding = 1e-5

// sparsifiers are the algorithms of section 3.3, and of section 3.5.
var sparsifiers = []string{"sparsify", "sparsify-aggressive", "sparsify-smooth"}

// sparseRun is what the bounds on sparsification read.
type sparseRun struct {
	svmRun
	// eta and epsilon are the step size and the threshold, norm is |w|.
	eta, epsilon, norm float64
	// pairs: steps are on pairs of points.
	pairs bool
}

func sparseRunOf(r *record.Run) (sparseRun, error) {
	p := sparseRun{svmRun: svmRun{r, r.Curve.Cost[costIterations]}}
	if !slices.Contains(sparsifiers, r.Algorithm) {
		return p, fmt.Errorf("the bound is on %s, the run of %s", strings.Join(sparsifiers, ", "), r.Algorithm)
	}
	if len(p.iterations) == 0 {
		return p, errors.New("no point on record")
	}
	var okEta, okEpsilon bool
	p.eta, okEta = record.Number(r.Params["eta"])
	p.epsilon, okEpsilon = record.Number(r.Params["epsilon"])
	if !okEta || !okEpsilon {
		return p, errors.New("no parameter eta, or epsilon")
	}
	p.pairs = r.Params["relearn"] == true
	var err error
	p.norm, err = p.fact("reference_norm")
	return p, err
}

// closer is an error unless each step is known to lead closer to w.
func (p sparseRun) closer() error {
	if !(p.eta < 2*p.epsilon) {
		return fmt.Errorf("eta is %v, the bound is for less than 2 epsilon = %v", p.eta, 2*p.epsilon)
	}
	return p.unitKernel()
}

// steps is the bound on their number: each takes eta (2 epsilon - eta), or of a pair
// twice as much, off |w~ - w|^2.
func (p sparseRun) steps() float64 {
	T := p.norm * p.norm / (p.eta * (2*p.epsilon - p.eta))
	if p.pairs {
		T /= 2
	}
	return T
}

// end returns the bounded quantity at the last point.
func (p sparseRun) end(value, limit float64) (at []int, values, limits []float64, err error) {
	return []int{len(p.iterations) - 1}, []float64{value}, []float64{limit}, nil
}

func sparsifyStepsBound(r *record.Run) (at []int, value, limit []float64, err error) {
	p, err := sparseRunOf(r)
	if err = firstOf(err, p.closer()); err != nil {
		return nil, nil, nil, err
	}
	return p.end(float64(p.iterations[len(p.iterations)-1]), p.steps()*(1+sparsifyRounding))
}

func sparsifySupportBound(r *record.Run) (at []int, value, limit []float64, err error) {
	p, err := sparseRunOf(r)
	if err = firstOf(err, p.closer()); err != nil {
		return nil, nil, nil, err
	}
	support := p.column(splitState, "support")
	if support == nil {
		return nil, nil, nil, errors.New("no number of support vectors")
	}
	most := p.steps()
	if p.pairs {
		most *= 2
	}
	return p.end(support[len(support)-1], most*(1+sparsifyRounding))
}

func sparsifyNormBound(r *record.Run, times float64) (at []int, value, limit []float64, err error) {
	p, err := sparseRunOf(r)
	if times == 1 && r.Algorithm != "sparsify-smooth" {
		err = firstOf(err, fmt.Errorf("the bound is on sparsify-smooth, the run of %s", r.Algorithm))
	} else if times > 1 {
		err = firstOf(err, p.closer())
	}
	if err != nil {
		return nil, nil, nil, err
	}
	norm := p.column(splitState, "norm")
	if norm == nil {
		return nil, nil, nil, errors.New("no norm")
	}
	for i := range norm {
		at, limit = append(at, i), append(limit, times*p.norm*(1+sparsifyRounding))
	}
	return at, norm, limit, nil
}

// sparsifySlantBound is judged where the value of the objective is known to be at
// most 1/2. While the aggressive variant is at its old vectors its value is that for
// them alone; its last point, if it converged, is not of that kind.
func sparsifySlantBound(r *record.Run) (at []int, value, limit []float64, err error) {
	p, err := sparseRunOf(r)
	if err != nil {
		return nil, nil, nil, err
	}
	hinge, err := p.fact("reference_hinge")
	if err != nil {
		return nil, nil, nil, err
	}
	f, slant := p.column(splitState, "value"), p.column(splitTrain, "slant")
	if f == nil || slant == nil {
		return nil, nil, nil, errors.New("no value of the objective, or no slant loss on the split train")
	}
	for i := range f {
		if f[i] > 0.5 || r.Algorithm == "sparsify-aggressive" && (i < len(f)-1 || !r.Converged()) {
			continue
		}
		at, value, limit = append(at, i), append(value, slant[i]), append(limit, hinge*(1+sparsifyRounding)+sparsifyRounding)
	}
	if len(at) == 0 {
		return nil, nil, nil, errors.New("no classifier with f <= 1/2")
	}
	return at, value, limit, nil
}

// compressionDelta is the delta of the compression bound, which holds for all w~ at
// once with probability 1 - delta.
const compressionDelta = 0.01

// compressionBound is for classifiers that k training points determine: those of the
// first k steps, without a bias, which all of them would have a part in.
func compressionBound(r *record.Run) (at []int, value, limit []float64, err error) {
	p, err := sparseRunOf(r)
	if err == nil && (r.Algorithm != "sparsify" || r.Params["bias"] == true) {
		err = errors.New("the bound is on sparsify without a bias")
	}
	if err != nil {
		return nil, nil, nil, err
	}
	train, test, n := p.column(splitTrain, "slant"), p.column(splitTest, "slant"), float64(r.Rows[splitTrain])
	if train == nil || test == nil || n == 0 {
		return nil, nil, nil, errors.New("no slant loss on the splits train and test")
	}
	for i, k := range p.iterations {
		if 2*float64(k) > n {
			break
		}
		c := (float64(k)*math.Log(n) - math.Log(compressionDelta)) / n
		at, value, limit = append(at, i), append(value, test[i]), append(limit, train[i]+math.Sqrt(32*train[i]*c)+8*c)
	}
	if len(at) == 0 {
		return nil, nil, nil, errors.New("no point within n/2 steps")
	}
	return at, value, limit, nil
}

func referenceErrorsBound(r *record.Run) (at []int, value, limit []float64, err error) {
	p := svmRun{r, r.Curve.Cost[costIterations]}
	wrong, support, err := p.facts2("reference_train_error", "reference_support")
	if err != nil {
		return nil, nil, nil, err
	}
	n := float64(r.Rows[splitTrain])
	if n == 0 {
		return nil, nil, nil, errors.New("no number of training rows")
	}
	return lastOf(r), []float64{wrong}, []float64{support / n}, nil
}

func hingeAt(z float64) float64 { return max(0, 1-z) }
func slantAt(z float64) float64 { return min(1, max(0, 0.5-z)) }

// lossOf returns the points and the values of a loss function.
func lossOf(r *record.Run, algorithm string, shift float64) (z, value []float64, err error) {
	if r.Algorithm != algorithm {
		return nil, nil, fmt.Errorf("the bound is on %s, the run of %s", algorithm, r.Algorithm)
	}
	if by, _ := record.Number(r.Params["shift"]); by != shift {
		return nil, nil, fmt.Errorf("%s is shifted by %v, the bound is for %v", algorithm, by, shift)
	}
	z, value = r.Curve.Vectors["z"], r.Curve.Vectors["value"]
	if len(z) < 3 || len(z) != len(value) {
		return nil, nil, fmt.Errorf("no values of %s at three points or more", algorithm)
	}
	return z, value, nil
}

// lossBelow returns the two sides of an inequality where the left one exceeds the
// right one by most.
func lossBelow(r *record.Run, algorithm string, shift float64, sides func(z, value float64) (left, right float64)) (at []int, value, limit []float64, err error) {
	z, values, err := lossOf(r, algorithm, shift)
	if err != nil {
		return nil, nil, nil, err
	}
	left, right := sides(z[0], values[0])
	for i := range z {
		if l, u := sides(z[i], values[i]); l-u > left-right {
			left, right = l, u
		}
	}
	return lastOf(r), []float64{left}, []float64{right + shapeRounding}, nil
}

// smoothSmooth returns the greatest second difference, divided by the square of the
// distance.
func smoothSmooth(r *record.Run) (at []int, value, limit []float64, err error) {
	z, values, err := lossOf(r, "smooth", 0)
	if err != nil {
		return nil, nil, nil, err
	}
	steepest, rounding, err := secondDifference(z, values)
	if err != nil {
		return nil, nil, nil, err
	}
	return lastOf(r), []float64{steepest}, []float64{4 + rounding}, nil
}
