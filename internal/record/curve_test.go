package record

import "testing"

func TestCurveCounts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, counter string
		iterations    []int64
		kernel, moved []int64
		want          bool
	}{
		{"counted", "kernel_evals", []int64{0, 5}, []int64{0, 10}, nil, true},
		{"never", "kernel_evals", []int64{0, 5}, []int64{0, 0}, nil, false},
		{"nothing to count yet", "kernel_evals", []int64{0}, []int64{0}, nil, true},
		{"absent", "kernel_evals", []int64{0, 5}, nil, nil, false},
		{"nothing moved", "kernel_evals_moved", []int64{0, 5}, []int64{0, 10}, []int64{0, 0}, true},
		{"nothing to move", "kernel_evals_moved", []int64{0, 5}, []int64{0, 0}, []int64{0, 0}, false},
	} {
		c := Curve{Cost: map[string][]int64{"iterations": tt.iterations}}
		if tt.kernel != nil {
			c.Cost["kernel_evals"] = tt.kernel
		}
		if tt.moved != nil {
			c.Cost["kernel_evals_moved"] = tt.moved
		}
		if got := c.Counts(tt.counter); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}
