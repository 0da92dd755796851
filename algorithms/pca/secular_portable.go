//go:build !amd64 || purego

package pca

func (s *secularSums) fast(pole, weight []float64) bool { return false }
