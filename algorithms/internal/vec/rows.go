package vec

// Together is the number of vectors to which AddRows adds in one pass.
const Together = 4

// AddRows adds multiples of the same rows to four vectors, in the order of the rows:
// dst[m][j] += coef[Together*p+m]*rows[p][j] for p = 0, 1, ... The vector path converts an element to
// float64 once for all vectors. Without it, svm-sparse-bounds, which mostly evaluates expansions, takes
// 1.25 times as long.
func AddRows(dst *[Together][]float64, coef []float64, rows [][]float32) {
	if len(coef) != Together*len(rows) {
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
			AddScaled(u[done:], coef[Together*p+m], k[done:])
		}
	}
}
