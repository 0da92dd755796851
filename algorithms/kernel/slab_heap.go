//go:build !unix || race

package kernel

// newSlab returns a slab of so many entries.
func newSlab(entries int) slab { return heapSlab(entries) }

// unmap is not called: no slab is mapped.
func unmap([]byte) {}
