package svmtrain

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"stochopt/algorithms/internal/suite"
)

// problemOf returns the problem of the training points of x.
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
	// Points 0 and 3 agree in the first eight digits, and are in different classes.
	p := problemOf(suite.Points{X: [][]float64{{7, 7}, {1.0 / 3, 0}, {0, 0}, {1.0 / 3, 0}, {-1, 4}}, Positive: 3})
	for name, text := range map[string]string{
		"8 digits":          modelText,
		"17 digits":         strings.Replace(modelText, "0.33333333", "0.33333333333333331", 1),
		"CRLF, no last end": strings.TrimRight(strings.ReplaceAll(modelText, "\n", "\r\n"), "\r\n"),
	} {
		alpha, bias, err := p.readModel(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if want := []float64{0, 0.5, 1.5, 0, 2}; bias != -0.25 || !slices.Equal(alpha, want) {
			t.Errorf("%s: bias %v, alpha %v; want -0.25, %v", name, bias, alpha, want)
		}
	}
	for _, c := range [][2]string{
		{"c_svc", "nu_svc"}, {"rho 0.25", "rho"}, {"rho 0.25", "rho nan"}, {"nr_sv 2 1", "nr_sv 2"}, {"label 1 -1", "label 1 2"},
		{"SV\n", ""}, {"-2 1:-1 2:4 \n", ""}, {"0.5 1:0", "x 1:0"},
		// Vectors that are no training point.
		{"2:4", "2=4"}, {"2:4", "2:5"}, {"0.33333333", "0.3333333"},
	} {
		if _, _, err := p.readModel(strings.Replace(modelText, c[0], c[1], 1)); err == nil {
			t.Errorf("%q for %q: no error", c[1], c[0])
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
			t.Errorf("parseTrainLog accepts %q", bad)
		}
	}
}

// TestWrite checks that written values parse to the same bits.
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
		for _, field := range strings.Fields(rest) {
			var j int
			var v float64
			if _, err := fmt.Sscanf(field, "%d:%g", &j, &v); err != nil {
				t.Fatal(err)
			}
			got[j-1] = v
		}
		if y, _ := strconv.ParseFloat(label, 64); y != x.Label(i) || !slices.Equal(got, x.Row(i, nil)) {
			t.Errorf("line %d is %q", i+1, line)
		}
	}
}
