package datasets

import "fmt"

// Generator is a Ref.Source that needs no file.
type Generator struct {
	Name string `json:"name"`
	Doc  string `json:"doc"`
	// Params are the names of the parameters that Ref.With may have.
	Params []string `json:"params,omitempty"`
	// Endless generators are distributions to draw from; the others make tables.
	Endless bool `json:"-"`
}

// generatorVersion is part of the hash of what a generator makes. Raise it when
// a generator changes its output.
const generatorVersion = 1

type generator struct {
	Generator
	params []Param
	make   func(with values) (generated, error)
}

// generated is a distribution, or a function that makes a table, with its title
// for people and a canonical description of its parameters.
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
		Name: "simulated-gaussian", Endless: true,
		Doc: "Gaussian with the diagonal covariance Sigma^(k) of Cotter 2013, section 6.4.1",
	}, simulatedParams, func(with values) (generated, error) { return simulated("Gaussian", with, simulatedGaussian) }},
	{Generator{
		Name: "simulated-orthogonal", Endless: true,
		Doc: "discrete distribution over the standard basis with second moment Sigma^(k), same section",
	}, simulatedParams, func(with values) (generated, error) { return simulated("orthogonal", with, simulatedOrthogonal) }},
	{Generator{
		Name: "simulated-margin",
		Doc: "labelled unit vectors with |<v,x>| >= 1/R for a unit vector v and labels flipped with probability noise: " +
			"u = R v has the known hinge loss L*; of several blocks, each with a v of its own, one is half as frequent " +
			"as the one before; a table of n training and test more rows",
	}, marginParams, simulatedMargin},
	{Generator{
		Name: "interval",
		Doc:  "one feature that goes from from to to in equal steps, without labels: what functions of a number are recorded on",
	}, intervalParams, interval},
	{Generator{
		Name: "counterexample-2d", Endless: true,
		Doc: "[sqrt 3, 0] with probability 1/3, [0, sqrt 2] with probability 2/3: misleads the incremental algorithm (section 4.5)",
	}, nil, func(values) (generated, error) {
		dist, err := newCounterexample2D()
		return generated{dist: dist, dim: 2, title: "2-d counterexample"}, err
	}},
}

// Generators returns the generators that a Ref may name.
func Generators() []Generator {
	var out []Generator
	for _, g := range generators {
		g.Params = paramNames(g.params)
		out = append(out, g.Generator)
	}
	return out
}

func generatorName(g *generator) string { return g.Name }

// findGenerator returns the named generator, nil if there is none.
func findGenerator(name string) *generator {
	g, _ := find("generator", name, generators, generatorName)
	return g
}

// generate makes what r.Source names, which is no entry of the manifest.
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
	{Name: "from", Kind: "float", Default: -2.0, Min: bound(-1e6), Max: bound(1e6), Doc: "its lower end"},
	{Name: "to", Kind: "float", Default: 2.0, Min: bound(-1e6), Max: bound(1e6), Doc: "its upper end"},
	{Name: "points", Kind: "int", Default: 401, Min: bound(2), Max: bound(1 << 20), Doc: "number of points"},
}

// interval makes the table that a Ref with source interval names: one feature that goes from from
// to to in points - 1 equal steps. Functions of a number are recorded on it.
func interval(with values) (g generated, err error) {
	from, to, points := with.float("from"), with.float("to"), with.int("points")
	if from >= to {
		return g, fmt.Errorf("parameter to: %v is not above from, %v", to, from)
	}
	g.rows, g.dim = points, 1
	g.parts = []PartRows{{"train", points}}
	g.title = fmt.Sprintf("Interval [%v, %v]", from, to)
	g.params = fmt.Sprintf("from=%v to=%v points=%d", from, to, points)
	g.table = func() *Table {
		data := make([]float64, points)
		last := float64(points - 1)
		for i := range data {
			// Weighted so that both ends, and the middle of a symmetric
			// interval, are met exactly.
			data[i] = (from*(last-float64(i)) + to*float64(i)) / last
		}
		return NewDense(points, 1, data, nil)
	}
	return g, nil
}
