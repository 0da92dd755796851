package objective

import (
	"encoding/json"
	"fmt"
	"slices"

	"stochopt/internal/record"
)

// StoredOptimum is a certified optimum in a record.Store. Exactly one of PCA and SVM is set.
type StoredOptimum struct {
	PCA *Reference
	SVM *SVMReference
}

// ParseOptimum decodes a certified optimum of a record.Store. It returns an error if the numbers are
// inconsistent or the optimum has another id.
func ParseOptimum(id string, data []byte) (StoredOptimum, error) {
	ref, err := parse(id, data)
	if err != nil {
		return StoredOptimum{}, err
	}
	var o StoredOptimum
	o.PCA, _ = ref.(*Reference)
	o.SVM, _ = ref.(*SVMReference)
	return o, nil
}

func parse(id string, data []byte) (stored, error) {
	var ref stored = new(Reference)
	var probe struct{ Kernel *string }
	if json.Unmarshal(data, &probe) == nil && probe.Kernel != nil {
		ref = new(SVMReference)
	}
	if err := record.DecodeLine(data, ref); err != nil {
		return nil, err
	}
	if is := ref.id(); is != id {
		return nil, fmt.Errorf("it belongs to another problem: %s", is)
	}
	return ref, ref.check()
}

// Solved returns the problem of the optimum.
func (o StoredOptimum) Solved() *Solved {
	if o.PCA != nil {
		return &o.PCA.Solved
	}
	return &o.SVM.Solved
}

// Same reports whether another optimum of the same problem has the same bits. If one has more
// eigenvalues, the additional ones are ignored.
func (o StoredOptimum) Same(again StoredOptimum) bool {
	if o.PCA != nil {
		a, b := o.PCA.Eigenvalues, again.PCA.Eigenvalues
		n := min(len(a), len(b))
		return slices.Equal(a[:n], b[:n]) && o.PCA.ErrorBound == again.PCA.ErrorBound
	}
	a, b := o.SVM, again.SVM
	return slices.Equal(a.Alpha, b.Alpha) && a.Iterations == b.Iterations && a.Lambda == b.Lambda &&
		a.Primal == b.Primal && a.Dual == b.Dual && a.Norm == b.Norm && a.Hinge == b.Hinge
}
