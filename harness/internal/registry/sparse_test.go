package registry

import (
	"fmt"
	"maps"
	"strings"
	"testing"
)

// method is a row of the table with the needs given.
func method(rule biasRule, n SparseNeeds) sparseEntry {
	return sparseEntry{Entry: Entry{ID: "method", Params: params(paramsProblem)}, bias: rule, needs: func(Params) SparseNeeds { return n }}
}

func TestCheckSparse(t *testing.T) {
	posthoc, constructing := SparseNeeds{Reference: true}, SparseNeeds{C: true, Inputs: true}
	for _, test := range []struct {
		name   string
		entry  sparseEntry
		change Params
		want   string
	}{
		{"post hoc", method(eitherBias, posthoc), nil, ""},
		{"nothing to train the reference by", method(eitherBias, posthoc), Params{"C": nil}, "no regularisation is given: give one of C, lambda, nu, R"},
		{"nor C", method(eitherBias, SparseNeeds{C: true}), Params{"C": nil}, "no regularisation is given: give one of C, lambda, nu, R"},
		{"nor nu", method(eitherBias, SparseNeeds{Nu: true}), Params{"C": nil}, "no regularisation is given: give one of C, lambda, nu, R"},
		{"nothing needed", method(withoutBias, SparseNeeds{}), Params{"C": nil}, ""},
		{"two forms", method(eitherBias, posthoc), Params{"nu": 0.1}, "C and nu are given, which are forms of one parameter (C = 1/(lambda n)); remove all but one"},
		{"hard margin", method(eitherBias, posthoc), Params{"C": nil, "nu": 0.0}, "nu = 0 is a hard margin, which no C, lambda or R is; method needs nu > 0"},
		{"hard margin for what takes nu", method(eitherBias, SparseNeeds{Nu: true}), Params{"C": nil, "nu": 0.0}, ""},
		{"no bias of its own", method(withoutBias, SparseNeeds{}), Params{"bias": true}, ""},
		{"always a bias", method(withBias, posthoc), nil, "bias: false, but method always trains with an unregularised bias; set bias: true"},
		{"always a bias, given", method(withBias, posthoc), Params{"bias": true}, ""},
		{"no width", method(eitherBias, posthoc), Params{"sigma2": nil}, "the gaussian kernel exp(-gamma |x-x'|^2) has no width: give sigma2, or gamma = 1/(2 sigma2)"},
		{"vectors", method(withoutBias, constructing), nil, ""},
		{"vectors of another kernel", method(withoutBias, constructing), Params{"kernel": "linear", "sigma2": nil},
			"method works in the input space of the gaussian kernel, and the kernel is linear; set kernel: gaussian, or use a method that sees kernel values only"},
		{"any kernel", method(eitherBias, posthoc), Params{"kernel": "linear", "sigma2": nil}, ""},
	} {
		p := Params{"kernel": "gaussian", "sigma2": 1.0, "C": 1.0, "bias": false}
		for name, v := range test.change {
			if p[name] = v; v == nil {
				delete(p, name)
			}
		}
		before := maps.Clone(p)
		err := test.entry.check(p)
		if got := fmt.Sprint(err); got != test.want && !(err == nil && test.want == "") {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
		if !maps.Equal(p, before) {
			t.Errorf("%s: the check has changed the parameters to %v", test.name, p)
		}
	}
	own := method(eitherBias, SparseNeeds{})
	own.checks = func(p Params) error { return fmt.Errorf("C = %v", p["C"]) }
	if err := own.check(Params{"kernel": "linear", "C": 2.0}); err == nil || err.Error() != "C = 2" {
		t.Errorf("its own check: %v", err)
	}
}

func TestWhatSparseRunsDependOn(t *testing.T) {
	for _, test := range []struct {
		needs     SparseNeeds
		given     string
		converts  bool
		reference bool
	}{
		{SparseNeeds{}, "C", false, false},
		{SparseNeeds{}, "nu", false, false},
		{SparseNeeds{C: true}, "C", false, false},
		{SparseNeeds{C: true}, "lambda", false, false},
		{SparseNeeds{C: true}, "nu", true, true},
		{SparseNeeds{C: true}, "R", true, true},
		{SparseNeeds{Nu: true}, "C", true, true},
		{SparseNeeds{Nu: true}, "nu", false, false},
		{SparseNeeds{R: true}, "C", true, true},
		{SparseNeeds{R: true}, "R", false, false},
		{SparseNeeds{Reference: true}, "C", false, true},
		{SparseNeeds{Reference: true}, "nu", true, true},
	} {
		a, p := method(eitherBias, test.needs), Params{test.given: 1.0}
		if a.converts(p) != test.converts || a.dependsOnReference(p) != test.reference {
			t.Errorf("%+v given %s: converts %v, depends on the reference %v", test.needs, test.given, a.converts(p), a.dependsOnReference(p))
		}
	}
}

// Without a bias and without a reference it makes no difference whether the
// problem has a bias: it is the same run.
func TestBiasOfMethodsWithout(t *testing.T) {
	for _, test := range []struct {
		entry sparseEntry
		want  bool
	}{
		{method(withoutBias, SparseNeeds{}), false},
		{method(withoutBias, SparseNeeds{C: true}), false},
		{method(withoutBias, SparseNeeds{Reference: true}), true},
		{method(withoutBias, SparseNeeds{Nu: true}), true},
		{method(eitherBias, SparseNeeds{}), true},
	} {
		p := Params{"kernel": "linear", "C": 1.0, "bias": true}
		if test.entry.resolved(p); p.Bool("bias") != test.want {
			t.Errorf("%+v: bias is %v", test.entry.needed(p), p["bias"])
		}
	}
	table := documented([]sparseEntry{method(withoutBias, SparseNeeds{}), method(eitherBias, SparseNeeds{})})
	for i, want := range []bool{true, false} {
		for _, p := range table[i].Params {
			if p.Name == "bias" && strings.Contains(p.Doc, "this method's classifier has none") != want {
				t.Errorf("method %d: %s", i, p.Doc)
			}
		}
	}
	for _, p := range paramsProblem {
		if strings.Contains(p.Doc, "this method") {
			t.Errorf("the shared %s is changed: %s", p.Name, p.Doc)
		}
	}
}

func TestSparseTable(t *testing.T) {
	for _, e := range Algorithms(TaskSparse) {
		if e.Title == "" || e.Source == "" || e.Version < 1 || e.Task != TaskSparse {
			t.Errorf("%s: entry %+v is incomplete", e.ID, e)
		}
		a, ok := findSparse(e.ID)
		if !ok || a.new == nil {
			t.Errorf("%s cannot be constructed", e.ID)
		}
		for _, p := range e.Params {
			if p.Doc == "" || p.Kind == "" {
				t.Errorf("%s: parameter %s has no kind or no doc", e.ID, p.Name)
			}
		}
		for _, p := range paramsProblem {
			if _, ok := find(TaskSparse, e.ID); !ok || !hasParam(e, p.Name) {
				t.Errorf("%s has no parameter %s: it could not share a dataset with the others", e.ID, p.Name)
			}
		}
	}
}

func hasParam(e Entry, name string) bool {
	for _, p := range e.Params {
		if p.Name == name {
			return true
		}
	}
	return false
}

func TestCheckTrainRows(t *testing.T) {
	for _, test := range []struct {
		task, id string
		p        Params
		want     string
	}{
		{TaskSparse, "sparsify", Params{"support": int64(40)}, ""},
		{TaskSparse, "sparsify", Params{"support": int64(41)}, "support = 41 is more than the 40 training points; lower it"},
		{TaskSparse, "spsvm", Params{"support": int64(1024)}, ""}, // its default
		{TaskSparse, "spsvm", Params{"support": int64(1025)}, "support = 1025 is more than the 40 training points; lower it"},
		{TaskSparse, "cpsp", Params{"basis": int64(64)}, "basis = 64 is more than the 40 training points; lower it"},
		{TaskSparse, "rsvm", Params{"ratio": 1.0}, ""},
		{TaskSVM, "sparsify", Params{"support": int64(41)}, ""},
	} {
		if err := CheckTrainRows(test.task, test.id, test.p, 40); fmt.Sprint(err) != test.want && !(err == nil && test.want == "") {
			t.Errorf("%s %v: %v, want %q", test.id, test.p, err, test.want)
		}
	}
}

func TestUnknownSparseMethods(t *testing.T) {
	if NeedsOfSparse("sparsity", nil) != (SparseNeeds{}) || DemandsOf(TaskSparse, "sparsity", nil).Kernel || MemoryOf(TaskSparse, "sparsity", nil, Shape{1, 1, 1}) != 0 {
		t.Error("an unknown method needs something")
	}
	if _, err := NewSparse("sparsity", SparseEnv{}, nil); err == nil || err.Error() != `unknown algorithm "sparsity"` {
		t.Errorf("error %v", err)
	}
}
