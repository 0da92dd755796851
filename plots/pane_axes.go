package plots

import (
	"cmp"
	"fmt"
	"slices"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/selection"
)

// xLabel is the name of the cost, or the label of an illustration.
func (c *pane) xLabel() string {
	if c.illustrates() {
		return c.kind().x.label
	}
	return joinParts(", ", observe.Label(c.panel.X), selection.TuningOf(c.panel.Tuned).Label)
}

// yLabel is the name of the metric, or the label of an illustration, but names the ranks of algorithms
// for what they count if all have it in common.
func (c *pane) yLabel() string {
	switch {
	case c.illustrates():
		return c.kind().y.label
	case c.panel.Y == yError || c.panel.Y == yHinge:
		return c.lossLabel()
	case c.panel.Y == yRank && len(c.runs) > 0:
		name := c.in.algorithm(c.runs[0].Algorithm).Rank
		if !slices.ContainsFunc(c.runs, func(r record.Run) bool { return c.in.algorithm(r.Algorithm).Rank != name }) {
			return cmp.Or(name, observe.Label(yRank))
		}
	}
	return observe.Label(c.panel.Y)
}

// lossLabel names the split that a loss is measured on, if all runs have it on
// the same one.
func (c *pane) lossLabel() string {
	var split string
	for i := range c.runs {
		s, ok := observe.UnseenSplit(&c.runs[i], c.panel.Split, c.panel.Y)
		if !ok {
			continue
		}
		if split != "" && s != split {
			return observe.Label(c.panel.Y)
		}
		split = s
	}
	adjective := map[string]string{"test": "Test", "train": "Training", "validation": "Validation"}[split]
	if adjective == "" {
		return observe.Label(c.panel.Y)
	}
	return adjective + " " + inSentence(c.panel.Y)
}

// axisKey identifies panels that share an axis: those of one row (for y) or
// column (for x) that show the same quantity on the same kind of scale.
type axisKey struct {
	line     int
	quantity string
	log      bool
	// apart tells axes of one quantity apart that differ in their ends.
	apart string
}

func (c *pane) xKey() axisKey {
	if c.illustrates() {
		return axisKey{line: c.col, quantity: c.kind().x.name, apart: c.datasets()}
	}
	k := axisKey{c.col, c.panel.X + c.panel.Tuned, c.panel.logX(), ""}
	if c.tradesOff() {
		k.apart = c.datasets()
	}
	if c.panel.Xlim != nil {
		k.apart += fmt.Sprint(c.panel.Xlim)
	}
	return k
}

func (c *pane) yKey() axisKey {
	k := axisKey{c.row, c.panel.Y, c.panel.logY(), ""}
	switch {
	case c.illustrates():
		k = axisKey{line: c.row, quantity: c.kind().y.name, apart: c.datasets()}
	case c.panel.Y == yError:
		// The errors that are within reach depend on the data.
		k.apart = c.datasets()
	}
	if c.tradesOff() {
		k.apart += DrawTradeoff
	}
	if c.panel.Ylim != nil {
		k.apart += fmt.Sprint(c.panel.Ylim)
	}
	return k
}

// datasets names the data of the panel's runs.
func (c *pane) datasets() string { return fmt.Sprint(textsOf(c.runs, varDataset)) }
