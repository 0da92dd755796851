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

	"stochopt/algorithms/svm"
)

// TestOsunaGirosiMatchesLIBSVM: svm-train -s 3 on the scores of a reference as
// targets finds the same objective, bias and number of vectors. It is skipped where
// svm-train is not installed.
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
	for _, epsilon := range []float64{1.5, 0.5, 0.1, 0.02} {
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
		o, err := NewOsunaGirosi(ogConfig(func(cfg *OsunaGirosiConfig) {
			cfg.Epsilon, cfg.C, cfg.Bias, cfg.Tolerance = epsilon, c, true, 1e-6
		}), p, ref)
		if err != nil {
			t.Fatal(err)
		}
		e := run(t, o)
		if got := -o.qp.Objective(); !(math.Abs(got-objective) <= 1e-5*math.Abs(objective)+1e-6) {
			t.Errorf("epsilon = %g: objective %v, that of LIBSVM %v", epsilon, got, objective)
		}
		if !(math.Abs(e.Bias+rho) <= 1e-4) {
			t.Errorf("epsilon = %g: b = %v, that of LIBSVM %v", epsilon, e.Bias, -rho)
		}
		if len(e.Coef) > vectors+2 || len(e.Coef) < vectors-2 {
			t.Errorf("epsilon = %g: %d vectors, LIBSVM has %d", epsilon, len(e.Coef), vectors)
		}
	}
}
