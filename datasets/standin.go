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

// standInsYAML describes the stand-ins.
//
//go:embed standins.yaml
var standInsYAML []byte

// A standIn is a synthetic table in place of a manifest entry, with the same numbers of rows,
// features and examples of each class, about the same sparsity, spectrum and difficulty, and
// nothing else in common with it. It is the same on every machine and in every run.
type standIn struct {
	Name string
	// Version is part of the hash: raise it when the rows change.
	Version int
	// Setup is the random stream of what all parts have in common.
	Setup uint64
	// Parts lists the runs of a part, named "part" or "variant/part".
	Parts map[string][]standInRun
	// First is the label of the first of more than two classes.
	First float64
	// Form is how the rows are stored: "bytes", "dense" or "sparse".
	Form    string
	Mixture mixture
}

// standInRun says of consecutive rows which random stream they come from and how
// many of them there are of each class.
type standInRun struct {
	Stream  uint64
	Classes []int
	Scaled  bool // the numbers, to [0, 1]
}

var standIns = sync.OnceValue(func() []standIn {
	var all []standIn
	if err := decodeYAML(standInsYAML, &all); err != nil {
		panic(fmt.Errorf("stand-ins: %w", err)) // the embedded file is tested
	}
	return all
})

// standInOf returns the stand-in of an entry: every entry of the embedded manifest has one.
func standInOf(name string) *standIn {
	s, _ := find("stand-in", name, standIns(), func(s *standIn) string { return s.Name })
	return s
}

// openStandIn makes the stand-in of the parts of e, for the reason given. content are the lines
// of the hash for it.
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

// table makes the rows of some parts of a variant, in order.
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
		runs, ok := s.Parts[v.Name+"/"+p.Name]
		if !ok {
			runs = s.Parts[p.Name]
		}
		for _, r := range runs {
			s.add(t, r)
		}
	}
	if t.N != rows {
		return nil, fmt.Errorf("%d rows, the manifest says %d", t.N, rows)
	}
	return t, nil
}

// add adds the rows of a run.
func (s *standIn) add(t *Table, r standInRun) {
	scene := s.Mixture.scene(len(r.Classes), newStream(s.Setup))
	rng := newStream(r.Stream)
	row := make([]float64, t.D)
	classes := shuffledClasses(r.Classes, rng)
	for _, class := range classes {
		from := class
		if rng.Float64() < s.Mixture.Stray {
			from = classes[rng.IntN(len(classes))]
		}
		scene.draw(row, from, rng)
		if n := &s.Mixture.Numbers; r.Scaled {
			for j := range n.Features {
				row[j] = round((row[j]-of(n.Low, j))/(of(n.High, j)-of(n.Low, j)), 1e6)
			}
		}
		label := s.First + float64(class)
		if len(r.Classes) == 2 {
			label = float64(2*class - 1)
		}
		t.addRow(row, label)
	}
}

// newStream returns a random stream of the stand-ins.
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

// A mixture draws rows around centres, of which each class has several. The features are
// numbers, then groups of binary features of which one is 1, then words of a text.
type mixture struct {
	// Centres is the number of centres of a class. A share Stray of the rows lies around the
	// centres of the class of a random row.
	Centres int
	Stray   float64
	// Class and Centre are how much the classes, and the centres of a class, vary: as a
	// multiple of how the rows around a centre do, and as the standard deviation of the
	// binary logarithm of the share of a binary feature.
	Class, Centre float64

	Numbers numbers
	// Groups has the share of the first value, by which the shares of the others fall off
	// too, and the number of values.
	Groups []struct {
		First  float64
		Values int
	}
	Words words
}

// numbers describes features that are numbers. Each of the first four has a value for each
// feature, or one for all.
type numbers struct {
	Features            int
	Mean, SD, Low, High []float64
	// Means is the standard deviation of the means of the features, in units of SD.
	Means float64
	// Factors are directions in which all features vary together. They make up a share
	// Shared of the variance around a centre; the k-th has the weight k^-Decay.
	Factors       int
	Shared, Decay float64
	// Unit is the inverse of what the numbers are multiples of.
	Unit float64
}

// words describes texts as sets of words, whose shares fall off as 1/(r + Flat), and with
// the square of the rank r beyond the rank Bend.
type words struct {
	Features   int
	Flat, Bend float64
	// Length is the mean number of words that a text has beyond the least number.
	Length float64
	Least  int
	// Weighted: the rarer a word is, the more it weighs, and a row has norm 1.
	Weighted bool
}

// centre holds what the rows around it have in common: the means of the numbers, in units
// of SD, and the shares of the values of each group and of the words, which cumulate makes
// ready to draw from.
type centre struct {
	mean   []float64
	groups []lot
	words  lot
}

// near returns a centre at random around another: as rows vary around theirs, times sd.
func (s *scene) near(c centre, sd float64, rng *rand.Rand) centre {
	around := func(shares lot) lot {
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

func (c *centre) cumulate() {
	for _, l := range append(c.groups, c.words) {
		for k := 1; k < len(l); k++ {
			l[k] += l[k-1]
		}
	}
}

// lot draws indices with given probabilities, which are cumulated.
type lot []float64

func (l lot) draw(rng *rand.Rand) int {
	u := rng.Float64() * l[len(l)-1]
	return min(sort.Search(len(l), func(i int) bool { return u < l[i] }), len(l)-1)
}

// scene is what the rows of a mixture are drawn from.
type scene struct {
	*mixture
	centres [][]centre // of each class
	factors []float64  // a row each
	weight  []float64  // of each word
}

// scene draws the centres of a mixture and what all rows have in common.
func (m *mixture) scene(classes int, rng *rand.Rand) *scene {
	s := &scene{mixture: m, weight: make([]float64, m.Words.Features)}
	n := &m.Numbers
	all := centre{mean: normals(n.Features, n.Means, rng)}
	// Factor f weighs f^-decay. math.Pow would have bits that depend on the CPU.
	weights, sum := make([]float64, n.Factors), 0.0
	for f := range weights {
		weights[f] = math.Exp2(-n.Decay * math.Log2(float64(f+1)))
		sum += float64(weights[f] * weights[f])
	}
	for _, weight := range weights {
		s.factors = append(s.factors, normals(n.Features, math.Sqrt(n.Shared/sum)*weight, rng)...)
	}
	for _, g := range m.Groups {
		shares := make(lot, g.Values)
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
		of := make([]centre, m.Centres)
		for i := range of {
			of[i] = s.near(class, m.Centre, rng)
			of[i].cumulate()
		}
		s.centres = append(s.centres, of)
	}
	return s
}

// draw overwrites a row by one of a class.
func (s *scene) draw(row []float64, class int, rng *rand.Rand) {
	c := &s.centres[class][rng.IntN(s.Centres)]
	n := &s.Numbers
	rest := row[n.Features:]
	copy(row, c.mean)
	s.vary(row[:n.Features], 1, rng)
	for j, v := range row[:n.Features] {
		v = of(n.Mean, j) + float64(of(n.SD, j)*v)
		row[j] = round(min(max(v, of(n.Low, j)), of(n.High, j)), n.Unit)
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

// vary adds to numbers, in units of SD, a deviation of the given size.
func (s *scene) vary(row []float64, sd float64, rng *rand.Rand) {
	if n := &s.Numbers; n.Factors > 0 {
		ordered.AddRows(row, sd, normals(n.Factors, 1, rng), s.factors, n.Features)
	}
	if noise := sd * math.Sqrt(1-s.Numbers.Shared); noise > 0 {
		for j := range row {
			row[j] += float64(noise * rng.NormFloat64())
		}
	}
}

// of returns the value of a feature.
func of(values []float64, j int) float64 { return values[min(j, len(values)-1)] }

// text sets the features of some different words. It gives up on a text whose words repeat
// too often.
func (s *scene) text(row []float64, words lot, rng *rand.Rand) {
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

// round rounds v to multiples of 1/unit.
func round(v, unit float64) float64 { return math.Round(v*unit) / unit }
