package record

import "hash/maphash"

// Finder finds places in a list by the keys and extents there. Of a million places it takes
// 8 MB, where a map takes a hundred.
type Finder struct {
	seed maphash.Seed
	// slots has twice as many as there are places, or more: each place plus 1, at the first
	// free one from where its hash says.
	slots []uint32
	count int
	at    func(place int) (key, extent string)
}

// NewFinder returns an empty one, with room for so many places. What at says of a place that
// was added must not change.
func NewFinder(room int, at func(place int) (key, extent string)) *Finder {
	size := 16
	for size < 2*room {
		size *= 2
	}
	return &Finder{seed: maphash.MakeSeed(), slots: make([]uint32, size), at: at}
}

// FinderOf returns an empty one with room for the runs of a list.
func FinderOf(runs []Run) *Finder {
	return NewFinder(len(runs), func(i int) (string, string) { return runs[i].Key, runs[i].Extent })
}

// finderOf returns one of the places of a plan, of several of one run the first.
func finderOf(plan []ID) *Finder {
	f := NewFinder(len(plan), func(i int) (string, string) { return plan[i].Key, plan[i].Extent })
	for i := range plan {
		f.Add(i)
	}
	return f
}

// slot is where a key and extent are, or would be.
func (f *Finder) slot(key, extent string) int {
	mask := len(f.slots) - 1
	i := int(maphash.String(f.seed, key)+31*maphash.String(f.seed, extent)) & mask
	for f.slots[i] > 0 {
		if k, e := f.at(int(f.slots[i] - 1)); k == key && e == extent {
			break
		}
		i = (i + 1) & mask
	}
	return i
}

// Find returns the place of a key and extent, -1 if there is none.
func (f *Finder) Find(key, extent string) int {
	return int(f.slots[f.slot(key, extent)]) - 1
}

// Add adds a place, unless there is one with its key and extent; it returns the one there is.
func (f *Finder) Add(place int) int {
	i := f.slot(f.at(place))
	if f.slots[i] > 0 {
		return int(f.slots[i] - 1)
	}
	f.slots[i] = uint32(place + 1)
	if f.count++; 2*f.count > len(f.slots) {
		old := f.slots
		f.slots = make([]uint32, 2*len(old))
		for _, s := range old {
			if s > 0 {
				f.slots[f.slot(f.at(int(s-1)))] = s
			}
		}
	}
	return place
}
