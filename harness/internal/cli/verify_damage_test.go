package cli

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stochopt/harness/internal/verify"
	"stochopt/internal/record"
)

// verified copies a results folder, changes the copy and runs verify --all --json.
func verified(t *testing.T, folder string, change func(dir string)) verify.Report {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(dir, os.DirFS(at(t, folder))); err != nil {
		t.Fatal(err)
	}
	change(dir)
	o := stochopt(t, "verify", dir, "--all", "--json")
	if o.code != exitOK && o.code != exitFailed {
		t.Fatalf("exit %d: %s", o.code, o.err)
	}
	r := parseJSON[verify.Report](t, o.out)
	if r.OK != (o.code == exitOK) || r.OK != (len(r.Findings) == 0) {
		t.Errorf("exit %d, ok: %t, findings %+v", o.code, r.OK, r.Findings)
	}
	return r
}

func wantFinding(t *testing.T, r verify.Report, kind, where, text string) {
	t.Helper()
	if !slices.ContainsFunc(r.Findings, func(f verify.Finding) bool {
		return f.Kind == kind && (where == "" || f.Where == where) && strings.Contains(f.Text, text)
	}) {
		t.Errorf("there is no finding %s: %s: %s in %+v", kind, where, text, r.Findings)
	}
}

// contents is the content of a database.
type contents struct {
	runs   []record.Run
	plan   []record.ID
	optima map[string][]byte
	meta   map[string]string
}

// rebuilt changes the contents of a database and writes it with correct checksums.
func rebuilt(t *testing.T, dir string, change func(c *contents)) {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	e, err := record.ReadDir(at(t, dir))
	check(err)
	c := contents{optima: e.Optima, meta: e.Meta}
	for id := range e.Plan() {
		c.plan = append(c.plan, id)
	}
	for _, r := range e.Runs {
		timing, _ := r.Timing()
		r.Params = maps.Clone(r.Params)
		c.runs = append(c.runs, r.With(r.Measured()).WithTiming(timing))
	}
	check(e.Close())
	change(&c)
	check(os.Remove(at(t, dir, record.DatabaseFile)))
	store, err := record.Open(at(t, dir), record.Options{})
	check(err)
	for _, r := range c.runs {
		timing, _ := r.Timing()
		timing.Key, timing.Extent = r.Key, r.Extent
		check(store.Add(r, timing))
	}
	check(store.SetPlan(c.plan))
	for id, data := range c.optima {
		check(store.AddOptimum(record.Optimum{ID: id, Data: data}))
	}
	for _, name := range []string{"spec", "manifest"} {
		if text, ok := c.meta[name]; ok {
			check(store.SetMeta(name, text))
		}
	}
	check(store.Close())
}

// Verify finds damaged rows. It also finds values with correct checksums that differ from the plan or a second run.
func TestVerifyFindsDamage(t *testing.T) {
	skipIfShort(t)
	home(t)
	write(t, "small.yaml", edit(t, claimed, "figures: []\n", tables))
	ok(t, "run", "small.yaml", "--profile", "smoke")
	const folder = "results/small"
	r := verified(t, folder, func(string) {})
	if !r.OK || !r.Complete || r.Count("records re-run").Checked == 0 || len(r.Notes) > 0 {
		t.Fatalf("a new folder: %+v", r)
	}
	for _, c := range r.Checks {
		if c.Checked == 0 {
			t.Errorf("the check %q checked nothing", c.Name)
		}
	}
	for _, test := range []struct{ statement, text string }{
		{"DELETE FROM run WHERE id = 1", "rows with checksum"},
		{`UPDATE run SET record = replace(record, '"seed":7', '"seed":8') WHERE id = 2`, "row 2 of table run"},
		{"UPDATE run SET step_seconds = step_seconds + 1 WHERE id = 2", "row 2 of table run"},
		{"UPDATE curve SET data = replace(data, '1', '2') WHERE run = 1", "row 1 of table curve"},
		{"DELETE FROM times WHERE run = 1", "row 1 of table times"},
		{"UPDATE optimum SET data = replace(data, '1', '2')", "optimum"},
		{"UPDATE plan SET key = 'k' WHERE position = 0", "plan"},
		{"UPDATE meta SET value = '3 4' WHERE name = 'runs'", "meta"},
		{"DROP VIEW planned", "schema"},
	} {
		r := verified(t, folder, func(dir string) { query(t, dir, test.statement) })
		t.Log(test.statement)
		wantFinding(t, r, verify.Damaged, "", test.text)
	}
	optimum := func(old, new string) func(*contents) {
		return func(c *contents) {
			for id, data := range c.optima {
				c.optima[id] = []byte(edit(t, string(data), old, new))
			}
		}
	}
	metric := func(of, name string, at int, value float64) func(*contents) {
		return func(c *contents) { c.runs[0].Curve.Metrics[of][name][at] = value }
	}
	for _, test := range []struct {
		name       string
		change     func(c *contents)
		kind, text string
	}{
		{"unchanged", func(*contents) {}, "", ""},
		{"no optimum", func(c *contents) { clear(c.optima) }, "", ""},
		{"key", func(c *contents) { c.runs[0].Key = "zz" + c.runs[0].Key[2:] }, verify.Missing, "not on record"},
		{"no record", func(c *contents) { c.runs = c.runs[1:] }, verify.Missing, "not on record"},
		{"data", func(c *contents) { c.runs[0].DatasetHash = "sha256:00" }, verify.Differs, "planned: dataset hash: sha256:00 / "},
		{"stand-in", func(c *contents) { c.runs[0].StandIn = true }, verify.Differs, "planned: stand-in: true / false"},
		{"version", func(c *contents) { c.runs[0].Version = 99 }, verify.Differs, "planned: version: 99 / "},
		{"parameter", func(c *contents) { c.runs[0].Params["step.c"] = 0.125 }, verify.Differs, "planned: parameters: "},
		{"repeat", func(c *contents) { c.runs[0].Repeat = 5 }, verify.Differs, "planned: repeat: 5 / 0"},
		{"order of the plan", func(c *contents) { c.plan[0], c.plan[1] = c.plan[1], c.plan[0] }, verify.Differs, "differ from run 1 on"},
		{"missing run in the plan", func(c *contents) { c.plan = c.plan[:len(c.plan)-1] }, verify.Differs, "the plan on record has"},
		{"suboptimality", metric("population", "suboptimality", 0, 0.125), verify.Differs, "at point 1 the population suboptimality is 0.125, but"},
		{"rank", metric("state", "rank", 0, 9), verify.Differs, "re-run: curve state/rank at point 0: 9 / "},
		{"cost", func(c *contents) { c.runs[0].Curve.Cost["sum_kt2"][0] = 0 }, verify.Differs, "re-run: cost sum_kt2 at point 0: 0 / "},
		{"reason", func(c *contents) { c.runs[0].Reason = "bored" }, verify.Differs, `re-run: status: finished (bored) / `},
		{"eigenvalue", optimum(`"eigenvalues":[`, `"eigenvalues":[9,`), verify.Differs, "solving it again gives numbers that differ"},
		{"certificate", optimum(`"error_bound":`, `"error_bound":1`), verify.Damaged, "error bound"},
	} {
		r := verified(t, folder, func(dir string) { rebuilt(t, dir, test.change) })
		t.Log(test.name)
		if test.kind != "" {
			wantFinding(t, r, test.kind, "", test.text)
		} else if !r.OK {
			t.Errorf("findings %+v", r.Findings)
		}
	}
}

func TestVerifyFindsChangedFiles(t *testing.T) {
	skipIfShort(t)
	home(t)
	write(t, "small.yaml", edit(t, claimed, "figures: []\n", products))
	ok(t, "run", "small.yaml", "--profile", "smoke")
	const folder = "results/small"
	wantFinding(t, verified(t, folder, func(dir string) { remove(t, dir, "manifest.json") }), verify.Damaged, "manifest.json", "")
	half := func(text string) string { return text[:len(text)/2] + text[len(text)/2+1:] }
	r := verified(t, folder, func(dir string) { write(t, filepath.Join(dir, "spec.yaml"), half(read(t, dir, "spec.yaml"))) })
	wantFinding(t, r, verify.Differs, "spec.yaml", "")
	changed := []string{"selection.csv", "curves.csv", "figures/fig.svg", "tables/tab.md"}
	r = verified(t, folder, func(dir string) {
		for _, name := range changed {
			write(t, filepath.Join(dir, name), half(read(t, dir, name)))
		}
		remove(t, dir, "figures/fig.png")
		manifest := edit(t, read(t, dir, "manifest.json"), `"hash": "sha256:`, `"hash": "sha256:0`)
		write(t, filepath.Join(dir, "manifest.json"), manifest)
		write(t, filepath.Join(dir, "claims.json"), edit(t, read(t, dir, "claims.json"), `"not reproduced"`, `"reproduced"`))
	})
	wantFinding(t, r, verify.Missing, "figures/fig.png", "")
	for _, name := range append(changed, "manifest.json", "claims.json") {
		wantFinding(t, r, verify.Differs, name, "")
	}
}
