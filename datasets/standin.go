package datasets

import (
	_ "embed"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
)

// standInsYAML describes the stand-ins.
//
//go:embed standins.yaml
var standInsYAML []byte

// A standIn is a synthetic table in place of a manifest entry, with the same
// numbers of rows, features and examples of each class, about the same
// sparsity, spectrum and difficulty, and nothing else in common with it. It is
// the same on every machine and in every run.
type standIn struct {
	Name string
	// Version is part of the hash: raise it when the rows change.
	Version int
	// Setup is the random stream of what all parts have in common.
	Setup uint64
	// Parts lists the runs of a part, named "part" or "variant/part".
	Parts map[string][]standInRun

	// What makes the rows: one of these.
	Digits     *digits
	Attributes *attributes
	News       *texts
	Pages      *texts
	Engine     *engine
	Forest     *forest
	Speech     *speech
}

// standInRun says of consecutive rows which random stream they come from and how
// many of them there are of each class.
type standInRun struct {
	Stream   uint64
	Classes  []int
	Speakers int  // of speech
	Scaled   bool // the numeric features of a forest, to [0, 1]
}

var standIns = sync.OnceValue(func() []standIn {
	var all []standIn
	if err := decodeYAML(standInsYAML, &all); err != nil {
		panic(fmt.Errorf("stand-ins: %w", err)) // the embedded file is tested
	}
	return all
})

// standInOf returns the stand-in of an entry, nil if there is none.
func standInOf(name string) *standIn {
	s, _ := find("stand-in", name, standIns(), func(s *standIn) string { return s.Name })
	return s
}

// openStandIn makes the stand-in of the parts of e, for the reason given.
func openStandIn(e *Entry, v *Variant, parts []Part, ref Ref, opt *Options, reason string) (*Data, error) {
	s := standInOf(e.Name)
	if s == nil {
		return nil, &NamedError{e.Name, errors.New("there is no stand-in for it")}
	}
	t, err := s.table(e, v, parts)
	if err != nil {
		return nil, &NamedError{e.Name, fmt.Errorf("stand-in: %w", err)}
	}
	id := fmt.Sprintf("stand-in %s %d %s", e.Name, s.Version, v.Name)
	for _, p := range parts {
		id += " " + p.Name
	}
	d := &Data{
		Name: e.Name, Title: e.title(v, parts) + " stand-in", Hash: hashLines(append([]string{id}, treatLines(ref)...)...),
		StandIn: true, StandInReason: reason, Table: t, Parts: partRows(parts), Origin: "stand-in",
	}
	return d.treat(ref, opt)
}

// table makes the rows of some parts of a variant, in order.
func (s *standIn) table(e *Entry, v *Variant, parts []Part) (*Table, error) {
	rows := totalRows(parts)
	t := &Table{D: e.Features, Labels: make([]float64, 0, rows), meaning: meaning{positive: e.Positive}}
	add, dense := s.kind()
	switch {
	case s.Digits != nil:
		t.coded = newCoded(0, t.D, make([]uint8, 0, rows*t.D), byteLevels()).coded
	case dense:
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
			add(t, r, newStream(s.Setup))
		}
	}
	if t.N != rows {
		return nil, fmt.Errorf("%d rows, the manifest says %d", t.N, rows)
	}
	return t, nil
}

// kind returns what adds the rows of a run to a table, and whether they are dense.
// setup is the stream of what the parts have in common, from its beginning.
func (s *standIn) kind() (add func(t *Table, r standInRun, setup *rand.Rand), dense bool) {
	switch {
	case s.Digits != nil:
		return s.Digits.add, true
	case s.Attributes != nil:
		return s.Attributes.add, false
	case s.News != nil:
		return s.News.addNews, false
	case s.Pages != nil:
		return s.Pages.addPages, false
	case s.Engine != nil:
		return s.Engine.add, false
	case s.Forest != nil:
		return s.Forest.add, true
	}
	return s.Speech.add, true
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

// sign is the label of class 0 or 1 of two.
func sign(class int) float64 { return float64(2*class - 1) }

// pick draws an index with probability proportional to its count.
func pick(counts []int, rng *rand.Rand) int {
	total := 0
	for _, c := range counts {
		total += c
	}
	u := rng.IntN(total)
	for i, c := range counts {
		if u < c {
			return i
		}
		u -= c
	}
	panic("datasets: unreachable")
}
