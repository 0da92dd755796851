package analysis

import (
	"slices"
	"stochopt/results/words"
	"strconv"
	"strings"
)

// warnOfTwins warns of cells that only the seed or the data keep apart: their
// runs are of different experiments.
func warnOfTwins(choices []Choice) {
	type id struct{ dataset, series, algorithm, params string }
	twins := map[id][]int{}
	for i, c := range choices {
		key := id{c.Dataset, c.Series, c.Algorithm, c.Params.String()}
		twins[key] = append(twins[key], i)
	}
	for i, c := range choices {
		var mixed mixture
		for _, j := range twins[id{c.Dataset, c.Series, c.Algorithm, c.Params.String()}] {
			mixed.add(choices[j].Seed, choices[j].DatasetHash)
		}
		if what := mixed.String(); what != "" {
			choices[i].Warnings = append(choices[i].Warnings, "there are runs that differ from these in nothing but "+what+
				": they are of different experiments, each of which has its own choice; give each its own --out")
		}
	}
}

// mixture collects what runs of one experiment and dataset have in common.
type mixture struct {
	seeds  []string
	hashes []string
}

func (m *mixture) add(seed uint64, hash string) {
	if s := strconv.FormatUint(seed, 10); !slices.Contains(m.seeds, s) {
		m.seeds = append(m.seeds, s)
	}
	if !slices.Contains(m.hashes, hash) {
		m.hashes = append(m.hashes, hash)
	}
}

// String names what differs, or is empty.
func (m *mixture) String() string {
	var parts []string
	if len(m.seeds) > 1 {
		parts = append(parts, "the seed ("+words.List(m.seeds, mostListed)+")")
	}
	if len(m.hashes) > 1 {
		parts = append(parts, "the data (hashes "+words.List(m.hashes, mostListed)+")")
	}
	return strings.Join(parts, " and ")
}
