package svm

import (
	"bufio"
	"compress/gzip"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/svm/svmtrain"
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
	var classes [2][][]float64
	for lines := bufio.NewScanner(text); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		row := make([]float64, d)
		for _, field := range fields[1:] {
			var j int
			if _, err := fmt.Sscanf(field, "%d:1", &j); err != nil {
				t.Fatal(err)
			}
			row[j-1] = 1
		}
		class := 0
		if strings.HasPrefix(fields[0], "-") {
			class = 1
		}
		classes[class] = append(classes[class], row)
	}
	x := suite.Points{X: slices.Concat(classes[0], classes[1]), Positive: len(classes[0])}
	if len(x.X) != 1605 || x.Positive != 395 {
		t.Fatalf("%d points, %d positive", len(x.X), x.Positive)
	}
	p, _ := libsvmProblem(x, gamma)
	a, err := NewLIBSVM(context.Background(), LIBSVMConfig{Options: svmtrain.Options{C: c, Gamma: gamma}}, p, suite.SparsePoints{Points: x})
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
