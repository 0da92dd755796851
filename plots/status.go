package plots

import (
	"stochopt/results/record"
)

// happened is the verb of a status other than finished.
func happened(status string) string {
	switch status {
	case record.StatusSkipped:
		return "were skipped"
	case record.StatusOutOfTime:
		return "ran out of time"
	case record.StatusOutOfMemory:
		return "ran out of memory"
	}
	return status
}

// condition is what a run of a status other than finished is.
func condition(status string) string {
	switch status {
	case record.StatusOutOfTime:
		return "out of time"
	case record.StatusOutOfMemory:
		return "out of memory"
	}
	return status
}
