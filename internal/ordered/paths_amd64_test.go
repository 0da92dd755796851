//go:build amd64 && !purego

package ordered

import "testing"

// paths runs f on every path that this machine has.
func paths(t *testing.T, f func(t *testing.T)) {
	t.Run("portable", func(t *testing.T) {
		defer func(has bool) { useAVX2 = has }(useAVX2)
		useAVX2 = false
		f(t)
	})
	if useAVX2 {
		t.Run("avx2", f)
	}
}
