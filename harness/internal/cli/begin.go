package cli

import (
	"fmt"
	"strings"

	"stochopt/harness/internal/experiment"
	"stochopt/harness/internal/plan"
	"stochopt/internal/record"
)

// begin opens the results folder of a plan and has it describe that plan.
func (o *runOptions) begin(a *app, p *plan.Plan, dir string) (store *record.Store, tool experiment.Tool, err error) {
	tool = experiment.ThisTool()
	options := record.Options{Part: o.partOptions.name(p), Fresh: o.fresh}
	if o.shared() {
		if err := experiment.CheckArithmetic(dir, tool); err != nil {
			return nil, tool, usage(err)
		}
	}
	if store, err = record.Open(dir, options); err != nil {
		return nil, tool, usage(err)
	}
	if err := o.introduce(a, p, dir, store, tool); err != nil {
		store.Close()
		return nil, tool, err
	}
	return store, tool, nil
}

// introduce has an open results folder describe a plan.
func (o *runOptions) introduce(a *app, p *plan.Plan, dir string, store *record.Store, tool experiment.Tool) error {
	s := p.Spec
	a.warn(store.Warnings())
	if standIns := p.StandIns(); len(standIns) > 0 {
		fmt.Fprintf(a.err, "%s: STAND-IN DATA for %s; figures, tables and records say so\n", s.Name, strings.Join(standIns, ", "))
	}
	a.warn(s.Warnings(p.StandIns()))
	if tool.Fuses() {
		fmt.Fprintf(a.err, "warning: built with GOAMD64=%s, which fuses multiplications and additions: records differ in their last bits from those of the default build\n", tool.GOAMD64)
	}
	if !o.shared() {
		if err := experiment.Sweep(dir); err != nil {
			return usage(err)
		}
	}
	damage, err := experiment.Tidy(dir, s, o.fresh)
	if err != nil {
		return usage(err)
	}
	a.warn(damage)
	if err := store.SetPlan(p.IDs()); err != nil {
		return usage(err)
	}
	m := o.manifest(p, tool)
	if !o.fresh {
		m.Earlier = experiment.OtherBuilds(dir, tool)
	}
	if err := experiment.CheckArithmetic(dir, tool); err != nil && !o.fresh {
		a.warn([]string{err.Error()})
	} else {
		a.warn(m.Builds(dir))
	}
	describe := experiment.Describe
	if o.shared() {
		describe = experiment.DescribeShared
	}
	if err := describe(dir, s, m); err != nil {
		return usage(err)
	}
	if err := setMeta(store, dir, tool); err != nil {
		return usage(err)
	}
	return nil
}

// setMeta copies the spec and the manifest of a results folder into its database, and says what
// program writes it.
func setMeta(store *record.Store, dir string, tool experiment.Tool) error {
	if err := experiment.CopyDescription(store, dir); err != nil {
		return err
	}
	return store.SetMeta("tool", tool.String())
}

func (o *runOptions) manifest(p *plan.Plan, tool experiment.Tool) experiment.Manifest {
	m := experiment.Manifest{
		Tool: tool, Spec: p.Spec.Name, Profile: o.spec.profile, Set: o.spec.sets,
		Seed: p.Spec.Seed, Planned: len(p.Items), BelowPaper: o.below[p.Spec.Name],
	}
	for _, pr := range p.Problems {
		m.Datasets = append(m.Datasets, experiment.Dataset{
			ID: pr.Entry.ID, Title: pr.Data.Title, Hash: pr.Data.Hash,
			StandIn: pr.Data.StandIn, Reason: pr.Data.StandInReason, Rows: pr.Data.Rows(),
		})
	}
	return m
}
