package kernel

import (
	"cmp"
	"slices"
)

// listed is the number of features up to which a column is looked up in a list as
// long as they are many. Above, what is kept grows with the entries of the points
// alone, whatever the largest feature.
const listed = 1 << 23

// columns numbers the features that are not zero everywhere, in ascending order
// once they are sorted and till then in that of their first mention.
type columns struct {
	// feature holds the feature of each column, count the number of mentions.
	feature []int32
	count   []int32
	// list or, where there are too many features, index holds 1 more than the
	// column of each.
	list  []int32
	index map[int32]int32
}

func newColumns(d int) *columns {
	if d > listed {
		return &columns{index: make(map[int32]int32)}
	}
	return &columns{list: make([]int32, d)}
}

// of returns the column of a feature, or none.
func (c *columns) of(f int32) int {
	if c.list != nil {
		return int(c.list[f]) - 1
	}
	return int(c.index[f]) - 1
}

// mention counts a feature.
func (c *columns) mention(f int32) {
	column := c.of(f)
	if column == none {
		column = len(c.feature)
		c.feature, c.count = append(c.feature, f), append(c.count, 0)
		c.number(f, column)
	}
	c.count[column]++
}

func (c *columns) number(f int32, column int) {
	if c.list != nil {
		c.list[f] = int32(column) + 1
	} else {
		c.index[f] = int32(column) + 1
	}
}

// sort puts the columns in the order of their features.
func (c *columns) sort() {
	slices.SortFunc(c.feature, cmp.Compare[int32])
	count := make([]int32, len(c.count))
	for column, f := range c.feature {
		count[column] = c.count[c.of(f)]
	}
	c.count = count
	for column, f := range c.feature {
		c.number(f, column)
	}
}
