//go:build !linux

// Package hugepage reduces the cost of using new memory.
package hugepage

// Advise does nothing on this system.
func Advise([]float32) {}
