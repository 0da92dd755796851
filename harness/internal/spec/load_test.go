package spec

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

func TestBase(t *testing.T) {
	t.Parallel()
	s := mustParse(t, base, "")
	if s.Repeats != 2 || s.Record.Points != 200 || s.Record.Spacing != "log" || s.Select.By != "none" {
		t.Errorf("got %+v", s)
	}
	if d := s.Datasets[1]; d.Sample != "pass" || d.StandIn != "forbid" || d.Split.Fractions() != [3]float64{0.4, 0.2, 0.4} {
		t.Errorf("got dataset %+v", d)
	}
	if got := s.Algorithms[1].Pos.String(); got != "s.yaml:14:5" {
		t.Errorf("msg is at %s", got)
	}
	if s.Profiles != nil {
		t.Error("profiles are left")
	}
}

func TestLoadFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	a := file("a.yaml", base)
	if s, err := Load(a, LoadOptions{Catalog: &fakeCatalog}); err != nil || s.Repeats != 2 {
		t.Errorf("got %+v, %v", s, err)
	}
	c := file("c.yaml", strings.Replace(base, "repeats: 2", "repeats: 0", 1))
	_, err := Load(c, LoadOptions{Catalog: &fakeCatalog})
	checkMessage(t, err, c+":4:10: repeats: must be at least 1, got 0")

	if _, err := Load(filepath.Join(dir, "none.yaml"), LoadOptions{Catalog: &fakeCatalog}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// withoutPositions removes the positions of entries.
func withoutPositions(s *Spec) *Spec {
	for i := range s.Datasets {
		s.Datasets[i].Pos = Position{}
	}
	for i := range s.Algorithms {
		s.Algorithms[i].Pos = Position{}
	}
	return s
}

func parseBase(text string) (*Spec, error) { return parseText(text, "") }

// roundTrip checks that parsing the written specification gives an equal one. It returns the text.
func roundTrip(t *testing.T, s *Spec, parse func(text string) (*Spec, error)) (text []byte) {
	t.Helper()
	text, err := yaml.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	again, err := parse(string(text))
	if err != nil {
		t.Fatalf("the canonical form is rejected:\n%v\n%s", err, text)
	}
	if !reflect.DeepEqual(withoutPositions(s), withoutPositions(again)) {
		t.Errorf("not the same after a round trip:\n%+v\n%+v\n%s", s, again, text)
	}
	twice, err := yaml.Marshal(again)
	if err != nil || string(twice) != string(text) {
		t.Errorf("canonical form changes (%v):\n%s\n%s", err, text, twice)
	}
	if strings.Contains(string(text), "profiles") {
		t.Errorf("profiles in the canonical form:\n%s", text)
	}
	return text
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) < 2 {
		t.Fatalf("examples: %v, %v", files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			s, err := Load(file, LoadOptions{Catalog: &fakeCatalog})
			if err != nil {
				t.Fatal(err)
			}
			conforms(t, roundTrip(t, s, parseBase))
		})
	}
	full, err := os.ReadFile("testdata/full.yaml")
	if err != nil {
		t.Fatal(err)
	}
	conforms(t, roundTrip(t, mustParse(t, string(full), "smoke"), parseBase))
	roundTrip(t, mustParse(t, string(full), "paper", "title='1e3'", "datasets.own.label='007'", "algorithms.msg.step.c=[1.0, .1, 1e100]", "figures.fig-c.where={k: 1.0}"), parseBase)
	labels := change(t, labelled, "positive: 0", "positive: 0, subset: {train: 30, test: 20}") + "record: {reference: false, vectors: true}\n"
	for _, text := range []string{labels, sparse} {
		s, err := parseLabelled(text)
		if err != nil {
			t.Fatal(err)
		}
		conforms(t, roundTrip(t, s, parseLabelled))
	}
}

func TestFull(t *testing.T) {
	t.Parallel()
	s, err := Load("testdata/full.yaml", LoadOptions{Catalog: &fakeCatalog})
	if err != nil {
		t.Fatal(err)
	}
	if s.Seed != 1<<64-1 || s.Budget.Passes != 1.5 || s.Datasets[1].Label != "-1" {
		t.Errorf("got %+v", s)
	}
	if got := s.Datasets[2].Split.Fractions(); got != [3]float64{0.5, 0.1, 0.4} {
		t.Errorf("merge key: got split %v", got)
	}
	if got, want := s.Algorithms[2].Step, (Step{Grid{"inverse-sqrt"}, Grid{0.5, 2.0}}); !reflect.DeepEqual(got, want) {
		t.Errorf("merge key: got step %v", got)
	}
	if f := s.Figures[1]; f.Facet.Cols != "dataset" || f.Facet.Rows != "" || f.Y != "suboptimality" {
		t.Errorf("got figure %+v", f)
	}
	if got, want := s.Figures[0].Where, map[string]any{"k": []any{int64(1), int64(4)}, "dataset": "gaussian"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got where %v", got)
	}
	if got, want := s.Datasets[0].With, map[string]any{"dim": int64(16), "gap": 2.5}; !reflect.DeepEqual(got, want) {
		t.Errorf("got with %v", got)
	}
	if got, want := s.SourceParams(&s.Datasets[1]), map[string]any{"header": true}; !reflect.DeepEqual(got, want) {
		t.Errorf("got source parameters %v", got)
	}
	s.Datasets[0].With = nil
	if got, want := s.SourceParams(&s.Datasets[0]), map[string]any{"dim": int64(32)}; !reflect.DeepEqual(got, want) {
		t.Errorf("got source parameters %v", got)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(base, "", "")
	f.Add(base, "smoke", "algorithms.msg.step.c=[1,2]")
	full, err := os.ReadFile("testdata/full.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(full), "smoke", "datasets.own.problem={k: {pow10: [0, 2]}}")
	f.Add("a: &a [*a]\n<<: *a\n", "x", "a.b=*c")
	f.Add("budget: {iterations: {linspace: [1, 2, 3]}}\nprofiles: {x: {algorithms: [{id: a}, {id: a}]}}", "x", "profiles=1")
	f.Fuzz(func(t *testing.T, text, profile, set string) {
		var sets []string
		if set != "" {
			sets = append(sets, set)
		}
		s, err := parseText(text, profile, sets...)
		if (s == nil) == (err == nil) {
			t.Fatalf("got both or neither of %v and %v", s, err)
		}
		if err == nil {
			roundTrip(t, s, parseBase)
		}
	})
}
