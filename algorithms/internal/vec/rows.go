package vec

// GroupSize is the number of vectors to which AddRows adds in one pass.
const GroupSize = 4

// AddRows adds multiples of the same rows to four vectors, in the order of the rows:
// dst[m][j] += coef[GroupSize*p+m]*rows[p][j] for p = 0, 1, ... The vector path converts an element to
// float64 once for all vectors. Without it, svm-sparse-bounds, which mostly evaluates expansions, takes
// 1.25 times as long.
func AddRows(dst *[GroupSize][]float64, coef []float64, rows [][]float32) {
	if len(coef) != GroupSize*len(rows) {
		panic(badLength)
	}
	for _, k := range rows {
		for _, u := range dst {
			if len(u) != len(k) {
				panic(badLength)
			}
		}
	}
	if len(rows) == 0 {
		return
	}
	done := addRowsBlocks(dst, coef, rows)
	for p, k := range rows {
		for m, u := range dst {
			AddScaled(u[done:], coef[GroupSize*p+m], k[done:])
		}
	}
}
