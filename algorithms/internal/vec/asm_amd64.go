//go:build amd64 && !purego

package vec

// The files *_amd64.s implement these functions. n must be a positive multiple of 16, and flip must be
// +0 or -0.

//go:noescape
func addScaledAVX2(dst *float64, a float64, k *float32, n int)

//go:noescape
func addScaled2AVX2(u *float64, a float64, v *float64, b float64, k *float32, n int)

//go:noescape
func addRowsAVX2(u, v, x, y *float64, coef *float64, rows *[]float32, count, n int)

//go:noescape
func belowAVX2(s *lanes, u *float64, t float64, n int) int

//go:noescape
func compressBelowAVX2(dst *float64, room int, u *float64, t float64, permutations *[16][8]uint32, n int) (done, count int)

//go:noescape
func argMaxIfAVX2(best *search, x *float64, mask *int8, n int)

//go:noescape
func argMinIfAVX2(best *search, x *float64, mask *int8, n int)

//go:noescape
func addScaledPairExtremesAVX2(min, max *search, x *float64, a float64, k *float32, b float64, l *float32, up, low *int8, n int)

//go:noescape
func secondOrderAVX2(best *search, x *float64, mask *int8, k *float32, diag *float64, t, kii float64, n int)

//go:noescape
func argMaxGainAVX2(best *search, u *float64, flip float64, alpha *float64, upper float64, diag *float64, n int)

//go:noescape
func dot32AVX2(s *lanes, a *float64, k *float32, n int)

//go:noescape
func nextAboveAVX2(x *float64, flip float64, mask *int8, t float64, n int) int

//go:noescape
func allFiniteAVX2(k *float32, n int) bool
