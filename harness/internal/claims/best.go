package claims

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"stochopt/internal/observe"
)

// best returns the curve of the best of several series: at each cost that of which
// the geometric mean over replicates is the least. To choose replicate by replicate
// would take the luck of one for its merit. A series counts where it is on record; a
// trade-off from its least support on. beside has costs at which the curve has to
// have points too.
func (p *part) best(beside *lines, of []*lines) (*lines, error) {
	all := []interface{ ids() []int }{beside.of}
	names := make([]string, len(of))
	for i, ls := range of {
		all, names[i] = append(all, ls.of), ls.series
	}
	ids, err := p.pair(all...)
	if err != nil {
		return nil, err
	}
	var costs []float64
	for _, id := range ids {
		for _, ls := range append([]*lines{beside}, of...) {
			costs = append(costs, ls.of.get(id).X...)
		}
	}
	slices.Sort(costs)
	out := &lines{series: "best of " + strings.Join(names, ", "), curve: of[0].curve, of: make(replicated[*line])}
	for _, id := range ids {
		l := of[0].of.get(id)
		out.of[id] = &line{observe.Curve{Floor: l.Floor, Stays: true}, true, l.run}
		for _, ls := range of {
			out.of[id].done = out.of[id].done && ls.of.get(id).done
			out.of[id].Stays = out.of[id].Stays && ls.of.get(id).Stays
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
			l.X, l.Y = append(l.X, x), append(l.Y, chosen.of.get(id).LineAt(x))
		}
	}
	return out, nil
}

// meanAt returns the mean over replicates of the logarithm of the metric at a cost,
// if all have it on record.
func (ls *lines) meanAt(x float64, ids []int) (mean float64, ok bool) {
	logs := make([]float64, len(ids))
	for i, id := range ids {
		l := ls.of.get(id)
		if x < l.first() || x > l.last() && !l.Stays {
			return 0, false
		}
		logs[i] = math.Log(l.at(x))
	}
	return stat.Mean(logs, nil), true
}
