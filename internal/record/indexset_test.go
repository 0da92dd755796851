package record

import (
	"math"
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

func TestInvalidIndexSet(t *testing.T) {
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
