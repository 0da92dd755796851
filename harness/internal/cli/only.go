package cli

import (
	"slices"

	"stochopt/harness/internal/plan"

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
