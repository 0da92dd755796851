package datasets

import (
	"fmt"
	"slices"
)

// PartRows names a block of consecutive rows of a table.
type PartRows struct {
	Name string `json:"name"`
	Rows int    `json:"rows"`
}

// partRows lists the parts of a manifest entry, in row order.
func partRows(parts []Part) []PartRows {
	out := make([]PartRows, len(parts))
	for i, p := range parts {
		out[i] = PartRows{p.Name, p.Rows}
	}
	return out
}

func totalRows(parts []Part) (n int) {
	for _, p := range parts {
		n += p.Rows
	}
	return n
}

// checkTest returns an error unless the rows of test can follow those of
// train: both or neither labelled, a dense test table as wide as the training
// table and, for two classes, no label that the training rows do not have.
func checkTest(train, test *Table) error {
	if !train.Sparse() && train.D != test.D {
		return fmt.Errorf("the test file has %d features, the training file %d", test.D, train.D)
	}
	if (train.Labels == nil) != (test.Labels == nil) {
		which := [2]string{"training", "test"}
		if train.Labels == nil {
			which[0], which[1] = which[1], which[0]
		}
		return fmt.Errorf("the %s file has labels, the %s file has none", which[0], which[1])
	}
	known := train.classes(maxListed)
	if len(known) > 2 {
		return nil
	}
	for i, y := range test.Labels {
		if !slices.ContainsFunc(known, func(c class) bool { return c.label == y }) {
			return fmt.Errorf("row %d of the test file has the label %v; in the training file %s", i+1, y, train.classText(known))
		}
	}
	return nil
}
