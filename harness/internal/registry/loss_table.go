package registry

import (
	"fmt"

	"stochopt/algorithms/loss"
)

// lossEntry is a row of lossTable.
type lossEntry struct {
	Entry
	loss loss.Loss
}

// lossTable joins the names of the loss functions to them.
var lossTable = []lossEntry{
	{Entry{ID: "zero-one", Title: "0/1 loss", Task: TaskLoss, Source: "Cotter 2013, table 1.1", Version: 1}, loss.ZeroOne{}},
	{Entry{ID: "hinge", Title: "Hinge loss", Task: TaskLoss, Source: "Cotter 2013, table 1.1", Version: 1}, loss.Hinge{}},
	{Entry{ID: "psi", Title: "Smooth and bounded, between the 0/1 and the hinge loss", Task: TaskLoss, Source: "Cotter 2013, section 1.6 (proof of the generalisation lemma)", Version: 1}, loss.Psi{}},
}

func (lossEntry) resolved(Params)            {}
func (lossEntry) check(map[string]any) error { return nil }

// NewLoss returns the loss function of a name.
func NewLoss(id string) (loss.Loss, error) {
	for _, e := range lossTable {
		if e.ID == id {
			return e.loss, nil
		}
	}
	return nil, fmt.Errorf("unknown loss %q", id)
}
