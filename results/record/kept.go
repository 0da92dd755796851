package record

import (
	"fmt"
	"sync"
)

// curvesKept bounds the memory of what was read of lines and is kept for the next who asks,
// in bytes, of all folders together.
const curvesKept = 256 << 20

// kept holds what was read last. It has two generations: what is asked for is in the young
// one, and once that holds half of what may be kept it takes the place of the old one.
var kept = struct {
	sync.Mutex
	young, old map[keptAt]keepable
	bytes      int
}{young: make(map[keptAt]keepable)}

// keptAt tells the timing of a line from its curve.
type keptAt struct {
	place
	timing bool
}

// keepable is a value that knows about how much memory it takes.
type keepable interface{ bytes() int }

// keep keeps a value that was read at a place.
func keep(at keptAt, v keepable) {
	kept.Lock()
	defer kept.Unlock()
	keepYoung(at, v)
}

func keepYoung(at keptAt, v keepable) {
	const entry = 128 // of a map
	if _, ok := kept.young[at]; ok {
		return
	}
	if kept.bytes += entry + v.bytes(); kept.bytes > curvesKept/2 {
		kept.old, kept.young, kept.bytes = kept.young, make(map[keptAt]keepable), entry+v.bytes()
	}
	kept.young[at] = v
}

// readKept returns the value of the line at a place, which it reads if it is not kept.
func readKept[T keepable](at keptAt, decode Decoder[T]) T {
	kept.Lock()
	v, ok := kept.young[at]
	if !ok {
		if v, ok = kept.old[at]; ok {
			keepYoung(at, v)
		}
	}
	kept.Unlock()
	if ok {
		return v.(T)
	}
	line, err := at.read()
	var read T
	if err == nil {
		read, err = decode(line)
	}
	if err != nil {
		panic(fmt.Errorf("results: cannot read %s at byte %d: %w; the file was sound before: check the disk, and that nothing else writes there", at.file.path, at.offset, err))
	}
	keep(at, read)
	return read
}
