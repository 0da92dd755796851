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

// standInOf returns the stand-in of an entry, nil if there is none.
func standInOf(name string) *standIn {
	s, _ := find("stand-in", name, standIns(), func(s *standIn) string { return s.Name })
	return s
}

// openStandIn makes the stand-in of the parts of e, for the reason given. content are the lines
// of the hash for it.
func openStandIn(e *Entry, v *Variant, parts []Part, reason string) (d *Data, content []string, err error) {
	s := standInOf(e.Name)
	if s == nil {
		return nil, nil, errors.New("there is no stand-in for it")
	}
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
