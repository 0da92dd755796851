//go:build !amd64 || purego

package ordered

import "testing"

func paths(t *testing.T, f func(t *testing.T)) { t.Run("portable", f) }
