package datasets

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A stand-in is a synthetic table in place of a manifest entry, with the same
// numbers of rows, features and examples of each class, about the same
// sparsity, spectrum and difficulty, and nothing else in common with it. It is
// the same on every machine and in every run.

// standInSeed is the first word of the seed of every stand-in; the second
// tells the streams apart.
const standInSeed = 0x7374616e642d696e

// standInMaker makes the rows of some parts of a variant, in order.
type standInMaker func(variant string, parts []Part) (*Table, error)

// standIn makes the stand-ins of an entry. The version is part of their hash:
// raise it when they change.
type standIn struct {
	name    string
	version int
	make    standInMaker
}

var standIns = []standIn{
	{"mnist", 1, mnistStandIn},
	{"adult", 1, adultStandIn},
	{"reuters", 1, reutersStandIn},
	{"ijcnn1", 1, ijcnn1StandIn},
	{"web", 1, webStandIn},
	{"covtype", 1, covtypeStandIn},
	{"timit", 1, timitStandIn},
}

func standInOf(name string) *standIn {
	for i := range standIns {
		if standIns[i].name == name {
			return &standIns[i]
		}
	}
	return nil
}

func hasStandIn(name string) bool { return standInOf(name) != nil }

// openStandIn makes the stand-in of the parts of e, for the reason given.
func openStandIn(e *Entry, v *Variant, parts []Part, ref Ref, reason string) (*Data, error) {
	gen := standInOf(e.Name)
	if gen == nil {
		return nil, fmt.Errorf("dataset %s: there is no stand-in for it", e.Name)
	}
	d := &Data{
		Name: e.Name, Title: e.title(v, parts) + " stand-in", Origin: "stand-in",
		StandIn: true, StandInReason: reason, Parts: partRows(parts),
	}
	var names []string
	for _, p := range parts {
		names = append(names, p.Name)
	}
	var err error
	if d.Table, err = gen.make(v.Name, parts); err != nil {
		return nil, fmt.Errorf("dataset %s: stand-in: %w", e.Name, err)
	}
	rows := 0
	for _, p := range parts {
		rows += p.Rows
	}
	if d.Table.N != rows {
		return nil, fmt.Errorf("dataset %s: stand-in: %d rows, the manifest says %d", e.Name, d.Table.N, rows)
	}
	d.Hash = hashLines(append([]string{fmt.Sprintf("stand-in %s %d %s %s", e.Name, gen.version, v.Name, strings.Join(names, " "))}, treatLines(ref)...)...)
	d.Table.positive = e.Positive
	return d.treat(ref)
}

// shuffledClasses returns counts[0] zeros, counts[1] ones, …, in random order.
func shuffledClasses(counts []int, rng *rand.Rand) []int {
	var out []int
	for c, n := range counts {
		for range n {
			out = append(out, c)
		}
	}
	rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

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
