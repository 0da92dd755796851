package svm

import (
	"bufio"
	"compress/gzip"
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stochopt/algorithms"
)

// Adult's smallest training set: 1605 points, many of them equal, some in both
// classes. The objective that svm-train reports is that of the coefficients
// found for its support vectors.
func TestLIBSVMOnAdult(t *testing.T) {
	mirror := os.Getenv("HARNESS_MIRROR")
	if mirror == "" {
		t.Skip("HARNESS_MIRROR is not set")
	}
	needTool(t, "svm-train")
	if !filepath.IsAbs(mirror) {
		mirror = filepath.Join("..", "..", mirror)
	}
	f, err := os.Open(filepath.Join(mirror, "adult", "a1a.gz"))
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	text, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	const d, gamma, c = 123, 0.005, 100
	var classes [2][]float64
	for lines := bufio.NewScanner(text); lines.Scan(); {
		label, rest, _ := strings.Cut(lines.Text(), " ")
		indices, values, err := supportVector{features: rest}.parse()
		if err != nil {
			t.Fatal(err)
		}
		row := make([]float64, d)
		for k, j := range indices {
			row[j] = values[k]
		}
		class := 0
		if strings.HasPrefix(label, "-") {
			class = 1
		}
		classes[class] = append(classes[class], row...)
	}
	positive, n := len(classes[0])/d, (len(classes[0])+len(classes[1]))/d
	if n != 1605 || positive != 395 {
		t.Fatalf("%d points, %d positive", n, positive)
	}
	x := rffPoints{append(classes[0], classes[1]...), d}
	p, _ := libsvmProblem(x, n, positive, gamma)
	a, err := NewLIBSVM(context.Background(), LIBSVMConfig{C: c, Gamma: gamma}, p, rffSparse{x})
	if err != nil {
		t.Fatal(err)
	}
	if st := a.Step(); st.State != algorithms.Converged {
		t.Fatal(st)
	}
	var s Solution
	a.SolutionTo(&s)
	sum, hinge := 0.0, 0.0
	for i, v := range s.Alpha {
		sum += v
		hinge += max(0, 1-p.Label(i)*s.Scores[i])
	}
	primal, dual := s.NormSq/2+c*hinge, sum-s.NormSq/2
	if math.Abs(dual+a.Objective()) > 1e-6*dual {
		t.Errorf("dual objective %v, svm-train says %v", dual, -a.Objective())
	}
	if primal-dual > 1e-3*primal || primal < dual {
		t.Errorf("primal %v, dual %v", primal, dual)
	}
}
