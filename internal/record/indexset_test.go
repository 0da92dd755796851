package record

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestIndexSetText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		set  IndexSet
		text string
	}{
		{nil, ""},
		{IndexSet{}, ""},
		{IndexSet{0}, "AA=="},
		{IndexSet{0, 1, 2}, "AAAA"},
		{IndexSet{128}, "gAE="},
		{IndexSet{5, 300}, "BaYC"},
		{IndexSet{math.MaxInt32}, "/////wc="},
	} {
		text, err := c.set.MarshalText()
		if err != nil || string(text) != c.text {
			t.Errorf("%v is %q, %v, want %q", c.set, text, err, c.text)
		}
		var back IndexSet
		if err := back.UnmarshalText([]byte(c.text)); err != nil || !slices.Equal(back, c.set) {
			t.Errorf("%q is %v, %v, want %v", c.text, back, err, c.set)
		}
	}
}

func TestIndexSetRefuses(t *testing.T) {
	t.Parallel()
	for _, set := range []IndexSet{{-1}, {3, 3}, {4, 2}, {math.MinInt32}, {0, math.MaxInt32, math.MinInt32}} {
		if text, err := set.MarshalText(); err == nil {
			t.Errorf("%v was written as %q", set, text)
		}
	}
	for _, text := range []string{"*", "AA", "gA==", "gAA=", "/////w8=", "/////wcA", "AA==\n"} {
		set := IndexSet{7}
		if err := set.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q was read as %v", text, set)
		} else if !slices.Equal(set, IndexSet{7}) {
			t.Errorf("%q changed the set to %v", text, set)
		}
	}
}

func TestIndexSetRoundTrip(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		set := IndexSet{}
		for i, bound := int64(0), 1+rng.Int64N(1<<uint(rng.IntN(30))); len(set) < 50; {
			i += rng.Int64N(bound)
			if i > math.MaxInt32 {
				break
			}
			set = append(set, int32(i))
			i++
		}
		data, err := json.Marshal(map[string][]IndexSet{"s": {set, nil}})
		if err != nil {
			t.Fatal(err)
		}
		var back map[string][]IndexSet
		if err := json.Unmarshal(data, &back); err != nil || !slices.Equal(back["s"][0], set) || len(back["s"][1]) != 0 {
			t.Fatalf("%v reads back as %v, %v", set, back, err)
		}
	}
}

func FuzzIndexSet(f *testing.F) {
	for _, text := range []string{"", "AA==", "gAE=", "gAA=", "/////wc=", "x", "\r"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var set IndexSet
		if err := set.UnmarshalText(text); err != nil {
			return
		}
		if err := set.validate(math.MaxInt32 + 1); err != nil {
			t.Fatalf("%q was read as %v: %v", text, set, err)
		}
		back, err := set.MarshalText()
		if err != nil || string(back) != string(text) {
			t.Fatalf("%q reads as %v, which is written %q, %v", text, set, back, err)
		}
	})
}

// sparseRun returns a valid run of three points over ten test rows.
func sparseRun(i int) Run {
	r := testRun(i)
	r.Task = "svm-sparse"
	r.Rows = map[string]int64{"train": 100, "test": 10}
	r.Curve.Mistakes = []IndexSet{{0, 3, 9}, {3}, {}}
	r.Curve.Metrics = map[string]map[string][]float64{
		"test":  {"error": {0.3, 0.1, 0}},
		"state": {"support": {1, 2, 5}},
	}
	return r
}

func TestValidateMistakes(t *testing.T) {
	t.Parallel()
	if err := sparseRun(0).Validate(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		change func(*Run)
		want   string
	}{
		{"length", func(r *Run) { r.Curve.Mistakes = r.Curve.Mistakes[:2] }, "mistakes has 2 points, but iterations has 3"},
		{"beyond", func(r *Run) { r.Curve.Mistakes[0][2] = 10 }, "mistakes at point 0: index 10 at position 2 is beyond the 10 rows"},
		{"order", func(r *Run) { r.Curve.Mistakes[0][1] = 0 }, "index 0 at position 1 is negative or not above"},
		{"negative", func(r *Run) { r.Curve.Mistakes[1][0] = -3 }, "mistakes at point 1: index -3"},
		{"no rows", func(r *Run) { delete(r.Rows, "test") }, "beyond the 0 rows"},
		{"reason", func(r *Run) { r.Status, r.Reason = StatusOutOfTime, "" }, `status is "out-of-time" without a reason`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := sparseRun(0)
			c.change(&r)
			wantError(t, r.Validate(), c.want)
		})
	}
	r := sparseRun(0)
	delete(r.Curve.Metrics, "test")
	if err := r.Validate(); err != nil {
		t.Errorf("mistakes without an error are refused: %v", err)
	}
	for _, status := range []string{StatusOutOfTime, StatusOutOfMemory} {
		r := sparseRun(0)
		r.Status, r.Reason = status, "too much"
		back, err := unsealRun(mustEncode(t, r))
		if err != nil || back.Status != status || !slices.Equal(back.Curve.Mistakes[0], r.Curve.Mistakes[0]) {
			t.Errorf("%s reads back as %+v, %v", status, back, err)
		}
	}
}
