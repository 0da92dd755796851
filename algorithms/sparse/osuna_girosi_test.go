package sparse

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/svm"

	"gonum.org/v1/gonum/floats"
)

// TestOsunaGirosiOptimality checks the optimality conditions of the primal problem, derived from
// its subdifferential.
func TestOsunaGirosiOptimality(t *testing.T) {
	const n, c = 40, 0.7
	m := gaussianRows(cloud(rand.New(rand.NewPCG(11, 12)), n, 2), 0.5, 0.1)
	p := svm.Problem{Rows: m, Positive: n / 2}
	for _, test := range []struct{ bias, refBias bool }{{false, false}, {true, true}, {false, true}} {
		bias, ref := test.bias, svmOn(t, p, 2, test.refBias)
		for _, epsilon := range []float64{0, 0.1, 0.8} {
			o := suite.Must(NewOsunaGirosi(OsunaGirosiConfig{Epsilon: epsilon, C: c, Bias: bias, Tolerance: 1e-8}, p, ref))
			e := run(t, o)
			beta := make([]float64, n)
			for k, i := range e.Index {
				beta[i] = e.Coef[k]
			}
			if sum := floats.Sum(beta); bias && math.Abs(sum) > 1e-9 {
				t.Errorf("epsilon = %g: the coefficients sum to %g", epsilon, sum)
			}
			for j, g := range scoresOf(m, e) {
				// beta_j must be in the subdifferential of C max(0, |r| - epsilon) at r.
				r, low, high := ref.Scores[j]-g, 0.0, 0.0
				if !bias { // the targets exclude the bias of w
					r -= ref.Bias
				}
				if r >= epsilon-1e-6 {
					high = c
				}
				if r > epsilon+1e-6 {
					low = c
				}
				if r <= -epsilon+1e-6 {
					low = -c
				}
				if r < -epsilon-1e-6 {
					high = -c
				}
				if beta[j] < low || beta[j] > high {
					t.Fatalf("bias %t, epsilon = %g: beta_%d = %v, want it in [%v, %v]",
						bias, epsilon, j, beta[j], low, high)
				}
			}
		}
	}
}

// TestOsunaGirosiMatchesLIBSVM compares the objective, the bias and the number of vectors with
// svm-train -s 3 on the scores of a reference. It requires svm-train.
func TestOsunaGirosiMatchesLIBSVM(t *testing.T) {
	train, err := exec.LookPath("svm-train")
	if err != nil {
		t.Skip("svm-train is not installed")
	}
	const n, gamma, c = 120, 0.5, 2.0
	x := cloud(rand.New(rand.NewPCG(41, 42)), n, 2)
	p := svm.Problem{Rows: gaussianRows(x, gamma, 0), Positive: n / 2}
	ref := svmOn(t, p, 2, true)
	var text strings.Builder
	for i, v := range x {
		fmt.Fprintf(&text, "%.17g 1:%.17g 2:%.17g\n", ref.Scores[i], v[0], v[1])
	}
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	if err := os.WriteFile(data, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, epsilon := range []float64{1.5, 0.1} {
		out, err := exec.Command(train, "-s", "3", "-t", "2", "-g", fmt.Sprint(gamma), "-c", fmt.Sprint(c),
			"-p", fmt.Sprint(epsilon), "-e", "1e-6", data, filepath.Join(dir, "model")).CombinedOutput()
		if err != nil {
			t.Fatalf("svm-train: %v\n%s", err, out)
		}
		var objective, rho float64
		var vectors int
		for line := range strings.Lines(string(out)) {
			fmt.Sscanf(line, "obj = %g, rho = %g", &objective, &rho)
			fmt.Sscanf(line, "nSV = %d", &vectors)
		}
		cfg := OsunaGirosiConfig{Epsilon: epsilon, C: c, Bias: true, Tolerance: 1e-6}
		o := suite.Must(NewOsunaGirosi(cfg, p, ref))
		e := run(t, o)
		if got := -o.qp.Objective(); !(math.Abs(got-objective) <= 1e-5*math.Abs(objective)+1e-6) {
			t.Errorf("epsilon = %g: objective %v, LIBSVM has %v", epsilon, got, objective)
		}
		if !(math.Abs(e.Bias+rho) <= 1e-4) {
			t.Errorf("epsilon = %g: b = %v, LIBSVM has %v", epsilon, e.Bias, -rho)
		}
		if len(e.Coef) > vectors+2 || len(e.Coef) < vectors-2 {
			t.Errorf("epsilon = %g: %d vectors, LIBSVM has %d", epsilon, len(e.Coef), vectors)
		}
	}
}
