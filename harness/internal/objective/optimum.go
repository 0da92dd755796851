package objective

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"stochopt/internal/record"
)

// StoredOptimum is a certified optimum of a record.Store: PCA or SVM is set.
type StoredOptimum struct {
	PCA *Reference
	SVM *SVMReference
	// ID identifies the problem. Of describes it in messages.
	ID, Of string
}

// ParseOptimum decodes a certified optimum as a record.Store keeps it. It fails if the numbers
// contradict each other, or if the optimum is of another problem than the id.
func ParseOptimum(id string, data []byte) (StoredOptimum, error) {
	ref, err := parse(id, data)
	if err != nil {
		return StoredOptimum{}, err
	}
	o := StoredOptimum{ID: id, Of: ref.of()}
	switch ref := ref.(type) {
	case *Reference:
		o.PCA = ref
	case *SVMReference:
		o.SVM = ref
	}
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
		return nil, fmt.Errorf("it is the optimum of another problem: %s", is)
	}
	return ref, ref.sound()
}

// Solved returns the problem of the optimum.
func (o StoredOptimum) Solved() *Solved {
	if o.PCA != nil {
		return &o.PCA.Solved
	}
	return &o.SVM.Solved
}

// Difference says how an optimum differs from that of the same problem solved again, "" if it does
// not. One of them may have more eigenvalues than the other.
func (o StoredOptimum) Difference(again StoredOptimum) string {
	was, is := o, again
	if o.PCA != nil && again.PCA != nil {
		n := min(len(o.PCA.Eigenvalues), len(again.PCA.Eigenvalues))
		was.PCA, is.PCA = o.PCA.leading(n), again.PCA.leading(n)
	}
	a, b := was.members(), is.members()
	for _, name := range slices.Sorted(maps.Keys(b)) {
		if a[name] != b[name] {
			return fmt.Sprintf("%s is %s; the record has %s", name, shown(b[name]), shown(a[name]))
		}
	}
	return ""
}

// shown shortens a value for messages.
func shown(text string) string {
	const most = 60
	switch {
	case text == "":
		return "missing"
	case len(text) > most:
		return text[:most] + "…"
	}
	return text
}

func (r *Reference) leading(n int) *Reference {
	out := *r
	out.Eigenvalues = r.Eigenvalues[:n]
	return &out
}

// members returns the values of an optimum by their names in its JSON.
func (o StoredOptimum) members() map[string]string {
	var ref stored = o.PCA
	if o.SVM != nil {
		ref = o.SVM
	}
	fields := make(map[string]json.RawMessage)
	if text, err := json.Marshal(ref); err != nil || json.Unmarshal(text, &fields) != nil {
		panic("objective: an optimum is not a JSON object")
	}
	values := make(map[string]string)
	for name, value := range fields {
		values[name] = string(value)
	}
	return values
}
