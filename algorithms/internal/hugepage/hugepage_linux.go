// Package hugepage reduces the cost of large new blocks of memory.
package hugepage

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// Advise asks the operating system for huge pages for a new block. The request may have no effect.
func Advise(block []float32) {
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(block))), 4*len(block))
	_ = unix.Madvise(bytes, unix.MADV_HUGEPAGE)
}
