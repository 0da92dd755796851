package vec

// Together is the number of vectors that AddRows adds to in one pass.
const Together = 4

// AddRows adds multiples of the same rows to four vectors, the first row first:
// dst[m][j] += coef[Together*p+m]*rows[p][j] for p = 0, 1, ... An element is
// widened once for all of them, and a sum is in a register until the last row.
func AddRows(dst *[Together][]float64, coef []float64, rows [][]float32) {
	n := len(dst[0])
	if len(coef) != Together*len(rows) {
		panic(badLength)
	}
	for _, u := range dst {
		if len(u) != n {
			panic(badLength)
		}
	}
	for _, k := range rows {
		if len(k) != n {
			panic(badLength)
		}
	}
	if len(rows) == 0 {
		return
	}
	done := addRowsBlocks(dst, coef, rows)
	for m, u := range dst {
		u = u[done:]
		last := len(rows) - len(rows)%2
		for p := 0; p < last; p += 2 {
			AddScaledPair(u, coef[Together*p+m], rows[p][done:], coef[Together*(p+1)+m], rows[p+1][done:])
		}
		if last < len(rows) {
			AddScaled(u, coef[Together*last+m], rows[last][done:])
		}
	}
}
