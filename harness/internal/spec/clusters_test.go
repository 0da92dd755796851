package spec

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const clustersBase = `default: campus
clusters:
  campus:
    partition: short
    account: ml
    time: 4h
    memory: 8GiB
    cpus: 4
    directives: {qos: high, nice: 10, exclusive: true}
    setup: [module load go, 'export X="a b"']
    scratch: /scratch/me
  other: {time: "1-12:00:00"}
`

func loadClusters(t *testing.T, text, own string) (*Clusters, error) {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.WriteFile("clusters.yaml", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return LoadClusters("clusters.yaml", own)
}

func TestLoadClusters(t *testing.T) {
	got, err := loadClusters(t, clustersBase, "")
	if err != nil {
		t.Fatal(err)
	}
	want := &Clusters{Default: "campus", Clusters: map[string]Cluster{
		"campus": {
			Partition: "short", Account: "ml", Time: Span(4 * time.Hour), Memory: 8 << 30, CPUs: 4,
			Directives: map[string]any{"qos": "high", "nice": int64(10), "exclusive": true},
			Setup:      []string{"module load go", `export X="a b"`}, Scratch: "/scratch/me",
		},
		"other": {Time: Span(36 * time.Hour)},
	}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if _, err := LoadClusters(filepath.Join(t.TempDir(), "none.yaml"), ""); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

func TestMistakesInClusters(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"cpus: 4", "cpus: 0", "clusters.yaml:8:11: clusters.campus.cpus: must be at least 1, got 0"},
		{"cpus: 4", "cpu: 4", `clusters.yaml:8:5: clusters.campus: unknown key "cpu" (did you mean "cpus"?)`},
		{"time: 4h", "time: 4", "clusters.yaml:6:11: clusters.campus.time: want a time of at most a year, such as 4h, 90m or 1-12:00:00, got the number 4"},
		{"time: 4h", "time: 400d", `clusters.yaml:6:11: clusters.campus.time: want a time of at most a year, such as 4h, 90m or 1-12:00:00, got the text "400d"`},
		{"default: campus", "default: camp", `clusters.yaml:1:10: there is no cluster "camp" (did you mean "campus"?)`},
		{"partition: short", `partition: "a\n#SBATCH --wrap=id"`, "clusters.yaml:4:16: clusters.campus.partition: the text has the character U+000A, which no line of a script may have"},
		{"scratch: /scratch/me", "scratch: tmp", `clusters.yaml:11:14: clusters.campus.scratch: want an absolute path, as the nodes have it, got "tmp"`},
		{"scratch: /scratch/me", `scratch: "/a\u202eb"`, "clusters.yaml:11:14: clusters.campus.scratch: the text has the character U+202E, which no line of a script may have"},
		{"[module load go,", `["a\nb",`, "clusters.yaml:10:13: clusters.campus.setup[0]: the text has the character U+000A, which no line of a script may have"},
		{"qos: high", "wrap: id", "clusters.yaml:9:17: clusters.campus.directives: wrap: submit gives this option itself, or has a key for it"},
		{"qos: high", "wra: id", "clusters.yaml:9:17: clusters.campus.directives: wra: write the option's whole name"},
		{"qos: high", "export: LD_PRELOAD=/x", "clusters.yaml:9:17: clusters.campus.directives: export: what a job runs, and in which environment, is for the set-up lines of your own file"},
		{"qos: high", "exp: LD_PRELOAD=/x", "clusters.yaml:9:17: clusters.campus.directives: exp: what a job runs, and in which environment, is for the set-up lines of your own file"},
		{"qos: high", "container-image: x", "clusters.yaml:9:17: clusters.campus.directives: container-image: what a job runs, and in which environment, is for the set-up lines of your own file"},
		{"qos: high", "--qos: high", "clusters.yaml:9:17: clusters.campus.directives: --qos: want the long name of an option of sbatch, without hyphens in front, such as qos"},
		{"qos: high", "q: high", "clusters.yaml:9:17: clusters.campus.directives: q: want the long name of an option of sbatch, without hyphens in front, such as qos"},
		{"qos: high", "qos: [a, b]", "clusters.yaml:9:17: clusters.campus.directives: qos: want a text, a number, or true for an option without a value"},
		{"qos: high", "qos: false", "clusters.yaml:9:17: clusters.campus.directives: qos: want a text, a number, or true for an option without a value"},
		{"qos: high", `qos: "a\nb"`, "clusters.yaml:9:17: clusters.campus.directives: the text has the character U+000A, which no line of a script may have"},
	} {
		text := strings.Replace(clustersBase, c.old, c.new, 1)
		if _, err := loadClusters(t, text, ""); err == nil || err.Error() != c.want {
			t.Errorf("%s:\n%v, want\n%s", c.new, err, c.want)
		}
	}
	if _, err := loadClusters(t, "[a]", ""); err == nil || !strings.Contains(err.Error(), "clusters.yaml:1:1: the clusters are a mapping") {
		t.Errorf("a list: %v", err)
	}
}

// Commands count only from the user's own file.
func TestSetupIsOfTheUsersOwnFile(t *testing.T) {
	const want = "clusters.yaml:10:5: clusters.campus.setup: set-up lines are commands, and count only from your own file: move them to /home/me/clusters.yaml"
	if _, err := loadClusters(t, clustersBase, "/home/me/clusters.yaml"); err == nil || err.Error() != want {
		t.Errorf("%v, want\n%s", err, want)
	}
}

func TestOver(t *testing.T) {
	under := Cluster{Partition: "a", Account: "b", CPUs: 2, Setup: []string{"x"}}
	got := Cluster{Partition: "c", Memory: 5}.Over(under)
	if want := (Cluster{Partition: "c", Account: "b", CPUs: 2, Memory: 5, Setup: []string{"x"}}); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestParseSpan(t *testing.T) {
	for text, want := range map[string]string{
		"4h": "0-04:00:00", "90m": "0-01:30:00", "2d12h": "2-12:00:00", "1h30m5s": "0-01:30:05", "30s": "0-00:00:30",
		"10:30": "0-00:10:30", "12:00:00": "0-12:00:00", "1-10:30": "1-10:30:00", "1-12:00:00": "1-12:00:00", "366d": "366-00:00:00",
		"": "", "0h": "", "4": "", "-4h": "", "4 h": "", "4h 30m": "", "367d": "", "1.5h": "", "99999999m": "", "1:2:3": "", "h": "",
	} {
		span, ok := ParseSpan(text)
		if ok != (want != "") || ok && Span(span).String() != want {
			t.Errorf("%q: %s, %v, want %q", text, Span(span), ok, want)
		}
	}
}

func TestSchemaOfClusters(t *testing.T) {
	data, err := ClustersSchema()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("clusters.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("clusters.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(asJSON(t, []byte(clustersBase))); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{"cpus: 0", "cpu: 4", "cpus: x"} {
		if s.Validate(asJSON(t, []byte(strings.Replace(clustersBase, "cpus: 4", bad, 1)))) == nil {
			t.Errorf("accepts %q", bad)
		}
	}
}

// docs/cluster.md has an example that is read, and a row a key.
func TestClustersAreDocumented(t *testing.T) {
	data, err := os.ReadFile(moduleRoot + "/docs/cluster.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	_, example, _ := strings.Cut(page, "```yaml\n")
	example, _, _ = strings.Cut(example, "```")
	c, err := loadClusters(t, example, "")
	if err != nil || len(c.Clusters) != 2 {
		t.Errorf("%+v, %v", c, err)
	}
	for _, of := range []reflect.Type{reflect.TypeFor[Clusters](), reflect.TypeFor[Cluster]()} {
		for _, f := range structFields(of) {
			if f.name != "clusters" && !strings.Contains(page, "| `"+f.name+"`") && !strings.Contains(page, ", `"+f.name+"` |") {
				t.Errorf("docs/cluster.md has no row on %s", f.name)
			}
		}
	}
}
