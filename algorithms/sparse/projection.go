package sparse

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"stochopt/algorithms/internal/vec"
	"stochopt/internal/finite"

	"gonum.org/v1/gonum/mat"
)

// projection maintains the projection of w onto the span of Phi(z_1), …, Phi(z_m), with a ridge,
//
//	beta = P h,  P = (K + ridge I)^-1,  K_jl = K(z_j, z_l),  h_j = <w, Phi(z_j)>,
//
// as vectors are added and removed. Adding a vector, whose kernel values with the others are k, and
// removing vector j, whose column of P is p, update P by
//
//	P <- (P 0; 0 0) + (P k; -1) (P k; -1)'/s,  s = 1 + ridge - k'P k,
//	P <- P - p p'/p_j, without row and column j.
//
// The bias is that of w, or is relearned so that the decisions agree with those of w on as many training
// points as possible (agreeingBias). A hinge loss would not do, because the margin of an approximation
// has no fixed scale. The training error would not do either: w was fitted to the labels, and the bias
// of least training error is worse on new points.
//
// An update costs O(m^2), and so does solve. To relearn the bias, a new vector also needs a row over the
// n training points, and solve costs O(n m + n log n).
type projection struct {
	in      Inputs
	ref     *Reference
	relearn bool
	ridge   float64

	members []member
	inverse *mat.Dense // its first m rows and columns are P
	beta    mat.VecDense

	current Expansion // the current classifier: the projection, unless the method sets another
	progress
}

// member is a vector z of the span.
type member struct {
	index int // training point, or -1
	z     []float64
	h     float64   // <w, Phi(z)>
	row   []float32 // K(z, x_i), if the bias is relearned
}

// newProjection returns the projection onto the span of no vectors, with capacity for maxVectors.
func newProjection(in Inputs, ref *Reference, relearn bool, ridge float64, maxVectors int) projection {
	m := max(1, maxVectors)
	return projection{in: in, ref: ref, relearn: relearn, ridge: ridge, inverse: mat.NewDense(m, m, nil)}
}

// projectionBytes returns the bytes that a projection takes for m vectors and n points.
func projectionBytes(n, m int, relearn bool) int64 {
	bytes := 8 * int64(m) * int64(m)
	if relearn {
		bytes += 4 * int64(m) * int64(n)
	}
	return bytes
}

var (
	errNotFinite = errors.New("the kernel between a constructed vector and others is not finite")
	errInSpan    = errors.New("no further vector brings the approximation closer to w")
)

// minPivot is the smallest squared distance of a new Phi(z), of norm 1, from the span of the others.
// Smaller distances are indistinguishable from 0, because kernel values are rounded to 32 bits.
const minPivot = 1e-5

// view returns the first m rows and columns of the inverse.
func (p *projection) view(m int) *mat.Dense { return p.inverse.Slice(0, m, 0, m).(*mat.Dense) }

// add adds a vector z, which is training point index or, if index is -1, a constructed vector. at[j] is
// K(z, z_j) and h is <w, Phi(z)>. If add returns an error, errInSpan or errNotFinite, it has not added
// z.
func (p *projection) add(index int, z, at []float64, h float64) error {
	added := member{index, z, h, nil}
	if p.relearn {
		added.row = make([]float32, p.in.Train())
		p.in.RowTo(added.row, z)
		p.charge(int64(len(added.row)))
		if !vec.AllFinite(added.row) {
			return errNotFinite
		}
	}
	m := len(p.members)
	grown := p.view(m + 1)
	for j := range m + 1 {
		grown.Set(m, j, 0)
		grown.Set(j, m, 0)
	}
	k := mat.NewVecDense(m+1, append(slices.Clone(at), 0))
	var u mat.VecDense
	u.MulVec(grown, k)
	s := 1 + p.ridge - mat.Dot(k, &u)
	switch {
	case !finite.Is(s + h):
		return errNotFinite
	case s < minPivot:
		return errInSpan
	}
	u.SetVec(m, -1)
	grown.RankOne(grown, 1/s, &u, &u)
	p.members = append(p.members, added)
	return nil
}

// remove removes the vector z and moves the last vector to its place.
func (p *projection) remove(z []float64) {
	j := slices.IndexFunc(p.members, func(m member) bool { return &m.z[0] == &z[0] })
	last := len(p.members) - 1
	inverse := p.view(last + 1)
	column := mat.NewVecDense(last+1, mat.Col(nil, j, inverse))
	inverse.RankOne(inverse, -1/column.AtVec(j), column, column)
	inverse.SetRow(j, mat.Row(nil, last, inverse))
	inverse.SetCol(j, mat.Col(nil, last, inverse))
	p.members[j] = p.members[last]
	p.members = p.members[:last]
}

// solve sets the current classifier to the projection.
func (p *projection) solve() {
	m := len(p.members)
	h := mat.NewVecDense(m, nil)
	for j, member := range p.members {
		h.SetVec(j, member.h)
	}
	p.beta.Reset()
	p.beta.MulVec(p.view(m), h)
	p.current.Reset()
	scores := make([]float64, p.in.Train())
	for j, member := range p.members {
		beta := p.beta.AtVec(j)
		p.addTerm(member.index, member.z, beta)
		if p.relearn {
			vec.AddScaled(scores, beta, member.row)
		}
	}
	if p.current.Bias = p.ref.Bias; p.relearn {
		p.current.Bias = agreeingBias(scores, p.ref.Scores, p.ref.Bias)
	}
}

// addTerm adds a term to the current classifier: training point index or, if index is -1, the vector z.
func (p *projection) addTerm(index int, z []float64, beta float64) {
	switch {
	case beta == 0:
	case index >= 0:
		p.current.Add(index, beta)
	default:
		p.current.AddVector(z, beta)
	}
}

// Support implements Learner.
func (p *projection) Support() int { return len(p.current.Coef) }

// ExpansionTo implements Learner.
func (p *projection) ExpansionTo(e *Expansion) {
	e.Reset()
	e.Index = append(e.Index, p.current.Index...)
	e.Vectors = append(e.Vectors, p.current.Vectors...)
	e.Coef = append(e.Coef, p.current.Coef...)
	e.Bias = p.current.Bias
}

// agreeingBias returns a b that minimises the number of i for which the signs of scores[i] + b and
// decisions[i] differ. A zero differs from any sign. Optimal b form intervals. If one contains near,
// agreeingBias returns near. Otherwise it returns the midpoint closest to near, where an unbounded
// interval has its midpoint at distance 1 from its end. It costs O(n log n).
func agreeingBias(scores, decisions []float64, near float64) (b float64) {
	n := len(scores)
	order := make([]int, n)
	errs, least := 0, n+1
	for i, d := range decisions {
		if order[i] = i; !(d > 0) {
			errs++
		}
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Or(cmp.Compare(scores[i], scores[j]), i-j) })
	for k := range n + 1 {
		// The first k points are classified as negative, the others as positive.
		low, high := math.Inf(-1), math.Inf(1)
		if k < n {
			low = -scores[order[k]]
		}
		if k > 0 {
			high = -scores[order[k-1]]
			errs += cmp.Compare(decisions[order[k-1]], 0)
		}
		middle := low + float64(0.5*(high-low))
		switch {
		case low < near && near < high:
			middle = near
		case k == 0:
			middle = low + 1
		case k == n:
			middle = high - 1
		}
		if low < high && (errs < least || errs == least && math.Abs(middle-near) < math.Abs(b-near)) {
			b, least = middle, errs
		}
	}
	return b
}
