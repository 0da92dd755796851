package kernel

// What only tests ask of points.

// Dim returns the number of features.
func (p *Points) Dim() int { return p.d }

// Dot returns <x_i, x_j>: the very value that kernel rows are made of, except
// that the Gaussian kernel of the layout "bits" depends on the number of
// features in which x_i and x_j differ.
func (p *Points) Dot(i, j int) float64 {
	q := p.layout.query(j, j+1)
	q.set(i)
	return q.dots(j, j+1)[0]
}

// Layout names the layout: "bits", "bytes" or "sparse".
func (p *Points) Layout() string {
	switch p.layout.(type) {
	case *bitLayout:
		return "bits"
	case *byteLayout:
		return "bytes"
	}
	return "sparse"
}
