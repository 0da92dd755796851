package model

import (
	"bytes"
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"stochopt/algorithms/kernel"
	"stochopt/datasets"
)

var update = flag.Bool("update", false, "rewrite the checksum of the example in FORMAT.md")

func ptr[T any](v T) *T { return &v }

// random is a model of so many vectors of d features.
func random(t *testing.T, k kernel.Kernel, support, d int) *Model {
	t.Helper()
	desc, err := NewKernel(k)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	m := &Model{Kernel: desc, Features: d, Labels: Labels{1, ptr(-1.0)}, Bias: rng.NormFloat64(),
		Provenance: Provenance{Tool: "stochopt test", Spec: "s", Params: map[string]any{"eta": 0.25, "C": 1.0, "support": int64(support), "bias": true, "kernel": "gaussian"}, Seed: math.MaxUint64, TestError: ptr(0.1)}}
	for range support {
		z := make([]float64, d)
		for j := range z {
			if rng.IntN(2) == 0 {
				z[j] = rng.NormFloat64()
			}
		}
		m.Vectors, m.Coefficients = append(m.Vectors, nonZero(z)), append(m.Coefficients, rng.NormFloat64())
	}
	return m
}

var kernels = []kernel.Kernel{kernel.Gaussian{Gamma: 0.3}, kernel.Linear{}, kernel.Polynomial{Degree: 3, Gamma: 0.7, Coef0: 0.1}}

// nonZero returns the entries of a dense vector that are not 0.
func nonZero(z []float64) Vector {
	v := Vector{Indices: []int32{}, Values: []float64{}}
	for j, x := range z {
		if x != 0 {
			v.Indices, v.Values = append(v.Indices, int32(j+1)), append(v.Values, x)
		}
	}
	return v
}

func TestRoundTripIsExact(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.model.json")
	for _, k := range kernels {
		m := random(t, k, 20, 7)
		// Numbers that are hard to write.
		for i, v := range []float64{math.SmallestNonzeroFloat64, math.MaxFloat64, 0.1, 1 / 3.0, 1e21, 1e-7, 123456789012345680, math.Copysign(0, -1)} {
			m.Coefficients[i] = v
		}
		m.Labels.Negative, m.Provenance.Prepare = nil, []string{"unit-norm"}
		m.Provenance.DatasetTitle = "Ä <title> & \"more\" \u2028"
		if err := Write(filepath.Dir(path), filepath.Base(path), m); err != nil {
			t.Fatal(err)
		}
		got, err := Read(path)
		if err != nil {
			t.Fatal(err)
		}
		for name, v := range got.Provenance.Params { // read as they are written
			if fmt.Sprint(v) != fmt.Sprint(m.Provenance.Params[name]) {
				t.Errorf("%s is %v, want %v", name, v, m.Provenance.Params[name])
			}
		}
		first, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := Write(filepath.Dir(path), filepath.Base(path), got); err != nil {
			t.Fatal(err)
		}
		if second, _ := os.ReadFile(path); !bytes.Equal(first, second) {
			t.Error("reading and writing changes the file")
		}
		got.Provenance.Params = m.Provenance.Params
		if !reflect.DeepEqual(got, m) || math.Signbit(got.Coefficients[7]) != true {
			t.Errorf("%v: got %+v\nwant %+v", k, got, m)
		}
	}
	// A classifier without vectors is its bias.
	m := &Model{Kernel: Kernel{Name: "linear"}, Features: 1, Labels: Labels{8, nil}, Bias: -1}
	if err := Write(filepath.Dir(path), filepath.Base(path), m); err != nil {
		t.Fatal(err)
	}
	if got, err := Read(path); err != nil || got.Support() != 0 || got.Bias != -1 {
		t.Errorf("got %+v (%v)", got, err)
	}
}

// The checksum is what FORMAT.md says that it is.
func TestChecksumAsDocumented(t *testing.T) {
	m := random(t, kernels[2], 5, 3)
	m.Provenance.DatasetTitle = `A "title" with spaces,\ and more`
	text, err := encode(m)
	if err != nil {
		t.Fatal(err)
	}
	member := regexp.MustCompile(`,\s*"sha256": "([0-9a-f]{64})"`)
	found := member.FindSubmatch(text)
	if found == nil {
		t.Fatalf("there is no checksum in\n%s", text)
	}
	rest := member.ReplaceAll(text, nil)
	var short []byte
	inside, escaped := false, false
	for _, c := range rest {
		if inside || c != ' ' && c != '\n' {
			short = append(short, c)
		}
		if c == '"' && !escaped {
			inside = !inside
		}
		escaped = c == '\\' && !escaped
	}
	if got := fmt.Sprintf("%x", sha256.Sum256(short)); got != string(found[1]) {
		t.Errorf("the checksum is %s, and by the documentation %s", found[1], got)
	}
}

// Whatever is read is written as it was read.
func FuzzParse(f *testing.F) {
	doc, err := os.ReadFile("FORMAT.md")
	if err != nil {
		f.Fatal(err)
	}
	example := regexp.MustCompile("(?s)```json\n(.*?)```").FindSubmatch(doc)[1]
	f.Add(example)
	f.Add([]byte(`{"format":"stochopt-model","version":1,"kernel":{"name":"linear"},"vectors":null}`))
	f.Add([]byte("{"))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := parse(text)
		if err != nil {
			return
		}
		again, err := encode(m)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := parse(again); err != nil || !reflect.DeepEqual(m, n) {
			t.Errorf("read again it is %+v (%v), not %+v", n, err, m)
		}
	})
}

// Whoever lays the file out anew changes nothing.
func TestWhiteSpaceIsNoEdit(t *testing.T) {
	text, err := encode(random(t, kernels[0], 3, 2))
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{{"\n", "\r\n"}, {"\n", ""}, {",\"", ", \n\t\""}} {
		if _, err := parse([]byte(strings.ReplaceAll(string(text), change[0], change[1]))); err != nil {
			t.Errorf("%q for %q: %v", change[1], change[0], err)
		}
	}
}

// Wherever a file is cut short it is refused, and called truncated wherever the
// cut leaves anything.
func TestTruncated(t *testing.T) {
	text, err := encode(random(t, kernels[2], 3, 2))
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(text) - 2 {
		want := fmt.Sprintf("the file is truncated: it ends after %d bytes; copy it again, or make it again with run", n)
		if n == 0 {
			want = "the file is empty; restore it from a backup, or make it again with run"
		}
		if _, err := parse(text[:n]); err == nil || err.Error() != want {
			t.Fatalf("cut at %d: %v", n, err)
		}
	}
}

// No digit can be changed without it being noticed, but for one that makes no
// difference to the number that it is in.
func TestEveryDigitCounts(t *testing.T) {
	text, err := encode(random(t, kernels[0], 3, 2))
	if err != nil {
		t.Fatal(err)
	}
	want, err := parse(text)
	if err != nil {
		t.Fatal(err)
	}
	changed := 0
	for i, c := range text {
		if c < '0' || c > '9' {
			continue
		}
		for _, d := range []byte{'1' + (c-'0')%9, '1' + (c-'0'+1)%9} {
			if d == c {
				continue
			}
			edited := bytes.Clone(text)
			edited[i] = d
			if got, err := parse(edited); err == nil && !reflect.DeepEqual(got, want) {
				t.Errorf("the digit at byte %d can be changed from %c to %c: %s", i, c, d, text[max(0, i-30):i+1])
			}
			changed++
		}
	}
	if changed < 200 {
		t.Errorf("%d digits were changed", changed)
	}
}

// What a model says of preparation in two places is of the same steps.
func TestInputHoldsEachStep(t *testing.T) {
	m := random(t, kernels[0], 2, 3)
	m.Provenance.Prepare = []string{"unit-max-norm"}
	m.Input = &datasets.Recipe{Classes: []string{"no", "yes"}}
	const want = "input: there are numbers of 0 preparation steps for 1"
	if err := m.Check(); err == nil || err.Error() != want {
		t.Errorf("%v; want %s", err, want)
	}
	m.Input.Prepare = []datasets.Fitted{{Step: "unit-max-norm", Divide: []float64{2}}}
	if err := m.Check(); err != nil {
		t.Error(err)
	}
}

func TestReadRefuses(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m.model.json")
	m := random(t, kernels[0], 2, 3)
	m.Vectors[0], m.Coefficients = Vector{[]int32{1, 3}, []float64{0.5, 2}}, []float64{1, -1}
	text, err := encode(m)
	if err != nil {
		t.Fatal(err)
	}
	const again = "restore it from a backup, or make it again with run"
	for _, test := range []struct{ name, old, new, want string }{
		{"newer", `"version": 1`, `"version": 3`, "the model was written by a newer stochopt: its format is version 3, this program reads version 2; upgrade"},
		{"newer in another form", `"version": 1,`, `"version": 3, "compression": [1],`, "the model was written by a newer stochopt: its format is version 3, this program reads version 2; upgrade"},
		{"another version", `"version": 1`, `"version": 2`, "the version of the format is 2, but what the file has is of version 1: it was edited or damaged; " + again},
		{"no version", `  "version": 1,`, ``, "the version of the format is missing or not a positive integer; " + again},
		{"version 0", `"version": 1`, `"version": 0`, "the version of the format is missing or not a positive integer; " + again},
		{"no format", `"format": "stochopt-model",`, ``, `this is not a model: it lacks "format": "stochopt-model"; name a file that run wrote into a models folder`},
		{"other format", `"stochopt-model"`, `"onnx"`, `this is not a model: it lacks "format": "stochopt-model"; name a file that run wrote into a models folder`},
		{"edited coefficient", "    1,", "    1.5,", "it was edited or damaged; " + again},
		{"edited checksum", `"sha256": "`, `"sha256": "0`, "it was edited or damaged; " + again},
		{"no checksum", `"sha256"`, `"sha257"`, `json: unknown field "sha257"; the file is damaged; ` + again},
		{"unknown kernel", `"gaussian","gamma":0.3`, `"laplace","gamma":0.3`, `unknown kernel "laplace" (known: gaussian, linear, polynomial); either a newer stochopt wrote it, or the file is damaged: then ` + again},
		{"no gamma", `,"gamma":0.3`, ``, "the gaussian kernel has no gamma; either a newer stochopt wrote it, or the file is damaged: then " + again},
		{"gamma of another", `"gaussian","gamma":0.3`, `"linear","gamma":0.3`, "the linear kernel takes no gamma; either a newer stochopt wrote it, or the file is damaged: then " + again},
		{"gamma", `"gamma":0.3`, `"gamma":-0.3`, "gaussian kernel: gamma is -0.3; it must be positive and finite (gamma = 1/(2 sigma^2)); either a newer stochopt wrote it, or the file is damaged: then " + again},
		{"infinite coefficient", "    1,", "    1e999,", "coefficients is the number 1e999, not a finite 64-bit number; the file is damaged; " + again},
		{"infinite bias", `"bias": `, `"bias": 1e9999, "b": `, `bias is the number 1e9999, not a finite 64-bit number; the file is damaged; ` + again},
		{"NaN", "    1,", "    NaN,", "this is not a model, or it was edited or damaged: at byte "},
		{"text for a number", `"bias": `, `"bias": "1", "b": `, `bias is a string, but the format has another kind of value there; the file is damaged; ` + again},
		{"unknown member", `"bias": `, `"b": `, `json: unknown field "b"; the file is damaged; ` + again},
		{"a coefficient too many", "    1,", "    1,2,", "there are 3 coefficients and 2 vectors; each vector needs one; damaged; " + again},
		{"index 0", `"indices":[1,3]`, `"indices":[0,3]`, "vector 1: the index 0 is outside 1, …, 3; damaged; " + again},
		{"index beyond", `"indices":[1,3]`, `"indices":[1,4]`, "vector 1: the index 4 is outside 1, …, 3; damaged; " + again},
		{"decreasing", `"indices":[1,3]`, `"indices":[3,3]`, "vector 1: the index 3 follows 3; indices increase; damaged; " + again},
		{"a value missing", `"values":[0.5,2]`, `"values":[0.5]`, "vector 1: it has 2 indices and 1 values; damaged; " + again},
		{"too many features", `"features": 3`, `"features": 99999999999`, "the number of features is 99999999999; it must be between 1 and 2147483647; damaged; " + again},
		{"no features", `"features": 3`, `"features": 0`, "the number of features is 0; it must be between 1 and 2147483647; damaged; " + again},
		{"labels", `"negative":-1`, `"negative":1`, "both classes have the label 1; damaged; " + again},
		{"error", `"test_error":0.1`, `"test_error":1.1`, "the test error is 1.1; it is a fraction; damaged; " + again},
	} {
		if n := strings.Count(string(text), test.old); n != 1 {
			t.Fatalf("%s: %q occurs %d times in\n%s", test.name, test.old, n, text)
		}
		if err := os.WriteFile(path, []byte(strings.Replace(string(text), test.old, test.new, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := Read(path)
		if err == nil || !strings.HasPrefix(err.Error(), path+": ") || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s:\ngot  %v\nwant %s", test.name, err, test.want)
		}
	}
	braces := strings.Replace(string(text), `"vectors": [`, `"vectors": [`+strings.Repeat("{},", 1000), 1)
	if _, err := parse([]byte(braces)); err == nil || !strings.Contains(err.Error(), "opening braces, more than vectors in so many bytes") {
		t.Errorf("error %v", err)
	}
	if err := os.Truncate(path, MostBytes+1); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(path); err == nil || !strings.HasSuffix(err.Error(), "it is longer than 64 MiB, the most that it may be") {
		t.Errorf("error %v", err)
	}
	for name, content := range map[string]string{"trailing": string(text) + "x", "libsvm": "svm_type c_svc\n", "list": "[1]"} {
		if _, err := parse([]byte(content)); err == nil || strings.Contains(err.Error(), "truncated") {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A kernel of another program, with the right checksum.
	other := *m
	other.Kernel = Kernel{Name: "sigmoid", Gamma: ptr(1.0)}
	text, err = encode(&other)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parse(text); err == nil || !strings.HasPrefix(err.Error(), `unknown kernel "sigmoid"`) {
		t.Errorf("error %v", err)
	}
	if _, err := Read(filepath.Join(dir, "none")); err == nil || !strings.HasPrefix(err.Error(), "cannot read the model: ") {
		t.Errorf("error %v", err)
	}
}

func TestWriteRefuses(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m")
	for want, spoil := range map[string]func(m *Model){
		"the bias is NaN; it must be finite":                                 func(m *Model) { m.Bias = math.NaN() },
		"coefficient 2 is +Inf; it must be finite":                           func(m *Model) { m.Coefficients[1] = math.Inf(1) },
		"vector 1: the value of feature 1 is NaN; it must be finite":         func(m *Model) { m.Vectors[0] = Vector{[]int32{1}, []float64{math.NaN()}} },
		`unknown kernel "" (known: gaussian, linear, polynomial)`:            func(m *Model) { m.Kernel = Kernel{} },
		"there are 2 coefficients and 1 vectors; each vector needs one":      func(m *Model) { m.Vectors = m.Vectors[:1] },
		"a label is not finite":                                              func(m *Model) { m.Labels.Positive = math.Inf(1) },
		"the test error is NaN; it is a fraction":                            func(m *Model) { m.Provenance.TestError = ptr(math.NaN()) },
		"json: unsupported value: NaN":                                       func(m *Model) { m.Provenance.Params["eta"] = math.NaN() },
		"polynomial kernel: the degree is 0; it must be at least 1":          func(m *Model) { m.Kernel = Kernel{"polynomial", ptr(1.0), ptr(0), ptr(0.0)} },
		"gaussian kernel: gamma is +Inf; it must be positive and finite (ga": func(m *Model) { m.Kernel.Gamma = ptr(math.Inf(1)) },
	} {
		m := random(t, kernels[0], 2, 3)
		spoil(m)
		if err := Write(filepath.Dir(path), filepath.Base(path), m); err == nil || !strings.HasPrefix(err.Error(), "model "+path+": "+want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("what is refused leaves %v (%v)", entries, err)
	}
	if err := Write(filepath.Join(dir, "none"), "m", random(t, kernels[0], 2, 3)); err == nil || !strings.HasPrefix(err.Error(), "cannot write the model: ") {
		t.Errorf("error %v", err)
	}
	m := random(t, kernels[0], 2, 3)
	m.Provenance.DatasetTitle = strings.Repeat("x", MostBytes)
	if err := Write(dir, "m", m); err == nil || !strings.Contains(err.Error(), "the most that one may have is 64 MiB: ask for fewer vectors") {
		t.Errorf("a model that cannot be read again: %v", err)
	}
	if _, err := NewKernel(nil); err == nil {
		t.Error("no kernel is described")
	}
}

// The example of the documentation is a model.
func TestDocumentedExample(t *testing.T) {
	doc, err := os.ReadFile("FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile("(?s)```json\n(.*?)```").FindSubmatch(doc)
	if found == nil {
		t.Fatal("there is no example")
	}
	if *update {
		sum := regexp.MustCompile(`"sha256": "(.*)"`)
		_, err := parse(found[1])
		if is := regexp.MustCompile(`the checksum is ([0-9a-f]{64})`).FindStringSubmatch(fmt.Sprint(err)); is != nil {
			doc = sum.ReplaceAll(doc, []byte(`"sha256": "`+is[1]+`"`))
			if err := os.WriteFile("FORMAT.md", doc, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
	m, err := parse(found[1])
	if err != nil {
		t.Fatal(err)
	}
	text, err := encode(m)
	if err != nil || string(text) != string(found[1]) {
		t.Errorf("the example would be written as\n%s (%v)", text, err)
	}
	table := datasets.NewDense(1, 3, []float64{1, 0, 0.1}, nil)
	g, err := m.Decisions(context.Background(), table)
	if want := 1.5 - math.Exp(-0.5*1.01) - 0.25; err != nil || math.Abs(g[0]-want) > 1e-6 {
		t.Errorf("g = %v (%v), want %v", g, err, want)
	}
}
