// Package hugepage reduces the cost of using new memory.
package hugepage

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

const size = 2 << 20

// Advise asks the operating system to put new, untouched memory on huge pages, because a page fault on each
// small page takes as long as computing its values. It extends the memory to whole huge pages, so that short
// slices that follow each other share them. The request may have no effect.
func Advise(v []float32) {
	begin := uintptr(unsafe.Pointer(unsafe.SliceData(v)))
	end := (begin + 4*uintptr(len(v)) + size - 1) &^ (size - 1)
	begin &^= size - 1
	_, _, _ = unix.Syscall(unix.SYS_MADVISE, begin, end-begin, unix.MADV_HUGEPAGE)
	runtime.KeepAlive(v)
}
