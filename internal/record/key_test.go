package record

import (
	"math"
	"testing"
)

func TestCanonicalJSON(t *testing.T) {
	t.Parallel()
	type sub struct {
		B int     `json:"b"`
		A float64 `json:"a"`
	}
	got := string(canonicalJSON(struct {
		Z sub            `json:"z"`
		P Params         `json:"p"`
		L []any          `json:"l"`
		S string         `json:"s"`
		M map[string]int `json:"m"`
		U uint64         `json:"u"`
	}{sub{2, 1}, Params{"c": 1.0, "k": int64(3)}, []any{3, 1.50, 2}, "<&>", map[string]int{"y": 1, "x": 2}, math.MaxUint64}))
	want := `{"l":[3,1.5,2],"m":{"x":2,"y":1},"p":{"c":1,"k":3},"s":"<&>","u":18446744073709551615,"z":{"a":1,"b":2}}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestKeyEquality(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		a, b any
		same bool
	}{
		{"order", struct{ A, B int }{1, 2}, struct{ B, A int }{2, 1}, true},
		{"struct and map", struct{ A int }{1}, map[string]any{"A": int64(1)}, true},
		{"int and float", Params{"c": int64(1)}, Params{"c": 1.0}, true},
		{"params and map", Params{"c": 0.25}, map[string]any{"c": 0.25}, true},
		{"large floats", Params{"c": 1e19}, map[string]any{"c": 1e19}, true},
		{"larger floats", Params{"c": 1e20}, map[string]any{"c": 1e20}, true},
		{"signed zero", Params{"c": 0.0}, Params{"c": math.Copysign(0, -1)}, true},
		{"value", Params{"c": 0.25}, Params{"c": 0.5}, false},
		{"neighbours", Params{"c": 0.1}, Params{"c": math.Nextafter(0.1, 1)}, false},
		{"big ints", Params{"c": int64(math.MaxInt64)}, Params{"c": int64(math.MaxInt64 - 1)}, false},
		{"name", Params{"c": 1.0}, Params{"d": 1.0}, false},
		{"text and number", Params{"c": "1"}, Params{"c": int64(1)}, false},
		{"list order", []int{1, 2}, []int{2, 1}, false},
	} {
		if same := Key(c.a) == Key(c.b); same != c.same {
			t.Errorf("%s: same = %v", c.name, same)
		}
	}
}

func TestKeyForm(t *testing.T) {
	t.Parallel()
	// The first 32 digits of printf '{"a":1}' | sha256sum.
	if got, want := Key(map[string]int{"a": 1}), "015abd7f5cc57a2dd94b7590f04ad808"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestKeysAgreeWithKey(t *testing.T) {
	t.Parallel()
	fields := func() map[string]any {
		return map[string]any{"params": map[string]any{"repeat": 1, "c": 0.5}, "repeated": 12, "seed": 1, "name": "1"}
	}
	key := Keys(fields(), "repeat")
	for _, n := range []int{0, 1, 2, 3, 10, 11, 12, 999, 1 << 40} {
		whole := fields()
		whole["repeat"] = n
		if got, want := key(n), Key(whole); got != want {
			t.Errorf("%d: Keys gives %s, Key gives %s", n, got, want)
		}
	}
}
