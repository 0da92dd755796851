package registry

import (
	"stochopt/algorithms/loss"
	"stochopt/harness/internal/spec"
	"stochopt/plots"
)

// paramShift moves a loss function.
var paramShift = spec.Param{Name: "shift", Kind: "float",
	Doc: "shift to the right: the value at z is the unshifted value at z - shift; 0 if absent"}

// lossTable lists the loss functions. The ramp loss has the look of the algorithm with that name.
var lossTable = []Algorithm{
	lossRow("zero-one", loss.ZeroOne, "0/1 loss", "Cotter 2013, table 1.1",
		plots.Algorithm{Name: "0/1 loss", Style: plots.NewStyle(0x808080, 1.4, plots.GlyphDisc, 7, 2)}),
	lossRow("hinge", loss.Hinge, "Hinge loss", "Cotter 2013, table 1.1",
		plots.Algorithm{Name: "Hinge loss", Style: plots.NewStyle(0x0072B2, 1.4, plots.GlyphSquare, 2.5, 1.5)}),
	lossRow("psi", loss.Psi, "Smooth and bounded, between the 0/1 and the hinge loss", "Cotter 2013, section 1.6 (proof of the generalisation lemma)",
		plots.Algorithm{Name: "ψ", Style: plots.NewStyle(0xD7191C, 1.8, plots.GlyphTriangle)}),
	lossRow("slant", loss.Slant, "Slant loss", "Cotter 2013, section 3.3.1",
		plots.Algorithm{Name: "Slant loss", Style: plots.NewStyle(0xB2182B, 1.8, plots.GlyphPyramid, 5, 2)}),
	lossRow("smooth", loss.Smooth, "Smooth loss, between slant losses", "Cotter 2013, chapter 3 (proof of the theorem on smoothness)",
		plots.Algorithm{Name: "Smooth loss", Style: plots.NewStyle(0x009E73, 1.8, plots.GlyphRing, 8, 3, 2, 3)}),
	lossRow("ramp", loss.Ramp, "Ramp loss, from 1 at -1 to 0 at 1", "Cotter 2013, section 3.4.3; Collobert et al. 2006", plots.Algorithm{}),
}

// shiftedLosses has the names and looks of further series in the thesis's figures.
var shiftedLosses = plots.Catalog{
	{ID: "hinge-third", Name: "Hinge loss at z + 1/3", Style: plots.NewStyle(0x56B4E9, 1.5, plots.GlyphBox, 10, 2.5)},
	{ID: "slant-half", Name: "Slant loss at z − 1/2", Style: plots.NewStyle(0xE79A9A, 2.6, plots.GlyphPlus)},
	{ID: "slant-sixth", Name: "Slant loss at z − 1/6", Style: plots.NewStyle(0xD2A679, 2.6, plots.GlyphCross)},
}

func lossRow(id string, f loss.Func, title, source string, look plots.Algorithm) Algorithm {
	return Algorithm{
		Algorithm: spec.Algorithm{ID: id, Title: title, Source: source, Version: 1, Params: params(paramShift)},
		look:      look, loss: f,
	}
}

// NewLoss returns a loss function of task loss.
func NewLoss(a *Algorithm, p Params) loss.Func {
	if shift := p.Float("shift"); shift != 0 {
		return loss.Shifted(a.loss, shift)
	}
	return a.loss
}
