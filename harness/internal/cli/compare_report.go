package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"stochopt/harness/internal/registry"
	"stochopt/internal/compare"
	"stochopt/internal/disk"
	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/words"
	"stochopt/plots"
	"stochopt/plots/draw"
	"stochopt/plots/table"
)

// compareRow is a row of a table, which shows a measure of a cell.
type compareRow struct {
	cell *compare.Cell
	// measure is nil if the cell has no measures.
	measure *compare.Measure
	// verdict is the verdict of the cell in its first row, and of the measure in other rows.
	verdict string
	notes   []string
}

// compareColumns has the columns of the tables.
var compareColumns = []column[*compareRow]{
	{"data set", func(r *compareRow) any { return r.cell.Dataset }},
	{"series", func(r *compareRow) any { return r.cell.Series + r.cell.Suffix() }},
	{"pairs", func(r *compareRow) any { return number(pairCount(r.cell)) }},
	{"measure", func(r *compareRow) any { return measureName(r.measure) }},
	{"baseline", func(r *compareRow) any { return number(r.value(0)) }},
	{"candidate", func(r *compareRow) any { return number(r.value(1)) }},
	{"ratio", func(r *compareRow) any { return number(ratioText(r.measure)) }},
	{"verdict", func(r *compareRow) any { return r.verdict }},
}

// write writes the report.
func (c *comparison) write(w io.Writer) error {
	code, text := c.outcome()
	if c.asJSON {
		return printJSON(w, struct {
			Outcome  string `json:"outcome"`
			ExitCode int    `json:"exit_code"`
			*compare.Report
		}{text, code, c.Report})
	}
	rows, columns := c.rows(), compareColumns
	if c.verbose {
		p := column[*compareRow]{"p", func(r *compareRow) any {
			if r.measure == nil || r.measure.Adjusted == nil { // no test
				return number("")
			}
			return number(words.Digits(*r.measure.Adjusted, 2))
		}}
		columns = slices.Insert(slices.Clone(columns), len(columns)-1, p)
	}
	notes := c.addNotes(rows)
	var b bytes.Buffer
	list := func(texts ...string) {
		for _, text := range texts {
			if c.format == inMarkdown {
				fmt.Fprintf(&b, "- %s\n", words.Markdown(strings.TrimSpace(text)))
			} else {
				fmt.Fprintln(&b, strings.Join(words.Wrap(text, table.Width, "    "), "\n"))
			}
		}
	}
	if c.format == inMarkdown {
		fmt.Fprintf(&b, "**%s**\n\n%s.\n\n", words.Markdown(text), words.Markdown(c.Counts()))
	}
	list(c.differences()...)
	for _, group := range observe.Grouped(rows, func(r **compareRow) string { return (*r).heading() }) {
		heading := group[0].heading()
		if c.format == inMarkdown {
			heading = "\n" + words.Markdown(heading) + "\n"
		}
		fmt.Fprintln(&b, heading)
		printTable(&b, c.format, group, columns)
	}
	if c.format == inMarkdown {
		fmt.Fprintln(&b)
	}
	list(notes...)
	if c.format == inTable {
		separator := "; "
		if utf8.RuneCountInString(c.Counts()+separator+text) > table.Width {
			separator = "\n"
		}
		fmt.Fprint(&b, c.Counts(), separator)
		list(text)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// rows returns the rows of all tables, sorted by heading. Unless verbose, it omits identical cells. It also omits
// cells that only one side has, because the outcome or a warning names them.
func (c *comparison) rows() (rows []*compareRow) {
	for i := range c.Cells {
		cell := &c.Cells[i]
		if cell.OneSided && !c.verbose {
			continue
		}
		cellRows := []*compareRow{{cell: cell, verdict: cell.Verdict, notes: c.cellNotes(cell)}}
		for k, m := range c.selectMeasures(cell) {
			// The first row shows the measure that decides the verdict of the cell. The time may not decide it.
			if k > 0 || m.Kind == compare.CPUSeconds && m.Verdict != cell.Verdict {
				cellRows = append(cellRows, &compareRow{cell: cell, verdict: m.Verdict})
			}
			row := cellRows[len(cellRows)-1]
			row.measure = &m
			if cell.Verdict != compare.Incomparable { // otherwise the reason of the cell repeats these notes
				row.notes = append(row.notes, m.Notes...)
			}
		}
		if cell.Verdict == compare.Identical && !c.verbose {
			cellRows = cellRows[1:] // only the time remains
		}
		rows = append(rows, cellRows...)
	}
	slices.SortStableFunc(rows, func(a, b *compareRow) int { return strings.Compare(a.heading(), b.heading()) })
	return rows
}

// selectMeasures returns the measures of a cell to print: the one that decides the verdict, then the time. With
// --verbose, --at or --target, it returns all measures.
func (c *comparison) selectMeasures(cell *compare.Cell) []compare.Measure {
	isTime := func(m compare.Measure) bool { return m.Kind == compare.CPUSeconds }
	// A warning reports missing times.
	missing := func(m compare.Measure) bool { return isTime(m) && m.Verdict == compare.Incomparable }
	measures := slices.DeleteFunc(slices.Clone(cell.Measures), missing)
	byPriority := func(a, b compare.Measure) int { return cmp.Compare(cell.Priority(&b), cell.Priority(&a)) }
	slices.SortStableFunc(measures, byPriority)
	if !c.verbose && len(c.Options.At)+len(c.Options.Targets) == 0 {
		i := slices.IndexFunc(measures, isTime)
		if i > 0 {
			return []compare.Measure{measures[0], measures[i]}
		}
		measures = measures[:min(1, len(measures))]
	}
	return measures
}

// heading returns the heading of the table of a row: the experiment and the axes.
func (r *compareRow) heading() string {
	if r.cell.Metric == "" {
		return r.cell.Experiment
	}
	return r.cell.Experiment + ": " + r.cell.Metric + " / " + r.cell.Cost
}

// pairCount returns the number of pairs or, if the runs are unpaired, the numbers of runs on both sides.
func pairCount(c *compare.Cell) string {
	if c.Pairs > 0 {
		return strconv.Itoa(c.Pairs)
	}
	return fmt.Sprintf("%d/%d", c.Baseline, c.Candidate)
}

// maxPlain is the limit from which whole numbers are written with an exponent.
const maxPlain = 1e9

// measureName returns the name of a measure in a table.
func measureName(m *compare.Measure) string {
	switch {
	case m == nil:
		return ""
	case m.Kind == compare.AtCost:
		return "at " + words.Whole(m.At, maxPlain)
	case m.Kind == compare.ToTarget:
		return "to " + words.Whole(m.At, maxPlain)
	case m.Kind == compare.Charged:
		return m.Counter
	case m.Kind == compare.CPUSeconds:
		return "CPU seconds"
	}
	return m.Kind
}

// value returns the text of the measure on a side, which is 0 or 1. If not all runs reached the target, it
// includes the number that did.
func (r *compareRow) value(side int) string {
	c, m := r.cell, r.measure
	if m == nil {
		return ""
	}
	v := [2]*float64{m.Baseline, m.Candidate}[side]
	runs := cmp.Or(c.Pairs, [2]int{c.Baseline, c.Candidate}[side])
	text := "-"
	if v != nil {
		text = words.Whole(*v, maxPlain)
	}
	if m.Reached != nil && m.Reached[side] < runs {
		text += fmt.Sprintf(" (%d of %d)", m.Reached[side], runs)
	}
	return text
}

// ratioText returns the ratio with its interval.
func ratioText(m *compare.Measure) string {
	format := func(v float64) string {
		switch {
		case v == math.MaxFloat64:
			return "∞"
		case v < 0.01 || v >= 1000:
			return words.Digits(v, 2)
		}
		return strconv.FormatFloat(v, 'f', 3, 64)
	}
	switch {
	case m == nil:
		return ""
	case m.Ratio == nil:
		return "-"
	case m.Exact():
		return format(m.Ratio.Value)
	}
	return format(m.Ratio.Value) + " [" + format(m.Ratio.Lo) + ", " + format(m.Ratio.Hi) + "]"
}

// cellNotes returns the notes on a cell, such as changed parameters and the reason for a missing verdict.
func (c *comparison) cellNotes(cell *compare.Cell) (notes []string) {
	if len(cell.Changed) > 0 {
		notes = append(notes, "changed: "+strings.Join(cell.Changed, ", "))
	}
	notes = slices.Concat(notes, []string{cell.Choice.Change(), cell.Reason}, cell.Notes)
	if cell.StandIn {
		notes = append(notes, "STAND-IN DATA")
	}
	if c.verbose {
		notes = slices.Concat(notes, cell.Details, cell.Missing)
	}
	return slices.DeleteFunc(notes, func(note string) bool { return note == "" })
}

// addNotes numbers the notes and adds their numbers to the verdicts of rows. It returns the lines below the
// tables: the legend, the notes, the warnings and the figures.
func (c *comparison) addNotes(rows []*compareRow) (lines []string) {
	if slices.ContainsFunc(rows, func(r *compareRow) bool { return r.measure != nil }) {
		least, most := 1/(1+c.Options.Tolerance), 1+c.Options.Tolerance
		lines = append(lines, fmt.Sprintf("baseline, candidate: geometric means over repeats, or the expected cost to a "+
			"target; ratio: candidate / baseline with the interval of its test, which is above %.4g if worse, "+
			"below %.3g if better, between if equivalent", most, least))
	}
	var numbered []string
	for _, r := range rows {
		var marks []int
		for _, note := range r.notes {
			numbered = words.AddOnce(numbered, note)
			marks = words.AddOnce(marks, slices.Index(numbered, note)+1)
		}
		slices.Sort(marks)
		if marks != nil {
			r.verdict += " " + strings.ReplaceAll(fmt.Sprint(marks), " ", ",")
		}
	}
	for i, note := range numbered {
		lines = append(lines, fmt.Sprintf("[%d] %s", i+1, note))
	}
	for _, n := range c.Warnings {
		lines = append(lines, "warning: "+n)
	}
	if c.Count(compare.Inconclusive) > 0 {
		lines = append(lines, "to decide inconclusive cells, run more repeats with new seeds; fix their number in advance, "+
			"because repeats added until there is a decision make wrong decisions likely")
	}
	if len(c.figures) > 0 {
		lines = append(lines, "overlays (SVG, PDF, PNG): "+strings.Join(c.figures, ", "))
	}
	return lines
}

// maxDifferences is the number of differing runs that are listed unless verbose.
const maxDifferences = 3

// differences returns lines about runs with the same key and different bits.
func (c *comparison) differences() (lines []string) {
	if len(c.Differences) == 0 {
		return nil
	}
	heading := "SAME KEY, OTHER BITS:"
	if n, _ := c.ChangedBits(); n > 0 {
		heading += " either the algorithm changed without a new Version, or the build is broken"
	}
	lines = append(lines, heading)
	for i, d := range c.Differences {
		if i == maxDifferences && !c.verbose {
			return append(lines, fmt.Sprintf("  … and %s (-v lists them)", words.Count(len(c.Differences)-i, "more run")))
		}
		excuse := ""
		if d.Excused != "" {
			excuse = " (no regression: " + d.Excused + ")"
		}
		lines = append(lines, fmt.Sprintf("  %s: %s (key %s): %s%s", d.Experiment, d.Run, d.Key, d.What, excuse))
	}
	return lines
}

// drawOverlays draws a figure of each experiment into a folder. A panel shows the curves of both sides in a cell
// that differs.
func (c *comparison) drawOverlays(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	pairs := make(map[string][]plots.OverlayPair)
	for i := range c.Cells {
		if cell := &c.Cells[i]; (cell.Verdict != compare.Identical || c.verbose) && cell.Metric != "" {
			pairs[cell.Experiment] = append(pairs[cell.Experiment], c.overlayPanel(cell))
		}
	}
	for _, b := range c.base {
		drawn := pairs[b.Name]
		if len(drawn) == 0 {
			continue
		}
		if len(drawn) > plots.MaxOverlayPairs {
			drawn = drawn[:plots.MaxOverlayPairs]
			c.Warnings = append(c.Warnings, fmt.Sprintf("%s: the overlay has only the first %d cells; "+
				"select others with --experiment", b.Name, len(drawn)))
		}
		sheet := plots.Overlay{
			Catalog: registry.Looks(), ID: b.Name, Title: b.Name + ": baseline and candidate", Pairs: drawn, Profile: b.profile,
		}
		chart, err := sheet.Compose()
		if err != nil {
			return err
		}
		files, err := draw.Files(chart)
		if err != nil {
			return err
		}
		for _, f := range files {
			err = cmp.Or(err, disk.Write(dir, chart.ID+"."+f.Ext, f.Data))
		}
		if err != nil {
			return err
		}
		c.figures = append(c.figures, filepath.Join(dir, sheet.ID))
		c.Warnings = append(c.Warnings, chart.Warnings...)
	}
	return nil
}

// overlayPanel returns the panel of a cell.
func (c *comparison) overlayPanel(cell *compare.Cell) plots.OverlayPair {
	pair := plots.OverlayPair{
		Title: cell.Dataset + " · " + registry.Looks().Name(cell.Series) + cell.Suffix() + ": " + cell.Verdict,
		Panel: plots.Panel{X: cell.Cost, Y: cell.Metric, Split: cell.Split, Log: []string{"x"}},
	}
	for _, r := range cell.Base {
		pair.Baseline.Runs = append(pair.Baseline.Runs, *r)
	}
	for _, r := range cell.Cand {
		pair.Candidate.Runs = append(pair.Candidate.Runs, *r)
	}
	if cell.Metric == record.MetricSuboptimality {
		pair.Panel.Log = append(pair.Panel.Log, "y")
	}
	if cell.Cost == record.CostSupportSize {
		base, _ := findSide(c.base, cell.Experiment)
		cand, _ := findSide(c.cand, cell.Experiment)
		pair.Baseline.Choice, pair.Candidate.Choice = base.Choice, cand.Choice
		pair.Panel = plots.Panel{Draw: plots.DrawTradeoff}
	}
	return pair
}
