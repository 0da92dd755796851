package datasets

import (
	_ "embed"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"sync"

	"stochopt/internal/ordered"
)

//go:embed standins.yaml
var standInsYAML []byte

// standIn describes a synthetic table that replaces a manifest entry. It has the same numbers of
// rows, features and examples of each class, and similar sparsity, spectrum and difficulty. It is
// the same on every machine and in every run.
type standIn struct {
	Name string
	// Version is part of the hash. Raise it when the rows change.
	Version int
	// Setup is the random stream of the structure that all parts share.
	Setup uint64
	// Parts maps "part" or "variant/part" to its blocks of rows.
	Parts map[string][]standInBlock
	// First is the smallest label if there are more than two classes.
	First float64
	// Form is the storage of the rows: "bytes", "dense" or "sparse".
	Form    string
	Mixture mixture
}

// standInBlock describes consecutive rows.
type standInBlock struct {
	Stream  uint64 // random stream
	Classes []int  // number of rows of each class
	Scaled  bool   // scale the numbers to [0, 1]
}

var standIns = sync.OnceValue(func() []standIn {
	var all []standIn
	if err := decodeYAML(standInsYAML, &all); err != nil {
		panic(fmt.Errorf("stand-ins: %w", err)) // the embedded file is tested
	}
	return all
})

// standInOf returns the stand-in of an entry. Every entry of the embedded manifest has one.
func standInOf(name string) *standIn {
	s, _ := find("stand-in", name, standIns(), func(s *standIn) string { return s.Name })
	return s
}

// openStandIn makes the stand-in of parts of e. content holds the lines to hash.
func openStandIn(e *Entry, v *Variant, parts []Part, reason string) (d *Data, content []string, err error) {
	s := standInOf(e.Name)
	id := fmt.Sprintf("stand-in %s %d %s", e.Name, s.Version, v.Name)
	for _, p := range parts {
		id += " " + p.Name
	}
	d = &Data{
		Name: e.Name, Title: e.title(v, parts) + " stand-in", StandIn: true, StandInReason: reason,
		Parts: partRows(parts), Origin: "stand-in",
	}
	if d.Table, err = s.table(e, v, parts); err != nil {
		err = fmt.Errorf("stand-in: %w", err)
	}
	return d, []string{id}, err
}

// table makes the rows of the given parts of a variant, in order.
func (s *standIn) table(e *Entry, v *Variant, parts []Part) (*Table, error) {
	rows := totalRows(parts)
	t := &Table{D: e.Features, Labels: make([]float64, 0, rows), meaning: meaning{positive: e.Positive}}
	switch s.Form {
	case "bytes":
		t.coded = newCoded(0, t.D, make([]uint8, 0, rows*t.D)).coded
	case "dense":
		t.data = make([]float64, 0, rows*t.D)
	default:
		t.indptr = append(make([]int, 0, rows+1), 0)
	}
	for _, p := range parts {
		blocks, ok := s.Parts[v.Name+"/"+p.Name]
		if !ok {
			blocks = s.Parts[p.Name]
		}
		for _, b := range blocks {
			s.add(t, b)
		}
	}
	if t.N != rows {
		return nil, fmt.Errorf("%d rows, but the manifest states %d", t.N, rows)
	}
	return t, nil
}

// add appends the rows of a block to t.
func (s *standIn) add(t *Table, b standInBlock) {
	sampler := s.Mixture.sampler(len(b.Classes), newStream(s.Setup))
	rng := newStream(b.Stream)
	row := make([]float64, t.D)
	classes := shuffledClasses(b.Classes, rng)
	for _, class := range classes {
		from := class
		if rng.Float64() < s.Mixture.Stray {
			from = classes[rng.IntN(len(classes))]
		}
		sampler.draw(row, from, rng)
		if n := &s.Mixture.Numbers; b.Scaled {
			for j := range n.Features {
				row[j] = round((row[j]-at(n.Low, j))/(at(n.High, j)-at(n.Low, j)), 1e6)
			}
		}
		label := s.First + float64(class)
		if len(b.Classes) == 2 {
			label = float64(2*class - 1)
		}
		t.addRow(row, label)
	}
}

// newStream returns random stream n of the stand-ins.
func newStream(n uint64) *rand.Rand { return rand.New(rand.NewPCG(0x7374616e642d696e, n)) }

// shuffledClasses returns counts[0] zeros, counts[1] ones, …, in random order.
func shuffledClasses(counts []int, rng *rand.Rand) []int {
	var out []int
	for c, n := range counts {
		out = append(out, slices.Repeat([]int{c}, n)...)
	}
	rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// mixture is a mixture distribution of rows. Each class has several centres. The features are
// numbers, then groups of binary features with one 1 per group, then words of a text.
type mixture struct {
	Centres int     // centres per class
	Stray   float64 // fraction of rows drawn from the centres of a random row's class
	// Class and Centre are the spreads of the classes and of the centres in a class. For numbers
	// the unit is the spread of rows around a centre; for binary features, the spread is the
	// standard deviation of log2 of the probability.
	Class, Centre float64

	Numbers numbers
	// Groups describes a geometric distribution of values: First is the probability of the first.
	Groups []struct {
		First  float64
		Values int
	}
	Words words
}

// numbers describes the numeric features.
type numbers struct {
	Features            int
	Mean, SD, Low, High []float64 // one value per feature, or one for all
	// Means is the standard deviation of the means of the features, in units of SD.
	Means float64
	// Factors is the number of common factors. They explain a fraction Shared of the variance
	// around a centre; factor k has weight k^-Decay.
	Factors       int
	Shared, Decay float64
	// Unit is the number of steps per unit: values are rounded to multiples of 1/Unit.
	Unit float64
}

// words describes texts as sets of words. The probability of the word of rank r is proportional to
// 1/((r + Flat) (1 + r/Bend)).
type words struct {
	Features   int
	Flat, Bend float64
	// A text has Least words and an exponential number of further ones with mean Length.
	Length float64
	Least  int
	// Weighted gives rare words larger weights and each row norm 1.
	Weighted bool
}

// centre holds the parameters of the rows around it. centre.cumulate prepares it for sampling.
type centre struct {
	mean   []float64 // of the numbers, in units of SD
	groups []discrete
	words  discrete
}

// near returns a random centre around c. Its spread is sd times that of rows around a centre.
func (s *rowSampler) near(c centre, sd float64, rng *rand.Rand) centre {
	around := func(shares discrete) discrete {
		out := slices.Clone(shares)
		for k := range out {
			out[k] *= math.Exp2(sd * rng.NormFloat64())
		}
		return out
	}
	out := centre{mean: slices.Clone(c.mean), words: around(c.words)}
	s.vary(out.mean, sd, rng)
	for _, g := range c.groups {
		out.groups = append(out.groups, around(g))
	}
	return out
}

// cumulate replaces the probabilities by cumulative ones.
func (c *centre) cumulate() {
	for _, l := range append(c.groups, c.words) {
		for k := 1; k < len(l); k++ {
			l[k] += l[k-1]
		}
	}
}

// discrete is a discrete distribution, as unnormalised probabilities or their cumulative sums.
type discrete []float64

// draw returns a random index. The probabilities must be cumulative.
func (d discrete) draw(rng *rand.Rand) int {
	u := rng.Float64() * d[len(d)-1]
	return min(sort.Search(len(d), func(i int) bool { return u < d[i] }), len(d)-1)
}

// rowSampler draws rows of a mixture with fixed centres.
type rowSampler struct {
	*mixture
	centres [][]centre // by class
	factors []float64  // Factors x Features, row-major
	weight  []float64  // by word
}

// sampler draws the centres and factors of a mixture.
func (m *mixture) sampler(classes int, rng *rand.Rand) *rowSampler {
	s := &rowSampler{mixture: m, weight: make([]float64, m.Words.Features)}
	n := &m.Numbers
	all := centre{mean: normals(n.Features, n.Means, rng)}
	// Exp2 and Log2 instead of Pow, whose bits depend on the CPU.
	weights, sum := make([]float64, n.Factors), 0.0
	for f := range weights {
		weights[f] = math.Exp2(-n.Decay * math.Log2(float64(f+1)))
		sum += float64(weights[f] * weights[f])
	}
	for _, weight := range weights {
		s.factors = append(s.factors, normals(n.Features, math.Sqrt(n.Shared/sum)*weight, rng)...)
	}
	for _, g := range m.Groups {
		shares := make(discrete, g.Values)
		share := 1.0
		for k := range shares {
			shares[k] = share
			share *= 1 - g.First
		}
		all.groups = append(all.groups, shares)
	}
	for r := range m.Words.Features {
		share := 1 / ((float64(r) + m.Words.Flat) * (1 + float64(r)/m.Words.Bend))
		all.words = append(all.words, share)
		s.weight[r] = 1
		if m.Words.Weighted {
			s.weight[r] = 2 + math.Log(all.words[0]/share)
		}
	}
	for range classes {
		class := s.near(all, m.Class, rng)
		centres := make([]centre, m.Centres)
		for i := range centres {
			centres[i] = s.near(class, m.Centre, rng)
			centres[i].cumulate()
		}
		s.centres = append(s.centres, centres)
	}
	return s
}

// draw writes a random row of a class to row.
func (s *rowSampler) draw(row []float64, class int, rng *rand.Rand) {
	c := &s.centres[class][rng.IntN(s.Centres)]
	n := &s.Numbers
	rest := row[n.Features:]
	copy(row, c.mean)
	s.vary(row[:n.Features], 1, rng)
	for j, v := range row[:n.Features] {
		v = at(n.Mean, j) + float64(at(n.SD, j)*v)
		row[j] = round(min(max(v, at(n.Low, j)), at(n.High, j)), n.Unit)
	}
	clear(rest)
	for _, g := range c.groups {
		rest[g.draw(rng)] = 1
		rest = rest[len(g):]
	}
	if s.Words.Features > 0 {
		s.text(rest, c.words, rng)
	}
}

// vary adds a random deviation to the numbers, of standard deviation sd in units of SD.
func (s *rowSampler) vary(row []float64, sd float64, rng *rand.Rand) {
	if n := &s.Numbers; n.Factors > 0 {
		ordered.AddRows(row, sd, normals(n.Factors, 1, rng), s.factors, n.Features)
	}
	if noise := sd * math.Sqrt(1-s.Numbers.Shared); noise > 0 {
		for j := range row {
			row[j] += float64(noise * rng.NormFloat64())
		}
	}
}

// at returns the value for feature j, or the last if there are fewer values.
func at(values []float64, j int) float64 { return values[min(j, len(values)-1)] }

// text sets the features of a random set of words. The text may be too short if draws repeat words
// too often.
func (s *rowSampler) text(row []float64, words discrete, rng *rand.Rand) {
	n, sum := s.Words.Least+int(s.Words.Length*rng.ExpFloat64()), 0.0
	for tries := 20 * n; n > 0 && tries > 0; tries-- {
		if j := words.draw(rng); row[j] == 0 {
			row[j] = s.weight[j]
			sum += float64(row[j] * row[j])
			n--
		}
	}
	if s.Words.Weighted {
		divide(row, math.Sqrt(sum))
	}
}

func normals(n int, sd float64, rng *rand.Rand) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = sd * rng.NormFloat64()
	}
	return out
}

// round rounds v to a multiple of 1/unit.
func round(v, unit float64) float64 { return math.Round(v*unit) / unit }
