package plots

import (
	"fmt"
	"strings"

	"stochopt/results/words"
)

// mostDescribed is the number of panels, and of curves of one, that a description names.
const mostDescribed = 12

// labels returns the label of each key of the legend, in plain text.
func (c *Chart) labels() map[string]string {
	labels := make(map[string]string, len(c.Keys))
	for _, k := range c.Keys {
		labels[k.Key] = k.Label.String()
	}
	return labels
}

// Describe says what is drawn, for who cannot see it: panels, axes, and where curves end.
func (c *Chart) Describe() string {
	labels := c.labels()
	var texts []string
	for _, row := range c.Panels {
		for _, p := range row {
			if p != nil {
				texts = append(texts, p.describe()+p.curves(labels))
			}
		}
	}
	if n := len(texts); n > mostDescribed {
		texts = append(texts[:mostDescribed], fmt.Sprintf("and %d more panels", n-mostDescribed))
	}
	return strings.Join(texts, ". ") + "."
}

// describe says what the panel's axes show, such as "k = 4: test error against
// iterations (logarithmic)".
func (p *ChartPanel) describe() string {
	text := p.Y.describe("y") + " against " + p.X.describe("x")
	if p.Title != "" {
		text = p.Title.String() + ": " + text
	}
	return text
}

func (a *ChartAxis) describe(name string) string {
	if a.Label != "" {
		name = a.Label.String()
	}
	if a.Log {
		name += " (logarithmic)"
	}
	return name
}

// curves says where the curves end that are not thin, and how many are.
func (p *ChartPanel) curves(labels map[string]string) string {
	var texts []string
	thin := 0
	for _, c := range p.Curves {
		switch n := len(c.Y); {
		case c.Thin:
			thin++
		case n > 0:
			y := words.Rounded(c.Y[n-1])
			if p.Y.Percent {
				y = words.Percent(c.Y[n-1])
			}
			texts = append(texts, labels[c.Key]+" ends at "+y)
		}
	}
	text := words.List(texts, mostDescribed)
	switch {
	case thin > 0 && text != "":
		text += ", and " + words.Count(thin, "thin curve")
	case thin > 0:
		text = words.Count(thin, "thin curve")
	case text == "":
		text = p.Empty.String()
	}
	if text == "" {
		return ""
	}
	return "; " + text
}
