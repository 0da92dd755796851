package compare

import (
	"testing"

	"stochopt/internal/record"
)

// relabelled returns runs as if made with other seeds, and none of them on record.
func relabelled(runs []record.Run, seed uint64) []record.Run {
	out := make([]record.Run, len(runs))
	for i, r := range runs {
		r.Key += "-other"
		r.Seed += seed
		out[i] = r
	}
	return out
}

// BenchmarkCompare is a comparison of 8 cells with 10 repeats each, by pairs and as
// independent samples.
func BenchmarkCompare(b *testing.B) {
	for _, mode := range []struct {
		name string
		seed uint64
	}{{"paired", 0}, {"unpaired", 1}} {
		b.Run(mode.name, func(b *testing.B) {
			base, cand := drawn(b, recorded100(b), 10, 1)
			for i := range cand {
				cand[i].Runs = relabelled(cand[i].Runs, mode.seed)
			}
			for b.Loop() {
				if _, err := Compare(base, cand, usual); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
