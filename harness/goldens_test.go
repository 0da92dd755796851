package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"stochopt/harness/internal/experiment"
	"stochopt/internal/record"
	"stochopt/plots"
)

var update = flag.Bool("update", false, "write the goldens")

const goldens = "testdata/goldens"

// A golden has the whole text up to maxBytes, or else the first lines and a checksum.
const (
	maxBytes  = 32 << 10
	headLines = 40
)

func excerpt(text []byte) []byte {
	if len(text) <= maxBytes {
		return text
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	head := bytes.Join(lines[:min(headLines, len(lines))], nil)
	head = head[:min(maxBytes, len(head))]
	return fmt.Appendf(head, "\n… %d lines, %d bytes, sha256 %x\n", len(lines)-1, len(text), sha256.Sum256(text))
}

// golden compares a text with the file of goldens, or writes it.
func golden(t *testing.T, name string, text []byte) {
	t.Helper()
	path := filepath.Join(goldens, name)
	text = excerpt(text)
	if *update {
		write(t, path, string(text))
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Errorf("%v; run make goldens", err)
		return
	}
	if bytes.Equal(text, want) {
		return
	}
	got, old := strings.Split(string(text), "\n"), strings.Split(string(want), "\n")
	i := 0
	for i < min(len(got), len(old)) && got[i] == old[i] {
		i++
	}
	line := func(lines []string) string { return strings.Join(lines[min(i, len(lines)):min(i+1, len(lines))], "") }
	t.Errorf("%s, line %d:\n%.300s\nwant\n%.300s\nif the change is correct: run make goldens and check the difference", path, i+1, line(got), line(old))
}

// TestGoldens compares the products of the reference records with goldens: figures as data, tables, selections,
// curves and verdicts.
func TestGoldens(t *testing.T) {
	t.Parallel()
	if runtime.GOARCH != "amd64" {
		t.Skip("sums of other architectures differ in their last bits")
	}
	for _, name := range references(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := copyReference(t, name)
			d := derive(t, dir)
			s := d.Spec
			if _, err := d.Write(experiment.Kinds{Data: true, Tables: true, Claims: true}); err != nil {
				t.Fatal(err)
			}
			products := []string{experiment.SelectionFile, experiment.CurvesFile, experiment.ClaimsFile}
			for _, table := range s.Tables {
				products = append(products, filepath.Join("tables", table.ID+".csv"))
			}
			for _, p := range products {
				text, err := os.ReadFile(filepath.Join(dir, p))
				if os.IsNotExist(err) && p == experiment.ClaimsFile {
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				golden(t, filepath.Join(name, p), text)
			}
			for _, fig := range s.Figures {
				chart, err := plots.Compose(fig, d.Plots())
				if err != nil {
					t.Fatal(err)
				}
				text, err := json.Marshal(chart.Reduced(600))
				if err != nil {
					t.Fatal(err)
				}
				golden(t, filepath.Join(name, "figures", fig.ID+".json"), oneObjectPerLine(text))
			}
		})
	}
}

func oneObjectPerLine(text []byte) []byte {
	return append(bytes.ReplaceAll(text, []byte(`{"`), []byte("\n{\"")), '\n')
}

// references lists the reference experiments.
func references(t *testing.T) (names []string) {
	t.Helper()
	manifests, err := filepath.Glob("../results/reference/*/" + experiment.ManifestFile)
	if err != nil || len(manifests) < 10 {
		t.Fatalf("%d reference experiments, %v", len(manifests), err)
	}
	for _, m := range manifests {
		names = append(names, filepath.Base(filepath.Dir(m)))
	}
	return names
}

// derive derives the products of a folder by its own spec.
func derive(t *testing.T, dir string) *experiment.Derivation {
	t.Helper()
	f, err := experiment.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := f.Spec()
	if err != nil {
		t.Fatal(err)
	}
	d, err := f.Derive(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// copyReference copies a reference experiment into a temporary folder.
func copyReference(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("../results/reference", name))); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestGoldenOfComparison compares reference records with modified ones. All values are a quarter larger. The keys
// differ, except those of the first series.
func TestGoldenOfComparison(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	if runtime.GOARCH != "amd64" {
		t.Skip("sums of other architectures differ in their last bits")
	}
	for _, name := range []string{"pca-counterexample", "svm-experiments"} {
		dir := copyReference(t, name)
		e, err := record.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		var lines []byte
		for i, r := range e.Runs {
			if i > 0 && r.Series != e.Runs[0].Series {
				r.Key += "0"
			}
			for _, metrics := range r.Measured().Metrics {
				for _, values := range metrics {
					for j := range values {
						values[j] *= 1.25
					}
				}
			}
			line, err := record.EncodeRun(r)
			if err != nil {
				t.Fatal(err)
			}
			lines = append(append(lines, line...), '\n')
		}
		write(t, filepath.Join(dir, record.RunsFile), string(lines))
		if err := os.Remove(filepath.Join(dir, record.RunsFile+".gz")); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		o := (&site{t: t, dir: "."}).do("compare", filepath.Join("../results/reference", name), dir, "--json", "-v")
		if o.code > 1 {
			t.Fatalf("exit code %d: %s", o.code, o.stderr)
		}
		text := strings.ReplaceAll(o.stdout, dir, "CANDIDATE")
		golden(t, filepath.Join(name, "compare.json"), []byte(text))
	}
}
