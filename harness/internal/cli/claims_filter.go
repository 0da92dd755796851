package cli

import (
	"slices"
	"strings"

	"stochopt/harness/internal/claims"
	"stochopt/harness/internal/spec"

	"github.com/spf13/cobra"
)

// claimFilter narrows claims down. Each list lets claims pass that fit any of its values;
// an empty one lets all pass.
type claimFilter struct {
	about, sections []string
}

func (f *claimFilter) flags(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&f.about, "about", nil, "only the claims about this figure, table or claim, by its id, such as fig-experiments")
	cmd.Flags().StringSliceVar(&f.sections, "section", nil, "only the claims of this section of the thesis, such as 2.5, with its subsections, or of this chapter, such as 3")
}

// aboutOf returns what a claim is about: itself, the claim that it is a reading of, the figure or
// table that shows it, and those that its source names.
func aboutOf(c *claims.Claim) []string {
	names := []string{c.ID, c.Of, c.Shown}
	for part := range strings.SplitSeq(c.Source, ", ") {
		if strings.HasPrefix(part, "fig-") || strings.HasPrefix(part, "tab-") {
			names = append(names, part)
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}

func (f *claimFilter) passes(c *claims.Claim) bool {
	about := func(asked string) bool { return slices.Contains(aboutOf(c), asked) }
	from := func(asked string) bool { return anyWithin(c.Sections(), asked) }
	return (len(f.about) == 0 || slices.ContainsFunc(f.about, about)) &&
		(len(f.sections) == 0 || slices.ContainsFunc(f.sections, from))
}

// anyWithin reports whether any of the sections is the one asked for, or within it.
func anyWithin(sections []string, asked string) bool {
	return slices.ContainsFunc(sections, func(number string) bool { return strings.HasPrefix(number+".", asked+".") })
}

// check reports values that no claim of a list fits.
func (f *claimFilter) check(list []*claims.Claim) error {
	var names, sections []string
	for _, c := range list {
		names, sections = append(names, aboutOf(c)...), append(sections, c.Sections()...)
	}
	for _, asked := range f.about {
		if !slices.Contains(names, asked) {
			slices.Sort(names)
			return usagef("--about %q: no claim here is about it%s", asked, spec.Hint(asked, slices.Compact(names)))
		}
	}
	for _, asked := range f.sections {
		if !anyWithin(sections, asked) {
			slices.Sort(sections)
			return usagef("--section %q: no claim here is from it; there are claims from %s", asked, strings.Join(slices.Compact(sections), ", "))
		}
	}
	return nil
}

// passing returns those of a list whose claims pass the filter.
func passing[T any](f *claimFilter, list []T, claim func(*T) *claims.Claim) ([]T, error) {
	of := make([]*claims.Claim, len(list))
	for i := range list {
		of[i] = claim(&list[i])
	}
	if err := f.check(of); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(list, func(t T) bool { return !f.passes(claim(&t)) }), nil
}
