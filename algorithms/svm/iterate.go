package svm

// Iterate says which of its iterates a stochastic gradient method returns.
type Iterate int

const (
	// IterateAverage: the average of the iterates of all steps so far.
	IterateAverage Iterate = iota
	// IterateLast: the last one.
	IterateLast
)

// String returns the name by which specs call the iterate.
func (i Iterate) String() string {
	switch i {
	case IterateAverage:
		return "average"
	case IterateLast:
		return "last"
	}
	return "unknown"
}
