package plots

// compose lays the figure out, and describes it.
func compose(fig Figure, in Input) (*sheet, Drawn, error) {
	c, err := Compose(fig, in)
	if err != nil {
		return nil, Drawn{}, err
	}
	return c.sheet, c.Drawn(), nil
}

// makeChart returns a figure as data.
func makeChart(fig Figure, in Input) (*Chart, error) {
	c, err := Compose(fig, in)
	if err != nil {
		return nil, err
	}
	return c.Chart(), nil
}

// svgOf returns a figure as an SVG file, and its description.
func svgOf(fig Figure, in Input) ([]byte, Drawn, error) {
	c, err := Compose(fig, in)
	if err != nil {
		return nil, Drawn{}, err
	}
	svg, err := c.SVG()
	return svg, c.Drawn(), err
}
