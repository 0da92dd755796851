package claims

import (
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"stochopt/results/record"
)

func mapKeys[K comparable, V any](m map[K]V) iter.Seq[K] { return maps.Keys(m) }

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// short writes a number with three significant digits.
func short(v float64) string {
	text := strconv.FormatFloat(v, 'e', 2, 64)
	rounded, err := strconv.ParseFloat(text, 64)
	switch a := math.Abs(rounded); {
	case v == 0:
		return "0"
	case err != nil || a >= 1e5 || a < 1e-3:
		return text
	default:
		return strconv.FormatFloat(rounded, 'f', max(2-int(math.Floor(math.Log10(a))), 0), 64)
	}
}

// costText writes a cost.
func costText(v float64) string {
	if a := math.Abs(v); a < 1e6 && (a >= 10 || math.Abs(v-math.Round(v)) <= 1e-9*a) {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return short(v)
}

// plain writes a number that something is compared with.
func plain(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e6 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// count writes "1 run" or "3 runs".
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// enumerate lists up to so many texts.
func enumerate(texts []string, most int) string {
	if len(texts) <= most {
		return strings.Join(texts, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(texts[:most], ", "), len(texts)-most)
}

// happenings says what became of runs that have no result.
func happenings(runs []*record.Run) string {
	var parts []string
	for _, status := range append(record.Unfinished(), record.StatusFinished) {
		var of []*record.Run
		for _, r := range runs {
			if r.Status == status {
				of = append(of, r)
			}
		}
		if len(of) == 0 {
			continue
		}
		verb := map[string]string{
			record.StatusFailed: "failed", record.StatusDiverged: "diverged", record.StatusSkipped: "skipped",
			record.StatusOutOfTime: "out of time", record.StatusOutOfMemory: "out of memory", record.StatusFinished: "with an empty curve",
		}[status]
		parts = append(parts, fmt.Sprintf("%d %s", len(of), verb))
	}
	return strings.Join(parts, ", ")
}
