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

// standInVersion is part of the hash of a stand-in. Raise it when a stand-in
// changes.
const standInVersion = 1

// standInSeed is the first word of the seed of every stand-in; the second
// tells the streams apart.
const standInSeed = 0x7374616e642d696e

// standInMaker makes the rows of some parts of a variant, in order.
type standInMaker func(variant string, parts []Part) (*Table, error)

var standIns = []struct {
	name string
	make standInMaker
}{
	{"mnist", mnistStandIn},
	{"adult", adultStandIn},
}

func standInOf(name string) standInMaker {
	for _, s := range standIns {
		if s.name == name {
			return s.make
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
		StandIn: true, StandInReason: reason,
	}
	var names []string
	for _, p := range parts {
		names = append(names, p.Name)
	}
	var err error
	if d.Table, err = gen(v.Name, parts); err != nil {
		return nil, fmt.Errorf("dataset %s: stand-in: %w", e.Name, err)
	}
	d.Hash = hashLines(fmt.Sprintf("stand-in %s %d %s %s", e.Name, standInVersion, v.Name, strings.Join(names, " ")), prepareLine(ref))
	return d.prepare(ref)
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
