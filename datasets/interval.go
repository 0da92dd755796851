package datasets

import "fmt"

// maxIntervalPoints bounds the rows of an interval.
const maxIntervalPoints = 1 << 20

// interval makes the table that a Ref with source interval names: one feature
// that goes from from to to in points - 1 equal steps. Functions of a number
// are recorded on it.
func interval(with params) (g generated, err error) {
	if err := with.check("from", "to", "points"); err != nil {
		return g, err
	}
	from, err := with.within("from", -2, -1e6, 1e6)
	if err != nil {
		return g, err
	}
	to, err := with.within("to", 2, -1e6, 1e6)
	if err != nil {
		return g, err
	}
	points, err := with.integer("points", 401, 2, maxIntervalPoints)
	if err != nil {
		return g, err
	}
	if from >= to {
		return g, fmt.Errorf("parameter to: %v is not above from, %v", to, from)
	}
	g.rows, g.dim = points, 1
	g.parts = []PartRows{{"train", points}}
	g.title = fmt.Sprintf("Interval [%v, %v]", from, to)
	g.params = fmt.Sprintf("from=%v to=%v points=%d", from, to, points)
	g.table = func() *Table {
		t := &Table{N: points, D: 1, data: make([]float64, points)}
		last := float64(points - 1)
		for i := range t.data {
			// Weighted so that both ends, and the middle of a symmetric
			// interval, are met exactly.
			t.data[i] = (from*(last-float64(i)) + to*float64(i)) / last
		}
		return t
	}
	return g, nil
}
