package objective

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"stochopt/internal/record"
)

// memory is an in-memory Store.
type memory map[string][]byte

func (m memory) Optima() map[string][]byte { return maps.Clone(m) }

func (m memory) AddOptimum(o record.Optimum) error {
	m[o.ID] = o.Data
	return nil
}

func (m memory) String() string {
	var text strings.Builder
	for _, id := range slices.Sorted(maps.Keys(m)) {
		fmt.Fprintf(&text, "%s: %s\n", id, m[id])
	}
	return text.String()
}

func TestReferencesAreSolvedOnceAndKept(t *testing.T) {
	t.Parallel()
	store := memory{}
	m := NewMoment(randomMoment(rand.New(rand.NewPCG(1, 1)), 6, 30))
	problem := Solved{Dataset: "d", DatasetHash: "sha256:1", Split: "test 0.4", Repeat: 2, Seed: 7}

	refs := NewReferences(store, nil)
	first, err := refs.Get(problem, 3, m)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := refs.Get(problem, 2, nil); again != first || refs.Added() != 1 {
		t.Error("the same problem was solved twice")
	}
	refs = NewReferences(store, nil)
	kept, err := refs.Get(problem, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := first.Value(3)
	if b, ok := kept.Value(3); !ok || a != b {
		t.Errorf("stored optimum reads back as %v, want %v", b, a)
	}
	if _, ok := kept.Value(4); ok {
		t.Error("a reference with three eigenvalues returns a rank-4 optimum")
	}
	// If more eigenvalues are needed than stored, the optimum is solved again and replaced. Fewer
	// eigenvalues do not replace more.
	if _, err := refs.Get(problem, 5, m); err != nil {
		t.Fatal(err)
	}
	if err := refs.add(first); err != nil {
		t.Fatal(err)
	}
	const id = `sha256:1, split "test 0.4", repeat 2, seed 7, protocol 0`
	o, err := ParseOptimum(id, store[id])
	if err != nil || len(store) != 1 {
		t.Fatalf("%v:\n%s", err, store)
	}
	of := o.Problem()
	if len(o.(*Reference).Eigenvalues) != 5 || *of != problem || of.Description() != "d, test 0.4, repeat 2" {
		t.Errorf("stored is %+v", o)
	}
}

func TestReferencesAreSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	m := NewMoment(randomMoment(rand.New(rand.NewPCG(1, 1)), 6, 30))
	store := memory{}
	r := NewReferences(store, nil)
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			ref, err := r.Get(Solved{DatasetHash: fmt.Sprint("h", i%5), Split: "s"}, 1+i%4, m)
			if err != nil {
				t.Error(err)
				return
			}
			if _, ok := ref.Value(1 + i%4); !ok {
				t.Errorf("the reference does not have the rank-%d optimum", 1+i%4)
			}
		})
	}
	wg.Wait()
	if len(store) != 5 {
		t.Errorf("%d references are stored, want 5", len(store))
	}
}

type fullStore struct{ memory }

var errFull = errors.New("no space left on device")

func (fullStore) AddOptimum(record.Optimum) error { return errFull }

func TestReferencesThatCannotBeStored(t *testing.T) {
	t.Parallel()
	m := NewMoment(randomMoment(rand.New(rand.NewPCG(1, 1)), 6, 30))
	if _, err := NewReferences(fullStore{}, nil).Get(Solved{DatasetHash: "h"}, 1, m); !errors.Is(err, errFull) {
		t.Errorf("error is %v", err)
	}
}

// solveAll requests an optimum of each kind: PCA, an SVM given lambda, an SVM given nu, a classifier.
func solveAll(t testing.TB, r *References) {
	t.Helper()
	moment := NewMoment(randomMoment(rand.New(rand.NewPCG(1, 1)), 6, 30))
	if _, err := r.Get(Solved{Dataset: "d", DatasetHash: "h", Split: "population", Repeat: -1}, 4, moment); err != nil {
		t.Fatal(err)
	}
	classifier := wantSVM("lambda", 0.02, false)
	classifier.Within = 1e-4
	for _, want := range []SVMReference{wantSVM("lambda", 0.01, true), wantSVM("nu", 0.3, false), classifier} {
		if _, err := r.GetSVM(context.Background(), want, cloud(4, 40, 5, 1), nil); err != nil {
			t.Fatal(err)
		}
	}
}

func solved(t testing.TB) memory {
	t.Helper()
	store := memory{}
	solveAll(t, NewReferences(store, nil))
	if len(store) != 4 {
		t.Fatalf("%d optima:\n%s", len(store), store)
	}
	return store
}

// A damaged optimum is reported, and solving it again gives the same bytes.
func TestDamagedReferences(t *testing.T) {
	t.Parallel()
	want := solved(t)
	for id := range want {
		for _, damaged := range []string{"", "{", "null", `{"dataset":"d"}`, string(want[id][:len(want[id])-30]), strings.Replace(string(want[id]), `"h"`, `"g"`, 1)} {
			store := memory(want.Optima())
			store[id] = []byte(damaged)
			var warnings []string
			r := NewReferences(store, func(text string) { warnings = append(warnings, text) })
			if len(warnings) != 1 || len(r.byID) != 3 || r.byID[id] != nil {
				t.Errorf("%q: %d optima are used, warnings %q", damaged, len(r.byID), warnings)
			}
			if damaged == "{" {
				solveAll(t, r)
				if store.String() != want.String() || r.Added() != 1 {
					t.Errorf("%q: after %d were solved the optima are\n%s\nwant\n%s", damaged, r.Added(), store, want)
				}
			}
		}
	}
}

// change edits an optimum by its fields.
func change(t *testing.T, data []byte, edit func(map[string]any)) []byte {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal(data, &fields); err != nil {
		t.Fatal(err)
	}
	edit(fields)
	data, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// An optimum with inconsistent numbers is rejected.
func TestReferencesThatContradictThemselves(t *testing.T) {
	t.Parallel()
	store := solved(t)
	times := func(factor float64, names ...string) func(map[string]any) {
		return func(fields map[string]any) {
			for _, name := range names {
				fields[name] = fields[name].(float64) * factor
			}
		}
	}
	// Text that occurs in only one of the optima.
	const pca, lambda, classifier, nu = `"eigenvalues"`, `"bias":true`, `"alpha"`, `"given":"nu"`
	for _, test := range []struct {
		name string
		has  string
		edit func(map[string]any)
	}{
		{"primal and dual", lambda, times(0.9, "primal", "dual")},
		{"all values", lambda, times(0.9, "primal", "dual", "hinge", "norm")},
		{"dual", lambda, times(1-1e-5, "dual")},
		{"nu", nu, func(f map[string]any) {
			times(1.5, "hinge")(f)
			more := f["hinge"].(float64) / 3
			f["primal"] = f["primal"].(float64) + more
			f["dual"] = f["primal"].(float64) * (1 - 1e-7)
		}},
		{"lambda", lambda, func(f map[string]any) { f["value"] = 0.011 }},
		{"field", lambda, func(f map[string]any) { f["Primal2"] = 1.0 }},
		{"coefficients", classifier, func(f map[string]any) {
			for i, a := range f["alpha"].([]any) {
				f["alpha"].([]any)[i] = a.(float64) * 0.999
			}
		}},
		{"no coefficients", classifier, func(f map[string]any) { delete(f, "alpha") }},
		{"unexpected coefficients", lambda, func(f map[string]any) { f["alpha"] = []any{1.0} }},
		{"gap of a classifier", classifier, times(1-1e-3, "dual")},
		{"order", pca, func(f map[string]any) { f["eigenvalues"].([]any)[3] = 1e3 }},
		{"sign", pca, func(f map[string]any) { f["eigenvalues"].([]any)[3] = -0.1 }},
		{"bound", pca, func(f map[string]any) { f["error_bound"] = 0.1 }},
	} {
		for id, data := range store {
			if !bytes.Contains(data, []byte(test.has)) {
				continue
			}
			if _, err := ParseOptimum(id, data); err != nil {
				t.Fatal(err)
			}
			if o, err := ParseOptimum(id, change(t, data, test.edit)); err == nil {
				t.Errorf("%s: accepted as %+v", test.name, o)
			}
		}
	}
}

// For any stored data, an optimum is either consistent or reported.
func FuzzReferences(f *testing.F) {
	for id, data := range solved(f) {
		f.Add(id, data)
		f.Add(id, data[:len(data)-30])
		f.Add(id, bytes.Replace(data, []byte("0."), []byte("1."), 3))
	}
	f.Add("x", []byte(`{"kernel":"x","primal":1,"dual":0.9}`))
	f.Add("", []byte("null"))
	f.Fuzz(func(t *testing.T, id string, data []byte) {
		warnings := 0
		r := NewReferences(memory{id: data}, func(string) { warnings++ })
		if len(r.byID)+warnings != 1 {
			t.Fatalf("%d optima and %d warnings", len(r.byID), warnings)
		}
		for known, ref := range r.byID {
			if err := ref.check(); err != nil || known != id || id != ref.id() {
				t.Fatalf("%q is accepted: %v", id, err)
			}
		}
	})
}
