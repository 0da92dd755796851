package analysis

const (
	// WantedPower is the chance of a verdict that a number of repeats is told for.
	WantedPower = 0.8
	// MostRepeats bounds the numbers of repeats that are worth telling.
	MostRepeats = 100000
)
