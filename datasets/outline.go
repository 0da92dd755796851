package datasets

import (
	"math"
	"slices"
)

// Outline is what the features of a table are like.
type Outline struct {
	// Stored is the share of entries that are not zero.
	Stored float64
	// Least and Most are the range of all values, zeros that are not stored among them.
	Least, Most float64
	// Constant is the number of features that have one value only.
	Constant int
	// Uneven is how many times wider the ranges of wide features are than those of narrow
	// ones: the quotient of the ninth and the first decile. It is 1 if all are constant.
	Uneven float64
}

// span is what one feature's values are like.
type span struct {
	least, most float64
	stored      int
}

// Outline goes through the table once.
func (t *Table) Outline() Outline {
	spans := make(map[int]*span) // of features that are stored: there may be billions of others
	var buf []float64
	if !t.Sparse() {
		buf = make([]float64, t.D)
	}
	for i := range t.N {
		features, values := t.Entries(i, buf)
		for p, v := range values {
			j := p
			if features != nil {
				j = int(features[p])
			}
			s := spans[j]
			if s == nil {
				s = &span{least: v, most: v}
				spans[j] = s
			}
			s.least, s.most = min(s.least, v), max(s.most, v)
			s.stored++
		}
	}
	o := Outline{Stored: float64(t.Nonzeros()) / float64(t.N) / float64(t.D), Uneven: 1}
	if len(spans) == t.D {
		o.Least, o.Most = math.Inf(1), math.Inf(-1)
	}
	var widths []float64
	for _, s := range spans {
		if s.stored < t.N {
			s.least, s.most = min(s.least, 0), max(s.most, 0)
		}
		o.Least, o.Most = min(o.Least, s.least), max(o.Most, s.most)
		if w := s.most - s.least; w > 0 {
			widths = append(widths, w)
		}
	}
	o.Constant = t.D - len(widths)
	if n := len(widths); n > 0 {
		slices.Sort(widths)
		o.Uneven = widths[(n-1)-(n-1)/10] / widths[(n-1)/10]
	}
	return o
}

// medianRows is the number of rows whose distances MedianDistance takes.
const medianRows = 300

// MedianDistance returns the median of the squared distances of rows that differ, of up to
// 300 rows at equal intervals; 0 if none differ.
func (t *Table) MedianDistance() float64 {
	n := min(t.N, medianRows)
	var all []float64
	for i := range n {
		for j := range i {
			if d := t.distance(i*t.N/n, j*t.N/n); d > 0 {
				all = append(all, d)
			}
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// distance returns the squared distance of two rows.
func (t *Table) distance(i, j int) (sum float64) {
	fx, x := t.Entries(i, nil)
	fy, y := t.Entries(j, nil)
	p, q := 0, 0
	for p < len(x) || q < len(y) {
		var a, b float64
		first := p < len(x) && (q == len(y) || fx == nil || fx[p] <= fy[q])
		second := q < len(y) && (p == len(x) || fx == nil || fy[q] <= fx[p])
		if first {
			a = x[p]
			p++
		}
		if second {
			b = y[q]
			q++
		}
		sum += (a - b) * (a - b)
	}
	return sum
}
