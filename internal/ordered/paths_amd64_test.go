//go:build amd64 && !purego

package ordered

import "testing"

// paths runs f with every implementation that this machine supports.
func paths(t *testing.T, f func(t *testing.T)) {
	defer func(avx2, avx512 bool) { useAVX2, useAVX512 = avx2, avx512 }(useAVX2, useAVX512)
	if useAVX512 {
		t.Run("avx512", f)
	}
	useAVX512 = false
	if useAVX2 {
		t.Run("avx2", f)
	}
	useAVX2 = false
	t.Run("portable", f)
}
