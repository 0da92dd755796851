package registry

import (
	"fmt"

	"stochopt/algorithms/loss"
	"stochopt/harness/internal/spec"
)

// paramShift moves a loss function.
var paramShift = spec.Param{Name: "shift", Kind: "float",
	Doc: "moves the function to the right: its value at z is that at z - shift; 0 if absent"}

// lossTable joins the names of the loss functions to them.
var lossTable = []Algorithm{
	lossRow(loss.ZeroOne{}, "0/1 loss", "Cotter 2013, table 1.1"),
	lossRow(loss.Hinge{}, "Hinge loss", "Cotter 2013, table 1.1"),
	lossRow(loss.Psi{}, "Smooth and bounded, between the 0/1 and the hinge loss", "Cotter 2013, section 1.6 (proof of the generalisation lemma)"),
	lossRow(loss.Slant{}, "Slant loss", "Cotter 2013, section 3.3.1"),
	lossRow(loss.Smooth{}, "Smooth loss, between slant losses", "Cotter 2013, chapter 3 (proof of the theorem on smoothness)"),
	lossRow(loss.Ramp{}, "Ramp loss, from 1 at -1 to 0 at 1", "Cotter 2013, section 3.4.3; Collobert et al. 2006"),
}

func lossRow(l loss.Loss, title, source string) Algorithm {
	return Algorithm{Entry: Entry{ID: l.String(), Title: title, Task: TaskLoss, Source: source, Version: 1, Params: params(paramShift)}, loss: l}
}

// NewLoss returns the loss function of a name, with the parameters given.
func NewLoss(id string, p Params) (loss.Loss, error) {
	a, err := Lookup(TaskLoss, id)
	if err != nil {
		return nil, fmt.Errorf("unknown loss %q", id)
	}
	if shift := p.Float("shift"); shift != 0 {
		return loss.Shifted{Loss: a.loss, By: shift}, nil
	}
	return a.loss, nil
}
