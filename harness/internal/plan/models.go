package plan

import (
	"fmt"
	"slices"

	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/spec"
	"stochopt/results/record"
)

// checkModels reports models of more expansion vectors than there are training
// points, and references that no run approximates.
func (p *Plan) checkModels() error {
	for i := range p.Spec.Models {
		m := &p.Spec.Models[i]
		j := slices.IndexFunc(p.Problems, func(pr *Problem) bool { return pr.Entry.ID == m.Dataset })
		if j < 0 {
			continue
		}
		if err := p.Problems[j].checkModel(m); err != nil {
			return err
		}
		if m.Series != spec.Reference {
			continue
		}
		if _, err := p.ReferenceItem(m.Dataset); err != nil {
			return &Error{m.Pos, fmt.Errorf("model %q: %w", m.ID, err)}
		}
	}
	return nil
}

// checkModel reports a model of more expansion vectors than the dataset has
// training points, where their number is known.
func (pr *Problem) checkModel(m *spec.ModelEntry) error {
	if n := pr.TrainRows; n > 0 && m.Support > n {
		return &Error{m.Pos, fmt.Errorf("model %q: support = %d is more than the %d training points of dataset %q; lower it", m.ID, m.Support, n, m.Dataset)}
	}
	return nil
}

// ReferenceItem returns the first run on a dataset that approximates the trained
// classifier. It returns an error if none does, or if there are several trained
// classifiers to approximate.
func (p *Plan) ReferenceItem(dataset string) (*Item, error) {
	var first *Item
	for _, it := range p.Items {
		switch {
		case it.Problem.Entry.ID != dataset || !it.Algorithm.Needs(it.Params).Reference:
		case first == nil:
			first = it
		case it.Trained().String() != first.Trained().String():
			return nil, fmt.Errorf("dataset %q has two trained classifiers, one for %s (%s) and one for %s (%s): set the problem of the dataset, not of its entries",
				dataset, first.Series, first.Trained(), it.Series, it.Trained())
		}
	}
	if first == nil {
		return nil, fmt.Errorf("dataset %q has no method that approximates the trained classifier: add one, such as sparsify", dataset)
	}
	return first, nil
}

// Trained returns the parameters of the trained classifier that a run
// approximates: the kernel, the regularisation and the bias.
func (it *Item) Trained() record.Params {
	p := make(record.Params)
	for name, v := range it.Params {
		if slices.Contains(registry.ProblemParams(), name) {
			p[name] = v
		}
	}
	return p
}
