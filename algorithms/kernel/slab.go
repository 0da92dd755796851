package kernel

// slab is memory for some rows of a cache; the zero slab is none.
type slab struct {
	rows []float32
	// mapping is the memory if it is not on the Go heap.
	mapping []byte
}

func heapSlab(entries int) slab { return slab{rows: make([]float32, entries)} }

// free gives the memory of s back, unless that is up to the garbage collector:
// then it returns true. Nobody may read a row of s any more.
func (s slab) free() (garbage bool) {
	if s.mapping == nil {
		return s.rows != nil
	}
	unmap(s.mapping)
	return false
}
