package kernel

// This file exports internal values for tests.

// Dim returns the number of features.
func (p *Points) Dim() int { return p.d }

// Dot returns <x_i, x_j>, with the bits used in kernel rows. The Gaussian kernel of the layout "bits"
// instead uses the number of features in which x_i and x_j differ.
func (p *Points) Dot(i, j int) float64 {
	q := p.layout.query(j, j+1)
	q.set(i)
	return q.dots(j, j+1)[0]
}

// Layout returns the name of the layout: "bits", "bytes" or "sparse".
func (p *Points) Layout() string {
	switch p.layout.(type) {
	case *bitLayout:
		return "bits"
	case *byteLayout:
		return "bytes"
	}
	return "sparse"
}
