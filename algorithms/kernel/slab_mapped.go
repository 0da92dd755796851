//go:build unix && !race

package kernel

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// newSlab returns a slab of so many entries that lies outside the Go heap:
// there it would count as live memory, of which the collector lets garbage
// gather as much again, whatever the pool's bound. Memory that the system
// refuses to map is asked of the heap. (The race detector knows only Go's own
// memory: with it slabs are on the heap.)
//
// Huge pages are not asked for. Where they come as cheaply as others they make
// the first writing to a slab several times faster, but in a virtual machine
// that has given free memory back to its host, several times slower.
func newSlab(entries int) slab {
	return mapSlab(entries, func() ([]byte, error) {
		return unix.Mmap(-1, 0, 4*entries, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	})
}

func mapSlab(entries int, mmap func() ([]byte, error)) slab {
	b, err := mmap()
	if err != nil {
		return heapSlab(entries)
	}
	return slab{rows: unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(b))), entries), mapping: b}
}

// unmap gives the memory back to the system.
func unmap(mapping []byte) {
	if err := unix.Munmap(mapping); err != nil {
		panic(err) // it is no mapping
	}
}
