package plots

import "stochopt/results"

// happened is the verb of a status other than finished.
func happened(status string) string {
	switch status {
	case results.StatusSkipped:
		return "were skipped"
	case results.StatusOutOfTime:
		return "ran out of time"
	case results.StatusOutOfMemory:
		return "ran out of memory"
	}
	return status
}

// condition is what a run of a status other than finished is.
func condition(status string) string {
	switch status {
	case results.StatusOutOfTime:
		return "out of time"
	case results.StatusOutOfMemory:
		return "out of memory"
	}
	return status
}
