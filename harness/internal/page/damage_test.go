package page

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"stochopt/harness/internal/experiment"
	"stochopt/internal/record"
	"stochopt/internal/selection"
	"stochopt/plots"
)

// Without a plan the manifest tells how many runs there should be.
func TestFolderWithoutAPlan(t *testing.T) {
	t.Parallel()
	dir := madeUp{name: "exp", runs: 5}.make(t, t.TempDir())
	execute(t, dir, "DELETE FROM plan; DELETE FROM meta WHERE name = 'plan'")
	if e := collect(t, options(), dir).Experiments[0]; e.Planned != 8 || e.Runs != 5 || e.Missing != 3 {
		t.Errorf("%d of %d runs, %d missing", e.Runs, e.Planned, e.Missing)
	}
}

func TestDamagedFolders(t *testing.T) {
	t.Parallel()
	damage := map[string]struct {
		do   func(dir string)
		says string
	}{
		"manifest":    {func(dir string) { write(t, "{", dir, "manifest.json") }, "damaged"},
		"no-manifest": {func(dir string) { os.Remove(filepath.Join(dir, "manifest.json")) }, "manifest.json"},
		"no-spec":     {func(dir string) { os.Remove(filepath.Join(dir, "spec.yaml")) }, "has no spec.yaml"},
		"spec":        {func(dir string) { write(t, "version: 99\nname: spec\n", dir, "spec.yaml") }, "specification"},
		"schema":      {func(dir string) { execute(t, dir, "PRAGMA user_version = 99") }, "schema 99"},
		"database":    {func(dir string) { write(t, "no database", dir, record.DatabaseFile) }, "is damaged"},
		"curves":      {func(dir string) { execute(t, dir, "UPDATE curve SET crc = crc + 1") }, "of table curve is not as it was written"},
	}
	for name, d := range damage {
		root := t.TempDir()
		d.do(madeUp{name: name, runs: -1}.make(t, root))
		_, err := Collect([]string{root}, options())
		if err == nil || !strings.Contains(err.Error(), d.says) {
			t.Errorf("%s alone: %v", name, err)
		}
		madeUp{name: "zz-good", runs: -1}.make(t, root)
		p := collect(t, options(), root)
		if got := namesOf(p); !slices.Equal(got, []string{"zz-good"}) || len(p.Broken) != 1 || p.Broken[0].Dir != filepath.Join(root, name) || !strings.Contains(p.Broken[0].Reason, d.says) {
			t.Errorf("%s: experiments %q, broken %+v", name, got, p.Broken)
		}
		if all := p.Complaints(); len(p.Warnings) != 0 || len(all) != 1 {
			t.Errorf("%s: complaints %q, warnings %q", name, all, p.Warnings)
		}
	}
}

// Rows that are damaged are reported, and the rest is shown.
func TestDamagedRecords(t *testing.T) {
	t.Parallel()
	dir := madeUp{name: "exp", runs: -1}.make(t, t.TempDir())
	execute(t, dir, "UPDATE run SET crc = crc + 1 WHERE id = 1")
	p := collect(t, options(), dir)
	e := p.Experiments[0]
	if e.Runs != 7 || e.Missing != 1 || len(p.Warnings) != 1 || !slices.Contains(e.Warnings, p.Warnings[0]) {
		t.Errorf("%d runs, warnings %q and %q", e.Runs, p.Warnings, e.Warnings)
	}
}

// Verdicts on the claims of another specification are on the page while they are not
// older than the records.
func TestVerdictsOfAnotherSpecification(t *testing.T) {
	t.Parallel()
	dir := madeUp{name: "exp", runs: -1}.make(t, t.TempDir())
	const verdicts = `{"schema": 1, "claims": [{"id": "other", "shown": "fig-sub", "experiment": "exp", "outcome": "reproduced"}]}`
	outcomes := func() (claims, figures []string, warnings string) {
		e := collect(t, options(), dir).Experiments[0]
		for _, v := range e.Claims {
			claims = append(claims, v.ID)
			if v.Shown == e.Exhibits[0].ID {
				figures = append(figures, v.ID)
			}
		}
		return claims, figures, strings.Join(e.Warnings, "; ")
	}
	write(t, verdicts, dir, experiment.ClaimsFile)
	if got, shown, w := outcomes(); !slices.Equal(got, []string{"other"}) || !slices.Equal(shown, got) || !strings.Contains(w, "on other claims than") {
		t.Errorf("verdicts %q, on the figure %q, warnings %s", got, shown, w)
	}
	if err := os.Chtimes(filepath.Join(dir, "spec.yaml"), time.Time{}, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if got, _, w := outcomes(); !slices.Equal(got, []string{"exp-rank"}) || !strings.Contains(w, "older than the records or the specification") {
		t.Errorf("verdicts %q where the specification is later, warnings %s", got, w)
	}
	data, err := os.ReadFile(filepath.Join(dir, "spec.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	before, _, ok := strings.Cut(string(data), "claims:")
	if !ok {
		t.Fatalf("no claims in\n%s", data)
	}
	write(t, before, dir, "spec.yaml")
	write(t, verdicts, dir, experiment.ClaimsFile)
	if got, shown, w := outcomes(); !slices.Equal(got, []string{"other"}) || !slices.Equal(shown, got) || !strings.Contains(w, "on other claims than") {
		t.Errorf("verdicts %q, on the figure %q, warnings %s", got, shown, w)
	}
	for _, test := range []struct{ content, says string }{
		{"{", "damaged"},
		{strings.Replace(verdicts, "1", "2", 1), "schema 2"},
		{strings.Replace(verdicts, `"exp"`, `"pxe"`, 1), "another experiment"},
	} {
		write(t, test.content, dir, experiment.ClaimsFile)
		if got, _, w := outcomes(); got != nil || !strings.Contains(w, test.says) {
			t.Errorf("%s: verdicts %q, warnings %s", test.content, got, w)
		}
	}
	write(t, verdicts, dir, experiment.ClaimsFile)
	if err := os.Chtimes(filepath.Join(dir, experiment.ClaimsFile), time.Time{}, made); err != nil {
		t.Fatal(err)
	}
	if got, _, w := outcomes(); got != nil || !strings.Contains(w, "older than the records") {
		t.Errorf("verdicts %q, warnings %s", got, w)
	}
}

func TestFigureThatCannotBeMade(t *testing.T) {
	t.Parallel()
	var runs []record.Run
	for i := range 1000 {
		r := madeUpRun(0)
		r.Dataset = fmt.Sprint(i)
		runs = append(runs, r)
	}
	in := plots.Input{Choice: selection.All(runs)}
	if _, err := newFigure(plots.Figure{ID: "f", Facet: plots.Facet{Cols: "dataset"}}, in); err == nil {
		t.Error("there are 1000 panels")
	}
}
