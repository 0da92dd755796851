package cli

import (
	"cmp"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"stochopt/harness/internal/verify"
	"stochopt/internal/record"
)

const adult = "source: adult, with: {variant: a1a, part: train}"

// All products of a stand-in are marked.
func TestStandInMarks(t *testing.T) {
	for _, test := range []struct {
		entry, reason string
		args          []string
	}{
		{adult + ", stand_in: allow", "the real data are not available", nil},
		{adult, "the real data are not available", []string{"--stand-in", "allow"}},
		{adult, "a stand-in was requested", []string{"--stand-in", "only"}},
	} {
		t.Run(fmt.Sprint(test.reason, test.args), func(t *testing.T) {
			home(t)
			write(t, "small.yaml", edit(t, withDataset(t, test.entry), "  - {id: incremental}\n", "")+tables)
			args := append([]string{"small.yaml", "--offline"}, test.args...)
			ok(t, append([]string{"run"}, args...)...)
			f := opened(t, "results/small")
			if d := f.Manifest.Datasets[0]; d.ID != "m" || !d.StandIn || d.Reason != test.reason {
				t.Errorf("manifest: %+v", d)
			}
			e, err := f.Records()
			if err != nil || len(e.Runs) != 4 || slices.ContainsFunc(e.Runs, func(r record.Run) bool { return !r.StandIn }) {
				t.Errorf("records of other data: %+v, %v", e.Runs, err)
			}
			status := parseJSON[[]statusReport](t, ok(t, "status", "results/small", "--json").out)[0]
			plan := parseJSON[[]planned](t, ok(t, append([]string{"plan", "--json"}, args...)...).out)[0]
			if !status.Series[0].StandIn || !plan.StandIn || plan.OnRecord != 4 {
				t.Errorf("status %+v, plan %+v", status.Series[0], plan)
			}
			wantText(t, "tab.md", read(t, "results/small/tables/tab.md"), "stand-in")
			wantText(t, "curves.csv", read(t, "results/small/curves.csv"), "small,m,,true,msg")
			// Verify uses the stand-in of the records.
			if r := verified(t, "results/small", func(string) {}); !r.OK || r.Count("records re-run").Checked != 4 {
				t.Errorf("verify: %+v", r)
			}
		})
	}
}

// Records of real data are verified with real data. The error on missing data suggests no stand-in.
func TestMissingDataOfRecords(t *testing.T) {
	home(t)
	write(t, "small.yaml", withDataset(t, adult))
	ok(t, "run", "small.yaml", "--stand-in", "only")
	write(t, "results/small/manifest.json", edit(t, read(t, "results/small/manifest.json"), `"stand_in": true`, `"stand_in": false`))
	remove(t, "results/small/results.db") // it has a copy of the manifest
	o := stochopt(t, "verify", "results/small", "--offline", "--json")
	missing := func(f verify.Finding) bool {
		return strings.Contains(f.Text, "cannot find a1a.gz") && !strings.Contains(f.Text, "stand_in")
	}
	if r := parseJSON[verify.Report](t, o.out); o.code != exitFailed || !slices.ContainsFunc(r.Findings, missing) {
		t.Errorf("exit %d, findings %+v", o.code, r.Findings)
	}
}

// Several specs may run together if the data of each fit into the memory.
func TestMemoryOfSeveralSpecs(t *testing.T) {
	skipIfShort(t)
	home(t)
	var rows strings.Builder
	for i := range 2000 {
		for j := range 100 {
			fmt.Fprintf(&rows, "%d,", (i*j)%7)
		}
		fmt.Fprintln(&rows, i%5)
	}
	for _, name := range []string{"one", "two"} {
		write(t, name+".csv", rows.String())
		write(t, name+".yaml", fmt.Sprintf(`version: 1
name: %s
task: svm
budget: {iterations: 20}
record: {reference: false}
datasets:
  - {id: own, path: %s.csv, label: 101, positive: 1, split: {train: 0.5, test: 0.5}, problem: {sigma2: 10, C: 1}}
algorithms:
  - {id: sdca}
`, name, name))
	}
	want := ""
	for _, memory := range []string{"1GB", "5900KB"} {
		remove(t, "results")
		ok(t, "run", "one.yaml", "two.yaml", "--memory", memory)
		runs := exported(t, "results/one") + exported(t, "results/two")
		if want = cmp.Or(want, runs); runs != want {
			t.Errorf("--memory %s gives other records", memory)
		}
	}
}

func TestValidateDownloadsNothing(t *testing.T) {
	home(t)
	asked := 0
	mirror := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer mirror.Close()
	write(t, "s.yaml", edit(t, small, dataset, "  - {id: m, source: mnist, problem: {k: 2}}"))
	env := map[string]string{"HARNESS_MIRROR": mirror.URL, "HARNESS_CACHE": "nowhere"}
	if o := stochoptWith(t, t.Context(), env, "validate", "s.yaml"); o.code != exitOK || asked > 0 {
		t.Errorf("exit %d, %d requests: %s", o.code, asked, o.err)
	}
}
