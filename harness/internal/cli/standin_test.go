package cli

import (
	"os"
	"strings"
	"testing"
)

const adult = "source: adult, with: {variant: a1a, part: train}"

// A stand-in says so on the face of everything made from it.
func TestStandInMarks(t *testing.T) {
	for i, test := range []struct {
		name, entry string
		args        []string
		reason      string
	}{
		{"allowed by the spec", adult + ", stand_in: allow", nil, "the real data could not be had"},
		{"allowed by the command", adult, []string{"--stand-in", "allow"}, "the real data could not be had"},
		{"demanded", adult, []string{"--stand-in", "only"}, "a stand-in was asked for"},
	} {
		t.Run(test.name, func(t *testing.T) {
			home(t)
			text := edit(t, withDataset(t, test.entry), "  - {id: incremental}\n", "")
			output, products := tables, []string{"tables/tab.md", "tables/tab.csv"}
			if i == 0 {
				output, products = figure+tables, append(products, "figures/fig.svg")
			}
			write(t, "small.yaml", text+output)
			args := append([]string{"small.yaml", "--offline", "--cache", "cache"}, test.args...)
			o := ok(t, append([]string{"run"}, args...)...)
			wantText(t, "stderr", o.err, "small: STAND-IN DATA for m; figures, tables and records say so\n")
			for _, line := range strings.Split(strings.TrimSpace(exported(t, "results/small")), "\n") {
				wantText(t, "record", line, `"stand_in":true`)
			}
			m := parseJSON[struct {
				Datasets []struct {
					ID      string `json:"id"`
					Title   string `json:"title"`
					StandIn bool   `json:"stand_in"`
					Reason  string `json:"stand_in_reason"`
				} `json:"datasets"`
			}](t, read(t, "results/small/manifest.json"))
			if d := m.Datasets[0]; d.ID != "m" || !d.StandIn || d.Reason != test.reason || !strings.Contains(d.Title, "stand-in") {
				t.Errorf("manifest: %+v", d)
			}
			for _, name := range products {
				if !strings.Contains(strings.ToLower(read(t, "results/small", name)), "stand-in") && !strings.Contains(read(t, "results/small", name), "stand_in") {
					t.Errorf("%s does not say that the data are a stand-in:\n%s", name, read(t, "results/small", name))
				}
			}
			wantText(t, "the table on stdout", o.out, "stand-in")
			wantText(t, "curves.csv", read(t, "results/small/curves.csv"), "small,m,,true,msg")
			wantText(t, "status", ok(t, "status", "results/small").out, "m (stand-in)")
			wantText(t, "plan", ok(t, append([]string{"plan"}, args...)...).out, "m (stand-in)", "│    4 │         4 ")
			// verify takes the stand-in that the records are of, without being
			// told, and even where the real data may not be asked for.
			wantText(t, "verify", ok(t, "verify", "results/small", "--offline", "--cache", "cache", "--all").out, "4 of 4 records re-run, 0 differ")
		})
	}
}

func TestStandInOnlyWhereAsked(t *testing.T) {
	home(t)
	text := withDataset(t, adult)
	write(t, "small.yaml", text)
	o := stochopt(t, "run", "small.yaml", "--offline", "--cache", "cache")
	wantOutcome(t, o, exitUsage, `small.yaml:9:5: dataset "m": dataset adult: cannot find a1a.gz; offline: no download was tried (set HARNESS_MIRROR to a folder or URL that holds adult/a1a.gz, run `+"`stochopt datasets fetch adult`"+` where there is a network, or put `+"`stand_in: allow`"+` in the spec)`)
	// Its name is not said twice.
	write(t, "named.yaml", edit(t, text, "{id: m, ", "{id: adult, "))
	if o := stochopt(t, "run", "named.yaml", "--offline", "--cache", "cache"); !strings.HasPrefix(o.err, `named.yaml:9:5: dataset "adult": cannot find a1a.gz; `) {
		t.Errorf("stderr is %s", o.err)
	}
	// There is no stand-in for one's own file, whatever is demanded.
	write(t, "d.csv", "1,2,3\n4,5,7\n1,0,1\n")
	write(t, "small.yaml", withDataset(t, "path: d.csv, format: csv"))
	o = ok(t, "run", "small.yaml", "--stand-in", "only")
	if strings.Contains(o.err, "STAND-IN") || strings.Contains(exported(t, "results/small"), "stand_in") {
		t.Errorf("a user's file was replaced: %s", o.err)
	}
}

// Where a stand-in will not do, the hint does not propose one: records of real data are
// verified with real data.
func TestMissingDataOfRecords(t *testing.T) {
	home(t)
	write(t, "small.yaml", withDataset(t, adult))
	ok(t, "run", "small.yaml", "--stand-in", "only")
	manifest := edit(t, read(t, "results/small/manifest.json"), `"stand_in": true`, `"stand_in": false`)
	write(t, "results/small/manifest.json", manifest)
	for _, name := range []string{"results.db", "selection.csv"} {
		if err := os.Remove(at(t, "results/small", name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		args []string
		code int
	}{{[]string{"verify", "results/small"}, exitFailed}, {[]string{"run", "small.yaml", "--stand-in", "forbid"}, exitUsage}} {
		o := stochopt(t, append(test.args, "--offline", "--cache", "cache")...)
		said := strings.Join(strings.Fields(o.out+o.err), " ")
		wantText(t, test.args[0], said, "set HARNESS_MIRROR to a folder or URL that holds adult/a1a.gz or run `stochopt datasets fetch adult` where there is a network)")
		if o.code != test.code || strings.Contains(said, "stand_in") {
			t.Errorf("%s: exit %d, %s", test.args[0], o.code, said)
		}
	}
}
