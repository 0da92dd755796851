package cli

import (
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"stochopt/harness/internal/spec"
	"stochopt/results/record"

	"github.com/spf13/cobra"
)

// share is a flag between 0 and 1, which may be given in percent.
type share float64

func (s *share) String() string { return strconv.FormatFloat(float64(*s), 'g', -1, 64) }

func (s *share) Type() string { return "share" }

func (s *share) Set(text string) error {
	v, err := parseNumber(text)
	if err == nil && 1 <= v && v < 100 && !strings.Contains(text, "%") {
		return percentMeant(v)
	}
	if err != nil || !(0 < v && v < 1) {
		return fmt.Errorf("want a share between 0 and 1, such as 5%% or 0.05")
	}
	*s = share(v)
	return nil
}

// percentMeant refuses a number from 1 on without a percent sign, which would be 100% or
// more.
func percentMeant(v float64) error {
	return fmt.Errorf("%v would be %v%%: if %v%% is meant write that; numbers from 1 on are taken in percent only", v, 100*v, v)
}

// relative is a flag that is 0 or more, which may be given in percent.
type relative float64

func (r *relative) String() string { return strconv.FormatFloat(float64(*r), 'g', -1, 64) }

func (r *relative) Type() string { return "share" }

func (r *relative) Set(text string) error {
	v, err := parseNumber(text)
	if err == nil && v >= 1 && !strings.Contains(text, "%") {
		return percentMeant(v)
	}
	if err != nil || v < 0 {
		return fmt.Errorf("want 0 or more, such as 5%% or 0.05")
	}
	*r = relative(v)
	return nil
}

// numberList is a flag of positive numbers, which may be given in percent.
type numberList []float64

func (l *numberList) String() string {
	texts := make([]string, len(*l))
	for i, v := range *l {
		texts[i] = strconv.FormatFloat(v, 'g', -1, 64)
	}
	return strings.Join(texts, ",")
}

func (l *numberList) Type() string { return "numbers" }

func (l *numberList) Set(text string) error {
	for _, t := range strings.Split(text, ",") {
		v, err := parseNumber(t)
		if err != nil || !(v > 0) {
			return fmt.Errorf("%q: want positive numbers separated by commas", t)
		}
		*l = append(*l, v)
	}
	slices.Sort(*l)
	*l = slices.Compact(*l)
	return nil
}

// parseNumber reads a finite number, in percent if it ends in %.
func parseNumber(text string) (float64, error) {
	digits, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	if err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
		err = fmt.Errorf("%q is not finite", text)
	}
	if percent {
		v /= 100
	}
	return v, err
}

// compareFilter narrows a comparison down. Its lists hold patterns, with * for any
// text.
type compareFilter struct {
	experiments, datasets, series, exclude []string
}

func (f *compareFilter) flags(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&f.experiments, "experiment", nil, "compare these experiments only; * stands for any text")
	cmd.Flags().StringSliceVar(&f.datasets, "dataset", nil, "compare these data sets only")
	cmd.Flags().StringSliceVar(&f.series, "series", nil, "compare these series only")
	cmd.Flags().StringSliceVar(&f.exclude, "exclude", nil, "leave out cells, as experiment/dataset/series, such as '*/*/libsvm'")
}

func (f *compareFilter) check() error {
	for _, list := range [][]string{f.experiments, f.datasets, f.series, f.exclude} {
		for _, p := range list {
			if _, err := path.Match(p, ""); err != nil || p == "" {
				return usagef("%q is no pattern: give a name, with * for any text", p)
			}
		}
	}
	for _, p := range f.exclude {
		if strings.Count(p, "/") != 2 {
			return usagef("--exclude %q: want experiment/dataset/series, with * for any, such as '*/*/libsvm'", p)
		}
	}
	return nil
}

// reads reports whether the filter may let some run of the experiment pass.
func (f *compareFilter) reads(experiment string) bool {
	all := func(p string) bool {
		name, whole := strings.CutSuffix(p, "/*/*")
		return whole && fits([]string{name}, experiment)
	}
	return fits(f.experiments, experiment) && !slices.ContainsFunc(f.exclude, all)
}

// shows reports whether the filter lets a run pass.
func (f *compareFilter) shows(experiment string, r *record.Run) bool {
	cell := strings.Join([]string{experiment, r.Dataset, r.Series}, "/")
	return fits(f.experiments, experiment) && fits(f.datasets, r.Dataset) && fits(f.series, r.Series) &&
		(len(f.exclude) == 0 || !fits(f.exclude, cell))
}

// fits reports whether name is what one of the patterns describes, or there are none.
func fits(patterns []string, name string) bool {
	return len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool {
		ok, _ := path.Match(p, name) // patterns were checked
		return ok
	})
}

// names are what filters may name: experiments, data sets, series, and cells, as
// experiment/dataset/series.
type names struct{ experiments, datasets, series, cells map[string]bool }

func (n names) add(experiment string, runs []record.Run) {
	n.experiments[experiment] = true
	for i := range runs {
		r := &runs[i]
		n.datasets[r.Dataset], n.series[r.Series], n.cells[experiment+"/"+r.Dataset+"/"+r.Series] = true, true, true
	}
}

// unused returns an error if a pattern fits nothing that there is.
func (f *compareFilter) unused(there names) error {
	for _, g := range []struct {
		flag     string
		patterns []string
		have     map[string]bool
	}{{"experiment", f.experiments, there.experiments}, {"dataset", f.datasets, there.datasets}, {"series", f.series, there.series}} {
		have := slices.Sorted(maps.Keys(g.have))
		for _, p := range g.patterns {
			if !slices.ContainsFunc(have, func(name string) bool { return fits([]string{p}, name) }) {
				return usagef("--%s %q: there is none on either side%s", g.flag, p, spec.Hint(p, have))
			}
		}
	}
	return nil
}

// idle warns of exclusions that leave nothing out. They are no errors, for what they are
// of may be missing on some machines.
func (f *compareFilter) idle(there names) []string {
	var warnings []string
	cells := slices.Sorted(maps.Keys(there.cells))
	for _, p := range f.exclude {
		parts := strings.Split(p, "/")
		whole := parts[1] == "*" && parts[2] == "*" // such experiments are not read
		if whole && slices.ContainsFunc(slices.Collect(maps.Keys(there.experiments)), func(name string) bool { return fits(parts[:1], name) }) ||
			slices.ContainsFunc(cells, func(name string) bool { return fits([]string{p}, name) }) {
			continue
		}
		hint := ""
		for i, have := range []map[string]bool{there.experiments, there.datasets, there.series} {
			if known := slices.Sorted(maps.Keys(have)); !slices.ContainsFunc(known, func(name string) bool { return fits(parts[i:i+1], name) }) {
				hint = spec.Hint(parts[i], known)
				break
			}
		}
		warnings = append(warnings, fmt.Sprintf("--exclude %q leaves nothing out: no such cell is on either side%s", p, hint))
	}
	return warnings
}
