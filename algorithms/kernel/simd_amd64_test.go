//go:build !purego

package kernel

import (
	"slices"
	"testing"
)

// TestRowsDoNotDependOnTheCPU checks that the portable path computes the same matrix.
func TestRowsDoNotDependOnTheCPU(t *testing.T) {
	if !hasAVX2 {
		t.Skip("this CPU has no AVX2")
	}
	defer func() { hasAVX2 = true }()
	eachShape(t, 330, func(t *testing.T, m *data, rows []int, p *Points) {
		for _, k := range []Kernel{Gaussian{0.03}, Linear{}} {
			want := matrixOf(t, k, p)
			hasAVX2 = false
			got := matrixOf(t, k, p)
			hasAVX2 = true
			for i := range want {
				if !slices.Equal(got[i], want[i]) {
					t.Fatalf("row %d of %s differs", i, k)
				}
			}
		}
	})
}
