package datasets

import "fmt"

var intervalParams = []Param{
	{Name: "from", Kind: "float", Default: -2.0, most: 1e6, Doc: "its lower end"},
	{Name: "to", Kind: "float", Default: 2.0, most: 1e6, Doc: "its upper end"},
	{Name: "points", Kind: "int", Min: bound(2), Default: 401, most: 1 << 20, Doc: "number of points"},
}

// interval makes the table that a Ref with source interval names: one feature
// that goes from from to to in points - 1 equal steps. Functions of a number
// are recorded on it.
func interval(with values) (g generated, err error) {
	from, to, points := with.float("from"), with.float("to"), with.int("points")
	if from >= to {
		return g, fmt.Errorf("parameter to: %v is not above from, %v", to, from)
	}
	g.rows, g.dim = points, 1
	g.parts = []PartRows{{"train", points}}
	g.title = fmt.Sprintf("Interval [%v, %v]", from, to)
	g.params = fmt.Sprintf("from=%v to=%v points=%d", from, to, points)
	g.table = func() *Table {
		data := make([]float64, points)
		last := float64(points - 1)
		for i := range data {
			// Weighted so that both ends, and the middle of a symmetric
			// interval, are met exactly.
			data[i] = (from*(last-float64(i)) + to*float64(i)) / last
		}
		return NewDense(points, 1, data, nil)
	}
	return g, nil
}
