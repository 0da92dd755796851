package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"stochopt/datasets"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/spec"
	"stochopt/internal/words"

	"github.com/spf13/cobra"
)

func newValidate(a *app) *cobra.Command {
	o := &specOptions{}
	data := &dataOptions{}
	cmd := &cobra.Command{
		Use:   "validate SPEC...",
		Short: "Check specs strictly; run nothing",
		Long: "Validate checks specs strictly and runs nothing. It opens files of your own and simulated data,\n" +
			"and downloads nothing.",
		Args: atLeastOne("spec"),
		RunE: func(cmd *cobra.Command, args []string) error {
			specs, err := o.load(a, args)
			if err != nil {
				return err
			}
			opener := data.opener(a)
			var errs []error
			for i, s := range specs {
				p, err := plan.Build(cmd.Context(), s, func(ctx context.Context, e *spec.DatasetEntry) (*datasets.Data, error) {
					if !s.Local(e) {
						return nil, nil // it would need a download
					}
					return opener(ctx, e)
				})
				if cmd.Context().Err() != nil {
					return cmd.Context().Err()
				}
				if err != nil {
					errs = append(errs, err)
					continue
				}
				data.memory.warn(a, p)
				a.warn(s.Warnings(nil))
				fmt.Fprintf(a.out, "%s: ok, %s\n", args[i], words.Count(len(p.Items), "run"))
			}
			return usage(errors.Join(errs...))
		},
	}
	o.flags(cmd)
	data.memory.flags(cmd)
	return cmd
}

type planOptions struct {
	experimentOptions
	only   onlyOptions
	format string
}

func newPlan(a *app) *cobra.Command {
	o := &planOptions{}
	cmd := &cobra.Command{
		Use:   "plan SPEC...",
		Short: "List the runs, their cost, and which are on record; run nothing",
		Args:  atLeastOne("spec"),
		RunE:  func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), a, args) },
	}
	o.flags(cmd)
	o.only.flags(cmd)
	formatFlags(cmd, &o.format)
	return cmd
}

// planned is a row of the plan: one series on one dataset.
type planned struct {
	Spec    string `json:"spec"`
	Dataset string `json:"dataset"`
	StandIn bool   `json:"stand_in"`
	Series  string `json:"series"`
	// Program is that of an external algorithm, as one would type it.
	Program string `json:"program,omitempty"`
	// Deterministic: one run stands for every repeat.
	Deterministic bool  `json:"deterministic,omitempty"`
	Runs          int   `json:"runs"`
	OnRecord      int   `json:"on_record"`
	Iterations    int64 `json:"iterations_left"`
	// KernelEvals bounds the kernel evaluations of the runs left.
	KernelEvals int64 `json:"kernel_evals_left,omitempty"`
	// Seconds is how long the runs on record took: steps and evaluation.
	Seconds float64 `json:"recorded_seconds"`
}

func (o *planOptions) run(ctx context.Context, a *app, files []string) error {
	a.limitHeap(o.memory.bytes())
	specs, err := o.load(a, files)
	if err != nil {
		return err
	}
	if specs, _, err = o.only.pick(specs, files); err != nil {
		return err
	}
	var rows []planned
	for _, s := range specs {
		p, err := o.plan(ctx, a, s, o.only.picked)
		if err != nil {
			return err
		}
		more, err := o.rows(a, p)
		if err != nil {
			return err
		}
		rows = append(rows, more...)
	}
	columns := []column[planned]{
		{"spec", func(r planned) any { return r.Spec }},
		{"dataset", func(r planned) any { return dataName(r.Dataset, r.StandIn) }},
		{"series", func(r planned) any { return r.Series }},
		{"runs", func(r planned) any { return r.Runs }},
		{"on record", func(r planned) any { return r.OnRecord }},
		{"seconds on record", func(r planned) any { return number(fmt.Sprintf("%.1f", r.Seconds)) }},
		{"iterations left", func(r planned) any { return r.Iterations }},
	}
	if slices.ContainsFunc(rows, func(r planned) bool { return r.KernelEvals > 0 }) {
		columns = append(columns, column[planned]{"max kernel evals left", func(r planned) any {
			return number(fmt.Sprintf("%.3g", float64(r.KernelEvals)))
		}})
	}
	if err := printTable(a.out, o.format, rows, columns); err != nil || o.format != inTable {
		return err
	}
	for _, r := range rows {
		if r.Deterministic {
			fmt.Fprintf(a.out, "%s, %s: deterministic: one run stands for all repeats\n", r.Dataset, r.Series)
		}
		if r.Program != "" {
			fmt.Fprintf(a.out, "%s, %s: run starts, if --external allow is given, %s\n", r.Dataset, r.Series, r.Program)
		}
	}
	return nil
}

// rows summarises a plan by dataset and series, in plan order.
func (o *planOptions) rows(a *app, p *plan.Plan) ([]planned, error) {
	s := p.Spec
	onRecord, err := a.recorded(o.folder(a, s))
	if err != nil {
		return nil, err
	}
	var rows []planned
	for _, it := range o.only.picked.Of(p) {
		i := slices.IndexFunc(rows, func(r planned) bool {
			return r.Dataset == it.Problem.Entry.ID && r.Series == it.Series
		})
		if i < 0 {
			i = len(rows)
			rows = append(rows, planned{
				Spec: s.Name, Dataset: it.Problem.Entry.ID, StandIn: it.Problem.Data.StandIn, Series: it.Series,
				Deterministic: s.Repeats > 1 && it.Algorithm.Deterministic && it.Problem.FixedSplit(),
			})
			if program := it.Algorithm.Program; program != nil {
				rows[i].Program = program.String()
			}
		}
		r := &rows[i]
		r.Runs++
		if before, done := onRecord.Lookup(it.ID.Key, it.ID.Extent); done && before.Satisfies(it.Limits()) {
			r.OnRecord++
			step, eval, _ := before.Durations()
			r.Seconds += step + eval
		} else {
			r.Iterations += min(it.Budget, math.MaxInt64-r.Iterations)
			r.KernelEvals += min(it.KernelEvals(), math.MaxInt64-r.KernelEvals)
		}
	}
	return rows, nil
}

// onlyOptions are the flag that picks some of the runs of specs.
type onlyOptions struct {
	texts []string
	// picked are the runs that texts ask for.
	picked plan.Only
}

func (o *onlyOptions) flags(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&o.texts, "only", nil,
		"only the runs with this name: dataset=NAME, series=NAME, algorithm=NAME, or several of these with commas between; repeat it to add other runs")
}

// pick parses the flag and leaves only those of specs, and of their files, that have such runs.
func (o *onlyOptions) pick(specs []*spec.Spec, files []string) ([]*spec.Spec, []string, error) {
	var err error
	if o.picked, err = plan.ParseOnly(o.texts); err != nil {
		return nil, nil, usagef("--only %w", err)
	}
	if len(o.texts) == 0 {
		return specs, files, nil
	}
	var plans []*plan.Plan
	var some []*spec.Spec
	var of []string
	for i, s := range specs {
		plans = append(plans, plan.WithoutData(s))
		if slices.ContainsFunc(plans[i].Items, o.picked.Has) {
			some, of = append(some, s), append(of, files[i])
		}
	}
	if err := o.picked.Check(plans); err != nil {
		return nil, nil, usagef("--only %w", err)
	}
	return some, of, nil
}
