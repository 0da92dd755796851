package cli

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stochopt/harness/internal/experiment"
	"stochopt/internal/disk"
)

// node is an entity of an RO-Crate.
type node map[string]any

// targets returns the identifiers in a property.
func (n node) targets(property string) (ids []string) {
	list, several := n[property].([]any)
	if !several {
		list = []any{n[property]}
	}
	for _, v := range list {
		if ref, ok := v.(map[string]any); ok {
			ids = append(ids, fmt.Sprint(ref["@id"]))
		}
	}
	return ids
}

// readCrate checks a zip file against RO-Crate 1.1 and Process Run Crate 0.5, and the description of each file. It
// returns the entities by identifier.
func readCrate(t *testing.T, path string) (z *zip.ReadCloser, graph map[string]node) {
	t.Helper()
	z, err := zip.OpenReader(at(t, path))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { z.Close() })
	var document struct {
		Context []any  `json:"@context"`
		Graph   []node `json:"@graph"`
	}
	metadata, err := fs.ReadFile(z, experiment.CrateFile)
	if err != nil || json.Unmarshal(metadata, &document) != nil || document.Context[0] != "https://w3id.org/ro/crate/1.1/context" {
		t.Fatalf("%v: %s", err, metadata)
	}
	graph = map[string]node{}
	for _, n := range document.Graph {
		id := fmt.Sprint(n["@id"])
		if graph[id] != nil {
			t.Errorf("%s exists twice", id)
		}
		graph[id] = n
	}
	for _, rule := range []struct{ id, property, pattern string }{
		{experiment.CrateFile, "@type", "CreativeWork"},
		{experiment.CrateFile, "about", `\./`},
		{experiment.CrateFile, "conformsTo", "https://w3id.org/ro/crate/1.1"},
		{"./", "@type", "Dataset"},
		{"./", "name", ".+"},
		{"./", "description", ".+"},
		{"./", "datePublished", `\d{4}-\d\d-\d\d`},
		{"./", "license", `(https://spdx.org/licenses/|#).+`},
		{"./", "conformsTo", "https://w3id.org/ro/wfrun/process/0.5"},
		{"./", "mentions", "#run"},
		{"https://w3id.org/ro/wfrun/process/0.5", "@type", "CreativeWork"},
		{"#run", "@type", "CreateAction"},
		{"#run", "name", ".+"},
		{"#run", "description", "stochopt run .+"},
		{"#run", "instrument", "#stochopt"},
		{"#run", "object", `spec.yaml #data-g`},
		{"#run", "result", `.*\b(results.db|runs.jsonl.gz)\b.*`},
		{"#stochopt", "@type", "SoftwareApplication"},
		{"#stochopt", "name", "stochopt"},
		{"#stochopt", "softwareVersion", ".+"},
		{"#data-g", "identifier", "sha256:.+"},
	} {
		text := fmt.Sprint(graph[rule.id][rule.property])
		if ids := graph[rule.id].targets(rule.property); ids != nil {
			text = strings.Join(ids, " ")
		}
		if !regexp.MustCompile("^" + rule.pattern + "$").MatchString(text) {
			t.Errorf("%s of %s is %q, want %s", rule.property, rule.id, text, rule.pattern)
		}
	}
	parts := graph["./"].targets("hasPart")
	for id, n := range graph {
		for property := range n {
			for _, to := range n.targets(property) {
				if graph[to]["@type"] == nil && to != "https://w3id.org/ro/crate/1.1" {
					t.Errorf("%s of %s refers to %s, which does not exist", property, id, to)
				}
			}
		}
		if n["@type"] != "File" {
			continue
		}
		name, err := url.PathUnescape(id)
		data, unread := fs.ReadFile(z, name)
		if err != nil || unread != nil || n["sha256"] != disk.SHA256Of(data) || n["contentSize"] != fmt.Sprint(len(data)) ||
			n["encodingFormat"] == "" || !slices.Contains(parts, id) {
			t.Errorf("%s differs from its description: %v", id, n)
		}
	}
	if n := len(z.File) - 1; n != len(parts) {
		t.Errorf("%d files of %d are described", len(parts), n)
	}
	return z, graph
}

const drawn = small + `figures:
  - {id: fig, y: suboptimality}
tables:
  - {id: tab, kind: datasets, columns: [train_rows]}
claims:
  - {id: c, says: it ends low, check: {reaches: {series: msg, value: 10}}}
`

// A crate describes the files of a folder with a database or with text. It is reproducible, reports missing runs,
// and omits other files.
func TestExportCrate(t *testing.T) {
	home(t)
	write(t, "small.yaml", drawn)
	ok(t, "run", "small.yaml", "--out", "a")
	write(t, "a/small/private.txt", "a note")
	export := []string{"export", "a/small", "--to", "ro-crate", "-o"}
	ok(t, append(export, "one.zip", "--license", "CC-BY-4.0")...)
	ok(t, append(export, "two.zip", "--license", "CC-BY-4.0")...)
	if read(t, "one.zip") != read(t, "two.zip") {
		t.Error("a second export has different bytes")
	}
	z, graph := readCrate(t, "one.zip")
	for _, name := range []string{"results.db", "figures/fig.svg", "tables/tab.csv", "claims.json", "curves.csv", "manifest.json"} {
		if data, err := fs.ReadFile(z, name); err != nil || string(data) != read(t, "a/small", name) {
			t.Errorf("%s differs: %v", name, err)
		}
	}
	if _, err := fs.Stat(z, "private.txt"); err == nil {
		t.Error("a file of the user is in the crate")
	}
	ended := regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$`)
	if text := fmt.Sprint(graph["#run"]["endTime"]); !ended.MatchString(text) || graph["#run"]["error"] != nil {
		t.Errorf("the action is %v", graph["#run"])
	}

	lines := strings.SplitAfter(asText(t, "a/small"), "\n") // text has no times
	remove(t, "a/small/runs.jsonl")
	write(t, "a/small/runs.jsonl.gz", gzipped(t, strings.Join(lines[:len(lines)-2], "")))
	ok(t, append(export, "text.zip")...)
	_, graph = readCrate(t, "text.zip")
	if a := graph["#run"]; a["endTime"] != nil || a["error"] != "1 of 6 runs are missing, and 0 have failed" {
		t.Errorf("without times and with a run missing, the action is %v", a)
	}
	write(t, "a/small/results.lock", `{"host": "elsewhere", "process": 7}`)
	for _, c := range []struct{ args, want string }{
		{"--to ro-crate", "-o is missing: name the zip file to write, such as -o results.crate.zip"},
		{"--to csv --license MIT", "--license is for --to ro-crate only"},
		{"--to bagit", `--to "bagit": want jsonl, csv, checksums or ro-crate`},
		{"--to ro-crate -o locked.zip", "a/small is being written by process 7 on elsewhere: wait for it"},
	} {
		o := stochopt(t, append([]string{"export", "a/small"}, strings.Fields(c.args)...)...)
		if wantText(t, c.args, o.err, c.want); o.code != exitUsage {
			t.Errorf("%s: exit %d", c.args, o.code)
		}
	}
}
