package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stochopt/harness/internal/verify"
	"stochopt/internal/record"
)

// verified runs verify --json in a copy of a results folder that something was done to.
func verified(t *testing.T, folder string, damage func(dir string), args ...string) (*verify.Report, outcome) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(dir, os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	damage(dir)
	o := stochopt(t, append([]string{"verify", dir, "--json"}, args...)...)
	if o.code != exitOK && o.code != exitFailed {
		t.Fatalf("exit %d: %s", o.code, o.err)
	}
	report := parseJSON[verify.Report](t, o.out)
	if report.OK != (o.code == exitOK) || report.OK != (len(report.Findings) == 0) {
		t.Errorf("exit %d, ok: %t, findings %+v", o.code, report.OK, report.Findings)
	}
	return &report, o
}

// damageCase is something done to a results folder, and where it is to be found.
type damageCase struct {
	file string
	// Old, a regular expression, becomes new where it is first.
	old, new string
	// kind and text are those of the finding, "" for any.
	kind, text string
}

func (c damageCase) to(t *testing.T) func(dir string) {
	return func(dir string) {
		path := filepath.Join(dir, c.file)
		text := read(t, path)
		at := regexp.MustCompile(c.old).FindStringIndex(text)
		if at == nil {
			t.Fatalf("%s has no %s", c.file, c.old)
		}
		write(t, path, resealed(text[:at[0]]+c.new+text[at[1]:]))
	}
}

var checksums = regexp.MustCompile(`(?m)^(.*),"crc32c":"[0-9a-f]{8}"}$`)

// resealed makes the checksums of all lines anew: of what is damaged on purpose they say
// nothing.
func resealed(text string) string {
	return checksums.ReplaceAllStringFunc(text, func(line string) string {
		return string(record.Seal([]byte(checksums.FindStringSubmatch(line)[1] + "}")))
	})
}

func (c damageCase) check(t *testing.T, r *verify.Report) {
	t.Helper()
	if !slices.ContainsFunc(r.Findings, func(f verify.Finding) bool {
		return strings.HasPrefix(f.File, c.file) && (c.kind == "" || f.Kind == c.kind) && strings.Contains(f.Text, c.text)
	}) {
		t.Errorf("%s: %s in place of %s is not found as %s (%q): %+v", c.file, c.new, c.old, c.kind, c.text, r.Findings)
	}
}

// goneAndTwice does to each file of a part of a folder what can be done to any: it is
// deleted, and its first line is there twice.
func goneAndTwice(t *testing.T, folder, part string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(folder, part), func(path string, e os.DirEntry, err error) error {
		name, _ := filepath.Rel(folder, path)
		if err != nil || e.IsDir() {
			return err
		}
		t.Run("without "+name, func(t *testing.T) {
			r, _ := verified(t, folder, func(dir string) { os.Remove(filepath.Join(dir, name)) })
			damageCase{file: name, kind: verify.Missing}.check(t, r)
		})
		t.Run("twice a line of "+name, func(t *testing.T) {
			r, _ := verified(t, folder, func(dir string) {
				first, rest, _ := strings.Cut(read(t, dir, name), "\n")
				if first == "{" {
					first += "\n" + strings.SplitN(rest, "\n", 2)[0]
					rest = strings.SplitN(rest, "\n", 2)[0] + "\n" + strings.SplitN(rest, "\n", 2)[1]
				} else {
					rest = first + "\n" + rest
				}
				write(t, filepath.Join(dir, name), first+"\n"+rest)
			})
			if !slices.ContainsFunc(r.Findings, func(f verify.Finding) bool { return f.File == name }) {
				t.Errorf("it is not found: %+v", r.Findings)
			}
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Whatever is changed in a results folder is found.
func TestVerifyFindsDamage(t *testing.T) {
	home(t)
	write(t, "small.yaml", edit(t, claimed, "figures: []\n", tables))
	ok(t, "run", "small.yaml", "--profile", "smoke")
	const folder = "results/small"
	r, o := verified(t, folder, func(string) {}, "--all")
	if !r.OK || !r.Complete || r.Rerun().Checked == 0 || len(r.Remarks) > 0 {
		t.Fatalf("a folder just made: %s%s", o.out, o.err)
	}
	goneAndTwice(t, folder, ".")
	for _, name := range []string{"runs.jsonl", "timings.jsonl", "plan.jsonl", "references.jsonl"} {
		t.Run("a byte of "+name, func(t *testing.T) {
			r, _ := verified(t, folder, func(dir string) {
				write(t, filepath.Join(dir, name), strings.Replace(read(t, dir, name), `e`, `f`, 1))
			})
			damageCase{file: name, kind: verify.Damaged, text: "its checksum is"}.check(t, r)
		})
	}
	damaged(t, folder, []damageCase{
		{"runs.jsonl", `"key":"..`, `"key":"zz`, verify.Differs, "key is zz"},
		{"runs.jsonl", `"extent":"40/`, `"extent":"41/`, verify.Differs, `extent is "41/`},
		{"runs.jsonl", `"dataset":"g"`, `"dataset":"h"`, verify.Differs, `dataset is "h"`},
		{"runs.jsonl", `"dataset_hash":"..`, `"dataset_hash":"zz`, verify.Differs, "dataset_hash is"},
		{"runs.jsonl", `"dataset_hash"`, `"stand_in":true,"dataset_hash"`, verify.Differs, "stand_in is true"},
		{"runs.jsonl", `"series":"msg"`, `"series":"incremental"`, verify.Differs, `series is "incremental"`},
		{"runs.jsonl", `"algorithm":"msg"`, `"algorithm":"oja"`, verify.Differs, `algorithm is "oja"`},
		{"runs.jsonl", `"version":\d+`, `"version":99`, verify.Differs, `version is 99`},
		{"runs.jsonl", `"step.c":[0-9.]+`, `"step.c":0.125`, verify.Differs, `params is`},
		{"runs.jsonl", `"repeat":0`, `"repeat":1`, verify.Differs, `repeat is 1`},
		{"runs.jsonl", `"seed":7`, `"seed":8`, verify.Differs, `seed is 8`},
		{"runs.jsonl", `"status":"finished"`, `"status":"diverged"`, verify.Differs, `re-run, status is`},
		{"runs.jsonl", `"suboptimality":\[[0-9.e-]+`, `"suboptimality":[0.125`, verify.Differs, "suboptimality is 0.125"},
		{"runs.jsonl", `"rank":\[[0-9]+`, `"rank":[9`, verify.Differs, "re-run, curve.metrics.state.rank[0] is"},
		{"runs.jsonl", `"sum_kt2":\[[0-9]+`, `"sum_kt2":[0`, verify.Differs, "re-run, curve.cost.sum_kt2[0] is"},
		{"runs.jsonl", `(?s)^[^\n]*\n`, ``, verify.Missing, "there is no record of this run"},
		{"runs.jsonl", `(?s)^([^\n]{90})[^\n]*\n`, "{\n", verify.Damaged, ""},
		{"timings.jsonl", `"step_seconds":[0-9.e-]+`, `"step_seconds":0`, verify.Differs, "after the 0 of step_seconds"},
		{"timings.jsonl", `"seconds":\[[0-9.e-]+,`, `"seconds":[`, verify.Differs, "seconds has "},
		{"timings.jsonl", `"key":"..`, `"key":"zz`, verify.Superfluous, "there is no record of the run"},
		{"timings.jsonl", `"finished":"`, `"finished":"x`, verify.Differs, "which is not a time"},
		{"timings.jsonl", `"finished":"20`, `"finished":"29`, verify.Differs, "which is in the future"},
		{"timings.jsonl", `"seconds":\[`, `"cpu_seconds":[9,9,9,9],"seconds":[`, verify.Differs, "cpu_seconds is 9 at point 1, more than the "},
		{"timings.jsonl", `"seconds":\[`, `"cpu_seconds":[-1,0,0,0],"seconds":[`, verify.Differs, "cpu_seconds goes back from 0 to -1"},
		{"timings.jsonl", `"eval_seconds":`, `"eval_seconds":-1`, verify.Damaged, "eval_seconds is -1"},
		{"timings.jsonl", `(?s)^[^\n]*\n`, ``, verify.Missing, "no timing"},
		{"references.jsonl", `"eigenvalues":\[[0-9.e-]+`, `"eigenvalues":[9`, verify.Differs, "another result: eigenvalues is"},
		{"references.jsonl", `"method":"[a-z ]+"`, `"method":"guess"`, verify.Differs, "gives another result: method is"},
		{"references.jsonl", `"split":"population"`, `"split":"train"`, verify.Missing, "there is no optimum"},
		{"plan.jsonl", `"key":"..`, `"key":"zz`, verify.Differs, "key is zz"},
		{"plan.jsonl", `"extent":"40/`, `"extent":"41/`, verify.Differs, `extent is "41/`},
		{"plan.jsonl", `"dataset":"g"`, `"dataset":"h"`, verify.Differs, `data set is "h"`},
		{"plan.jsonl", `"series":"msg"`, `"series":"incremental"`, verify.Differs, `series is "incremental"`},
		{"plan.jsonl", `(?s)^[^\n]*\n`, ``, verify.Missing, "there is no line of this run"},
		{"plan.jsonl", `(?s)^([^\n]*)\n`, "{\n", verify.Damaged, ""},
		{"spec.yaml", `seed: 7`, `seed: 8`, verify.Differs, "checksum"},
		{"spec.yaml", `name: small`, `name: large`, verify.Differs, "checksum"},
		{"spec.yaml", `iterations: 40`, `iterations: 41`, verify.Differs, "checksum"},
		{"spec.yaml", `task: pca`, `task: pcb`, verify.Damaged, ""},
		{"manifest.json", `"seed": 7`, `"seed": 8`, verify.Differs, "seed is 8, but the spec's is 7"},
		{"manifest.json", `"planned_runs": `, `"planned_runs": 1`, verify.Differs, "planned_runs is 1"},
		{"manifest.json", `"spec": "small"`, `"spec": "large"`, verify.Differs, `spec is "large"`},
		{"manifest.json", `"hash": "..`, `"hash": "zz`, verify.Differs, "hash is zz"},
		{"manifest.json", `"id": "g"`, `"id": "h"`, verify.Missing, `data set "g" is not listed`},
		{"manifest.json", `"stand_in": false`, `"stand_in": true`, verify.Differs, "the data have false"},
		{"manifest.json", `"title": ".`, `"title": "_`, verify.Differs, "title is _"},
		{"manifest.json", `"profile": "smoke"`, `"profile": "paper"`, verify.Differs, "its checksum differs"},
		{"manifest.json", `"cpus": `, `"cpus": 1`, verify.Differs, "its checksum differs"},
		{"manifest.json", `"seed"`, `"sed"`, verify.Differs, "its checksum differs"},
		{"manifest.json", `{`, `[`, verify.Damaged, ""},
		{"selection.csv", `msg`, `msh`, verify.Differs, "from line 2 on"},
		{"curves.csv", `,[0-9.e-]+\n`, ",7\n", verify.Differs, "from line 2 on"},
		{"claims.json", `"not reproduced"`, `"reproduced"`, verify.Differs, ""},
		{"tables/tab.md", `[0-9]\.[0-9]`, `7.7`, verify.Differs, ""},
		{"tables/tab.txt", `[0-9]\.[0-9]`, `7.7`, verify.Differs, ""},
		{"tables/tab.csv", `[0-9]\.[0-9]`, `7.7`, verify.Differs, ""},
	})
}

func damaged(t *testing.T, folder string, cases []damageCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.file+" "+c.new, func(t *testing.T) {
			r, _ := verified(t, folder, c.to(t), "--all")
			c.check(t, r)
		})
	}
}

func TestVerifyFindsDamagedFigures(t *testing.T) {
	home(t)
	write(t, "small.yaml", small+figure)
	ok(t, "run", "small.yaml")
	goneAndTwice(t, "results/small", "figures")
	t.Run("a folder in the place of a file", func(t *testing.T) {
		r, _ := verified(t, "results/small", func(dir string) {
			os.Remove(filepath.Join(dir, "figures/fig.svg"))
			os.Mkdir(filepath.Join(dir, "figures/fig.svg"), 0o755)
		})
		damageCase{file: "figures/fig.svg", kind: verify.Damaged, text: "is a directory"}.check(t, r)
	})
	damaged(t, "results/small", []damageCase{
		{"figures/fig.svg", `[0-9]\.[0-9]`, `7.7`, verify.Differs, ""},
		{"figures/fig.pdf", `obj`, `obk`, verify.Differs, ""},
		{"figures/fig.png", `IDAT`, `IDAU`, verify.Differs, "from byte "},
		{"figures/fig.txt", `e`, `f`, verify.Differs, "from line 1 on"},
	})
}

func TestVerifyFindsDamagedOptima(t *testing.T) {
	svmHome(t)
	write(t, "small.yaml", sparseSmall)
	ok(t, "run", "small.yaml")
	r, o := verified(t, "results/small", func(string) {})
	if !r.OK || len(r.Remarks) > 0 {
		t.Fatalf("a folder just made: %s%s", o.out, o.err)
	}
	damaged(t, "results/small", []damageCase{
		{"references.jsonl", `"primal":[0-9.]+`, `"primal":0.9`, verify.Damaged, "its primal value is 0.9"},
		{"references.jsonl", `"nu":[0-9.]+`, `"nu":0.9`, verify.Damaged, "its nu is 0.9"},
		{"references.jsonl", `"iterations":\d+`, `"iterations":7`, verify.Differs, "gives another result: iterations is"},
		{"references.jsonl", `"alpha":"P.`, `"alpha":"PA`, verify.Damaged, ""},
		{"references.jsonl", `(?s)^[^\n]*\n`, ``, verify.Missing, "there is no optimum"},
		{"runs.jsonl", `"reference_primal":[0-9.]+`, `"reference_primal":0.9`, verify.Differs, "facts.reference_primal is"},
	})
}
