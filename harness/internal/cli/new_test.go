package cli

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/spec"
)

// labelledRows returns rows of three features, and their classes, which have equal shares.
func labelledRows(n, classes int) (x [][]byte, labels []byte) {
	rng := rand.New(rand.NewPCG(4, 2))
	for i := range n {
		y := byte(i % classes)
		labels = append(labels, y)
		x = append(x, []byte{20 + 60*y + byte(rng.IntN(40)), byte(rng.IntN(100)), 100 + 30*y + byte(rng.IntN(60))})
	}
	return x, labels
}

// newCSV returns a CSV file with the label in the last column.
func newCSV(header string, x [][]byte, labels []byte) string {
	var b strings.Builder
	b.WriteString(header)
	for i, row := range x {
		fmt.Fprintf(&b, "%d,%d,%d,%d\n", row[0], row[1], row[2], labels[i])
	}
	return b.String()
}

func newLIBSVM(x [][]byte, labels []byte) string {
	var b strings.Builder
	for i, row := range x {
		fmt.Fprintf(&b, "%d 1:%d 2:%d 3:%d\n", 2*int(labels[i])-1, row[0], row[1], row[2])
	}
	return b.String()
}

// New writes valid specs for all formats and tasks.
func TestNew(t *testing.T) {
	skipIfShort(t)
	x, two := labelledRows(60, 2)
	y, three := labelledRows(60, 3)
	const header = "a,b,c,class\n"
	for _, test := range []struct {
		task, file, content string
		args                []string
		label               string
	}{
		{"svm", "header.csv", newCSV(header, x, two), nil, "class"},
		{"pca", "header.csv", newCSV(header, x, two), nil, "class"},
		{"svm", "plain.csv", newCSV("", x, two), []string{"--label", "4"}, "4"},
		{"svm-sparse", "semicolons.dat", strings.ReplaceAll(newCSV(header, x, two), ",", ";"), nil, "class"},
		{"svm", "multi.csv", newCSV(header, y, three), nil, "class"},
		{"svm-sparse", "d.gz", gzipped(t, newLIBSVM(x, two)), nil, ""},
	} {
		t.Run(test.task+"/"+test.file, func(t *testing.T) {
			home(t)
			write(t, test.file, test.content)
			ok(t, append([]string{"new", "mine", "--task", test.task, "--data", test.file}, test.args...)...)
			s, err := spec.Load(at(t, "mine.yaml"), spec.LoadOptions{Catalog: registry.Catalog()})
			if err != nil {
				t.Fatal(err)
			}
			if d := s.Datasets[0]; d.Path != test.file || string(d.Label) != test.label {
				t.Errorf("the data are %+v", d)
			}
			ok(t, "run", "mine.yaml", "--set", "repeats=1")
			wantProducts(t, "results/mine")
		})
	}
}

// wantProducts checks that there is one figure and one table.
func wantProducts(t *testing.T, dir string) {
	t.Helper()
	for _, pattern := range []string{"figures/*.svg", "tables/*.md"} {
		if files, err := filepath.Glob(at(t, dir, pattern)); err != nil || len(files) != 1 {
			t.Errorf("%s: %v, %v", pattern, files, err)
		}
	}
}

// If the first line may be a header or a row, the user must decide.
func TestNewWithAmbiguousHeader(t *testing.T) {
	home(t)
	var b strings.Builder
	b.WriteString("1,2,label\n")
	for i := range 40 {
		fmt.Fprintf(&b, "%d,%d,%s\n", i%5, i%7, []string{"yes", "no"}[i%2])
	}
	write(t, "mine.csv", b.String())
	if o := stochopt(t, "new", "mine", "--data", "mine.csv"); o.code != exitUsage {
		t.Errorf("new: exit %d: %s", o.code, o.err)
	}
	ok(t, "new", "mine", "--data", "mine.csv", "--header")
	ok(t, "plan", "mine.yaml")
	write(t, "unclear.yaml", edit(t, read(t, "mine.yaml"), "    with: {header: true}\n", ""))
	if o := stochopt(t, "plan", "unclear.yaml"); o.code != exitUsage {
		t.Errorf("plan: exit %d: %s", o.code, o.err)
	}
}

// New omits rows with missing values, separates one of several classes from the rest, and scales the features.
func TestNewWithRawRows(t *testing.T) {
	skipIfShort(t)
	home(t)
	rng := rand.New(rand.NewPCG(4, 2))
	var b strings.Builder
	fmt.Fprintln(&b, "wide,narrow,kind")
	for i := range 120 {
		x, y := rng.NormFloat64(), rng.NormFloat64()
		kind := map[bool]string{true: "inner", false: "outer"}[x*x+y*y < 1.4]
		if i%10 == 0 {
			kind = "far"
		}
		fmt.Fprintf(&b, "%.5g,%.5g,%s\n", 1e4*(x+3), 0.01*y, kind)
	}
	write(t, "mine.csv", strings.Replace(b.String(), "\n", "\n?,1,far\n", 1))
	ok(t, "new", "mine", "--task", "svm-sparse", "--data", "mine.csv")
	s, err := spec.Load(at(t, "mine.yaml"), spec.LoadOptions{Catalog: registry.Catalog()})
	if err != nil {
		t.Fatal(err)
	}
	if d := s.Datasets[0]; d.With["missing"] != "skip" || d.Positive == nil || len(d.Prepare) != 1 || d.Split == nil {
		t.Errorf("the data are %+v", d)
	}
	// Commands, the manifest and products report the omitted rows.
	const rows = "120 of 121 rows (the others have missing values)"
	for _, verb := range []string{"plan", "run"} {
		if o := ok(t, verb, "mine.yaml"); strings.Count(o.err, `warning: dataset "mine": `+rows) != 1 {
			t.Errorf("%s prints %s", verb, o.err)
		}
	}
	if d := opened(t, "results/mine").Manifest.Datasets[0]; d.Rows != rows {
		t.Errorf("manifest: %+v", d)
	}
	wantText(t, "table", inOneLine(read(t, "results/mine/tables/at-sizes.md")), "mine: 120 of 121 rows")
	// Validate rejects the same files as run.
	write(t, "few.yaml", edit(t, read(t, "mine.yaml"), "path: mine.csv", "path: mine.csv\n    subset: {train: 5000}"))
	write(t, "unread.yaml", edit(t, read(t, "mine.yaml"), "    with: {missing: skip}\n", ""))
	for _, name := range []string{"few.yaml", "unread.yaml"} {
		for _, verb := range []string{"validate", "run"} {
			if o := stochopt(t, verb, name); o.code != exitUsage {
				t.Errorf("%s %s: exit %d: %s", verb, name, o.code, o.err)
			}
		}
	}
}

func TestNewWithoutData(t *testing.T) {
	skipIfShort(t)
	home(t)
	for task, source := range map[string]string{"pca": "simulated-gaussian", "svm": "adult", "svm-sparse": "adult"} {
		file := task + ".yaml"
		ok(t, "new", "first", "--task", task, "--offline", "-o", file)
		s, err := spec.Load(at(t, file), spec.LoadOptions{Catalog: registry.Catalog()})
		if err != nil || s.Datasets[0].Source != source || s.Task != task {
			t.Errorf("%s: %+v, %v", task, s, err)
		}
	}
	ok(t, "validate", "pca.yaml")
}

func TestNewErrors(t *testing.T) {
	home(t)
	x, labels := labelledRows(60, 2)
	write(t, "mine.csv", newCSV("a,b,c,class\n", x, labels))
	write(t, "there.yaml", "mine")
	write(t, "few.csv", newCSV("a,b,c,class\n", x[:19], labels))
	write(t, "one.csv", newCSV("a,b,c,class\n", x, make([]byte, 60)))
	write(t, "same.csv", "a,b,class\n"+strings.Repeat("1,2,0\n1,2,1\n", 20))
	var regression strings.Builder
	for i := range 40 {
		fmt.Fprintf(&regression, "%d,%d.5\n", i%7, i)
	}
	write(t, "regression.csv", "a,price\n"+regression.String())
	write(t, "narrow.csv", "a,class\n"+regression.String())
	for _, test := range []struct{ args, want string }{
		{"Mine --data mine.csv", `the name "Mine" does not match ^[a-z0-9][a-z0-9-]*$ (the name of the results folder)`},
		{"gallery", `the project already has a folder results/gallery; choose another name (the name of the results folder)`},
		{"there --data mine.csv", "cannot write there.yaml: open there.yaml: file exists; choose another file with -o"},
		{"mine --data mine.csv -o no/mine.yaml", "cannot write no/mine.yaml: folder no does not exist; create it or choose another file with -o"},
		{"mine --data few.csv", "few: 19 rows: at least 20 are needed for training, validation and test"},
		{"mine --data one.csv", "one: there is only one class: all 60 labels are 0, but a classifier needs two"},
		{"mine --data same.csv", "same: every feature is constant"},
		{"mine --data regression.csv --label price", "regression: the labels look like regression targets, from 0.5 to 39.5: a classifier needs classes. " +
			"Add a column that is 1 above a threshold, such as the median, 20.5, and -1 otherwise, or choose another column"},
		{"mine --data narrow.csv --task pca", "narrow: PCA needs at least two features, but there is one"},
	} {
		t.Run(test.args, func(t *testing.T) {
			args := append([]string{"new"}, strings.Fields(test.args)...)
			wantOutcome(t, stochopt(t, args...), exitUsage, "stochopt: "+test.want)
			wantNone(t, "mine.yaml")
		})
	}
	if read(t, "there.yaml") != "mine" {
		t.Error("a file was overwritten")
	}
}
