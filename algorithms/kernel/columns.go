package kernel

import (
	"cmp"
	"slices"
)

// maxListed is the largest number of features for which a list with one entry per feature holds the
// columns. Beyond it a map is used, whose size depends only on the entries of the points.
const maxListed = 1 << 23

// columns numbers the features that are nonzero in some point, in ascending order.
type columns struct {
	feature []int32 // feature of each column
	count   []int   // number of entries of each column
	// list or, for more than maxListed features, index holds the column of each feature.
	list  []int32
	index map[int32]int32
}

func newColumns(r *rows) *columns {
	_, d := r.v.Dims()
	c := &columns{}
	if d > maxListed {
		c.index = make(map[int32]int32)
	} else {
		c.list = make([]int32, d)
	}
	// First count the entries of each feature, in the place of its column.
	for i := range r.number {
		indices, _ := r.entries(i)
		for _, f := range indices {
			n := c.of(f) + 1
			if n == 1 {
				c.feature = append(c.feature, f)
			}
			c.set(f, n)
		}
	}
	slices.SortFunc(c.feature, cmp.Compare[int32])
	for k, f := range c.feature {
		c.count = append(c.count, c.of(f))
		c.set(f, k)
	}
	return c
}

// of returns the column of a feature.
func (c *columns) of(f int32) int {
	if c.list != nil {
		return int(c.list[f])
	}
	return int(c.index[f])
}

func (c *columns) set(f int32, k int) {
	if c.list != nil {
		c.list[f] = int32(k)
	} else {
		c.index[f] = int32(k)
	}
}
