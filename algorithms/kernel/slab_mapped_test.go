//go:build unix && !race

package kernel

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"testing"
)

// resident returns the memory of this process that is not swapped out, in
// bytes.
func resident(t *testing.T) int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip(err)
	}
	var size, pages int64
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}

// Rows are no concern of the collector's, and their memory goes back to the
// system when the cache is closed.
func TestRowsAreOutsideTheHeap(t *testing.T) {
	const n, slack = 3000, 6 << 20
	p := testPoints(t, n)
	var before, after runtime.MemStats
	// What earlier tests have left must not go back to the system meanwhile.
	debug.FreeOSMemory()
	runtime.ReadMemStats(&before)
	base := resident(t)
	c := newCache(t, Linear{}, p, n, NewPool(1<<30))
	if err := c.Fill(context.Background(), 2); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	bytes := c.Stats().Bytes
	if bytes < 30<<20 {
		t.Fatalf("%d bytes of rows", bytes)
	}
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > slack {
		t.Errorf("the heap has grown by %d bytes", grown)
	}
	if grown := resident(t) - base; grown < bytes-slack || grown > bytes+slack {
		t.Errorf("the process has grown by %d bytes for %d bytes of rows", grown, bytes)
	}
	c.Close()
	if grown := resident(t) - base; grown > slack {
		t.Errorf("the process is %d bytes larger than before the cache, now closed", grown)
	}
}

// What the system does not map comes from the heap.
func TestSlabThatCannotBeMapped(t *testing.T) {
	s := mapSlab(16, func() ([]byte, error) { return nil, os.ErrInvalid })
	if len(s.rows) != 16 || s.mapping != nil {
		t.Errorf("%d entries, mapped %v", len(s.rows), s.mapping != nil)
	}
}
