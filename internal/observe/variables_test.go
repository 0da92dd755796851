package observe

import (
	"cmp"
	"math"
	"testing"

	"stochopt/internal/record"
)

func TestWhereMatches(t *testing.T) {
	t.Parallel()
	r := record.Run{Dataset: "d", Series: "s", Algorithm: "a", Params: record.Params{"k": int64(4), "eta": 0.5, "avg": true, "start": "uniform"}}
	for _, tt := range []struct {
		where Where
		want  bool
	}{
		{nil, true},
		{Where{"k": 4}, true},
		{Where{"k": 4.0}, true},
		{Where{"k": uint64(4)}, true},
		{Where{"k": 5}, false},
		{Where{"k": []any{1, 4}}, true},
		{Where{"k": []any{1, 2}}, false},
		{Where{"k": []any{}}, false},
		{Where{"eta": 0.5, "avg": true, "start": "uniform"}, true},
		{Where{"avg": false}, false},
		{Where{"none": 1}, false},
		{Where{"none": nil}, false},
		{Where{"dataset": "d", "group": "d", "series": "s", "algorithm": "a"}, true},
		{Where{"group": "g"}, false},
	} {
		if got := tt.where.Matches(&r); got != tt.want {
			t.Errorf("%v matches: %v", tt.where, got)
		}
	}
	r.Group = "g"
	if !(Where{"group": "g", "dataset": "d"}).Matches(&r) || r.Value("group") != "g" || r.Value("none") != nil {
		t.Error("the group is not a variable of the run")
	}
}

func TestFormatValue(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		v    any
		want string
	}{
		{nil, ""}, {4, "4"}, {int64(4), "4"}, {uint64(4), "4"}, {4.0, "4"}, {0.5, "0.5"}, {1e300, "1e+300"}, {math.Copysign(0, -1), "0"}, {true, "true"}, {"a b", "a b"},
	} {
		if got := record.FormatValue(tt.v); got != tt.want {
			t.Errorf("%T %v is %q, want %q", tt.v, tt.v, got, tt.want)
		}
	}
}

func TestCompareParams(t *testing.T) {
	t.Parallel()
	// The parameters are in order, and each differs from the next.
	sorted := []any{nil, false, true, -1.5, int64(0), 0.5, int64(1), 1e300, "10", "9", "a"}
	for i, a := range sorted {
		for j, b := range sorted {
			pa, pb := record.Params{"p": a}, record.Params{"p": b}
			if a == nil {
				delete(pa, "p")
			}
			if b == nil {
				delete(pb, "p")
			}
			if got := CompareParams(pa, pb, []string{"p"}); sign(got) != sign(i-j) {
				t.Errorf("%v against %v: %d", a, b, got)
			}
		}
	}
	if c := CompareParams(record.Params{"p": int64(1)}, record.Params{"p": 1.0}, []string{"p"}); c != 0 {
		t.Errorf("1 against 1.0: %d", c)
	}
	if c := CompareParams(record.Params{"p": int64(1), "q": int64(1)}, record.Params{"p": 1.0, "q": int64(2)}, []string{"p", "q"}); c >= 0 {
		t.Errorf("the second name does not break the tie: %d", c)
	}
}

func sign(i int) int { return cmp.Compare(i, 0) }
