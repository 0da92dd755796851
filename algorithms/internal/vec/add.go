package vec

// AddScaled adds a multiple of a row to dst: dst[j] += a*k[j].
func AddScaled(dst []float64, a float64, k []float32) {
	if len(dst) != len(k) {
		panic(badLength)
	}
	for j := addScaledBlocks(dst, a, k); j < len(dst); j++ {
		dst[j] += float64(a * float64(k[j]))
	}
}

// AddScaled2 adds multiples of one row to two vectors: u[j] += a*k[j] and v[j] += b*k[j].
func AddScaled2(u []float64, a float64, v []float64, b float64, k []float32) {
	if len(u) != len(k) || len(v) != len(k) {
		panic(badLength)
	}
	for j := addScaled2Blocks(u, a, v, b, k); j < len(k); j++ {
		x := float64(k[j])
		u[j] += float64(a * x)
		v[j] += float64(b * x)
	}
}

// AddScaledPair adds multiples of two rows: u[j] = (u[j] + a*k[j]) + b*l[j].
func AddScaledPair(u []float64, a float64, k []float32, b float64, l []float32) {
	AddScaled(u, a, k)
	AddScaled(u, b, l)
}
