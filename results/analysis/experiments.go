package analysis

import (
	"slices"
	"strconv"
	"strings"

	"stochopt/results/words"
)

// warnOfTwins warns of settings that only the seed or the data keep apart: their
// runs are of different experiments.
func warnOfTwins(all []*Setting) {
	type id struct{ dataset, series, algorithm, params string }
	idOf := func(s *Setting) id { return id{s.Dataset, s.Series, s.Algorithm, s.Params.String()} }
	mixed := map[id]*mixture{}
	for _, s := range all {
		if mixed[idOf(s)] == nil {
			mixed[idOf(s)] = &mixture{}
		}
		mixed[idOf(s)].add(s.Seed, s.DatasetHash)
	}
	for _, s := range all {
		if what := mixed[idOf(s)].String(); what != "" {
			s.Warnings = append(s.Warnings, "there are runs that differ from these in nothing but "+what+
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
