package kernel

// What only tests ask of caches and points.

// Fits says whether the whole matrix fits in what other caches leave of the
// pool. What does not fit now may fit when another cache has been closed. What
// fits may be taken by another cache until the first row is asked for, or Fill
// called; from then on it fits until the cache is closed.
func (c *Cache) Fits() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fixed.Load() || !c.closed && c.pool.fits(c)
}

// fits says whether the whole matrix of c fits.
func (p *Pool) fits(c *Cache) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return c.share.reserved || c.share.need <= p.free(c)
}

// Dim returns the number of features.
func (p *Points) Dim() int { return p.d }

// Dot returns <x_i, x_j>: the very value that kernel rows are made of, except
// that the Gaussian kernel of the layout "bits" depends on the number of
// features in which x_i and x_j differ.
func (p *Points) Dot(i, j int) float64 { return p.layout.dot(i, j) }

// Layout names the layout: "bits", "bytes", "dense" or "sparse".
func (p *Points) Layout() string {
	switch p.layout.(type) {
	case *bitLayout:
		return "bits"
	case *byteLayout:
		return "bytes"
	case *denseLayout:
		return "dense"
	}
	return "sparse"
}
