package experiment

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stochopt/harness/internal/spec"
	"stochopt/internal/record"
)

// recorded is the resolved spec of a folder.
const recorded = `version: 1
name: exp
task: pca
seed: 7
repeats: 2
budget: {iterations: 100}
record: {points: 2}
datasets:
  - {id: g, source: simulated-gaussian, with: {dim: 6, gap: 2}, problem: {k: 2}}
algorithms:
  - {id: msg, step: {c: [1, 2, 4]}}
select: {by: oracle, metric: suboptimality, over: final}
figures:
  - {id: fig, x: iterations, y: suboptimality}
tables:
  - {id: tab, columns: [k, final_suboptimality]}
`

func put(t *testing.T, f *Folder, name, content string) {
	t.Helper()
	path := filepath.Join(f.Dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestSpecOfAFolder(t *testing.T) {
	t.Parallel()
	f := folder(t)
	if _, err := f.Spec(); err == nil {
		t.Error("a folder without a spec has one")
	}
	put(t, f, SpecFile, recorded)
	s, err := f.Spec()
	if err != nil || s.Name != "exp" || len(s.Tables) != 1 {
		t.Errorf("%+v, %v", s, err)
	}
	if s, err := f.Spec("tables=[]"); err != nil || len(s.Tables) != 0 {
		t.Errorf("without tables: %+v, %v", s, err)
	}
	put(t, f, SpecFile, strings.Replace(recorded, "seed: 7", "sede: 7", 1))
	var mistakes spec.Errors
	if _, err := f.Spec(); !errors.As(err, &mistakes) {
		t.Errorf("an invalid spec: %v", err)
	}
}

// The records of a folder are read once. The plan or, without one, the manifest has their planned number.
func TestRecordsOfAFolder(t *testing.T) {
	t.Parallel()
	f := folder(t)
	e, err := f.Records()
	if err != nil || len(e.Runs) != 6 || f.Planned(e) != 6 || f.DerivedOnly() {
		t.Fatalf("%+v, %v", e, err)
	}
	if again, err := f.Records(); again != e || err != nil {
		t.Errorf("the records were read twice, %v", err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Err(); err != nil || e.Runs[1].Measured().Len() > 0 {
		t.Errorf("a closed folder has a curve; %v", err)
	}
	if f.Err() == nil {
		t.Error("a curve that cannot be read is no error")
	}
	var lines strings.Builder
	if err := record.WriteRuns(&lines, []record.Run{testRun(0)}); err != nil {
		t.Fatal(err)
	}
	f = &Folder{Dir: t.TempDir(), Manifest: Manifest{Planned: 8}}
	put(t, f, record.RunsFile, lines.String())
	if e, err = f.Records(); err != nil || len(e.Runs) != 1 || f.Planned(e) != 8 || f.DerivedOnly() {
		t.Errorf("without a plan: %+v, %v", e, err)
	}
	f = &Folder{Dir: t.TempDir()}
	put(t, f, record.RunsFile, string(record.Seal([]byte(`{"schema":99}`)))+"\n")
	if _, err := f.Derive(exampleSpec()); err == nil || !strings.Contains(err.Error(), "schema 99") {
		t.Errorf("records of another schema: %v", err)
	}
}

// removeStale removes only products of the recorded spec that the next spec does not request.
func TestRemoveStale(t *testing.T) {
	t.Parallel()
	f := folder(t)
	if _, err := removeStale(f.Dir, exampleSpec()); err != nil {
		t.Errorf("without a spec: %v", err)
	}
	put(t, f, SpecFile, recorded)
	files := []string{
		"figures/fig.svg", "figures/user.svg", "tables/tab.csv", SelectionFile, CurvesFile, ClaimsFile,
	}
	left := func(s *spec.Spec) (names []string) {
		for _, name := range files {
			put(t, f, name, "x")
		}
		if damage, err := removeStale(f.Dir, s); err != nil || damage != nil {
			t.Fatal(damage, err)
		}
		for _, name := range files {
			if _, err := os.Stat(filepath.Join(f.Dir, name)); err == nil {
				names = append(names, name)
			}
		}
		return names
	}
	s := claimingSpec()
	if got := left(s); !slices.Equal(got, files) {
		t.Errorf("the same spec leaves %q", got)
	}
	if got, want := left(&spec.Spec{}), []string{"figures/user.svg", SelectionFile, CurvesFile}; !slices.Equal(got, want) {
		t.Errorf("an empty spec leaves %q, want %q", got, want)
	}
	put(t, f, SpecFile, "- no\n- spec\n")
	damage, err := removeStale(f.Dir, s)
	if err != nil || len(damage) != 1 || !strings.Contains(damage[0], SpecFile+" is damaged: ") || !strings.Contains(damage[0], "from the given spec") {
		t.Errorf("with a damaged spec: %q, %v", damage, err)
	}
}

// Notes on all products list missing runs, and then series without a finished run in alphabetical order.
func TestNotes(t *testing.T) {
	t.Parallel()
	f := folder(t)
	e, err := f.Records()
	if err != nil {
		t.Fatal(err)
	}
	for i := range e.Runs {
		e.Runs[i].Status, e.Runs[i].Reason = record.StatusFailed, "no"
	}
	e.Runs[5].Series = "aa"
	want := []string{"PARTIAL: 6 of 8 runs", "aa on d: no run finished", "msg on d: no run finished"}
	for planned, want := range map[int][]string{8: want, 6: want[1:]} {
		e.Planned = planned
		if d, err := f.Derive(exampleSpec()); err != nil || !slices.Equal(d.Notes, want) {
			t.Errorf("%d planned runs: notes %q, %v, want %q", planned, d.Notes, err, want)
		}
	}
}
