package datasets

import (
	"context"
	"math"
	"strings"
	"testing"
)

func TestInterval(t *testing.T) {
	t.Parallel()
	d, err := Open(context.Background(), Ref{Source: "interval", With: map[string]any{"from": -1, "to": 2.0, "points": 7}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d.Table.N != 7 || d.Table.D != 1 || d.Table.Labels != nil {
		t.Fatalf("%d rows, %d features, labels %v", d.Table.N, d.Table.D, d.Table.Labels)
	}
	for i, want := range []float64{-1, -0.5, 0, 0.5, 1, 1.5, 2} {
		if got := d.Table.Row(i, nil)[0]; math.Abs(got-want) > 1e-15 {
			t.Errorf("point %d is %v, want %v", i, got, want)
		}
	}
	usual, err := Open(context.Background(), Ref{Source: "interval"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := usual.Table.N; usual.Table.Row(0, nil)[0] != -2 || usual.Table.Row(n/2, nil)[0] != 0 || usual.Table.Row(n-1, nil)[0] != 2 {
		t.Error("the usual interval is not [-2, 2] with 0 in its middle")
	}
	if usual.Hash == d.Hash {
		t.Error("two intervals have one hash")
	}
}

func TestIntervalRefuses(t *testing.T) {
	t.Parallel()
	for want, with := range map[string]map[string]any{
		"not above from": {"from": 1, "to": 1},
		"step":           {"step": 1},
	} {
		if err := (Ref{Source: "interval", With: with}).Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want one about %q", with, err, want)
		}
	}
}
