package plots

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

func look(s Style) string { return fmt.Sprint(s.Color, s.Dash) }

func TestDisplayName(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"msg": "MSG", "capped-msg": "Capped MSG", "warmuth-kuzmin": "Warmuth & Kuzmin", "incremental": "Incremental",
		"power": "Power (Oja)", "gha": "GHA", "grouse": "GROUSE", "saa": "SAA", "my own": "my own", "": "",
		"sbp": "SBP", "rff": "Fourier features", "libsvm": "LIBSVM", "smo": "SMO", "sdca": "SDCA", "decomposition": "Dual decomposition",
		"perceptron-last": "Perceptron (last)", "capped-msg-two-three": "Capped MSG (two three)", "linear-sdca-fast": "SDCA (linear, fast)",
		"mine-last": "mine-last", "sbp-": "sbp-", "-sbp": "-sbp",
	} {
		if got := DisplayName(id); got != want {
			t.Errorf("DisplayName(%q) = %q, want %q", id, got, want)
		}
	}
}

func TestRegisteredStylesAreFixedAndDistinct(t *testing.T) {
	t.Parallel()
	named := make(map[string]bool)
	for _, table := range styleTables {
		checkTable(t, table)
		for _, e := range table {
			if named[e.id] {
				t.Errorf("%s is registered twice", e.id)
			}
			named[e.id] = true
		}
	}
}

func checkTable(t *testing.T, table []entry) {
	t.Helper()
	var ids []seriesID
	for _, e := range table {
		ids = append(ids, seriesID{e.id, e.id})
	}
	all := assignStyles(ids)
	seen := make(map[string]string)
	for _, id := range ids {
		alone := assignStyles([]seriesID{id, {"another", "unknown"}})
		if !reflect.DeepEqual(alone[id.series], all[id.series]) {
			t.Errorf("%s looks different in another company", id.series)
		}
		l := look(all[id.series])
		if other, dup := seen[l]; dup {
			t.Errorf("%s looks like %s", id.series, other)
		}
		seen[l] = id.series
	}
	for i, a := range table {
		for _, b := range table[:i] {
			if a.style.Color == b.style.Color {
				t.Errorf("%s has the colour of %s", a.id, b.id)
			}
			if len(a.style.Dash) > 0 && fmt.Sprint(a.style.Dash) == fmt.Sprint(b.style.Dash) {
				t.Errorf("%s has the dashes of %s", a.id, b.id)
			}
			if a.name == b.name {
				t.Errorf("%s and %s are both called %s", a.id, b.id, a.name)
			}
		}
		for _, d := range extraDashes {
			if fmt.Sprint(d) == fmt.Sprint(a.style.Dash) {
				t.Errorf("%s has dashes that other series may get", a.id)
			}
		}
	}
}

func TestAssignStylesNeverCollides(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 60 {
		table := styleTables[round%len(styleTables)]
		var ids []seriesID
		for _, e := range table {
			ids = append(ids, seriesID{e.id, e.id})
		}
		for i := range 40 {
			id := seriesID{series: fmt.Sprintf("series-%d-%d", i, rng.IntN(1000))}
			if i%4 == 0 {
				id.algorithm = table[rng.IntN(len(table))].id
			}
			ids = append(ids, id)
		}
		styles := assignStyles(ids)
		if len(styles) != len(ids) {
			t.Fatalf("%d styles for %d series", len(styles), len(ids))
		}
		seen := make(map[string]bool)
		for _, s := range styles {
			if seen[look(s)] {
				t.Fatalf("two series look like %s", look(s))
			}
			seen[look(s)] = true
		}
		rng.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
		if !reflect.DeepEqual(assignStyles(ids), styles) {
			t.Fatal("styles depend on the order of the series")
		}
	}
}

func TestVariantOfAnAlgorithmKeepsItsColour(t *testing.T) {
	t.Parallel()
	s := assignStyles([]seriesID{{"msg-averaged", "msg"}, {"msg", "msg"}})
	if s["msg-averaged"].Color != s["msg"].Color {
		t.Error("another series of MSG has another colour")
	}
	if look(s["msg-averaged"]) == look(s["msg"]) {
		t.Error("two series of MSG look the same")
	}
}

// contrast is the WCAG contrast ratio against white.
func contrast(text string) float64 {
	c := ParseColor(text)
	lin := func(v uint8) float64 {
		f := float64(v) / 255
		if f <= 0.04045 {
			return f / 12.92
		}
		return math.Pow((f+0.055)/1.055, 2.4)
	}
	return 1.05 / (0.2126*lin(c.R) + 0.7152*lin(c.G) + 0.0722*lin(c.B) + 0.05)
}

func TestColoursAreDarkEnough(t *testing.T) {
	t.Parallel()
	const least = 2.1 // Okabe and Ito's orange has 2.2
	for _, e := range registry {
		if c := contrast(e.style.Color); c < least {
			t.Errorf("%s: contrast %.2f", e.id, c)
		}
	}
	for _, rgb := range extraColors {
		if c := contrast(hex(rgb)); c < least {
			t.Errorf("%06x: contrast %.2f", rgb, c)
		}
	}
	for i := range 50 {
		if c := contrast(rampAt(i, 50)); c < least {
			t.Errorf("ramp at %d of 50: contrast %.2f", i, c)
		}
	}
}

func TestSequentialPalette(t *testing.T) {
	t.Parallel()
	for n := 1; n <= 12; n++ {
		last := math.Inf(1)
		for i := range n {
			c := sequential(i, n).Color
			if now := contrast(c); now >= last {
				t.Errorf("n = %d: value %d is not lighter than the one before", n, i)
			} else {
				last = now
			}
			if i > 0 && look(sequential(i, n)) == look(sequential(i-1, n)) {
				t.Errorf("n = %d: values %d and %d look the same", n, i-1, i)
			}
		}
	}
}
