package kernel

// rent decides when a cache takes another slab. The first writing to fresh memory takes
// time, in some virtual machines more than computing the rows that it is to hold, so
// that a cache that takes all that there is may be slower than a small one. A cache
// therefore takes a slab beyond the first few once the rows that it had to compute
// again, for want of room, have taken as long as the slab will: whatever the rows that
// are asked for, it takes no more than about twice the time that the best size would.
type rent struct {
	// again is the time, in seconds, that rows computed again have taken since the last
	// slab, writing that which first writing to so many rows of slabs has taken.
	again, writing float64
	rows           int
}

const (
	// rentFree is the memory of a cache that is taken at once.
	rentFree = 128 << 20
	page     = 4096 / 4 // entries
)

// pays reports whether a slab of so many rows is worth its memory, and if it is begins
// anew.
func (r *rent) pays(rows int) bool {
	if r.rows > 0 && r.again*float64(r.rows) < r.writing*float64(rows) {
		return false
	}
	r.again = 0
	return true
}

// probe writes first to a row of a slab, which is the slower the more its memory costs.
func (r *rent) probe(row []float32, clock func() float64) {
	start := clock()
	for i := 0; i < len(row); i += page {
		row[i] = 0
	}
	r.writing += clock() - start
	r.rows++
}
