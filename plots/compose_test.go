package plots

// compose lays the figure out, and describes it.
func compose(fig Figure, in Input) (*sheet, Drawn, error) {
	c, err := Compose(fig, in)
	if err != nil {
		return nil, Drawn{}, err
	}
	return c.sheet, c.Drawn(), nil
}
