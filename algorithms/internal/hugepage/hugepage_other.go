//go:build !linux

// Package hugepage reduces the cost of large new blocks of memory.
package hugepage

// Advise does nothing on this system.
func Advise([]float32) {}
