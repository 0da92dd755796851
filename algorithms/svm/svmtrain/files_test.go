package svmtrain

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"stochopt/algorithms/internal/suite"
)

// problemOf returns the problem of the training points among some.
func problemOf(x suite.Points) Problem {
	return Problem{X: x, Train: x.Train(), Positive: x.Positive}
}

const modelText = `svm_type c_svc
kernel_type rbf
gamma 0.5
nr_class 2
total_sv 3
rho 0.25
label 1 -1
nr_sv 2 1
SV
0.5 1:0.33333333 
1.5 
-2 1:-1 2:4 
`

func TestReadModel(t *testing.T) {
	// Points 0 and 3 are equal up to the eighth digit and in different classes.
	p := problemOf(suite.Points{X: [][]float64{{7, 7}, {1.0 / 3, 0}, {0, 0}, {1.0 / 3, 0}, {-1, 4}}, Positive: 3})
	turned := strings.NewReplacer("label 1 -1", "label -1 1", "nr_sv 2 1", "nr_sv 1 2",
		"0.5 1:0.33333333 \n1.5 \n-2 1:-1 2:4 \n", "2 1:-1 2:4 \n-0.5 1:0.33333333333333331 \n-1.5\n", "rho 0.25", "rho -0.25").Replace(modelText)
	for name, text := range map[string]string{
		"positive first":    modelText,
		"negative first":    turned,
		"CRLF, no last end": strings.TrimRight(strings.ReplaceAll(modelText, "\n", "\r\n"), "\r\n"),
	} {
		m, err := readModel(strings.NewReader(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		alpha, err := m.coefficients(p)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if want := []float64{0, 0.5, 1.5, 0, 2}; m.bias != -0.25 || !slices.Equal(alpha, want) {
			t.Errorf("%s: bias %v, alpha %v; want -0.25, %v", name, m.bias, alpha, want)
		}
	}
	for _, c := range []struct{ old, new, want string }{
		{"c_svc", "nu_svc", "line 9: a nu_svc"},
		{"nr_class 2", "nr_class 3", "3 classes"},
		{"rho 0.25", "rho", `rho is ""`},
		{"rho 0.25", "rho nan", `rho is "nan"`},
		{"nr_sv 2 1", "nr_sv 2", "two counts"},
		{"label 1 -1", "label 1 2", `"1 2"`},
		{"SV\n", "", "before the support vectors"},
		{"-2 1:-1 2:4 \n", "", "after 2 of 3"},
		{"0.5 1:0", "x 1:0", `line 10: the coefficient "x"`},
		{"2:4", "2=4", `line 12: "2=4" is no index:value`},
		{"2:4", "2:5", "line 12: the support vector is none"},
		{"0.33333333", "0.3333333", "line 10: the support vector is none"},
	} {
		m, err := readModel(strings.NewReader(strings.Replace(modelText, c.old, c.new, 1)))
		if err == nil {
			_, err = m.coefficients(p)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q for %q: error %v, want one with %q", c.new, c.old, err, c.want)
		}
	}
}

func TestParseTrainLog(t *testing.T) {
	log := "WARNING: using -h 0 may be faster\n*..*\noptimization finished, #iter = 1234\nnu = 0.38\nobj = -7.721891, rho = -0.723911\nnSV = 4, nBSV = 0\n"
	iterations, objective, err := parseTrainLog([]byte(log))
	if iterations != 1234 || objective != -7.721891 || err != nil {
		t.Errorf("%v, %v, %v", iterations, objective, err)
	}
	for _, bad := range []string{"", "optimization finished, #iter = 3\n", "obj = -1, rho = 2\n", strings.Replace(log, "-7.721891", "x", 1)} {
		if _, _, err := parseTrainLog([]byte(bad)); err == nil {
			t.Errorf("%q is taken for svm-train's output", bad)
		}
	}
}

// What is written reads back as the same bits.
func TestWrite(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n, d = 50, 6
	x := suite.Points{X: [][]float64{make([]float64, d)}, Positive: 20, Eval: 5}
	for len(x.X) < n {
		row := make([]float64, d)
		for k := range row {
			if rng.IntN(2) == 0 {
				row[k] = rng.NormFloat64() * math.Ldexp(1, rng.IntN(200)-100)
			}
		}
		x.X = append(x.X, row)
	}
	p := problemOf(x)
	path := filepath.Join(t.TempDir(), "train")
	if err := p.write(path); err != nil {
		t.Fatal(err)
	}
	dense, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p.X = suite.SparsePoints{Points: x}
	if err := p.write(path); err != nil {
		t.Fatal(err)
	}
	if sparse, _ := os.ReadFile(path); !bytes.Equal(dense, sparse) {
		t.Error("dense and sparse points are written differently")
	}
	lines := strings.Split(strings.TrimSuffix(string(dense), "\n"), "\n")
	if len(lines) != n-5 || lines[0] != "+1" {
		t.Fatalf("%d lines, the first is %q", len(lines), lines[0])
	}
	for i, line := range lines {
		got := make([]float64, d)
		label, rest, _ := strings.Cut(line, " ")
		indices, values, err := supportVector{features: rest}.parse()
		if err != nil {
			t.Fatal(err)
		}
		for k, j := range indices {
			got[j] = values[k]
		}
		if y, _ := strconv.ParseFloat(label, 64); y != x.Label(i) || !slices.Equal(got, x.Row(i, nil)) {
			t.Errorf("line %d is %q", i+1, line)
		}
	}
}

// A model trained with the negatives first reads as the same classifier.
func TestModelWithTheNegativesFirst(t *testing.T) {
	path := needTool(t, "svm-train")
	x := suite.Blobs(suite.NewRand(32), 30, 30, 0, 3, 1.5, 0)
	r, _, err := Train(t.Context(), path, Options{C: 10, Gamma: 1, Epsilon: 0.001, CacheMB: 8}, problemOf(x))
	if err != nil {
		t.Fatal(err)
	}
	// The same points as one plain writer would write them.
	var training string
	for k := range x.X {
		i := (k + x.Positive) % len(x.X)
		training += strconv.FormatFloat(x.Label(i), 'g', -1, 64)
		for f, v := range x.X[i] {
			training += " " + strconv.Itoa(f+1) + ":" + strconv.FormatFloat(v, 'g', 17, 64)
		}
		training += "\n"
	}
	dir := t.TempDir()
	data, written := filepath.Join(dir, "train"), filepath.Join(dir, "model")
	if err := os.WriteFile(data, []byte(training), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(path, "-g", "1", "-c", "10", "-h", "0", data, written).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	f, err := os.Open(written)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := readModel(f)
	if err != nil {
		t.Fatal(err)
	}
	alpha, err := m.coefficients(problemOf(x))
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(m.bias-r.Bias) > 0.01 {
		t.Errorf("bias %v with the negatives first, %v with the positives", m.bias, r.Bias)
	}
	kernel := suite.Gaussian(1)
	for j, z := range x.X {
		difference := m.bias - r.Bias
		for i, v := range alpha {
			difference += (v - r.Alpha[i]) * x.Label(i) * kernel(x.X[i], z)
		}
		if math.Abs(difference) > 0.01 {
			t.Errorf("score %d: %v apart", j, difference)
		}
	}
}
