package registry

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"stochopt/harness/internal/spec"
)

// row is one of the table with the needs given.
func row(rule biasRule, n Needs) Algorithm {
	described := spec.Algorithm{ID: "method", Task: TaskSparse, Params: params(paramsProblem)}
	return Algorithm{Algorithm: described, bias: rule, needs: func(Params) Needs { return n }}
}

func TestCheckSparse(t *testing.T) {
	t.Parallel()
	posthoc, constructing := Needs{Reference: true}, Needs{Lambda: true, Inputs: true}
	for _, test := range []struct {
		name   string
		entry  Algorithm
		change Params
		want   string
	}{
		{"post hoc", row(eitherBias, posthoc), nil, ""},
		{"nothing to train the reference by", row(eitherBias, posthoc), Params{"C": nil}, "no regularisation is given: give one of C, lambda, nu, R"},
		{"nor C", row(eitherBias, Needs{Lambda: true}), Params{"C": nil}, "no regularisation is given: give one of C, lambda, nu, R"},
		{"nor nu", row(eitherBias, Needs{Nu: true}), Params{"C": nil}, "no regularisation is given: give one of C, lambda, nu, R"},
		{"nothing needed", row(ignoresBias, Needs{}), Params{"C": nil}, ""},
		{"two forms", row(eitherBias, posthoc), Params{"nu": 0.1}, "C and nu are forms of one parameter (C = 1/(lambda n)); give only one"},
		{"hard margin", row(eitherBias, posthoc), Params{"C": nil, "nu": 0.0}, "nu = 0 is a hard margin, which no C, lambda or R gives; method needs nu > 0"},
		{"hard margin for what takes nu", row(eitherBias, Needs{Nu: true}), Params{"C": nil, "nu": 0.0}, ""},
		{"no bias of its own", row(ignoresBias, Needs{}), Params{"bias": true}, ""},
		{"always a bias", row(withBias, posthoc), nil, "bias: false, but method always trains with an unregularised bias; set bias: true"},
		{"always a bias, given", row(withBias, posthoc), Params{"bias": true}, ""},
		{"no width", row(eitherBias, posthoc), Params{"sigma2": nil}, "the gaussian kernel exp(-gamma |x-x'|^2) has no width: give sigma2, or gamma = 1/(2 sigma2)"},
		{"vectors", row(ignoresBias, constructing), nil, ""},
		{"vectors of another kernel", row(ignoresBias, constructing), Params{"kernel": "linear", "sigma2": nil},
			"method works in the input space of the gaussian kernel, and the kernel is linear; set kernel: gaussian, or use a method that sees kernel values only"},
		{"any kernel", row(eitherBias, posthoc), Params{"kernel": "linear", "sigma2": nil}, ""},
	} {
		p := Params{"kernel": "gaussian", "sigma2": 1.0, "C": 1.0, "bias": false}
		for name, v := range test.change {
			if p[name] = v; v == nil {
				delete(p, name)
			}
		}
		before := maps.Clone(p)
		err := test.entry.checked(p)
		if got := fmt.Sprint(err); got != test.want && !(err == nil && test.want == "") {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
		if !maps.Equal(p, before) {
			t.Errorf("%s: the check has changed the parameters to %v", test.name, p)
		}
	}
	own := row(eitherBias, Needs{})
	own.check = func(p Params) error { return fmt.Errorf("C = %v", p["C"]) }
	if err := own.checked(Params{"kernel": "linear", "C": 2.0}); err == nil || err.Error() != "C = 2" {
		t.Errorf("its own check: %v", err)
	}
}

func TestWhatSparseRunsDependOn(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		needs     Needs
		given     string
		converts  bool
		reference bool
	}{
		{Needs{}, "C", false, false},
		{Needs{}, "nu", false, false},
		{Needs{Lambda: true}, "C", false, false},
		{Needs{Lambda: true}, "lambda", false, false},
		{Needs{Lambda: true}, "nu", true, true},
		{Needs{Lambda: true}, "R", true, true},
		{Needs{Nu: true}, "C", true, true},
		{Needs{Nu: true}, "nu", false, false},
		{Needs{R: true}, "C", true, true},
		{Needs{R: true}, "R", false, false},
		{Needs{Reference: true}, "C", false, true},
		{Needs{Reference: true}, "nu", true, true},
	} {
		a, p := row(eitherBias, test.needs), Params{test.given: 1.0}
		if a.Converts(p) != test.converts || a.DependsOnReference(p) != test.reference {
			t.Errorf("%+v given %s: converts %v, depends on the reference %v", test.needs, test.given, a.Converts(p), a.DependsOnReference(p))
		}
	}
}

// Without a bias and without a reference it makes no difference whether the
// problem has a bias: it is the same run.
func TestBiasOfMethodsWithout(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		entry Algorithm
		want  bool
	}{
		{row(ignoresBias, Needs{}), false},
		{row(ignoresBias, Needs{Lambda: true}), false},
		{row(ignoresBias, Needs{Reference: true}), true},
		{row(ignoresBias, Needs{Nu: true}), true},
		{row(eitherBias, Needs{}), true},
	} {
		p := Params{"kernel": "linear", "C": 1.0, "bias": true}
		if p = test.entry.Resolve(p); p.Bool("bias") != test.want {
			t.Errorf("%+v: bias is %v", test.entry.Needs(p), p["bias"])
		}
	}
	for _, m := range sparseTable {
		if m.bias == withoutBias {
			t.Errorf("%s cannot share a problem that has a bias with the others", m.ID)
		}
	}
	for _, p := range paramsProblem {
		if strings.Contains(p.Doc, "this method") {
			t.Errorf("the shared %s is changed: %s", p.Name, p.Doc)
		}
	}
}

func TestSparseTable(t *testing.T) {
	t.Parallel()
	for _, e := range Algorithms(TaskSparse) {
		if e.Title == "" || e.Source == "" || e.Version < 1 || e.Task != TaskSparse {
			t.Errorf("%s: entry %+v is incomplete", e.ID, e)
		}
		a := of(TaskSparse, e.ID)
		if a.sparse == nil {
			t.Errorf("%s cannot be constructed", e.ID)
		}
		for _, p := range e.Params {
			if p.Doc == "" || p.Kind == "" {
				t.Errorf("%s: parameter %s has no kind or no doc", e.ID, p.Name)
			}
		}
		for _, p := range paramsProblem {
			if !hasParam(e, p.Name) {
				t.Errorf("%s has no parameter %s: it could not share a dataset with the others", e.ID, p.Name)
			}
		}
	}
}

func hasParam(e spec.Algorithm, name string) bool {
	for _, p := range e.Params {
		if p.Name == name {
			return true
		}
	}
	return false
}

func TestCheckTrainRows(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		task, id string
		p        Params
		want     string
	}{
		{TaskSparse, "spsvm", Params{"support": int64(40)}, ""},
		{TaskSparse, "spsvm", Params{"support": int64(41)}, "support = 41 is more than the 40 training points; lower it"},
		{TaskSparse, "spsvm", Params{"support": int64(1024)}, ""}, // its default
		{TaskSparse, "spsvm", Params{"support": int64(1025)}, "support = 1025 is more than the 40 training points; lower it"},
		{TaskSparse, "cpsp", Params{"basis": int64(64)}, "basis = 64 is more than the 40 training points; lower it"},
		{TaskSparse, "rsvm", Params{"ratio": 1.0}, ""},
	} {
		if err := of(test.task, test.id).CheckTrainRows(test.p, 40); fmt.Sprint(err) != test.want && !(err == nil && test.want == "") {
			t.Errorf("%s %v: %v, want %q", test.id, test.p, err, test.want)
		}
	}
}

func TestUnknownSparseMethods(t *testing.T) {
	t.Parallel()
	if _, err := Lookup(TaskSparse, "sparsity"); err == nil || err.Error() != `unknown algorithm "sparsity"` {
		t.Errorf("error %v", err)
	}
}
