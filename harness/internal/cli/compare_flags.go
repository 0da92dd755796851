package cli

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"stochopt/harness/internal/spec"
	"stochopt/results"

	"github.com/spf13/cobra"
)

// share is a flag between 0 and 1, which may be given in percent.
type share float64

func (s *share) String() string { return strconv.FormatFloat(float64(*s), 'g', -1, 64) }

func (s *share) Type() string { return "share" }

func (s *share) Set(text string) error {
	v, err := parseNumber(text)
	if err != nil || !(0 < v && v < 1) {
		return fmt.Errorf("want a share between 0 and 1, such as 5%% or 0.05")
	}
	*s = share(v)
	return nil
}

// relative is a flag that is 0 or more, which may be given in percent.
type relative float64

func (r *relative) String() string { return strconv.FormatFloat(float64(*r), 'g', -1, 64) }

func (r *relative) Type() string { return "share" }

func (r *relative) Set(text string) error {
	v, err := parseNumber(text)
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
func (f *compareFilter) shows(experiment string, r *results.Run) bool {
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

// unused returns an error if a pattern fits nothing that there is.
func (f *compareFilter) unused(experiments, datasets, series []string) error {
	for _, g := range []struct {
		flag           string
		patterns, have []string
	}{{"experiment", f.experiments, experiments}, {"dataset", f.datasets, datasets}, {"series", f.series, series}} {
		for _, p := range g.patterns {
			if !slices.ContainsFunc(g.have, func(name string) bool { return fits([]string{p}, name) }) {
				return usagef("--%s %q: there is none on either side%s", g.flag, p, spec.Hint(p, g.have))
			}
		}
	}
	return nil
}
