package cli

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"

	"stochopt/harness/internal/plan"
	"stochopt/internal/record"

	"github.com/spf13/cobra"
)

type planOptions struct {
	experimentOptions
	memory memoryOptions
	only   onlyOptions
	json   bool
	list   bool
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
	o.memory.flags(cmd)
	o.only.flags(cmd)
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
	cmd.Flags().BoolVar(&o.list, "list", false, "list every run with its key")
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
	Seconds float64  `json:"recorded_seconds"`
	Keys    []runKey `json:"list,omitempty"`
}

type runKey struct {
	Key      string         `json:"key"`
	Extent   string         `json:"extent"`
	Params   map[string]any `json:"params"`
	Repeat   int            `json:"repeat"`
	OnRecord bool           `json:"on_record"`
}

func (o *planOptions) run(ctx context.Context, a *app, files []string) error {
	if err := o.only.parse(); err != nil {
		return err
	}
	bytes, err := o.memory.bytes()
	if err != nil {
		return err
	}
	o.data.memory = o.memory
	a.limitHeap(bytes)
	plans, err := o.plans(ctx, a, files)
	if err != nil {
		return err
	}
	if _, plans, err = o.only.pick(files, plans); err != nil {
		return err
	}
	if err := o.memory.warn(a, plans); err != nil {
		return err
	}
	var rows []planned
	for _, p := range plans {
		more, err := o.rows(a, p)
		if err != nil {
			return err
		}
		rows = append(rows, more...)
	}
	if o.json {
		return printJSON(a.out, rows)
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
		columns = append(columns, column[planned]{"max kernel evals left", func(r planned) any { return number(fmt.Sprintf("%.3g", float64(r.KernelEvals))) }})
	}
	if err := printTable(a.out, inTable, rows, columns); err != nil {
		return err
	}
	for _, r := range rows {
		if r.Deterministic {
			fmt.Fprintf(a.out, "%s, %s: deterministic: one run stands for all repeats\n", r.Dataset, r.Series)
		}
	}
	for _, p := range plans {
		for _, program := range programs(o.only.picked.Of(p)) {
			fmt.Fprintf(a.out, "run starts, if --external allow is given, %s\n", program)
		}
	}
	for _, r := range rows {
		for _, k := range r.Keys {
			mark := " "
			if k.OnRecord {
				mark = "*"
			}
			fmt.Fprintf(a.out, "%s %s %s %s %s repeat %d %s\n", mark, k.Key, r.Dataset, r.Series, record.Params(k.Params), k.Repeat, k.Extent)
		}
	}
	return nil
}

// rows summarises a plan by dataset and series, in plan order.
func (o *planOptions) rows(a *app, p *plan.Plan) ([]planned, error) {
	s := p.Spec
	onRecord, err := a.recorded(folder(o.out, s))
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
		before, done := onRecord.Lookup(it.ID.Key, it.ID.Extent)
		if done = done && before.Serves(it.Limits()); done {
			r.OnRecord++
			step, eval, _ := before.Spent()
			r.Seconds += step + eval
		} else {
			r.Iterations += min(it.Budget, math.MaxInt64-r.Iterations)
			r.KernelEvals += min(it.KernelEvals(), math.MaxInt64-r.KernelEvals)
		}
		if o.list {
			r.Keys = append(r.Keys, runKey{it.ID.Key, it.ID.Extent, it.Params, it.Repeat, done})
		}
	}
	return rows, nil
}

// completed are runs that are not to be done again, by the texts of their IDs.
type completed map[string]record.Run

// Lookup implements run.Recorded.
func (c completed) Lookup(key, extent string) (record.Run, bool) {
	r, ok := c[record.ID{Key: key, Extent: extent}.Text()]
	return r, ok
}

// recorded returns the completed runs of a results folder, if there is one. It warns of damage.
func (a *app) recorded(dir string) (completed, error) {
	all := make(completed)
	if _, err := os.Stat(dir); os.IsNotExist(err) {
		return all, nil
	}
	e, err := record.ReadDir(dir)
	if err != nil {
		return nil, usage(err)
	}
	defer e.Close()
	if e.Damaged > 0 {
		a.warn(e.Warnings)
	}
	for _, r := range e.Completed() {
		all[r.ID().Text()] = r
	}
	return all, nil
}
