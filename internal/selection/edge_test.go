package selection

import (
	"testing"

	"stochopt/internal/record"
)

// A grid continues as it is: in geometric or arithmetic progression, in whole numbers if it
// has only these.
func TestBeyondAGrid(t *testing.T) {
	for _, c := range []struct {
		grid      []any
		end       string
		near, far string
	}{
		{[]any{0.25, 1.0, 4.0}, "high", "16", "64"},
		{[]any{4.0, 0.25, 1.0}, "low", "0.0625", "0.015625"},
		{[]any{0.1, 0.3}, "high", "0.9", "2.7"},
		{[]any{1.0, 2.0, 3.0}, "high", "4", "5"},
		{[]any{0.0, 0.5}, "high", "1", "1.5"},
		{[]any{-1.0, 2.0}, "low", "-4", "-7"},
		{[]any{int64(64), int64(128)}, "low", "32", "16"},
		{[]any{int64(300), int64(700)}, "high", "1100", "1500"},
		{[]any{524288.0, 1048576.0}, "high", "2097152", "4194304"},
	} {
		choice := &Series{}
		for _, v := range c.grid {
			choice.Candidates = append(choice.Candidates, Candidate{Params: record.Params{"p": v}})
		}
		if near, far := choice.beyond(Edge{"p", c.grid[0], c.end}); near != c.near || far != c.far {
			t.Errorf("beyond the %s end of %v: %s, %s, want %s, %s", c.end, c.grid, near, far, c.near, c.far)
		}
	}
}
