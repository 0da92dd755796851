package plots

import (
	"stochopt/results/record"
)

// SeriesKeys returns the looks of the series of runs, in the order of legends, as
// figures have them whose colours stand for series.
func SeriesKeys(runs []record.Run) []ChartKey {
	ids := seriesOf(runs)
	styles := assignStyles(ids)
	var keys []ChartKey
	seen := make(map[string]bool)
	for _, id := range ids {
		if seen[id.series] {
			continue
		}
		seen[id.series] = true
		k := chartKey(DisplayName(id.series), styles[id.series])
		k.Key, k.Series = id.series, id.series
		keys = append(keys, k)
	}
	return keys
}
