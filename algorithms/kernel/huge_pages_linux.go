package kernel

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// adviseHugePages asks for huge pages for new memory. Without them everything works, but more slowly.
func adviseHugePages(block []float32) {
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(&block[0])), 4*len(block))
	_ = unix.Madvise(bytes, unix.MADV_HUGEPAGE)
}
