package claims

import (
	"errors"
	"fmt"
	"math"

	"stochopt/results/record"
)

// boundsPCA lists the bounds of theorems on streaming PCA, chapters 4 to 6, which all
// bound the suboptimality on the distribution itself, with E|x|^4 <= 1 or |x| <= 1,
// which a record does not say and the specification has to see to; and what the text
// says of the shapes of curves, as numbers.
var boundsPCA = []bound{
	{
		name:   "saa-rate",
		judged: "share of the runs beyond the bound",
		task:   "pca",
		about:  []string{"saa"},
		doc:    "sqrt(k/n) + sqrt(2 ln(1/D)/n) + sqrt(8 ln(2/D)/n) with probability 1-2D, here 90%, after n samples (Cotter 2013, proof of Lemma lem:pca-introduction:saa-bound)",
		form:   inProbability,
		values: saaBound,
	},
	{
		name:   "msg-rate",
		judged: "suboptimality / bound",
		task:   "pca",
		about:  []string{"msg"},
		doc:    "2 sqrt(k/T) in expectation, for the average of T iterates with the constant step 2 sqrt(k/T) (Cotter 2013, Lemma lem:pca-capped-msg:rate)",
		form:   onAverage,
		values: msgBound,
	},
	{
		name:   "warmuth-kuzmin-rate",
		judged: "suboptimality / bound",
		task:   "pca",
		about:  []string{"warmuth-kuzmin"},
		doc:    "2 sqrt(L* k/T) + k/T in expectation, for the average of T iterates with the step that L* asks for (Cotter 2013, equation eq:pca-warmuth:rate; Warmuth & Kuzmin 2008)",
		form:   onAverage,
		values: warmuthKuzminBound,
	},
	{
		name:   "warmuth-kuzmin-mirror-rate",
		judged: "suboptimality / bound",
		task:   "pca",
		about:  []string{"warmuth-kuzmin"},
		doc:    "sqrt(k(d-k)/T) in expectation, for an iterate drawn from T with the constant step (2/sqrt(T)) sqrt(k/(d-k)) (Cotter 2013, Lemma lem:pca-warmuth:convergence-vN)",
		form:   onAverage,
		values: warmuthKuzminMirrorBound,
	},
	{
		name:   "plateau",
		judged: "a doubling / the longest plateau",
		task:   "pca",
		doc:    "2 s/t <= 1 on average, for the longest stretch from iteration s >= 10 to t along which the suboptimality stays within a tenth and after which it falls to a tenth (words of Cotter 2013, section 6.4.1, not a theorem)",
		form:   onAverage,
		values: plateauBound,
	},
	{
		name:   "extra-eigenvalues",
		judged: "share of the extra eigenvalues of 0.1 or more / half of them",
		task:   "pca",
		doc:    "at most half of the eigenvalues beyond the k largest are 0.1 or more, over the recorded iterates (words of Cotter 2013, section 6.4.1, not a theorem)",
		form:   onAverage,
		values: extraEigenvaluesBound,
	},
}

// saaBoundDelta is the delta of the bound on sample average approximation, which
// holds with probability 1 - 2 delta.
const saaBoundDelta = 0.05

// saaBound is judged at the end of the run only: it holds for each n, not for all
// at once.
func saaBound(r *record.Run) (at []int, value, limit []float64, err error) {
	p, err := pcaRunOf(r, "saa")
	if err != nil {
		return nil, nil, nil, err
	}
	at, value, n := p.last()
	broken := 0.0
	if value[0] > math.Sqrt(p.k/n)+math.Sqrt(2*math.Log(1/saaBoundDelta)/n)+math.Sqrt(8*math.Log(2/saaBoundDelta)/n) {
		broken = 1
	}
	return at, []float64{broken}, []float64{2 * saaBoundDelta}, nil
}

func msgBound(r *record.Run) (at []int, value, limit []float64, err error) {
	p, err := pcaRunOf(r, "msg")
	if err == nil {
		err = firstOf(p.wants("step.schedule", "theory"), p.wantsConstant(1), p.wantsExpectation())
	}
	if err != nil {
		return nil, nil, nil, err
	}
	at, value, T := p.last()
	return at, value, []float64{2 * math.Sqrt(p.k/T)}, nil
}

// warmuthKuzminBound takes L* for that of the distribution, 1 - the optimum: it is
// the compression loss of the best subspace where |x| = 1, and more than that where
// |x| <= 1. With B = (d-k) ln(d/(d-k)), the relative entropy of the best subspace to
// I/d, at which the iterates must start, the analysis of exponentiated gradients gives
// the total loss (eta L + B)/(1 - exp(-eta)) for any step eta, where L = T L*; the bound
// follows for eta = ln(1 + sqrt(2B/L)), and B <= k.
func warmuthKuzminBound(r *record.Run) (at []int, value, limit []float64, err error) {
	p, err := pcaRunOf(r, "warmuth-kuzmin")
	if err == nil {
		err = firstOf(p.wants("step.schedule", "constant"), p.wants("start", "uniform"), p.wantsExpectation())
	}
	if err != nil {
		return nil, nil, nil, err
	}
	d, err := p.dimension()
	if err != nil {
		return nil, nil, nil, err
	}
	at, value, T := p.last()
	loss := 1 - (p.objective[at[0]] + p.suboptimality[at[0]])
	if !(loss > 0) {
		return nil, nil, nil, fmt.Errorf("the optimum is %.4g: E|x|^2 is above 1", 1-loss)
	}
	B := (d - p.k) * math.Log(d/(d-p.k))
	eta := math.Log1p(math.Sqrt(2 * B / (T * loss)))
	if c, _ := record.Number(r.Params["step.c"]); math.Abs(c-eta) > 1e-3*eta {
		return nil, nil, nil, fmt.Errorf("the step size is %.5g, that of the bound ln(1 + sqrt(2B/(T L*))) = %.5g", c, eta)
	}
	return at, value, []float64{2*math.Sqrt(loss*p.k/T) + p.k/T}, nil
}

func warmuthKuzminMirrorBound(r *record.Run) (at []int, value, limit []float64, err error) {
	p, err := pcaRunOf(r, "warmuth-kuzmin")
	if err == nil {
		err = firstOf(p.wants("step.schedule", "theory"), p.wantsConstant(1), p.wants("start", "uniform"), p.wantsExpectation())
	}
	if err != nil {
		return nil, nil, nil, err
	}
	d, err := p.dimension()
	if err != nil {
		return nil, nil, nil, err
	}
	at, value, T := p.last()
	return at, value, []float64{math.Sqrt(p.k * (d - p.k) / T)}, nil
}

// pcaRun is what the bounds read from a run on a known distribution.
type pcaRun struct {
	*record.Run
	k                        float64
	iterations               []int64
	objective, suboptimality []float64
}

func pcaRunOf(r *record.Run, algorithm string) (pcaRun, error) {
	p := pcaRun{Run: r}
	if r.Algorithm != algorithm {
		return p, fmt.Errorf("the bound is on %s, the run of %s", algorithm, r.Algorithm)
	}
	var ok bool
	if p.k, ok = record.Number(r.Params["k"]); !ok {
		return p, errors.New("no parameter k")
	}
	population := r.Curve.Metrics["population"]
	p.objective, p.suboptimality, p.iterations = population["objective"], population["suboptimality"], r.Curve.Cost["iterations"]
	if n := r.Curve.Len(); n == 0 || len(p.objective) != n || len(p.suboptimality) != n {
		return p, errors.New("no suboptimality on the population: the distribution is not known")
	}
	return p, nil
}

// wants is an error unless a parameter has the value that the hypotheses ask for.
func (p pcaRun) wants(name, value string) error {
	if got := p.Params[name]; got != value {
		return fmt.Errorf("%s is %v, the bound is for %s", name, got, value)
	}
	return nil
}

// wantsConstant is an error if the step size is a multiple of the theorem's.
func (p pcaRun) wantsConstant(c float64) error {
	if v, given := p.Params["step.c"]; given && v != c {
		return fmt.Errorf("step.c is %v, the bound is for %v", v, c)
	}
	return nil
}

// wantsExpectation is an error unless what is measured has in expectation the
// objective of the average of the relaxed iterates, which the bounds are on: the
// average itself, or one iterate drawn from all, made a subspace by a draw.
func (p pcaRun) wantsExpectation() error {
	var err error
	if it := p.Params["iterate"]; it != "average" && it != "sample" {
		err = fmt.Errorf("iterate is %v, the bound is for average or sample", it)
	}
	return firstOf(err, p.wants("unrelax", "decompose"))
}

// dimension is d, read from the rank k'_1 of an iterate that was started at I/d: all
// of its eigenvalues are below the cap.
func (p pcaRun) dimension() (float64, error) {
	kt := p.Curve.Cost["sum_kt"]
	if len(kt) == 0 || p.iterations[0] != 1 {
		return 0, errors.New("no rank after the first iteration, which tells d")
	}
	d := float64(kt[0])
	if !(d > p.k) {
		return 0, fmt.Errorf("the rank after the first iteration is %v, k = %v: the run did not start at I/d", d, p.k)
	}
	return d, nil
}

// last is the end of the run: its index, the suboptimality there, and T.
func (p pcaRun) last() (at []int, value []float64, T float64) {
	i := len(p.iterations) - 1
	return []int{i}, p.suboptimality[i : i+1], float64(p.iterations[i])
}

// firstOf is the first error that is not nil.
func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
