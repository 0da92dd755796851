package cli

import (
	"slices"
	"strings"

	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/spec"

	"github.com/spf13/cobra"
)

// onlyOptions pick some of the runs of specs.
type onlyOptions struct {
	texts []string
	// picked are the runs that texts ask for.
	picked plan.Only
}

func (o *onlyOptions) flags(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&o.texts, "only", nil, "only the runs with this name: dataset=NAME, series=NAME, algorithm=NAME, or several of these with commas between; repeat it to add other runs")
	completeFlagBy(cmd, "only", completeOnly)
}

func (o *onlyOptions) parse() (err error) {
	if o.picked, err = plan.ParseOnly(o.texts); err != nil {
		return usagef("--only %w", err)
	}
	return nil
}

// pick returns the files, and their plans, that are asked runs of.
func (o *onlyOptions) pick(files []string, plans []*plan.Plan) (some []string, of []*plan.Plan, err error) {
	if len(o.texts) == 0 {
		return files, plans, nil
	}
	if err := o.picked.Check(plans); err != nil {
		return nil, nil, usagef("--only %w", err)
	}
	for i, p := range plans {
		if slices.ContainsFunc(p.Items, o.picked.Has) {
			some, of = append(some, files[i]), append(of, p)
		}
	}
	return some, of, nil
}

// completeOnly offers the names that the specs in the command line have, after the choices
// that are there.
func completeOnly(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	before := typed[:strings.LastIndex(typed, ",")+1]
	var list []string
	for _, s := range specsTyped(cmd, args) {
		list = append(list, onlyNames(s)...)
	}
	slices.Sort(list)
	list = slices.DeleteFunc(slices.Compact(list), func(name string) bool {
		kind, _, _ := strings.Cut(name, "=")
		return strings.Contains(","+before, ","+kind+"=")
	})
	for i := range list {
		list[i] = before + list[i]
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}

func onlyNames(s *spec.Spec) (list []string) {
	for _, d := range s.Datasets {
		list = append(list, "dataset="+d.ID)
	}
	for _, a := range s.Algorithms {
		list = append(list, "algorithm="+a.ID, "series="+a.Series())
	}
	return list
}
