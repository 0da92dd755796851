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
	"stochopt/results/record"
	"stochopt/results/words"

	"github.com/spf13/cobra"
)

// fraction is a flag of a number that may be given in percent: 0 or more or, if it is
// proper, between 0 and 1.
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

// filtered are the kinds of names by which a comparison is narrowed down, in the order
// in which they make up the name of a cell.
var filtered = [...]struct{ flag, usage string }{
	{"experiment", "compare these experiments only; * stands for any text"},
	{"dataset", "compare these data sets only"},
	{"series", "compare these series only"},
}

// compareFilter narrows a comparison down. Its lists hold patterns, with * for any
// text.
type compareFilter struct {
	// only has a list for each kind of names; an empty one lets all pass.
	only [len(filtered)][]string
	// exclude are the patterns of cells that are left out.
	exclude []string
}

func (f *compareFilter) flags(cmd *cobra.Command) {
	for i, kind := range filtered {
		cmd.Flags().StringSliceVar(&f.only[i], kind.flag, nil, kind.usage)
	}
	cmd.Flags().StringSliceVar(&f.exclude, "exclude", nil, "leave out cells, as experiment/dataset/series, such as '*/*/libsvm'")
}

func (f *compareFilter) check() error {
	for _, p := range slices.Concat(slices.Concat(f.only[:]...), f.exclude) {
		if _, err := path.Match(p, ""); err != nil || p == "" {
			return usagef("%q is no pattern: give a name, with * for any text", p)
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
		return whole && fits(name, experiment)
	}
	return passes(f.only[0], experiment) && !slices.ContainsFunc(f.exclude, all)
}

// shows reports whether the filter lets a run pass.
func (f *compareFilter) shows(experiment string, r *record.Run) bool {
	cell := [...]string{experiment, r.Dataset, r.Series}
	for i, name := range cell {
		if !passes(f.only[i], name) {
			return false
		}
	}
	return len(f.exclude) == 0 || !passes(f.exclude, strings.Join(cell[:], "/"))
}

// passes reports whether name is what one of the patterns describes, or there are none.
func passes(patterns []string, name string) bool {
	return len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool { return fits(p, name) })
}

func fits(pattern, name string) bool {
	ok, _ := path.Match(pattern, name) // patterns were checked
	return ok
}

// names are what filters may name: the names of each kind, and cells, as
// experiment/dataset/series. All are sorted, and each is there once.
type names struct {
	kinds [len(filtered)][]string
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

// unused returns an error if a pattern fits nothing that there is.
func (f *compareFilter) unused(there names) error {
	for i, kind := range filtered {
		for _, p := range f.only[i] {
			if !anyFits(p, there.kinds[i]) {
				return usagef("--%s %q: there is none on either side%s", kind.flag, p, spec.Hint(p, there.kinds[i]))
			}
		}
	}
	return nil
}

func anyFits(pattern string, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return fits(pattern, name) })
}

// idle warns of exclusions that leave nothing out. They are no errors, for what they are
// of may be missing on some machines.
func (f *compareFilter) idle(there names) []string {
	var warnings []string
	for _, p := range f.exclude {
		parts := strings.Split(p, "/")
		whole := parts[1] == "*" && parts[2] == "*" // such experiments are not read
		if whole && anyFits(parts[0], there.kinds[0]) || anyFits(p, there.cells) {
			continue
		}
		hint := ""
		for i, part := range parts {
			if !anyFits(part, there.kinds[i]) {
				hint = spec.Hint(part, there.kinds[i])
				break
			}
		}
		warnings = append(warnings, fmt.Sprintf("--exclude %q leaves nothing out: no such cell is on either side%s", p, hint))
	}
	return warnings
}
