package kernel

import (
	"cmp"
	"slices"
)

// listed is the number of features up to which a column is looked up in a list as
// long as they are many. Above, what is kept grows with the entries of the points
// alone, whatever the largest feature.
const listed = 1 << 23

// columns numbers the features that are not zero everywhere, in ascending order.
type columns struct {
	// feature holds the feature of each column, count its number of entries.
	feature []int32
	count   []int
	// list or, where there are too many features, index holds the column of each.
	list  []int32
	index map[int32]int32
}

func newColumns(r *rows) *columns {
	_, d := r.v.Dims()
	c := &columns{}
	if d > listed {
		c.index = make(map[int32]int32)
	} else {
		c.list = make([]int32, d)
	}
	// Until the columns are known, the numbers of entries.
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
