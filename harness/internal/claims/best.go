package claims

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
)

// best returns the curve of the best of several series: at each cost that of which
// the geometric mean over replicates is the least. To choose replicate by replicate
// would take the luck of one for its merit. A series counts where it is on record; a
// trade-off from its least support on. beside has costs at which the curve has to
// have points too.
func (p *part) best(beside *lines, of []*lines) (*lines, error) {
	all := []replicates{beside}
	names := make([]string, len(of))
	for i, ls := range of {
		all, names[i] = append(all, ls), ls.series
	}
	ids, err := p.pair(all...)
	if err != nil {
		return nil, err
	}
	var costs []float64
	for _, id := range ids {
		for _, ls := range append([]*lines{beside}, of...) {
			costs = append(costs, ls.get(id).x...)
		}
	}
	slices.Sort(costs)
	out := &lines{series: "best of " + strings.Join(names, ", "), curve: of[0].curve, of: make(map[int]*line)}
	for _, id := range ids {
		l := of[0].get(id)
		out.of[id] = &line{floor: l.floor, done: true, level: true, run: l.run}
		for _, ls := range of {
			out.of[id].done = out.of[id].done && ls.get(id).done
			out.of[id].level = out.of[id].level && ls.get(id).level
		}
	}
	for _, x := range slices.Compact(costs) {
		var chosen *lines
		least := math.Inf(1)
		for _, ls := range of {
			if v, ok := ls.meanAt(x, ids); ok && v < least {
				chosen, least = ls, v
			}
		}
		if chosen == nil {
			continue
		}
		for _, id := range ids {
			l := out.of[id]
			l.x, l.y = append(l.x, x), append(l.y, chosen.get(id).at(x))
		}
	}
	return out, nil
}

// meanAt returns the mean over replicates of the logarithm of the metric at a cost,
// if all have it on record.
func (ls *lines) meanAt(x float64, ids []int) (mean float64, ok bool) {
	logs := make([]float64, len(ids))
	for i, id := range ids {
		l := ls.get(id)
		if x < l.first() || x > l.last() && !l.level {
			return 0, false
		}
		logs[i] = math.Log(max(l.at(x), l.floor))
	}
	return stat.Mean(logs, nil), true
}
