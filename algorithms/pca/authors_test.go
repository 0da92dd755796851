package pca_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/pca"
	"stochopt/algorithms/pca/pcatest"

	"gonum.org/v1/gonum/mat"
)

// TestAuthors compares each iterate with the output of another program.
// scripts/cross-check-authors.sh writes its matrices and the samples to the folder AUTHORS.
func TestAuthors(t *testing.T) {
	folder := os.Getenv("AUTHORS")
	if folder == "" {
		t.Skip("run by scripts/cross-check-authors.sh")
	}
	const d = 32
	read := func(name string) [][]float64 {
		file, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		size := d
		if name != "samples" {
			size *= d
		}
		rows := make([][]float64, len(file)/8/size)
		for i := range rows {
			rows[i] = make([]float64, size)
			if _, err := binary.Decode(file[8*i*size:], binary.LittleEndian, rows[i]); err != nil {
				t.Fatal(err)
			}
		}
		return rows
	}
	samples := read("samples")
	files, _ := filepath.Glob(filepath.Join(folder, "* *"))
	for _, file := range files {
		var method string
		var k int
		var c float64
		if _, err := fmt.Sscan(filepath.Base(file), &method, &k, &c); err != nil {
			t.Fatal(err)
		}
		var l pca.Learner
		if src := pcatest.NewList(d, samples...); method == "msg" {
			l = suite.Must(pca.NewMSG(pca.MSGConfig{K: k, Step: algorithms.InverseSqrt{C: c}, Start: pca.StartZero}, src, nil))
		} else {
			l = suite.Must(pca.NewIncremental(pca.IncrementalConfig{K: k}, src))
		}
		theirs := read(filepath.Base(file))
		var worst float64
		for _, want := range theirs {
			var st pca.State
			var diff mat.Dense
			l.Step()
			l.StateTo(&st)
			diff.Sub(st.Dense(d), mat.NewDense(d, d, want))
			worst = max(worst, math.Abs(mat.Max(&diff)), math.Abs(mat.Min(&diff)))
		}
		t.Logf("%-11s k = %d, c = %-4g: largest difference %.1e in %d steps", method, k, c, worst, len(theirs))
		if !(worst < 1e-6) || len(theirs) != len(samples) {
			t.Errorf("%s differs by %g", filepath.Base(file), worst)
		}
	}
	if len(files) != 8 {
		t.Errorf("%d files, want 8", len(files))
	}
}
