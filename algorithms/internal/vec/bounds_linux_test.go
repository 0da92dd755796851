package vec

import (
	"math/rand/v2"
	"syscall"
	"testing"
	"unsafe"
)

// atEnd copies s to the end of a memory page that is followed by unreadable memory.
func atEnd[T any](t *testing.T, s []T) []T {
	t.Helper()
	page := syscall.Getpagesize()
	size := len(s) * int(unsafe.Sizeof(*new(T)))
	pages := (size + page - 1) / page * page
	mem, err := syscall.Mmap(-1, 0, pages+page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		if err := syscall.Munmap(mem); err != nil {
			t.Error(err)
		}
	})
	if err := syscall.Mprotect(mem[pages:], syscall.PROT_NONE); err != nil {
		t.Skip(err)
	}
	if len(s) == 0 {
		return nil
	}
	end := unsafe.Slice((*T)(unsafe.Pointer(&mem[pages-size])), len(s))
	copy(end, s)
	return end
}

func TestNoReadPastTheEnd(t *testing.T) {
	rnd := rand.New(rand.NewPCG(13, 14))
	for n := range 40 {
		in, _ := newInput(rnd, n, 0)
		in.u, in.v, in.alpha, in.diag = atEnd(t, in.u), atEnd(t, in.v), atEnd(t, in.alpha), atEnd(t, in.diag)
		in.k, in.l = atEnd(t, in.k), atEnd(t, in.l)
		in.up, in.low = atEnd(t, in.up), atEnd(t, in.low)
		paths(func(string) {
			for _, p := range passes {
				p.fast(in) // a read out of bounds crashes the test
			}
		})
	}
}
