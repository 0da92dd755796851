package cli

import (
	"context"

	"stochopt/harness/internal/experiment"
	"stochopt/harness/internal/forecast"
	"stochopt/harness/internal/plan"
	"stochopt/results/record"

	"github.com/spf13/cobra"
)

type planCalibrateOptions struct{ pastOptions }

func newPlanCalibrate(a *app) *cobra.Command {
	o := &planCalibrateOptions{}
	cmd := &cobra.Command{
		Use:   "calibrate DIR...",
		Short: "Fit the table that plan predicts times by to times on record",
		Long: `Calibrate fits the CPU seconds that each unit of work takes to the CPU times that results
folders have on record, and prints the table as JSON. The program is built with such a table,
harness/internal/forecast/table.json, from runs of the specs in scripts/forecast.`,
		Args: atLeastOne("results folder"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), a, args) },
	}
	o.flags(cmd)
	return cmd
}

func (o *planCalibrateOptions) run(ctx context.Context, a *app, dirs []string) error {
	var samples []forecast.Sample
	err := o.each(ctx, a, dirs, func(_ *experiment.Folder, p *plan.Plan, e *record.Experiment) error {
		samples = append(samples, forecast.Sample{Plan: p, Records: forecast.RecordsOf(e)})
		return nil
	})
	if err != nil {
		return err
	}
	return printJSON(a.out, forecast.Calibrate(samples))
}
