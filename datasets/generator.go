package datasets

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Generator describes a synthetic data source.
type Generator struct {
	Name string `json:"name"`
	Doc  string `json:"doc"`
	// Params names the parameters accepted in Ref.With.
	Params []string `json:"params,omitempty"`
}

// generatorVersion is part of the hash of generated data. Raise it when the output of a generator
// changes.
const generatorVersion = 1

type generator struct {
	Generator
	params []Param
	make   func(with values) (generated, error)
}

// generated is a distribution or a function that makes a table. title is for display; params, the
// canonical form of the parameters, is hashed.
type generated struct {
	dist          Distribution
	title, params string

	rows, dim int
	table     func() *Table
	parts     []PartRows
	reference *Reference
}

var generators = []generator{
	{Generator{
		Name: "simulated-gaussian",
		Doc:  "Gaussian with the diagonal covariance Sigma^(k) of Cotter 2013, section 6.4.1",
	}, simulatedParams, func(with values) (generated, error) { return simulated("Gaussian", with, simulatedGaussian) }},
	{Generator{
		Name: "simulated-orthogonal",
		Doc:  "discrete distribution over the standard basis with second moment Sigma^(k), same section",
	}, simulatedParams, func(with values) (generated, error) { return simulated("orthogonal", with, simulatedOrthogonal) }},
	{Generator{
		Name: "simulated-margin",
		Doc: "labelled unit vectors with |<v,x>| >= 1/R for a unit vector v, and labels flipped with probability noise: " +
			"the hinge loss L* of u = R v is known. With several blocks, each has its own v and half the frequency " +
			"of the block before. A table of n training rows and test test rows",
	}, marginParams, simulatedMargin},
	{Generator{
		Name: "interval",
		Doc:  "one feature that increases from `from` to `to` in equal steps, without labels: the grid on which functions of one variable are recorded",
	}, intervalParams, interval},
	{Generator{
		Name: "counterexample-2d",
		Doc:  "[sqrt 3, 0] with probability 1/3, [0, sqrt 2] with probability 2/3: the incremental algorithm can fail on it (section 4.5)",
	}, nil, func(values) (generated, error) {
		return generated{dist: newCounterexample2D(), dim: 2, title: "2-d counterexample"}, nil
	}},
}

// Generators returns all generators.
func Generators() []Generator {
	var out []Generator
	for _, g := range generators {
		g.Params = paramNames(g.params)
		out = append(out, g.Generator)
	}
	return out
}

func generatorName(g *generator) string { return g.Name }

// findGenerator returns the named generator, or nil.
func findGenerator(name string) *generator {
	g, _ := find("generator", name, generators, generatorName)
	return g
}

// generate runs the generator named by r.Source.
func generate(r Ref) (generated, error) {
	g := findGenerator(r.Source)
	if g == nil {
		return generated{}, unknown("dataset", r.Source, standard().names())
	}
	with, err := readParams(r.With, g.params)
	if err != nil {
		return generated{}, err
	}
	return g.make(with)
}

var intervalParams = []Param{
	{Name: "from", Kind: "float", Default: -2.0, Min: new(-1e6), Max: new(1e6), Doc: "its lower end"},
	{Name: "to", Kind: "float", Default: 2.0, Min: new(-1e6), Max: new(1e6), Doc: "its upper end"},
	{Name: "points", Kind: "int", Default: 401, Min: new(2.0), Max: new(float64(1 << 20)), Doc: "number of points"},
}

// interval builds the table of the source interval, with points rows of one feature.
func interval(with values) (g generated, err error) {
	from, to, points := with.float("from"), with.float("to"), with.int("points")
	if from >= to {
		return g, fmt.Errorf("parameter to: %v must be greater than from, %v", to, from)
	}
	g.rows, g.dim = points, 1
	g.parts = []PartRows{{"train", points}}
	g.title = fmt.Sprintf("Interval [%v, %v]", from, to)
	g.params = fmt.Sprintf("from=%v to=%v points=%d", from, to, points)
	g.table = func() *Table {
		data := make([]float64, points)
		last := float64(points - 1)
		for i := range data {
			// This form is exact at both ends and in the middle of a symmetric interval.
			data[i] = (from*(last-float64(i)) + to*float64(i)) / last
		}
		return NewDense(points, 1, data, nil)
	}
	return g, nil
}

// Reference is a linear classifier without bias whose expected losses are known exactly.
type Reference struct {
	// W has length D; Norm is its Euclidean norm.
	W    []float64
	Norm float64
	// HingeLoss and ZeroOne are the expected losses of W.
	HingeLoss, ZeroOne float64
}

// Margin is a distribution over labelled unit vectors in R^(Dim Blocks). Its reference classifier is
// known, so the error of a learner can be compared with the bounds of Cotter 2013, chapter 2.
//
// Let v be the unit vector with all entries 1/sqrt(Dim), so that all coordinates are equally
// informative. An example is
//
//	x = z/R v + sqrt(1 - 1/R^2) s,  y = z, or -z with probability Noise,
//
// with z = +1 or -1, each with probability 1/2, and s uniform on the unit sphere
// orthogonal to v. So |x| = 1, and |<v,x>| = 1/R.
//
// With B = Blocks > 1, each example belongs to one of B blocks of Dim coordinates. It is distributed
// as above in its block and 0 elsewhere; v is the sum of the unit vectors of all blocks. Half of the
// examples are in the first block, a quarter in the second, and so on; the last two are equally
// frequent.
//
// The reference classifier u = R v, of norm R sqrt(B), has hinge loss 2 on flipped examples and 0 on
// the others. Its expectation L* = 2 Noise is the least of any function. The 0/1 loss is Noise, the
// Bayes error.
//
// The mean of y x over n examples approximates v once n Dim exceeds R^4. The family is hardest at
// Dim of about R^2, where this takes about R^2 examples. In one block, the error then falls faster
// than any power of n. In several, an excess error of epsilon > 2^-B requires learning all blocks
// more frequent than epsilon, and hence about R^2/epsilon examples. This n agrees with the bounds up
// to a logarithm: the reference classifier of these blocks has squared norm R^2 log2(1/epsilon).
type Margin struct {
	Dim    int     // at least 2
	R      float64 // at least 1: a unit vector has no margin above 1
	Noise  float64 // in [0, 1/2)
	Blocks int     // at most 32: further blocks would be too rare
}

// Reference returns the classifier u = R v with its losses.
func (m Margin) Reference() *Reference {
	w := make([]float64, m.Dim*m.Blocks)
	for j := range w {
		w[j] = m.R / math.Sqrt(float64(m.Dim))
	}
	return &Reference{W: w, Norm: m.R * math.Sqrt(float64(m.Blocks)), HingeLoss: 2 * m.Noise, ZeroOne: m.Noise}
}

// Sample writes one example to x, which must have length Dim*Blocks, and returns its label.
func (m Margin) Sample(x []float64, rng *rand.Rand) (y float64) {
	if last := m.Blocks - 1; last > 0 {
		block := 0
		for block < last && rng.Uint64()&1 == 0 {
			block++
		}
		clear(x)
		x = x[block*m.Dim:][:m.Dim]
	}
	y = 1
	if rng.Uint64()&1 == 0 {
		y = -1
	}
	margin := 1 / m.R
	rng.Float64() // unused; removing it would change the recorded samples
	v := 1 / math.Sqrt(float64(m.Dim))
	for j := range x {
		x[j] = rng.NormFloat64()
	}
	var size float64
	for range 2 { // the second projection removes rounding errors
		var along float64
		for j := range x {
			along += float64(x[j] * v)
		}
		size = 0
		for j := range x {
			x[j] -= float64(along * v)
			size += float64(x[j] * x[j])
		}
	}
	across := math.Sqrt((1-margin)*(1+margin)) / math.Sqrt(size)
	for j := range x {
		x[j] = float64(across*x[j]) + float64(y*margin*v)
	}
	if rng.Float64() < m.Noise {
		y = -y
	}
	return y
}

// Table returns a dense table of n examples.
func (m Margin) Table(n int, rng *rand.Rand) *Table {
	d := m.Dim * m.Blocks
	t := &Table{N: n, D: d, Labels: make([]float64, n), data: make([]float64, n*d)}
	for i := range t.Labels {
		t.Labels[i] = m.Sample(t.Row(i, nil), rng)
	}
	return t
}

// marginSeed is the first word of the seed of simulated-margin; the second is 0 for the
// training rows and 1 for the test rows.
const marginSeed = 0x6d617267696e

var marginParams = []Param{
	{Name: "dim", Kind: "int", Min: new(2.0), Default: 64, Max: new(float64(1 << 16)), Doc: "dimension d of a block"},
	{Name: "R", Kind: "float", Min: new(1.0), Required: true, Max: new(1e6), Doc: "norm of the reference classifier in a block; the margin is 1/R"},
	{Name: "noise", Kind: "float", Min: new(0.0), Max: new(0.5), Default: 0.0, Doc: "probability, less than 1/2, that a label is flipped"},
	{Name: "blocks", Kind: "int", Min: new(1.0), Max: new(32.0), Default: 1, Doc: "number of blocks of dim coordinates, each half as frequent as the one before"},
	{Name: "n", Kind: "int", Min: new(1.0), Default: 1000, Max: new(float64(1 << 24)), Doc: "number of training rows"},
	{Name: "test", Kind: "int", Min: new(0.0), Default: 1000, Max: new(float64(1 << 24)), Doc: "number of test rows"},
}

// simulatedMargin builds the table of the source simulated-margin: n training rows, then the test
// rows. Each part has its own random stream, so a change of n keeps the other rows.
func simulatedMargin(with values) (g generated, err error) {
	m := Margin{Dim: with.int("dim"), R: with.float("R"), Noise: with.float("noise"), Blocks: with.int("blocks")}
	if m.Noise >= 0.5 {
		return g, fmt.Errorf("noise: %v is out of range [0, 0.5)", m.Noise)
	}
	n, test := with.int("n"), with.int("test")
	d := m.Dim * m.Blocks
	g.rows, g.dim, g.reference = n+test, d, m.Reference()
	g.title = fmt.Sprintf("Simulated margin, d = %d, R = %v, noise %v", d, m.R, m.Noise)
	// Existing records have spread=0 and draw=0 in their hashes.
	g.params = fmt.Sprintf("dim=%d R=%v noise=%v spread=0 n=%d test=%d draw=0", m.Dim, m.R, m.Noise, n, test)
	if m.Blocks > 1 {
		g.title += fmt.Sprintf(", %d blocks", m.Blocks)
		g.params += fmt.Sprintf(" blocks=%d", m.Blocks)
	}
	g.parts = []PartRows{{"train", n}}
	if test > 0 {
		g.parts = append(g.parts, PartRows{"test", test})
	}
	g.table = func() *Table {
		return stack([]*Table{
			m.Table(n, rand.New(rand.NewPCG(marginSeed, 0))), m.Table(test, rand.New(rand.NewPCG(marginSeed, 1))),
		})
	}
	return g, nil
}
