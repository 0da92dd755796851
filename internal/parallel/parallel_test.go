package parallel

import (
	"fmt"
	"strings"
	"testing"
)

func TestEach(t *testing.T) {
	for _, n := range []int{0, 1, 7, 1000} {
		calls := make([]int, n)
		Each(n, func(i int) { calls[i]++ })
		for i, c := range calls {
			if c != 1 {
				t.Errorf("n = %d: %d calls for %d", n, c, i)
			}
		}
	}
}

// Otherwise a panic would end the process with the exit code of a usage error.
func TestPanicReachesTheCaller(t *testing.T) {
	defer func() {
		if text := fmt.Sprint(recover()); !strings.Contains(text, "a bug") || !strings.Contains(text, "parallel_test.go") {
			t.Errorf("recovered %s", text)
		}
	}()
	Each(3, func(i int) {
		if i == 1 {
			panic("a bug")
		}
	})
	t.Error("no panic")
}
