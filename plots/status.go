package plots

import "stochopt/results"

// unfinished lists the statuses of runs that did not finish, in the order in
// which notes list them.
var unfinished = []string{
	results.StatusFailed, results.StatusDiverged, results.StatusSkipped, results.StatusOutOfTime, results.StatusOutOfMemory,
}

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
