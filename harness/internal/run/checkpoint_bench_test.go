package run

import (
	"testing"

	"stochopt/algorithms/checkpoint"
)

// BenchmarkCheckpoint saves and restores a state of 16 MiB, on the disk of the temporary
// folder.
func BenchmarkCheckpoint(b *testing.B) {
	values := make([]float64, 2<<20)
	for i := range values {
		values[i] = 1 / float64(i+1)
	}
	visit := func(s *checkpoint.State) { checkpoint.Slice(s, values) }
	dir := b.TempDir()
	b.Run("save", func(b *testing.B) {
		b.SetBytes(8 * int64(len(values)))
		for b.Loop() {
			if err := writeCheckpoint(dir, "state", checkpointHeader{}, visit); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("restore", func(b *testing.B) {
		b.SetBytes(8 * int64(len(values)))
		for b.Loop() {
			if _, err := readCheckpoint(dir+"/state", checkpointHeader{}, 1<<30, visit); err != nil {
				b.Fatal(err)
			}
		}
	})
}
