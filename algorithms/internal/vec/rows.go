package vec

// Together is the number of vectors that AddRows adds to.
const Together = 4

// AddRows adds multiples of the same rows to four vectors, the first row first:
// dst[m][j] += coef[Together*p+m]*rows[p][j] for p = 0, 1, ...
func AddRows(dst *[Together][]float64, coef []float64, rows [][]float32) {
	if len(coef) != Together*len(rows) {
		panic(badLength)
	}
	for p, k := range rows {
		for m, u := range dst {
			AddScaled(u, coef[Together*p+m], k)
		}
	}
}
