package compare

import (
	"slices"
	"testing"

	"stochopt/internal/record"
)

// Missing work is listed, whatever the verdict. Additional work is not an error.
func TestMissingWork(t *testing.T) {
	base := noisyRuns("msg", 10, 1, 0.1, 1)
	half := func(runs []record.Run, reason string) []record.Run {
		return changed(runs, func(_ int, r *record.Run) { r.Extent, r.Reason = "500/log:10", reason })
	}
	skipped := slices.Clone(base)
	skipped[9] = failed(skipped[9], record.StatusSkipped, "no svm-train")
	longer := changed(base, func(_ int, r *record.Run) { r.Extent = "2000/log:10" })
	boom := slices.Clone(base)
	boom[0] = failed(boom[0], record.StatusFailed, "boom")
	for _, test := range []struct {
		name       string
		base, cand []record.Run
		want       []string
	}{
		{"the same", base, base, nil},
		{"repeats", base, base[:4], []string{"4 of 10 repeats"}},
		{"other seeds", base, reseededSide(Side{Runs: base[:4]}).Runs, []string{"4 of 10 repeats"}},
		{"more repeats", base[:4], base, nil},
		{"skipped", base, skipped, []string{"9 of 10 repeats"}},
		{"skipped on both sides", skipped, skipped, nil},
		{"failed", base, boom, nil},
		{"iterations", base, half(base, "budget of 500 iterations"), []string{"500 of 1000 iterations"}},
		{"repeats and iterations", longer, base[:4], []string{"4 of 10 repeats", "1000 of 2000 iterations"}},
		{"longer", base, longer, nil},
		{"converged", base, half(base, "converged: done"), nil},
	} {
		if c := compareCell(t, test.base, test.cand, defaults); !slices.Equal(c.Missing, test.want) {
			t.Errorf("%s: %s, missing %q, want %q", test.name, c.Verdict, c.Missing, test.want)
		}
	}
}

func TestMissingCandidatesOfTheGrid(t *testing.T) {
	four := gridOf(8, map[float64]float64{0.25: 2, 0.5: 1, 1: 3, 2: 4})
	one := gridOf(8, map[float64]float64{0.5: 1})
	incomplete := four
	incomplete.Runs = incomplete.Runs[:len(incomplete.Runs)-1]
	for _, test := range []struct {
		base, cand Side
		want       []string
	}{
		{four, one, []string{"1 of 4 candidates of the grid"}},
		{four, incomplete, []string{"7 of 8 repeats"}},
		{one, four, nil},
	} {
		if c := compareSides(t, test.base, test.cand, defaults).Cells[0]; !slices.Equal(c.Missing, test.want) {
			t.Errorf("missing %q, want %q", c.Missing, test.want)
		}
	}
}

// The largest missing part is named.
func TestMissingCells(t *testing.T) {
	on := func(dataset string, runs []record.Run) []record.Run {
		return changed(runs, func(_ int, r *record.Run) { r.Dataset = dataset; *r = keyed(*r) })
	}
	msg, saa := noisyRuns("msg", 3, 1, 0.1, 1), noisyRuns("saa", 3, 1, 0.1, 2)
	k8 := withParams(msg, record.Params{"k": int64(8)})
	all := slices.Concat(on("a", msg), on("a", saa), on("b", msg), on("b", saa), on("b", k8))
	full := Side{Name: "exp", Runs: all}
	other := Side{Name: "other", Runs: msg}
	list := func(sides ...Side) []Side { return sides }
	for _, test := range []struct {
		name       string
		base, cand []Side
		want       string
	}{
		{"experiment", list(full, other), list(full), "other is missing"},
		{"data set", list(full), list(Side{Name: "exp", Runs: all[:6]}), "exp: b is missing"},
		{"series", list(full), list(Side{Name: "exp", Runs: slices.Concat(all[:3], all[6:9], all[12:])}), "exp: saa is missing"},
		{"series on a data set", list(full), list(Side{Name: "exp", Runs: slices.Concat(all[:9], all[12:])}), "exp: saa on b is missing"},
		{"cell", list(full), list(Side{Name: "exp", Runs: all[:12]}), "exp: msg(k=8) on b is missing"},
		{"of several experiments", list(full, other), list(Side{Name: "exp", Runs: all[:6]}, other), "exp: b is missing"},
	} {
		r := mustCompare(t, test.base, test.cand, defaults)
		var got []string
		for _, c := range r.Cells {
			got = append(got, c.Missing...)
		}
		if !slices.Equal(unique(got), []string{test.want}) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
