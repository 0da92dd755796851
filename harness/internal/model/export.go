package model

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

// ExportLIBSVM writes a model as LIBSVM's text model, of which svm-predict gives
// the same labels: the classes are named by their labels if these are integers,
// and else by 1 and -1. Numbers have 17 digits, which read back exactly.
//
// It returns an error for a model without vectors, which LIBSVM has no form for,
// and those of w.
func ExportLIBSVM(w io.Writer, m *Model) error {
	if err := m.Check(); err != nil {
		return err
	}
	if m.Support() == 0 {
		return errors.New("the model has no vectors and predicts one class for everything; LIBSVM's format cannot hold such a model")
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "svm_type c_svc\n")
	switch m.Kernel.Name {
	case "gaussian":
		fmt.Fprintf(out, "kernel_type rbf\ngamma %s\n", digits(*m.Kernel.Gamma))
	case "linear":
		fmt.Fprintf(out, "kernel_type linear\n")
	case "polynomial":
		fmt.Fprintf(out, "kernel_type polynomial\ndegree %d\ngamma %s\ncoef0 %s\n", *m.Kernel.Degree, digits(*m.Kernel.Gamma), digits(*m.Kernel.Coef0))
	}
	// LIBSVM lists the vectors of its first class first; to it the sign of a
	// coefficient says the class.
	positive := 0
	for _, c := range m.Coefficients {
		if c > 0 {
			positive++
		}
	}
	labels := m.exportLabels()
	fmt.Fprintf(out, "nr_class 2\ntotal_sv %d\nrho %s\nlabel %d %d\nnr_sv %d %d\nSV\n",
		m.Support(), digits(0-m.Bias), labels[0], labels[1], positive, m.Support()-positive)
	for _, first := range []bool{true, false} {
		for k, c := range m.Coefficients {
			if c > 0 != first {
				continue
			}
			fmt.Fprintf(out, "%s ", digits(c))
			for i, j := range m.Vectors[k].Indices {
				fmt.Fprintf(out, "%d:%s ", j, digits(m.Vectors[k].Values[i]))
			}
			fmt.Fprintln(out)
		}
	}
	return out.Flush()
}

// LIBSVMLabels reports whether ExportLIBSVM names both classes by their labels: these
// are known, and integers.
func LIBSVMLabels(m *Model) bool {
	n := m.Labels.Negative
	return n != nil && integer(m.Labels.Positive) && integer(*n)
}

// exportLabels returns what LIBSVM is to call the classes.
func (m *Model) exportLabels() [2]int {
	if LIBSVMLabels(m) {
		return [2]int{int(m.Labels.Positive), int(*m.Labels.Negative)}
	}
	return [2]int{1, -1}
}

func integer(x float64) bool { return x == math.Trunc(x) && math.Abs(x) < math.MaxInt32 }

// digits writes x as %.17g does.
func digits(x float64) string { return strconv.FormatFloat(x, 'g', 17, 64) }
