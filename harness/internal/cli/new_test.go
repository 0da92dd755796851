package cli

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"stochopt/harness/internal/propose"
	"stochopt/harness/internal/registry"
)

// labelledRows are rows of three features and a class, in equal shares.
func labelledRows(n, classes int) (x [][]byte, labels []byte) {
	rng := rand.New(rand.NewPCG(4, 2))
	for i := range n {
		y := byte(i % classes)
		labels = append(labels, y)
		x = append(x, []byte{20 + 60*y + byte(rng.IntN(40)), byte(rng.IntN(100)), 100 + 30*y + byte(rng.IntN(60))})
	}
	return x, labels
}

// newCSV has the label in the last column.
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

// asNPY writes bytes as np.save does: x has rows of as many columns each, or is one row.
func asNPY(x ...[]byte) string {
	shape := fmt.Sprintf("(%d, %d)", len(x), len(x[0]))
	if len(x) == 1 {
		shape = fmt.Sprintf("(%d,)", len(x[0]))
	}
	header := "{'descr': '|u1', 'fortran_order': False, 'shape': " + shape + ", }\n"
	return "\x93NUMPY\x01\x00" + string([]byte{byte(len(header)), 0}) + header + string(bytes.Join(x, nil))
}

func newLabels(labels []byte) string {
	return string(append([]byte{0, 0, 8, 1, 0, 0, 0, byte(len(labels))}, labels...))
}

// What new writes is valid and runs as it is, in every task and of every kind of file.
func TestNew(t *testing.T) {
	x, two := labelledRows(60, 2)
	y, three := labelledRows(60, 3)
	const header = "a,b,c,class\n"
	for _, test := range []struct {
		file, content string
		args          []string
		// saw is what it says of the file, entry what it writes of it.
		saw, entry string
	}{
		{"header.csv", newCSV(header, x, two), nil,
			"Labels: column class (its name says so; --label names another).", "label: class\n"},
		{"plain.csv", newCSV("", x, two), []string{"--label", "4"}, "plain.csv: CSV, without a header.", `label: "4"`},
		{"semicolons.dat", strings.ReplaceAll(newCSV(header, x, two), ",", ";"), nil,
			`semicolons.dat: CSV, with a header, fields separated by ";".`, "format: csv\n    label: class\n    with: {delimiter: ;}"},
		{"multi.csv", newCSV(header, y, three), nil, "60 rows, 3 features, values from 1 to 216, 100.00 % of them not 0.", "label: class"},
		{"d.svm", newLIBSVM(x, two), nil, "d.svm: LIBSVM.", "path: d.svm\n"},
		{"d.gz", gzipped(t, newLIBSVM(x, two)), nil, "d.gz: LIBSVM, compressed by gzip.", "format: libsvm"},
		{"X.npy", asNPY(x...), []string{"--label", "y.npy"}, "X.npy: NPY.", "path: X.npy\n"},
		{"x-images-idx2-ubyte", asIDX(x), nil, "x-images-idx2-ubyte: IDX.", "path: x-images-idx2-ubyte\n"},
	} {
		for _, task := range propose.Tasks {
			t.Run(task+"/"+test.file, func(t *testing.T) {
				if testing.Short() && test.file != "header.csv" {
					t.Skip("one kind of file is enough")
				}
				home(t)
				write(t, test.file, test.content)
				write(t, "x-labels-idx1-ubyte", newLabels(two))
				write(t, "y.npy", asNPY(two))
				o := ok(t, append([]string{"new", "mine", "--task", task, "--data", test.file}, test.args...)...)
				wantText(t, "stdout", o.out, test.saw, "mine.yaml: ", "; next: stochopt run mine.yaml\n")
				wantText(t, "mine.yaml", read(t, "mine.yaml"), test.entry, "# "+test.saw)
				wantText(t, "validate", ok(t, "validate", "mine.yaml").out, "mine.yaml: ok, ")
				wantText(t, "run", ok(t, "run", "mine.yaml", "--set", "repeats=1").out, "mine: ")
				wantProducts(t, "results/mine")
			})
		}
	}
}

// wantProducts wants one figure and one table.
func wantProducts(t *testing.T, dir string) {
	t.Helper()
	for folder, ending := range map[string]string{"figures": ".svg", "tables": ".md"} {
		files, err := os.ReadDir(at(t, dir, folder))
		found := 0
		for _, f := range files {
			if strings.HasSuffix(f.Name(), ending) {
				found++
			}
		}
		if err != nil || found != 1 {
			t.Errorf("%s: %v, %v", folder, files, err)
		}
	}
}

// A file that may have a header or not is refused until the user says which.
func TestNewAsksForTheHeader(t *testing.T) {
	home(t)
	var b strings.Builder
	b.WriteString("1,2,label\n")
	for i := range 40 {
		fmt.Fprintf(&b, "%d,%d,%s\n", i%5, i%7, []string{"yes", "no"}[i%2])
	}
	write(t, "mine.csv", b.String())
	o := stochopt(t, "new", "mine", "--data", "mine.csv")
	if o.code != exitUsage {
		t.Errorf("new: exit %d", o.code)
	}
	wantText(t, "error", o.err, "mine.csv:1: this line may be a header or a row", "stochopt new: --header or --header=false")
	ok(t, "new", "mine", "--data", "mine.csv", "--header")
	wantText(t, "mine.yaml", read(t, "mine.yaml"), "label: label\n", "with: {header: true}", "--header=true")
	write(t, "unclear.yaml", edit(t, read(t, "mine.yaml"), "    with: {header: true}\n", ""))
	o = stochopt(t, "plan", "unclear.yaml")
	if o.code != exitUsage {
		t.Errorf("plan: exit %d", o.code)
	}
	wantText(t, "plan", o.err, "unclear.yaml:", "mine.csv:1: this line may be a header or a row", "with: {header: true}")
}

func TestNewWithoutData(t *testing.T) {
	for _, task := range propose.Tasks {
		t.Run(task, func(t *testing.T) {
			home(t)
			o := ok(t, "new", "first", "--task", task, "--offline", "-o", "spec.yaml")
			wantText(t, "stdout", o.out, "spec.yaml: ", "; next: stochopt run spec.yaml\n")
			if task == registry.TaskPCA {
				wantText(t, "spec", read(t, "spec.yaml"), "source: simulated-gaussian\n", "by: oracle")
			} else {
				wantText(t, "spec", read(t, "spec.yaml"), "source: adult\n", "stand_in: allow\n", "subset: {train: 1500, ")
			}
			ok(t, "run", "spec.yaml", "--offline", "--set", "repeats=1")
			wantProducts(t, "results/first")
		})
	}
}

func TestNewErrors(t *testing.T) {
	home(t)
	x, labels := labelledRows(60, 2)
	write(t, "mine.csv", newCSV("a,b,c,class\n", x, labels))
	write(t, "there.yaml", "mine")
	write(t, "empty.csv", "")
	write(t, "text.csv", "a,class\nspam,1\n2,0\n1,0\n")
	write(t, "few.csv", newCSV("a,b,c,class\n", x[:19], labels))
	write(t, "one.csv", newCSV("a,b,c,class\n", x, make([]byte, 60)))
	write(t, "same.csv", "a,b,class\n"+strings.Repeat("1,2,0\n1,2,1\n", 20))
	write(t, "rows.idx", asIDX(x))
	write(t, "labels.idx", newLabels(labels))
	write(t, "noise", "\x01\x02 nothing\n")
	write(t, "archive.csv", "PK\x03\x04")
	var regression, none strings.Builder
	for i := range 40 {
		fmt.Fprintf(&regression, "%d,%d.5\n", i%7, i)
		fmt.Fprintf(&none, "%d.5,%d.25\n", i, 2*i)
	}
	write(t, "regression.csv", "a,price\n"+regression.String())
	write(t, "none.csv", none.String())
	write(t, "narrow.csv", "a,class\n"+regression.String())
	for _, test := range []struct{ args, want string }{
		{"Mine --data mine.csv", `the name "Mine" does not match ^[a-z0-9][a-z0-9-]*$; it names the results folder`},
		{"gallery", `the project already has a folder results/gallery; choose another name; it names the results folder`},
		{"mine --task sparse", `unknown task "sparse" (known: svm, svm-sparse, pca)`},
		{"mine --label class", `--label and --header are for a file; name it with --data`},
		{"there --data mine.csv", "cannot write there.yaml: file exists; name another file with -o"},
		{"mine --data mine.csv -o no/mine.yaml", "cannot write no/mine.yaml: there is no folder no; name a file in a folder that is there with -o"},
		{"mine --data mine.csv --memory much", `invalid argument "much" for "--memory" flag: want a size from 1 byte to 8 EiB, such as 8GiB or 512MiB; see stochopt new --help`},
		{"mine --data absent.csv", "open absent.csv: no such file or directory"},
		{"mine --data empty.csv", "empty.csv: the file is empty"},
		{"mine --data archive.csv", "archive.csv: this is a ZIP archive, which is not read here: unpack it first, or compress it by gzip or bzip2"},
		{"mine --data noise", "noise: neither its name nor its content tells its format: it should be LIBSVM (label index:value …), CSV (numbers, with one character between them), IDX or NumPy (.npy)"},
		{"mine --data text.csv", `text.csv:2: column 1 ("a"): "spam" is not a number; only labels may be texts: write a number, leave it empty for a missing value, or take the column out of the file`},
		{"mine --data few.csv", "few: 19 rows: too few to train, choose and test on; 20 are the least here"},
		{"mine --data one.csv", "one: only one class occurs: all 60 labels are 0, and a classifier needs two"},
		{"mine --data same.csv", "same: every feature has one value only: there is nothing to learn from"},
		{"mine --data mine.csv --label clas", `mine.csv:1: label: unknown column "clas" (did you mean "class"? known: a, b, c, class)`},
		{"mine --data none.csv", "none.csv: no column looks like labels: none is called label, labels, class, classes, target, y, outcome, category, or has only 2 to 20 different whole numbers; name it with --label"},
		{"mine --data regression.csv --label price", "regression: the labels look like the values of a regression, from 0.5 to 39.5: a classifier needs classes. " +
			"Write a column that is 1 above a threshold, such as the median, 20.5, and -1 elsewhere, or name another column"},
		{"mine --data narrow.csv --task pca", "narrow: PCA needs two features or more, and there is one"},
		{"mine --data rows.idx", "rows.idx: an IDX file of rows has no labels: name the file of its labels with --label"},
		{"mine --data labels.idx", "labels.idx: it has one dimension, as a file of labels: name the file of the rows, and this one with --label"},
	} {
		t.Run(test.args, func(t *testing.T) {
			args := append([]string{"new"}, strings.Fields(test.args)...)
			wantOutcome(t, stochopt(t, args...), exitUsage, "stochopt: "+test.want)
			if _, err := os.Stat(at(t, "mine.yaml")); err == nil {
				t.Error("a spec was written")
			}
		})
	}
	if read(t, "there.yaml") != "mine" {
		t.Error("a file was overwritten")
	}
}
