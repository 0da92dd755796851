package selection

import (
	"slices"
	"strconv"
	"strings"

	"stochopt/internal/words"
)

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
