package cli

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"stochopt/harness/internal/spec"
	"stochopt/internal/finite"
	"stochopt/internal/record"
	"stochopt/internal/words"

	"github.com/spf13/cobra"
)

// fraction is a flag of a number that may be given in percent: 0 or more or, if it is proper,
// between 0 and 1.
type fraction struct {
	value  float64
	proper bool
}

func (f *fraction) String() string { return words.Exact(f.value) }

func (f *fraction) Type() string { return "share" }

func (f *fraction) Set(text string) error {
	v, err := parseNumber(text)
	switch {
	case err == nil && v >= 1 && (v < 100 || !f.proper) && !strings.Contains(text, "%"):
		return fmt.Errorf("%v would be %v%%: if %v%% is meant write that; numbers from 1 on are taken in percent only", v, 100*v, v)
	case f.proper && (err != nil || !(0 < v && v < 1)):
		return errors.New("want a share between 0 and 1, such as 5% or 0.05")
	case err != nil || v < 0:
		return errors.New("want 0 or more, such as 5% or 0.05")
	}
	f.value = v
	return nil
}

// numberList is a flag of positive numbers, which may be given in percent.
type numberList []float64

func (l *numberList) String() string {
	texts := make([]string, len(*l))
	for i, v := range *l {
		texts[i] = words.Exact(v)
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
	if err == nil && !finite.Is(v) {
		err = fmt.Errorf("%q is not finite", text)
	}
	if percent {
		v /= 100
	}
	return v, err
}

// compareFilter narrows a comparison down. Its patterns are of cells, as experiment/dataset/series,
// with * for any text.
type compareFilter struct {
	// only are the patterns of the cells that are compared; without any, all cells are.
	only []string
	// exclude are the patterns of cells that are left out.
	exclude []string
}

func (f *compareFilter) flags(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&f.only, "experiment", nil,
		"compare only these, as experiment, experiment/dataset or experiment/dataset/series, such as 'pca-*' or '*/*/msg'")
	cmd.Flags().StringSliceVar(&f.exclude, "exclude", nil, "leave out cells, as experiment/dataset/series, such as '*/*/libsvm'")
}

// check finds mistakes in the patterns and completes those of experiments and datasets.
func (f *compareFilter) check() error {
	for _, p := range slices.Concat(f.only, f.exclude) {
		if _, err := path.Match(p, ""); err != nil || p == "" {
			return usagef("%q is no pattern: give a name, with * for any text", p)
		}
	}
	for i, p := range f.only {
		given := strings.Count(p, "/")
		if given > 2 {
			return usagef("--experiment %q: want experiment, experiment/dataset or experiment/dataset/series", p)
		}
		f.only[i] += strings.Repeat("/*", 2-given)
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
	some := func(p string) bool { return fits(p[:strings.Index(p, "/")], experiment) }
	all := func(p string) bool { return strings.HasSuffix(p, "/*/*") && some(p) }
	return (len(f.only) == 0 || slices.ContainsFunc(f.only, some)) && !slices.ContainsFunc(f.exclude, all)
}

// shows reports whether the filter lets a run pass.
func (f *compareFilter) shows(experiment string, r *record.Run) bool {
	cell := func(p string) bool { return fits(p, experiment+"/"+r.Dataset+"/"+r.Series) }
	return (len(f.only) == 0 || slices.ContainsFunc(f.only, cell)) && !slices.ContainsFunc(f.exclude, cell)
}

func fits(pattern, name string) bool {
	ok, _ := path.Match(pattern, name) // patterns were checked
	return ok
}

// names are what filters may name: experiments, datasets, series, and cells, as
// experiment/dataset/series. All are sorted, and each is there once.
type names struct {
	kinds [3][]string
	cells []string
}

func namesOf(sides []side) names {
	var n names
	for _, s := range sides {
		n.kinds[0] = append(n.kinds[0], s.Name)
		for i := range s.Runs {
			r := &s.Runs[i]
			n.kinds[1], n.kinds[2] = append(n.kinds[1], r.Dataset), append(n.kinds[2], r.Series)
			n.cells = append(n.cells, s.Name+"/"+r.Dataset+"/"+r.Series)
		}
	}
	for _, list := range []*[]string{&n.kinds[0], &n.kinds[1], &n.kinds[2], &n.cells} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return n
}

// has reports whether a pattern fits a cell or an experiment that was not read.
func (n *names) has(pattern string) bool {
	experiment, whole := strings.CutSuffix(pattern, "/*/*")
	return whole && anyFits(experiment, n.kinds[0]) || anyFits(pattern, n.cells)
}

// hint names what the first part of a pattern that fits nothing may have meant.
func (n *names) hint(pattern string) string {
	for i, part := range strings.Split(pattern, "/") {
		if !anyFits(part, n.kinds[i]) {
			return spec.Hint(part, n.kinds[i])
		}
	}
	return ""
}

func anyFits(pattern string, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return fits(pattern, name) })
}

// unused returns an error if a pattern of what is compared fits nothing.
func (f *compareFilter) unused(there names) error {
	for _, p := range f.only {
		if !there.has(p) {
			return usagef("--experiment %q: no such cell is on either side%s", p, there.hint(p))
		}
	}
	return nil
}

// idle warns of exclusions that leave nothing out. They are no errors, for what they are of may be
// missing on some machines.
func (f *compareFilter) idle(there names) []string {
	var warnings []string
	for _, p := range f.exclude {
		if !there.has(p) {
			warnings = append(warnings, fmt.Sprintf("--exclude %q leaves nothing out: no such cell is on either side%s", p, there.hint(p)))
		}
	}
	return warnings
}
