package registry

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/pca"
	"stochopt/datasets"
	"stochopt/harness/internal/spec"

	"gonum.org/v1/gonum/mat"
)

// variances have an eigengap after the second.
var variances = []float64{0.5, 0.25, 0.06, 0.05, 0.04, 0.03}

// gaussian streams samples of a small Gaussian.
type gaussian struct {
	dist datasets.Distribution
	rng  *rand.Rand
	x    []float64
}

func newGaussian(t *testing.T) *gaussian {
	t.Helper()
	dist := datasets.NewGaussian(variances)
	return &gaussian{dist, rand.New(rand.NewPCG(1, 2)), make([]float64, 6)}
}

func (g *gaussian) Dim() int { return 6 }
func (g *gaussian) Next() ([]float64, bool) {
	g.dist.Sample(g.x, g.rng)
	return g.x, true
}

func env(t *testing.T) Env {
	seeds := map[string]uint64{roleInit: 3, roleOutput: 5}
	return Env{Source: newGaussian(t), Horizon: 60, Rand: func(role string) *rand.Rand {
		return rand.New(rand.NewPCG(seeds[role], seeds[role]+1))
	}}
}

// defaults returns the parameters of an entry as a spec that gives k and c
// resolves them.
func defaults(e spec.Algorithm) Params {
	p := Params{"k": int64(2)}
	for _, q := range e.Params {
		switch {
		case q.Name == "step.c":
			p["step.c"] = 0.5
		case q.Default != nil:
			p[q.Name] = q.Default
		}
	}
	return p
}

// variants returns the defaults, and for each choice of each parameter the
// defaults with that one changed.
func variants(e spec.Algorithm) []Params {
	out := []Params{defaults(e)}
	for _, q := range e.Params {
		for _, c := range q.Choices {
			p := defaults(e)
			p[q.Name] = c
			out = append(out, p)
		}
	}
	return out
}

func final(t *testing.T, id string, p Params) (pca.State, algorithms.Cost) {
	t.Helper()
	l, err := NewPCA(of(TaskPCA, id), env(t), p)
	if err != nil {
		t.Fatalf("%s %v: %v", id, p, err)
	}
	if d, k := l.Dims(); d != 6 || k != 2 {
		t.Fatalf("%s %v: dimensions %d and %d, want 6 and 2", id, p, d, k)
	}
	for i := range 60 {
		if s := l.Step(); s.Stop() {
			t.Fatalf("%s %v: step %d: %v", id, p, i, s)
		}
	}
	var s pca.State
	l.StateTo(&s)
	return s, l.Cost()
}

// Every entry of the table works with its defaults and with every choice of
// every parameter, does not change the parameters, and finds the subspace.
func TestEveryEntryConstructsAndSteps(t *testing.T) {
	t.Parallel()
	for _, e := range Algorithms(TaskPCA) {
		for _, p := range variants(e) {
			if err := check(TaskPCA, e.ID, p); err != nil {
				t.Errorf("%s %v: %v", e.ID, p, err)
				continue
			}
			before := fmt.Sprint(p)
			state, cost := final(t, e.ID, p)
			if fmt.Sprint(p) != before {
				t.Errorf("%s changed its parameters to %v", e.ID, p)
			}
			if cost.Iterations != 60 {
				t.Errorf("%s %v: %d iterations counted, want 60", e.ID, p, cost.Iterations)
			}
			top := state.TopK(2)
			var captured float64
			for i, v := range variances {
				for j := range 2 {
					captured += v * top.At(i, j) * top.At(i, j)
				}
			}
			// Of at most 0.75; a random subspace captures 0.31 on average. A
			// sampled iterate may be an early one, a decomposition is random.
			least := 0.45
			if p.Text("iterate") == "sample" || p.Text("unrelax") == "decompose" {
				least = 0.1
			}
			if captured < least || captured > 0.75+1e-9 {
				t.Errorf("%s %v: captures %v of 0.75 after 60 steps", e.ID, p, captured)
			}
		}
	}
}

// A parameter that a spec can set must do something: each choice that is not
// the default gives other iterates, unless its doc says that it does not.
func TestChoicesReachTheAlgorithm(t *testing.T) {
	t.Parallel()
	for _, e := range Algorithms(TaskPCA) {
		base, _ := final(t, e.ID, defaults(e))
		for _, q := range e.Params {
			for _, c := range q.Choices {
				if c == q.Default || q.Name == "form" || q.Name == "start" && q.Default == nil {
					continue
				}
				p := defaults(e)
				p[q.Name] = c
				s, _ := final(t, e.ID, p)
				if same(base, s) {
					t.Errorf("%s: %s = %s changes nothing", e.ID, q.Name, c)
				}
			}
		}
	}
	// The naive form is the same algorithm.
	e := of(TaskPCA, "warmuth-kuzmin").Algorithm
	p := defaults(e)
	efficient, _ := final(t, "warmuth-kuzmin", p)
	p["form"] = "naive"
	naive, _ := final(t, "warmuth-kuzmin", p)
	var pa, pb, diff mat.Dense
	a, b := efficient.TopK(2), naive.TopK(2)
	pa.Mul(a, a.T())
	pb.Mul(b, b.T())
	if diff.Sub(&pa, &pb); mat.Norm(&diff, 2) > 1e-6 {
		t.Errorf("the forms of warmuth-kuzmin differ by %v", mat.Norm(&diff, 2))
	}
}

func same(a, b pca.State) bool {
	if a.U == nil || b.U == nil {
		return a.U == b.U && slices.Equal(a.Sigma, b.Sigma)
	}
	return mat.Equal(a.U, b.U) && slices.Equal(a.Sigma, b.Sigma) && a.Bulk == b.Bulk
}

// The numbers that a spec sets reach the algorithm, too.
func TestNumbersReachTheAlgorithm(t *testing.T) {
	t.Parallel()
	capped := func(change Params) int {
		e := of(TaskPCA, "capped-msg").Algorithm
		p := defaults(e)
		p["step.c"] = 0.05
		for name, v := range change {
			p[name] = v
		}
		l, err := NewPCA(of(TaskPCA, "capped-msg"), env(t), p)
		if err != nil {
			t.Fatal(err)
		}
		most := 0
		for range 200 {
			if s := l.Step(); s.Stop() {
				t.Fatal(s)
			}
			most = max(most, l.Rank())
		}
		return most
	}
	if got := capped(nil); got != 3 {
		t.Errorf("without a cap the rank reaches %d, want k+1 = 3", got)
	}
	if got := capped(Params{"cap": int64(5)}); got != 5 {
		t.Errorf("with cap 5 the rank reaches %d", got)
	}
	if got := capped(Params{"cap": int64(2)}); got != 2 {
		t.Errorf("with cap 2 the rank reaches %d", got)
	}
	e := of(TaskPCA, "msg").Algorithm
	p := defaults(e)
	one, _ := final(t, "msg", p)
	p["step.c"] = 0.25
	if two, _ := final(t, "msg", p); same(one, two) {
		t.Error("step.c changes nothing")
	}
	// The theory's step takes the horizon, and c as a factor.
	p["step.schedule"] = "theory"
	delete(p, "step.c")
	plain, _ := final(t, "msg", p)
	p["step.c"] = 1.0
	if scaled, _ := final(t, "msg", p); !same(plain, scaled) {
		t.Error("c = 1 is not the theory's own step size")
	}
	p["step.c"] = 2.0
	if scaled, _ := final(t, "msg", p); same(plain, scaled) {
		t.Error("c is no factor of the theory's step size")
	}
	other := env(t)
	other.Horizon = 6000
	s, err := other.schedule(Params{"step.schedule": "theory", "k": int64(2)}, msgTheory)
	if err != nil {
		t.Fatal(err)
	}
	// 2 sqrt(k/T).
	if got, want := s.At(1), 2/54.772255750516614; got < want-1e-15 || got > want+1e-15 {
		t.Errorf("the theory's step is %v, want %v", got, want)
	}
}

func TestSchedules(t *testing.T) {
	t.Parallel()
	for schedule, want := range map[string]float64{"inverse-sqrt": 0.25, "inverse": 0.125, "constant": 0.5} {
		s, err := env(t).schedule(Params{"step.schedule": schedule, "step.c": 0.5}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.At(4); got != want {
			t.Errorf("%s: eta_4 = %v, want %v", schedule, got, want)
		}
	}
}

func TestEntriesAreDocumented(t *testing.T) {
	t.Parallel()
	ids := make(map[string]bool)
	for _, e := range Algorithms(TaskPCA) {
		if ids[e.ID] || e.ID == "" {
			t.Errorf("the id %q is used twice", e.ID)
		}
		ids[e.ID] = true
		if e.Title == "" || e.Source == "" || e.Version < 1 || e.Task != TaskPCA {
			t.Errorf("the entry %+v is incomplete", e)
		}
		checkParams(t, e.ID, e.Params)
		if k := e.Params[0]; k.Name != "k" || !k.Required {
			t.Errorf("%s: the first parameter is %q, want k", e.ID, k.Name)
		}
		var theory bool
		for _, p := range e.Params {
			theory = theory || p.Name == "step.schedule" && slices.Contains(p.Choices, "theory")
		}
		i := slices.IndexFunc(pcaTable, func(a Algorithm) bool { return a.ID == e.ID })
		if theory != (pcaTable[i].theory != nil) {
			t.Errorf("%s: offers the theory's schedule: %v, has one: %v", e.ID, theory, !theory)
		}
	}
	for _, id := range []string{"saa", "power", "gha", "incremental", "warmuth-kuzmin", "msg", "capped-msg", "grouse"} {
		if !ids[id] {
			t.Errorf("%s is missing", id)
		}
	}
}

func checkParams(t *testing.T, owner string, params []spec.Param) {
	t.Helper()
	names := make(map[string]bool)
	for _, p := range params {
		if names[p.Name] {
			t.Errorf("%s has the parameter %s twice", owner, p.Name)
		}
		names[p.Name] = true
		if p.Doc == "" || !slices.Contains([]string{"int", "float", "string", "bool"}, p.Kind) {
			t.Errorf("%s: the parameter %+v is not documented", owner, p)
		}
		if p.Default != nil {
			if v, err := p.Coerce(p.Default); err != nil || v != p.Default {
				t.Errorf("%s: the default %v of %s is %v, %v as a %s", owner, p.Default, p.Name, v, err, p.Kind)
			}
		}
		if p.Required && p.Default != nil || len(p.Choices) > 0 && p.Kind != "string" {
			t.Errorf("%s: the parameter %+v contradicts itself", owner, p)
		}
	}
}

func TestUnknownNames(t *testing.T) {
	t.Parallel()
	if _, err := Lookup(TaskPCA, "mgs"); err == nil {
		t.Error("mgs is known")
	}
	if _, err := Lookup(TaskSVM, "msg"); err == nil {
		t.Error("msg is known for the task svm")
	}
	if got := Algorithms("svn"); len(got) != 0 {
		t.Errorf("the task svn has %v", got)
	}
	if got := Catalog().Task("svn").Metrics; len(got) != 0 {
		t.Errorf("the task svn measures %v", got)
	}
	if _, err := Lookup(TaskPCA, "mgs"); err == nil || err.Error() != `unknown algorithm "mgs"` {
		t.Errorf("error is %v", err)
	}
}

// of returns an algorithm that there is.
func of(task, id string) *Algorithm {
	a, err := Lookup(task, id)
	if err != nil {
		panic(err)
	}
	return a
}

// check is the catalog's, of an algorithm that there is.
func check(task, id string, p Params) error { return Catalog().Task(task).Algorithm(id).Check(p) }

// Constructors refuse what the catalog cannot know, and say so.
func TestConstructorsRefuse(t *testing.T) {
	t.Parallel()
	for _, e := range Algorithms(TaskPCA) {
		p := defaults(e)
		p["k"] = int64(6)
		if l, err := NewPCA(of(TaskPCA, e.ID), env(t), p); err == nil || l != nil {
			t.Errorf("%s accepts k = d", e.ID)
		}
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		id     string
		params Params
		want   string
	}{
		{"incremental", Params{"k": int64(2)}, ""},
		{"capped-msg", Params{"k": int64(2), "cap": int64(1), "step.schedule": "constant", "step.c": 1.0}, "cap = 1 is less than k = 2: the iterates need at least k directions"},
		{"capped-msg", Params{"k": int64(2), "cap": int64(2), "step.schedule": "constant", "step.c": 1.0}, ""},
		{"capped-msg", Params{"k": int64(2), "cap": int64(2), "start": "random-subspace", "step.schedule": "constant", "step.c": 1.0}, ""},
		{"capped-msg", Params{"k": int64(2), "cap": int64(2), "start": "random-low-rank"}, "cap = 2 is less than the k+1 = 3 directions of start: random-low-rank; raise cap or use start: random-subspace"},
		{"capped-msg", Params{"k": int64(2), "cap": int64(3), "start": "random-low-rank", "step.schedule": "theory"}, ""},
		{"msg", Params{"k": int64(2), "step.schedule": "inverse"}, "step.c is missing: give the constant of the inverse schedule"},
		{"msg", Params{"k": int64(2), "step.schedule": "theory"}, ""},
		{"msg", Params{"k": int64(2), "step.schedule": "theory", "step.c": 0.0}, "step.c = 0: the step size must be positive"},
		{"msg", Params{"k": int64(2), "step.schedule": "inverse", "step.c": int64(2)}, ""},
	} {
		err := check(TaskPCA, test.id, test.params)
		if got := fmt.Sprint(err); got != test.want && !(err == nil && test.want == "") {
			t.Errorf("Check(%s, %v) = %v, want %q", test.id, test.params, err, test.want)
		}
	}
}

// What the catalog says of data is what package datasets does.
func TestSourceParamsAgreeWithDatasets(t *testing.T) {
	t.Parallel()
	catalog := Catalog()
	names := func(params []spec.Param) []string {
		var out []string
		for _, p := range params {
			out = append(out, p.Name)
		}
		return out
	}
	for _, g := range datasets.Generators() {
		params := catalog.SourceParams(g.Name)
		checkParams(t, g.Name, params)
		if got := names(params); !slices.Equal(got, g.Params) {
			t.Errorf("%s takes %v, the catalog says %v", g.Name, g.Params, got)
		}
	}
	for _, s := range catalog.Sources {
		source, with := s.Name, make(map[string]any)
		for _, p := range catalog.SourceParams(source) {
			if p.Required {
				with[p.Name] = int64(2)
			}
		}
		if err := (datasets.Ref{Source: source, With: with}).Check(); err != nil {
			t.Errorf("%s with the required parameters: %v", source, err)
		}
		// A parameter that the catalog does not list is refused.
		with["no-such"] = int64(1)
		if err := (datasets.Ref{Source: source, With: with}).Check(); err == nil {
			t.Errorf("%s accepts the parameter no-such", source)
		}
	}
	for _, source := range []string{"simulated-gaussian", "simulated-orthogonal"} {
		i := slices.IndexFunc(catalog.SourceParams(source), func(p spec.Param) bool { return p.Name == "reading" })
		for _, r := range catalog.SourceParams(source)[i].Choices {
			if err := (datasets.Ref{Source: source, With: map[string]any{"gap": int64(2), "reading": r}}).Check(); err != nil {
				t.Errorf("%s: reading %s: %v", source, r, err)
			}
		}
	}
	for _, e := range datasets.List() {
		params := catalog.SourceParams(e.Name)
		checkParams(t, e.Name, params)
		if got := names(params); !slices.Equal(got, []string{"part", "variant"}) {
			t.Errorf("%s: the catalog says %v", e.Name, got)
		}
		for _, v := range e.Variants {
			for _, part := range v.Parts {
				if err := (datasets.Ref{Source: e.Name, With: map[string]any{"part": part.Name, "variant": v.Name}}).Check(); err != nil {
					t.Errorf("%s: %v", e.Name, err)
				}
			}
		}
	}
	for format, with := range map[string]map[string]any{
		"libsvm": {}, "csv": {"header": true, "delimiter": ";", "decimal": ",", "ignore": "1", "missing": "skip"}, "idx": {"labels": "y.idx", "test_labels": "z.idx"}, "npy": {"labels": "y.npy", "test_labels": "z.npy"},
	} {
		params := catalog.SourceParams(format)
		checkParams(t, format, params)
		for _, p := range params {
			v, ok := with[p.Name]
			if !ok {
				t.Errorf("%s: the catalog has the parameter %s, of which this test knows nothing", format, p.Name)
			} else if _, err := p.Coerce(v); err != nil {
				t.Errorf("%s: %s = %v: %v", format, p.Name, v, err)
			}
		}
		if len(params) != len(with) {
			t.Errorf("%s: the catalog says %v, want %v", format, names(params), with)
		}
		if err := (datasets.Ref{Path: "x", Test: "z", Format: format, With: with}).Check(); err != nil {
			t.Errorf("%s: %v", format, err)
		}
	}
	var preparations []string
	for _, p := range datasets.Preparations() {
		preparations = append(preparations, p.Name)
	}
	if got := catalog.Prepares; !slices.Equal(got, preparations) || len(got) == 0 {
		t.Errorf("the catalog prepares %v, package datasets %v", got, preparations)
	}
}

func TestOpenOfOwnFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	_, err := Open(context.Background(), &spec.DatasetEntry{ID: "x", Path: "x.csv", Format: "csv"}, datasets.Options{})
	if want := "open x.csv: no such file or directory; paths in a spec are relative to the working directory"; err == nil || err.Error() != want {
		t.Errorf("error is %v, want %s", err, want)
	}
}

func TestParams(t *testing.T) {
	t.Parallel()
	p := Params{"i": int64(3), "f": 1.5, "s": "x"}
	if p.Int("i") != 3 || p.Int("f") != 0 || p.Int("none") != 0 {
		t.Error("Int")
	}
	if p.Float("f") != 1.5 || p.Float("i") != 3 || p.Float("s") != 0 {
		t.Error("Float")
	}
	if p.Text("s") != "x" || p.Text("i") != "" {
		t.Error("Text")
	}
}
