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
	"stochopt/internal/observe"
	"stochopt/internal/words"

	"github.com/spf13/cobra"
)

func newValidate(a *app) *cobra.Command {
	o := &specOptions{}
	data := &dataOptions{}
	cmd := &cobra.Command{
		Use:   "validate SPEC...",
		Short: "Check specs; run nothing",
		Long: "Validate reports all mistakes in specs and runs nothing. It opens your own files and simulated data,\n" +
			"and downloads nothing.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			specs, err := o.load(args)
			if err != nil {
				return err
			}
			opener := data.opener(a)
			var errs []error
			for i, s := range specs {
				p, err := plan.Build(cmd.Context(), s, func(ctx context.Context, e *spec.DatasetEntry) (*datasets.Data, error) {
					if !s.Local(e) {
						return nil, nil // it might need a download
					}
					return opener(ctx, e)
				})
				if err != nil {
					errs = append(errs, err)
					continue
				}
				data.memory.warn(a, p)
				a.warn(s.Warnings(nil)...)
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
	asJSON bool
}

func newPlan(a *app) *cobra.Command {
	o := &planOptions{}
	cmd := &cobra.Command{
		Use:   "plan SPEC...",
		Short: "List the runs, their cost, and how many are on record; run nothing",
		Args:  cobra.MinimumNArgs(1),
		RunE:  func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), a, args) },
	}
	o.flags(cmd)
	o.only.flags(cmd)
	jsonFlag(cmd, &o.asJSON)
	return cmd
}

// planned summarises the runs of a series on a data set.
type planned struct {
	Spec    string `json:"spec"`
	Dataset string `json:"dataset"`
	StandIn bool   `json:"stand_in"`
	Series  string `json:"series"`
	// Program is the command line of an external algorithm.
	Program string `json:"program,omitempty"`
	// Deterministic means that one run stands for all repeats.
	Deterministic bool  `json:"deterministic,omitempty"`
	Runs          int   `json:"runs"`
	OnRecord      int   `json:"on_record"`
	Iterations    int64 `json:"iterations_left"`
	// KernelEvals is an upper bound for the missing runs.
	KernelEvals int64 `json:"kernel_evals_left,omitempty"`
	// Seconds is the elapsed time of the recorded runs, for steps and evaluation.
	Seconds float64 `json:"recorded_seconds"`
}

func (o *planOptions) run(ctx context.Context, a *app, files []string) error {
	a.limitHeap(o.memory.bytes())
	specs, err := o.load(files)
	if err != nil {
		return err
	}
	if specs, _, err = o.only.filter(specs, files); err != nil {
		return err
	}
	var rows []planned
	for _, s := range specs {
		p, err := o.plan(ctx, a, s, o.only.selected)
		if err != nil {
			return err
		}
		more, err := o.rows(a, p)
		if err != nil {
			return err
		}
		rows = append(rows, more...)
	}
	if o.asJSON {
		return printJSONList(a.out, rows)
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
	printTable(a.out, inTable, rows, columns)
	for _, r := range rows {
		if r.Program != "" {
			fmt.Fprintf(a.out, "%s, %s: run --external allow starts %s\n", r.Dataset, r.Series, r.Program)
		}
	}
	return nil
}

// rows summarises a plan by data set and series, in the order of the plan.
func (o *planOptions) rows(a *app, p *plan.Plan) ([]planned, error) {
	s := p.Spec
	recorded, err := a.recorded(o.folder(s))
	if err != nil {
		return nil, err
	}
	var rows []planned
	seriesOf := func(it **plan.Item) [2]string { return [2]string{(*it).Problem.Entry.ID, (*it).Series} }
	for _, items := range observe.Grouped(o.only.selected.Of(p), seriesOf) {
		first := items[0]
		r := planned{
			Spec: s.Name, Dataset: first.Problem.Entry.ID, StandIn: first.Problem.Data.StandIn, Series: first.Series,
			Deterministic: s.Repeats > 1 && first.Algorithm.Deterministic && first.Problem.FixedSplit(), Runs: len(items),
		}
		if program := first.Algorithm.Program; program != nil {
			r.Program = program.String()
		}
		for _, it := range items {
			if old, ok := recorded.Lookup(it.ID.Key, it.ID.Extent); ok && old.Satisfies(it.Limits()) {
				r.OnRecord++
				step, eval, _ := old.Durations()
				r.Seconds += step + eval
			} else {
				r.Iterations += min(it.Budget, math.MaxInt64-r.Iterations)
				r.KernelEvals += min(it.KernelEvals(), math.MaxInt64-r.KernelEvals)
			}
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// onlyOptions holds the flag --only, which selects runs.
type onlyOptions struct {
	texts    []string
	selected plan.Only
}

func (o *onlyOptions) flags(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&o.texts, "only", nil,
		"perform only the runs with dataset=NAME, series=NAME or algorithm=NAME; "+
			"combine these with commas; repeat to add runs")
}

// filter parses the flag. It returns the specs that have selected runs, and their files.
func (o *onlyOptions) filter(specs []*spec.Spec, files []string) ([]*spec.Spec, []string, error) {
	var err error
	if o.selected, err = plan.ParseOnly(o.texts); err != nil {
		return nil, nil, usagef("--only %w", err)
	}
	if len(o.texts) == 0 {
		return specs, files, nil
	}
	var plans []*plan.Plan
	var keptSpecs []*spec.Spec
	var keptFiles []string
	for i, s := range specs {
		plans = append(plans, plan.WithoutData(s))
		if slices.ContainsFunc(plans[i].Items, o.selected.Has) {
			keptSpecs, keptFiles = append(keptSpecs, s), append(keptFiles, files[i])
		}
	}
	if err := o.selected.Check(plans); err != nil {
		return nil, nil, usagef("--only %w", err)
	}
	return keptSpecs, keptFiles, nil
}
