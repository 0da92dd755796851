package datasets

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// badTexts holds invalid files by format.
var badTexts = map[string][]string{
	"csv": {
		"1,2\n3,NaN\n",
		"a,b\n3,4\ninf,1\n",
		"1,2\n3,x\n",
		"a,2\nb,4\n",
		"a,y\n\"0,5\",1\n",
		"1,2\n3,4\n5\n",
		"1,2\n3,\"4\n",
		"a,b\n",
		"\xfe\xff\x001\x00\n",
		"1\x00\n\x00",
		npyMagic + "\x01\x00",
	},
	"libsvm": {
		"1 1:1\n-1 0:1\n",
		"1 3:1 2:1\n",
		"1 1:1\n\n# x\n1 3:1 3:1\n",
		"1 -3:1\n",
		"1 2147483648:1\n",
		"1 99999999999999999999999:1\n",
		"1 3\n",
		"1 3:\n",
		"1 3:0x1p2\n",
		"1 3:nan\n",
		"1 3:1e999\n",
		"1 1:2\n\ufeff1 1:2\n",
		"1,2 3:1\n",
		"1 qid:3 3:1\n",
		"\ufeff# nothing\n",
		"1\n2\n",
		"1 " + strings.Repeat("z", 60),
	},
	"idx": {
		"",
		"+1 3:1 11:1\n",
		"\x00\x00\x07\x01\x00\x00\x00\x01\x09",
		"\x00\x00\x08\x00",
		"\x00\x00\x08\x02\x00\x00\x00\x02",
		string(encodeIDX([]int{2, 2}, []byte{1, 2, 3})),
		string(encodeIDX([]int{2, 2}, []byte{1, 2, 3, 4, 5})),
		string(encodeIDX([]int{0, 4}, nil)),
		string(encodeIDX([]int{1 << 31, 1 << 28}, []byte{1})),
		string(encodeIDX([]int{1 << 31, 1 << 31, 4}, nil)),
	},
	"npy": {
		string(encodeNPY("<f8", false, "(2, 2)", []float64{})[:20]),
		string(encodeNPY("<f8", false, "(2,)", []float64{1})),
		string(encodeNPY("<f8", false, "()", []float64{1})),
		string(encodeNPY("<f8", false, "(-1, 4)", []float64{})),
		string(encodeNPY("<f4", false, "(2,)", []float32{1, float32(math.NaN())})),
		string(encodeNPY("<U3", false, "(2,)", []float64{1})),
		string(encodeNPY("<f8", true, "(1, 1, 1)", []float64{1})),
		string(encodeNPY("x', 'y': '", false, "(1,)", []float64{1})),
	},
}

// badFile is a file that is invalid with the given options.
type badFile struct {
	format, text string
	opt          csvOptions
}

var badFiles = []badFile{
	{"csv", "a;y\n1.5;0\n", csvOptions{Comma: ';', Decimal: ","}},
	{"csv", "a,b\n1,?\nnull,3\n4,N/A\n", csvOptions{Missing: "skip"}},
	{"csv", "1,2\n", csvOptions{Label: "y"}},
	{"csv", "age,income\n1,2\n", csvOptions{Label: "incom"}},
	{"csv", "1,2\n", csvOptions{Label: "3"}},
	{"csv", "1,2\n", csvOptions{Label: "0"}},
	{"csv", "1\n", csvOptions{Label: "1"}},
	{"csv", "a,b\n1,2\n", csvOptions{Label: "b", Ignore: "a, 2"}},
	{"csv", "1,2,3\n", csvOptions{Features: 2}},
	{"csv", "a,y\n1,no\n2,\n", csvOptions{Label: "y"}},
	{"csv", "a,y\n1,no\n2,3\n", csvOptions{Label: "y"}},
	{"csv", "a,y\n1,0\n2,no\n", csvOptions{Label: "y"}},
	{"csv", "1,\"a\nb\"\n", csvOptions{Label: "2"}},
	{"csv", "a,b,y, y \n1,2,0,0\n", csvOptions{Label: "y"}},
	{"csv", "1,2,species\n5.1,3.5,setosa\n4.9,3,virginica\n", csvOptions{Label: "3"}},
	{"libsvm", "1 5:1\n", csvOptions{Features: 4}},
	{"idx", string(encodeIDX([]int{1, 2}, []byte{1, 2})), csvOptions{Features: 3}},
	{"npy", string(encodeNPY("<f8", false, "(1, 1)", []float64{1})), csvOptions{Label: "1"}},
}

// Readers return a short *SyntaxError with the file and the line.
func TestBadFiles(t *testing.T) {
	t.Parallel()
	var many strings.Builder
	for i := range mostClasses + 1 {
		fmt.Fprintf(&many, "1,y%d\n", i)
	}
	var got strings.Builder
	all := append(badFiles, badFile{"csv", many.String(), csvOptions{Label: "2"}})
	for _, format := range slices.Sorted(maps.Keys(badTexts)) {
		for _, text := range badTexts[format] {
			all = append(all, badFile{format: format, text: text})
		}
	}
	for _, c := range all {
		_, err := readTable(strings.NewReader(c.text), "FILE", pathOptions{format: c.format, csv: c.opt}, newBudget(0))
		where, ok := errors.AsType[*SyntaxError](err)
		if !ok || where.Line > 1+strings.Count(c.text, "\n") || len(err.Error()) > 300 {
			t.Errorf("%s %.60q: %v", c.format, c.text, err)
		}
		fmt.Fprintf(&got, "%s %.60q\n\t%v\n", c.format, c.text, err)
	}
	for _, file := range [][]byte{encodeIDX([]int{2}, []byte{3, 4}), encodeIDX([]int{1, 2}, []byte{3, 4})} {
		_, err := readLabels(bytes.NewReader(file), "FILE", 3, newBudget(0))
		fmt.Fprintf(&got, "labels %q\n\t%v\n", file, err)
	}
	golden(t, "badfiles.txt", got.String())
}

// Open rejects these Refs, most of them before it reads a file. Misspelt names get a suggestion.
func TestBadRefs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	damaged := slices.Clone(tinyGz)
	damaged[len(damaged)-6] ^= 1
	damagedBz2 := slices.Clone(tinyBz2)
	damagedBz2[30] ^= 1
	for name, content := range map[string][]byte{
		"cut.svm.gz": tinyGz[:len(tinyGz)-6], "head.svm.gz": []byte("\x1f\x8b\x08"), "damaged.svm.gz": damaged,
		"cut.svm.bz2": tinyBz2[:40], "damaged.svm.bz2": damagedBz2, "zip.svm": []byte("PK\x03\x04 and more"),
		"head.svm": []byte("BZh91\n"), "const.svm": []byte("1 1:1\n1 1:1\n"), "three.svm": []byte("1 1:1\n0 1:2\n"),
		"a.svm": []byte("+1 1:1\n-1 2:1\n"), "copy.svm.gz": gzipped([]byte("+1 1:1\n-1 2:1\n")),
		"a.csv": []byte("p,q,y\n1,2,yes\n3,4,no\n"), "swapped.csv": []byte("q,p,y\n1,2,yes\n"), "short.csv": []byte("p,y\n1,no\n"),
		"texts.csv": []byte("p,q,y\n1,2,No\n"), "numbers.csv": []byte("p,q,y\n1,2,1\n"),
		"x.idx": encodeIDX([]int{2, 2}, []byte{1, 2, 3, 4}), "xl.idx": encodeIDX([]int{2}, []byte{0, 1}),
		"z.idx": encodeIDX([]int{1, 2}, []byte{1, 2}), "zl.idx": encodeIDX([]int{1}, []byte{1}), "l3.idx": encodeIDX([]int{3}, []byte{1, 2, 3}),
	} {
		writeFile(t, filepath.Join(dir, name), content)
	}
	var got strings.Builder
	for _, ref := range []Ref{
		{Source: "mnits"}, {Source: "quux"}, {Source: "mnist", With: with("part", "trian")},
		{Source: "adult", With: with("variant", "a9")}, {Source: "mnist", With: with("parts", "all")},
		{Source: "simulated-gaussian"}, {Source: "simulated-gaussian", With: map[string]any{"gap": 5, "dim": 4}},
		{Source: "counterexample-2d", With: with("dim", 3)}, {Source: "counterexample-2d", Prepare: []string{"center"}},
		{Source: "counterexample-2d", Positive: new(1.0)}, {Source: "simulated-margin"},
		{Source: "simulated-margin", With: map[string]any{"R": 2, "noise": 0.5}},
		{Source: "interval", With: map[string]any{"from": 1, "to": 1}}, {Source: "interval", With: with("step", 1)},
		{Path: "x.svm", Label: "y"}, {Path: "x.svm", With: with("header", true)}, {Path: "x.csv", With: with("delimiter", "ab")},
		{Path: "x.idx", With: with("test_labels", "b")}, {Path: "x.npy", Label: "1", With: with("labels", "b")},

		{Path: "none.svm"}, {Path: ".", Format: "csv"}, {Path: "cut.svm.gz"}, {Path: "head.svm.gz"}, {Path: "damaged.svm.gz"},
		{Path: "cut.svm.bz2"}, {Path: "damaged.svm.bz2"}, {Path: "zip.svm"}, {Path: "head.svm"},
		{Path: "x.idx", With: with("labels", "l3.idx")}, {Path: "x.idx", With: with("labels", "none.idx")},
		{Path: "a.svm", Prepare: []string{"centre"}}, {Path: "const.svm", Prepare: []string{"standardize-unit-expected-norm"}},
		{Path: "three.svm", Positive: new(4.0)}, {Path: "a.csv", With: with("ignore", "y"), Positive: new(4.0)},

		{Path: "a.svm", Test: "none.svm"}, {Path: "a.svm", Test: "three.svm"}, {Path: "a.csv", Test: "swapped.csv", Label: "y"},
		{Path: "a.csv", Test: "short.csv", Label: "y"}, {Path: "a.csv", Test: "texts.csv", Label: "y"},
		{Path: "numbers.csv", Test: "a.csv", Label: "y"}, {Path: "x.idx", Test: "z.idx", With: with("labels", "xl.idx")},
		{Path: "x.idx", Test: "z.idx", With: with("test_labels", "zl.idx")},
		{Path: "a.svm", Test: "a.svm"}, {Path: "a.svm", Test: "copy.svm.gz"}, {Path: "x.idx", Test: "x.idx"},
	} {
		d, err := Open(t.Context(), ref, Options{Dir: dir, AllowStandIn: true, ForceStandIn: true})
		_, named := errors.AsType[*NamedError](err)
		absent := ref.Path == "none.svm" || ref.Test == "none.svm" || ref.With["labels"] == "none.idx"
		if d != nil || !named || errors.Is(err, fs.ErrNotExist) != absent {
			t.Errorf("%+v: %v, %v", ref, d, err)
		}
		text := strings.NewReplacer(dir+"/", "", dir, "DIR").Replace(fmt.Sprint(err))
		fmt.Fprintf(&got, "%s%s %s %v %v\n\t%s\n", ref.Source, ref.Path, ref.Test, ref.With, ref.Prepare, text)
	}
	golden(t, "badrefs.txt", got.String())
}

// repeater repeats a text forever.
type repeater struct {
	text string
	at   int
}

func (r *repeater) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = r.text[r.at]
		r.at = (r.at + 1) % len(r.text)
	}
	return len(p), nil
}

// allocated returns the number of bytes that a function allocates.
func allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// A file that exceeds the budget is rejected at the line that does so. The memory allocated depends on
// the budget, not on the length of the file.
func TestFilesThatDoNotFit(t *testing.T) {
	long(t)
	const most = 4 << 20
	header := func(dims ...int) string { return string(encodeIDX(dims, nil)) }
	for name, c := range map[string]struct {
		format, head, rest string
		line               int
	}{
		"csv rows":           {"csv", "", "1,2\n", 262145},
		"csv wide rows":      {"csv", "", strings.Repeat("1,", 4095) + "1\n", 129},
		"csv line":           {"csv", "a,b\n", "1,", 2},
		"csv nothing":        {"csv", "", "\x00", 1},
		"csv quotes":         {"csv", "\"", "1\n2", 1},
		"libsvm rows":        {"libsvm", "", "1\n", 262145},
		"libsvm entries":     {"libsvm", "", "1 1:1 2147483647:1\n", 104858},
		"libsvm line":        {"libsvm", "1 1:1\n", " ", 2},
		"idx that tells":     {"idx", header(1<<20, 28, 28), "x", 0},
		"idx that lies":      {"idx", header(1<<31, 1<<28, 1), " ", 0},
		"idx that overflows": {"idx", header(1<<31, 1<<31, 1<<31), " ", 0},
		"idx of bytes":       {"idx", header(4<<20 + 1), "x", 0},
	} {
		var err error
		used := allocated(func() {
			text := io.MultiReader(strings.NewReader(c.head), io.LimitReader(&repeater{text: c.rest}, 1<<30))
			_, err = readTable(text, "f", pathOptions{format: c.format}, newBudget(most))
		})
		if where, ok := errors.AsType[*SyntaxError](err); !ok || where.Line != c.line || used > 32*most {
			t.Errorf("%s: %d bytes allocated; %.200v", name, used, err)
		}
	}
}

// The limit applies to the training and test files together, to generators and to prepared rows.
func TestMaxBytes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const rows, takes = 1 << 10, 1 << 10 * (entryBytes + rowBytes)
	writeFile(t, filepath.Join(dir, "d.svm.gz"), gzipped(bytes.Repeat([]byte("1 1:1\n"), rows)))
	writeFile(t, filepath.Join(dir, "rows.csv"), []byte("1,2\n3,4\n"))
	writeFile(t, filepath.Join(dir, "far.svm"), []byte("+1 1:1 1000000:1\n-1 2:1\n"))
	writeFile(t, filepath.Join(dir, "images.idx"), encodeIDX([]int{3, 4}, []byte("aabbccddeeff")))
	for _, c := range []struct {
		ref  Ref
		most int64 // the least sufficient limit
		line int   // line of the error with one byte less; -1: no line; 0: the error is of a later step
	}{
		{Ref{Path: "d.svm.gz"}, takes, rows},
		{Ref{Path: "d.svm.gz", Test: "d.svm.gz"}, 2 * takes, rows},
		{Ref{Path: "rows.csv"}, 32, 2}, {Ref{Path: "images.idx"}, 12, -1},
		{Ref{Path: "far.svm", Prepare: []string{"unit-norm", "center"}}, 16_000_000, 0},
		{Ref{Path: "far.svm", Prepare: []string{"standardize-unit-expected-norm"}}, 16_000_000, 0},
		{Ref{Path: "images.idx", Prepare: []string{"unit-norm"}}, 96, 0},
		{Ref{Source: "interval"}, 401 * 16, 0},
	} {
		_, err := Open(t.Context(), c.ref, Options{Dir: dir, MaxBytes: c.most - 1})
		if where, ok := errors.AsType[*SyntaxError](err); err == nil || ok != (c.line != 0) || ok && where.Line != max(c.line, 0) {
			t.Errorf("%+v: %v", c.ref, err)
		}
		if _, err := Open(t.Context(), c.ref, Options{Dir: dir, MaxBytes: c.most}); err != nil && c.ref.Test == "" {
			t.Errorf("%+v: %v", c.ref, err)
		}
	}
}
