package svm

import (
	"context"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/kernel"
	"stochopt/algorithms/svm/svmtrain"
)

// libsvmProblem returns the problem of the points with the Gaussian kernel.
func libsvmProblem(x suite.Points, gamma float64) (Problem, *fakeGram) {
	return newFakeGram(x, func(a, b []float64) float64 { return rffGaussian(gamma, a, b) })
}

func needTool(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("%s is not installed", name)
	}
}

// emptyTemp sets a new folder for temporary files. The test fails if files are left in it.
func emptyTemp(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Cleanup(func() {
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("left in the folder for temporary files: %v, %v", left, err)
		}
	})
}

func TestLIBSVMSolvesTheDual(t *testing.T) {
	needTool(t, "svm-train")
	const n, test, d, gamma = 120, 80, 4, 0.5
	x, _ := rffRings(31, n, test, d)
	// Equal points in different classes and in one class, and a point without features.
	copy(x.Row(1, nil), x.Row(0, nil))
	copy(x.Row(n-1, nil), x.Row(0, nil))
	clear(x.X[2])
	p, rows := libsvmProblem(x, gamma)
	for _, c := range []struct {
		c         float64
		shrinking bool
		points    kernel.Vectors
	}{{1, false, x}, {100, true, x}, {10, false, suite.SparsePoints{Points: x}}} {
		emptyTemp(t)
		rows.calls = 0
		// The clock is read just before and just after svm-train.
		ticks := 0.0
		clock := func() float64 { ticks++; return ticks * ticks }
		a, err := NewLIBSVM(context.Background(), svmtrain.Options{C: c.c, Gamma: gamma, Epsilon: 1e-6, CacheMB: 100, Shrinking: c.shrinking, Clock: clock}, p, c.points)
		if err != nil {
			t.Fatal(err)
		}
		st := a.Step()
		if st.State != algorithms.Converged {
			t.Fatalf("status %+v", st)
		}
		if got := a.Cost(); got != (algorithms.Cost{Iterations: 1}) {
			t.Errorf("cost %+v", got)
		}
		wall, cpu := a.Seconds()
		if rows.calls != 0 || a.Iterations() < 10 || wall != 4-1 || cpu < 0 || cpu > 60 {
			t.Errorf("%d rows read in the step, %d iterations, wall time %v s, CPU time %v s",
				rows.calls, a.Iterations(), wall, cpu)
		}
		var s Solution
		a.SolutionTo(&s)
		sum, balance, support := 0.0, 0.0, int64(0)
		for i, v := range s.Alpha {
			sum += v
			balance += v * p.Label(i)
			if v < 0 || v > c.c {
				t.Errorf("alpha[%d] = %v", i, v)
			}
			if v > 0 {
				support++
			}
		}
		if math.Abs(balance) > 1e-9*sum {
			t.Errorf("sum alpha_i y_i = %v", balance)
		}
		if rows.calls != support {
			t.Errorf("%d rows read for %d support vectors", rows.calls, support)
		}
		// svm-train prints six decimals.
		if got := s.NormSq/2 - sum; math.Abs(got-a.Objective()) > 1e-5*(1+math.Abs(got)) {
			t.Errorf("C = %v: objective %v, svm-train has %v", c.c, got, a.Objective())
		}
		// The optimality conditions, with our kernel and scores.
		for i, v := range s.Alpha {
			z := p.Label(i) * s.Scores[i]
			if v > 0 && z > 1+1e-4 || v < c.c && z < 1-1e-4 {
				t.Errorf("C = %v: alpha[%d] = %v with the margin %v", c.c, i, v, z)
			}
		}
		hinge := 0.0
		for i := range n {
			hinge += max(0, 1-p.Label(i)*s.Scores[i])
		}
		primal, dual := s.NormSq/2+c.c*hinge, sum-s.NormSq/2
		if primal-dual > 1e-4*primal || primal < dual-1e-5*primal {
			t.Errorf("C = %v: primal %v, dual %v", c.c, primal, dual)
		}
		before := slices.Clone(s.Scores)
		a.SolutionTo(&s)
		if rows.calls != support || !slices.Equal(before, s.Scores) {
			t.Error("the second call of SolutionTo read rows or gave a different solution")
		}
	}
}

// trainOptions are valid options.
var trainOptions = svmtrain.Options{C: 1, Gamma: 1, Epsilon: 0.001, CacheMB: 100}

// replaceSVMTrain puts a shell script in front of svm-train in PATH.
func replaceSVMTrain(t *testing.T, text string) {
	t.Helper()
	needTool(t, "sh")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "svm-train"), []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

func TestLIBSVMFailures(t *testing.T) {
	x, _ := rffRings(33, 10, 0, 2)
	p, _ := libsvmProblem(x, 1)
	finished := "echo 'optimization finished, #iter = 3'; echo 'obj = -1.5, rho = 0'"
	for _, text := range []string{
		"echo boom >&2; exit 3", "kill -9 $$", "echo hello", finished, // without a model
		finished + `; for last; do :; done; echo SV > "$last"`,
	} {
		emptyTemp(t)
		replaceSVMTrain(t, text)
		a, err := NewLIBSVM(context.Background(), trainOptions, p, x)
		if err != nil {
			t.Fatal(err)
		}
		if st := a.Step(); st.State != algorithms.Failed || st.Reason == "" {
			t.Errorf("%q: status %+v", text, st)
		}
		var s Solution
		a.SolutionTo(&s)
		if s.NormSq != 0 || len(s.Scores) != 10 || a.Cost().Iterations != 0 {
			t.Errorf("%q: the failed step changed the solution", text)
		}
	}
}

func TestLIBSVMEndsWithTheContext(t *testing.T) {
	emptyTemp(t)
	x, _ := rffRings(33, 10, 0, 2)
	p, _ := libsvmProblem(x, 1)
	ctx, cancel := context.WithCancelCause(context.Background())
	replaceSVMTrain(t, "exec sleep 600")
	a, err := NewLIBSVM(ctx, trainOptions, p, x)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan algorithms.Status)
	go func() { done <- a.Step() }()
	cancel(errors.New("interrupted by the user"))
	if st := <-done; st.State != algorithms.Failed || !strings.Contains(st.Reason, "interrupted by the user") {
		t.Errorf("status %+v", st)
	}
}
