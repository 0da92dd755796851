package objective

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stochopt/internal/record"
)

// solveAll asks for an optimum of each kind: of PCA, of an SVM by lambda and by nu, and of
// a classifier.
func solveAll(t *testing.T, r *References) {
	t.Helper()
	get(t, r, "h", 4, NewMoment(randomMoment(rand.New(rand.NewPCG(1, 1)), 6, 30)))
	classifier := wantSVM("lambda", 0.02, false)
	classifier.Within = 1e-4
	for _, want := range []SVMReference{wantSVM("lambda", 0.01, true), wantSVM("nu", 0.3, false), classifier} {
		if _, err := r.GetSVM(context.Background(), want, cloud(4, 40, 5, 1), nil); err != nil {
			t.Fatal(err)
		}
	}
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// opened opens a file of references, and returns what was said of it.
func opened(t *testing.T, path string, shared bool) (r *References, said *[]string) {
	t.Helper()
	said = new([]string)
	r, err := OpenReferences(path, shared, func(text string) { *said = append(*said, text) })
	if err != nil {
		t.Fatal(err)
	}
	return r, said
}

// checkSolvedAgain tests that damage to a file is said, and solved again to the same bytes
// once it is asked for.
func checkSolvedAgain(t *testing.T, path, damaged, want string) {
	t.Helper()
	put(t, path, damaged)
	lines, err := soundness(path)
	if err != nil || len(lines.Damaged) == 0 {
		t.Errorf("found is %+v, %v", lines, err)
	}
	r, said := opened(t, path, false)
	if len(*said) != 1 || !strings.Contains((*said)[0], path) || !strings.Contains((*said)[0], "moved to damaged.jsonl") {
		t.Errorf("said is %q", *said)
	}
	solveAll(t, r)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if got := content(t, path); got != want {
		t.Errorf("in the end the file is\n%s\nwant\n%s", got, want)
	}
	if aside := content(t, filepath.Join(filepath.Dir(path), record.DamagedFile)); strings.Count(aside, "\n") != len(lines.Damaged) {
		t.Errorf("kept aside is\n%s", aside)
	}
}

// solved returns a file of references and what is in it.
func solved(t *testing.T) (path, text string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "references.jsonl")
	r, _ := opened(t, path, false)
	solveAll(t, r)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return path, content(t, path)
}

func TestFlippedReferences(t *testing.T) {
	t.Parallel()
	path, want := solved(t)
	if n := strings.Count(want, "\n"); n != 4 {
		t.Fatalf("%d references", n)
	}
	rng := rand.New(rand.NewPCG(2, 13))
	for flip := range 200 {
		data := []byte(want)
		at, bit := rng.IntN(len(data)), rng.IntN(8)
		data[at] ^= 1 << bit
		put(t, path, string(data))
		if r, said := opened(t, path, true); len(*said) != 1 || !strings.Contains((*said)[0], "damaged") || len(r.byID) > 3 {
			t.Errorf("byte %d, bit %d: %d references and %q", at, bit, len(r.byID), *said)
		}
		if flip%40 == 0 {
			checkSolvedAgain(t, filepath.Join(t.TempDir(), "references.jsonl"), string(data), want)
		}
	}
}

// change edits the reference of a line by its fields; the checksum follows.
func change(t *testing.T, line string, edit func(map[string]any)) string {
	t.Helper()
	object, err := record.Unseal([]byte(strings.TrimSuffix(line, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(object, &fields); err != nil {
		t.Fatal(err)
	}
	edit(fields)
	if object, err = json.Marshal(fields); err != nil {
		t.Fatal(err)
	}
	return string(record.Seal(object)) + "\n"
}

// Numbers that contradict each other are not believed, whatever the checksum says.
func TestReferencesThatContradictThemselves(t *testing.T) {
	t.Parallel()
	path, want := solved(t)
	times := func(factor float64, names ...string) func(map[string]any) {
		return func(fields map[string]any) {
			for _, name := range names {
				fields[name] = fields[name].(float64) * factor
			}
		}
	}
	// What only their lines have.
	const pca, lambda, classifier, nu = `"eigenvalues"`, `"bias":true`, `"alpha"`, `"given":"nu"`
	for _, test := range []struct {
		name string
		line string
		edit func(map[string]any)
		says string
	}{
		{"primal and dual", lambda, times(0.9, "primal", "dual"), "its primal value is"},
		{"all values", lambda, times(0.9, "primal", "dual", "hinge", "norm"), "its primal value is"},
		{"dual", lambda, times(1-1e-9, "dual"), "its gap is"},
		{"gap", lambda, times(0.5, "gap"), "its gap is"},
		{"nu", nu, times(1+1e-9, "nu"), "its nu is"},
		{"nu and loss", nu, func(f map[string]any) {
			times(1.5, "nu", "hinge")(f)
			more := f["hinge"].(float64) / 3
			f["primal"] = f["primal"].(float64) + more
			f["dual"] = f["primal"].(float64) * (1 - f["gap"].(float64))
		}, ""},
		{"lambda", lambda, func(f map[string]any) { f["value"] = 0.011 }, "and 0.011 was asked for"},
		{"field", lambda, func(f map[string]any) { f["Primal2"] = 1.0 }, "unknown field"},
		{"coefficients", classifier, func(f map[string]any) {
			var alpha Coefficients
			if err := alpha.UnmarshalText([]byte(f["alpha"].(string))); err != nil {
				t.Fatal(err)
			}
			damaged := alpha.Dense()
			for i := range damaged {
				damaged[i] *= 0.999
			}
			f["alpha"] = NewCoefficients(damaged)
		}, "but its coefficients give"},
		{"order", pca, func(f map[string]any) { f["eigenvalues"].([]any)[3] = 1e3 }, "decreasing order"},
		{"sign", pca, func(f map[string]any) { f["eigenvalues"].([]any)[3] = -0.1 }, "negative eigenvalues"},
		{"bound", pca, func(f map[string]any) { f["error_bound"] = 0.1 }, "too large to certify"},
	} {
		lines := strings.SplitAfter(want, "\n")
		at := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, test.line) })
		lines[at] = change(t, lines[at], test.edit)
		put(t, path, strings.Join(lines, ""))
		found, err := soundness(path)
		if err != nil || len(found.Damaged) != 1 || !strings.Contains(found.Damaged[0].Why, test.says) {
			t.Errorf("%s: found is %+v, %v", test.name, found, err)
		}
	}
}

// Eigenvalues that are not those of the matrix at hand are solved again.
func TestReferencesThatContradictTheData(t *testing.T) {
	t.Parallel()
	m := NewMoment(randomMoment(rand.New(rand.NewPCG(1, 1)), 6, 30))
	for _, k := range []int{2, 6} {
		for _, factor := range []float64{0.9, 1.1} {
			path := filepath.Join(t.TempDir(), "references.jsonl")
			r, _ := opened(t, path, false)
			want := *get(t, r, "h", k, m)
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			put(t, path, change(t, content(t, path), func(f map[string]any) {
				for i, v := range f["eigenvalues"].([]any) {
					f["eigenvalues"].([]any)[i] = v.(float64) * factor
				}
			}))
			r, said := opened(t, path, false)
			if len(*said) != 0 {
				t.Fatalf("the file alone shows nothing, and said is %q", *said)
			}
			got, again := get(t, r, "h", k, m), get(t, r, "h", k, m)
			if got.Eigenvalues[0] != want.Eigenvalues[0] || again != got || len(*said) != 1 || !strings.Contains((*said)[0], "the optimum of d, population: its ") {
				t.Errorf("%d eigenvalues times %v: %v, want %v, and said is %q", k, factor, got.Eigenvalues, want.Eigenvalues, *said)
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			if lines, err := soundness(path); err != nil || lines.Count != 1 || len(lines.Damaged) > 0 {
				t.Errorf("in the end: %+v, %v", lines, err)
			}
		}
	}
}

// soundness says how sound the references of a file are.
func soundness(path string) (record.Lines, error) {
	_, lines, err := ReadReferenceLines(path)
	return lines, err
}
