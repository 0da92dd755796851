package cli

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"stochopt/harness/internal/registry"
	"stochopt/internal/compare"
	"stochopt/internal/disk"
	"stochopt/internal/record"
	"stochopt/internal/words"
	"stochopt/plots"
	"stochopt/plots/draw"
)

// overlays draws the curves of both sides of the cells that are not identical, where they are on
// record.
func (c *comparison) overlays() error {
	for _, sheet := range c.sheets() {
		chart, err := sheet.Compose()
		if err == nil {
			err = c.draw(chart)
		}
		if err != nil {
			return usagef("--overlay %s: cannot draw there: %w; name a folder that can be written to", c.overlay, cause(err))
		}
		c.figures = append(c.figures, filepath.Join(c.overlay, sheet.ID))
		c.Warnings = append(c.Warnings, chart.Warnings...)
	}
	return nil
}

// draw writes the files of a chart.
func (c *comparison) draw(chart *plots.Chart) error {
	files, err := draw.Files(chart)
	if err == nil {
		err = os.MkdirAll(c.overlay, 0o755)
	}
	for _, f := range files {
		if err == nil {
			err = disk.Write(c.overlay, chart.ID+"."+f.Ext, f.Data)
		}
	}
	return err
}

// sheets are the overlays: a figure an experiment, or several where there are too many cells for
// one.
func (c *comparison) sheets() []plots.Overlay {
	var experiments []string
	pairs := make(map[string][]plots.OverlayPair)
	for i := range c.Cells {
		cell := &c.Cells[i]
		if cell.Verdict == compare.Identical && !c.verbose || len(cell.Base)+len(cell.Cand) == 0 {
			continue
		}
		experiments = words.AddOnce(experiments, cell.Experiment)
		base, _ := named(c.base, cell.Experiment)
		pair := plots.OverlayPair{
			Title: overlayTitle(cell), Panel: overlayPanel(cell, base.panel),
			Baseline: plots.OverlaySide{Runs: valuesOf(cell.Base)}, Candidate: plots.OverlaySide{Runs: valuesOf(cell.Cand)},
		}
		if cell.Cost == compare.TradeoffCost {
			cand, _ := named(c.cand, cell.Experiment)
			pair.Baseline.Choice, pair.Candidate.Choice = base.Choice, cand.Choice
		}
		pairs[cell.Experiment] = append(pairs[cell.Experiment], pair)
	}
	var sheets []plots.Overlay
	for _, name := range experiments {
		base, _ := named(c.base, name)
		parts := slices.Collect(slices.Chunk(pairs[name], plots.MaxOverlayPairs))
		for k, part := range parts {
			id, title := name, name+": baseline and candidate"
			if len(parts) > 1 {
				id += fmt.Sprintf("-%d", k+1)
				title += fmt.Sprintf(" (%d of %d)", k+1, len(parts))
			}
			sheets = append(sheets, plots.Overlay{Catalog: registry.Looks(), ID: id, Title: title, Pairs: part, Profile: base.profile})
		}
	}
	return sheets
}

// overlayTitle names the panel of a cell.
func overlayTitle(c *compare.Cell) string {
	name := c.Dataset + " · " + registry.Looks().Name(c.Series)
	if c.Params != "" {
		name += " (" + strings.ReplaceAll(c.Params, ";", ", ") + ")"
	}
	return name + ": " + c.Verdict
}

// overlayPanel shows what was compared in a cell, on the axes of the spec's own panel if that shows
// the same.
func overlayPanel(c *compare.Cell, own plots.Panel) plots.Panel {
	if c.Cost == compare.TradeoffCost {
		p := plots.Panel{Draw: plots.DrawTradeoff}
		if c.Halvings > 0 {
			p.Band = plots.BandHalvings
		}
		return p
	}
	p := plots.Panel{X: cmp.Or(c.Cost, own.X, "iterations"), Y: cmp.Or(c.Metric, own.Y), Split: cmp.Or(c.Split, own.Split)}
	switch {
	case p.X == own.X && p.Y == own.Y:
		p.Log = own.Log
	case p.Y == "suboptimality":
		p.Log = []string{"x", "y"}
	default:
		p.Log = []string{"x"}
	}
	return p
}

func valuesOf(runs []*record.Run) []record.Run {
	out := make([]record.Run, len(runs))
	for i, r := range runs {
		out[i] = *r
	}
	return out
}
