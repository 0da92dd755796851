package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"stochopt/harness/internal/experiment"
	"stochopt/harness/internal/external/externaltest"
	"stochopt/internal/record"
	"stochopt/plots/table"
)

// TestMain puts temporary folders in memory if possible, because runs sync their files. It also reduces garbage
// collection, because tests keep little memory.
func TestMain(m *testing.M) {
	externaltest.Main()
	os.Setenv("HARNESS_CACHE", "cache")
	os.Unsetenv("HARNESS_MIRROR")
	debug.SetGCPercent(400)
	dir, err := os.MkdirTemp("/dev/shm", "stochopt-test-")
	if err == nil {
		os.Setenv("TMPDIR", dir)
	}
	code := m.Run()
	if err == nil {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

// outcome is the result of a command.
type outcome struct {
	code     int
	out, err string
}

// stochopt runs a command in this process, without a mirror and with an empty cache.
func stochopt(t *testing.T, args ...string) outcome {
	t.Helper()
	return stochoptWith(t, context.Background(), nil, args...)
}

func stochoptWith(t *testing.T, ctx context.Context, env map[string]string, args ...string) outcome {
	t.Helper()
	var out, err bytes.Buffer
	a := newApp(t, &out, &err)
	for name, value := range env {
		t.Setenv(name, value)
	}
	code := a.run(ctx, args)
	return outcome{code, relative(t, out.String()), relative(t, err.String())}
}

// newApp returns an app that does not change the memory limit of the process.
func newApp(t *testing.T, out, err io.Writer) *app {
	t.Helper()
	return &app{out: out, err: err, limitHeap: func(int64) {}}
}

// ok runs a command that must succeed.
func ok(t *testing.T, args ...string) outcome {
	t.Helper()
	o := stochopt(t, args...)
	if o.code != exitOK {
		t.Fatalf("stochopt %s: exit %d\n%s%s", strings.Join(args, " "), o.code, o.out, o.err)
	}
	return o
}

// wantOutcome checks the exit code and the text on stderr without the last newline.
func wantOutcome(t *testing.T, o outcome, code int, message string) {
	t.Helper()
	if o.code != code {
		t.Errorf("exit %d, want %d", o.code, code)
	}
	if got := strings.TrimSuffix(o.err, "\n"); got != message {
		t.Errorf("stderr is\n%s\nwant\n%s", got, message)
	}
}

func wantText(t *testing.T, what, text string, pieces ...string) {
	t.Helper()
	for _, p := range pieces {
		if !strings.Contains(text, p) {
			t.Errorf("%s does not contain %q:\n%s", what, p, text)
		}
	}
}

// home makes a new folder the working directory of the test.
func home(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
}

// root returns the working directory.
func root(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// at returns the path of a file in the folder of the test.
func at(t *testing.T, elements ...string) string {
	p := filepath.Join(elements...)
	if filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(root(t), p)
}

// inOneLine joins the lines of a text.
func inOneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// relative removes the folder of the test from the paths in a text.
func relative(t *testing.T, text string) string {
	return strings.ReplaceAll(text, root(t)+"/", "")
}

func write(t *testing.T, path string, content string) string {
	t.Helper()
	file := at(t, path)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t *testing.T, path ...string) string {
	t.Helper()
	data, err := os.ReadFile(at(t, path...))
	if err != nil {
		t.Fatal(err)
	}
	return relative(t, string(data))
}

// exported returns the records of a results folder as text, in the order of the plan.
func exported(t *testing.T, dir string) string {
	t.Helper()
	e, err := record.ReadDir(at(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	var b strings.Builder
	if err := record.WriteRuns(&b, e.Runs); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// optimaOf returns the certified optima of a results folder as text.
func optimaOf(t *testing.T, dir string) string {
	t.Helper()
	e, err := record.ReadDir(at(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	var b strings.Builder
	for _, id := range slices.Sorted(maps.Keys(e.Optima)) {
		fmt.Fprintf(&b, "%s %s\n", id, e.Optima[id])
	}
	return b.String()
}

// asText replaces the database of a results folder by text and returns the text.
func asText(t *testing.T, dir string) string {
	t.Helper()
	text := exported(t, dir)
	if err := os.Remove(at(t, dir, record.DatabaseFile)); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, record.RunsFile), text)
	return text
}

// opened opens a results folder.
func opened(t *testing.T, dir string) *experiment.Folder {
	t.Helper()
	f, err := experiment.Open(at(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func parseJSON[T any](t *testing.T, text string) T {
	t.Helper()
	var v T
	dec := json.NewDecoder(strings.NewReader(text))
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("not JSON: %v\n%s", err, text)
	}
	if dec.More() {
		t.Fatalf("there is text after the JSON:\n%s", text)
	}
	return v
}

// small is a spec of six short runs without figures.
const small = `version: 1
name: small
task: pca
seed: 7
repeats: 2
budget: {iterations: 40}
record: {points: 4}
datasets:
  - {id: g, source: simulated-gaussian, with: {dim: 6, gap: 2}, problem: {k: 2}}
algorithms:
  - {id: msg, step: {c: [0.25, 1]}}
  - {id: incremental}
select: {by: oracle}
`

// remove removes a file or a folder.
func remove(t *testing.T, path ...string) {
	t.Helper()
	if err := os.RemoveAll(at(t, path...)); err != nil {
		t.Fatal(err)
	}
}

var updateGoldens = flag.Bool("update-compare", false, "rewrite the golden files of compare and claims")

// golden compares a text with a file. With -update-compare, it writes the file.
func golden(t *testing.T, path, text string) {
	t.Helper()
	if *updateGoldens {
		write(t, path, text)
	}
	if want, err := os.ReadFile(path); err != nil || text != string(want) {
		t.Errorf("%s (%v):\n%s\nwant\n%s", path, err, text, want)
	}
}

// wantNarrow checks that the lines of a text fit on a terminal.
func wantNarrow(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(strings.TrimRight(line, " \n")); n > table.Width {
			t.Errorf("a line of %d characters: %s", n, line)
		}
	}
}

// wantNone checks that a file or folder does not exist.
func wantNone(t *testing.T, path ...string) {
	t.Helper()
	if _, err := os.Stat(at(t, path...)); !os.IsNotExist(err) {
		t.Errorf("%s exists (%v)", filepath.Join(path...), err)
	}
}

// edit replaces the first old, which must exist, in text.
func edit(t *testing.T, text, old, new string) string {
	t.Helper()
	if !strings.Contains(text, old) {
		t.Fatalf("there is no %q in\n%s", old, text)
	}
	return strings.Replace(text, old, new, 1)
}

const tables = `tables:
  - {id: tab, columns: [k, mean_rank, final_suboptimality]}
`

// figure is separate because the race detector makes drawing slow.
const figure = `figures:
  - {id: fig, x: iterations, y: suboptimality, log: [x, y]}
`

const products = figure + tables

// skipIfShort skips a slow test with -short.
func skipIfShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("it takes seconds")
	}
}

// comparableFiles returns the contents of all files in a folder that are not hidden, by path. It represents a
// database by its records and optima.
func comparableFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := filepath.WalkDir(at(t, dir), func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			return err
		}
		name := relative(t, path)
		if e.Name() == record.DatabaseFile {
			files[name] = exported(t, filepath.Dir(path)) + optimaOf(t, filepath.Dir(path))
			return nil
		}
		data, err := os.ReadFile(path)
		files[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
