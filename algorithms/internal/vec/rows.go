package vec

// Together is the number of vectors that AddRows adds to in one pass.
const Together = 4

// AddRows adds multiples of the same rows to four vectors, the first row first:
// dst[m][j] += coef[Together*p+m]*rows[p][j] for p = 0, 1, ... The vector path widens
// an element once for all of them, without which svm-sparse-bounds, most of whose time
// is evaluation, takes 1.25 times as long.
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
