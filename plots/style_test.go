package plots

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

func look(s Style) string { return fmt.Sprint(s.Color, s.Dash) }

func TestName(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"msg": "MSG", "capped-msg": "Capped MSG", "warmuth-kuzmin": "Warmuth & Kuzmin", "incremental": "Incremental",
		"power": "Power (Oja)", "gha": "GHA", "grouse": "GROUSE", "saa": "SAA", "my own": "my own", "": "",
		"sbp": "SBP", "rff": "Fourier features", "libsvm": "LIBSVM", "smo": "SMO", "sdca": "SDCA", "decomposition": "Dual decomposition",
		"perceptron-last": "Perceptron (last)", "capped-msg-two-three": "Capped MSG (two three)", "linear-sdca-fast": "SDCA (linear, fast)",
		"mine-last": "mine-last", "sbp-": "sbp-", "-sbp": "-sbp",
	} {
		if got := listed.Name(id); got != want {
			t.Errorf("Name(%q) = %q, want %q", id, got, want)
		}
	}
}

// stylesOf returns the looks of series that are in one figure.
func stylesOf(series []seriesID) map[string]Style {
	var ids []identity
	for _, s := range series {
		ids = append(ids, identity{series: s})
	}
	styles := make(map[string]Style)
	for _, key := range listed.keys(ids) {
		styles[key.Series] = key.Style
	}
	return styles
}

func TestStylesNeverCollide(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 60 {
		table := []Catalog{knownPCA, knownSparse, knownSVM, knownLosses}[round%4]
		var ids []seriesID
		for _, e := range table {
			ids = append(ids, seriesID{e.ID, e.ID})
		}
		for i := range 40 {
			id := seriesID{series: fmt.Sprintf("series-%d-%d", i, rng.IntN(1000))}
			if i%4 == 0 {
				id.algorithm = table[rng.IntN(len(table))].ID
			}
			ids = append(ids, id)
		}
		styles := stylesOf(ids)
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
		if !reflect.DeepEqual(stylesOf(ids), styles) {
			t.Fatal("styles depend on the order of the series")
		}
	}
}

func TestVariantOfAnAlgorithmKeepsItsColour(t *testing.T) {
	t.Parallel()
	s := stylesOf([]seriesID{{"msg-averaged", "msg"}, {"msg", "msg"}})
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
	for _, rgb := range extraColors {
		if c := contrast(hex(rgb)); c < least {
			t.Errorf("%06x: contrast %.2f", rgb, c)
		}
	}
}
