package plots

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"stochopt/internal/observe"
	"stochopt/internal/record"
)

// Mistake is what is wrong with a figure or table whatever the records hold. It is an
// error by itself; who knows where the figure was written can say that too.
type Mistake struct {
	// Path leads to it from the figure or table by the names and indices of fields,
	// such as "facet.cols" or "panels.0.draw"; it is empty if it is about the whole.
	Path string
	// Key: the field should not be there, whatever its value.
	Key bool
	// Text says what is wrong.
	Text string
	// Value is a name that is none of Known; without Known the mistake is another.
	Value string
	Known []string
}

// Error implements error.
func (m *Mistake) Error() string {
	text := m.Text
	if m.Path != "" {
		text = m.Path + ": " + text
	}
	if len(m.Known) > 0 {
		text += " (known: " + strings.Join(m.Known, ", ") + ")"
	}
	return text
}

// mistakes collects them in order.
type mistakes []*Mistake

func (ms *mistakes) at(path, format string, args ...any) {
	*ms = append(*ms, &Mistake{Path: path, Text: fmt.Sprintf(format, args...)})
}

// when reports a field that should not be there, if it is.
func (ms *mistakes) when(there bool, path, format string, args ...any) {
	if there {
		*ms = append(*ms, &Mistake{Path: path, Key: true, Text: fmt.Sprintf(format, args...)})
	}
}

// choice reports a value that is none of the known ones. The empty value has not been
// given.
func (ms *mistakes) choice(value, what string, known []string, path string) {
	if value != "" && !slices.Contains(known, value) {
		*ms = append(*ms, &Mistake{Path: path, Text: fmt.Sprintf("unknown %s %q", what, value), Value: value, Known: known})
	}
}

// choices reports the values of a list that are none of the known ones.
func (ms *mistakes) choices(values []string, what string, known []string, path string) {
	for i, v := range values {
		ms.choice(v, what, known, item(path, i))
	}
}

// first returns an error about a figure or table: an id that can be no file's name, or
// the first of its mistakes. It is nil if there is none.
func first(ms []*Mistake, what, id string) error {
	if !validID.MatchString(id) {
		return fmt.Errorf("plots: %s id %q becomes a file name: use only letters, digits, '.', '_' and '-', and begin with a letter or digit", what, id)
	}
	if len(ms) == 0 {
		return nil
	}
	return fmt.Errorf("plots: %s %s: %w", what, id, ms[0])
}

var validID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// item returns the path of an item of a list.
func item(path string, i int) string { return path + "." + strconv.Itoa(i) }

// Validate reports what makes the figure impossible to draw whatever the
// records hold.
func (f Figure) Validate() error { return first(f.Mistakes(), "figure", f.ID) }

// Mistakes lists what makes the figure impossible to draw whatever the records hold.
func (f Figure) Mistakes() []*Mistake {
	var ms mistakes
	rows, cols := f.Facet.Rows, f.Facet.Cols
	if rows != "" && rows == cols {
		ms.at("facet.cols", "rows and columns both show %q; choose two variables, or only one of rows and cols", cols)
	}
	if rows != "" && cols != "" && len(f.Panels) > 0 {
		ms.at("panels", "facet already uses both rows and columns; remove one of them, or panels")
	}
	switch {
	case parts[f.Draw] != nil && len(f.Panels) > 0:
		ms.at("panels", "draw: %s makes its own panels; remove panels", f.Draw)
	case f.Draw == DrawWater && rows != "":
		ms.at("facet.rows", "draw: water needs two panels below each other; use cols")
	case f.Draw == DrawBias && cols != "":
		ms.at("facet.cols", "draw: bias needs two panels side by side; use rows")
	}
	switch wrap := f.Facet.Wrap; {
	case wrap < 0:
		ms.at("facet.wrap", "must be at least 1, got %d", wrap)
	case wrap > 0 && (cols == "" || rows != "" || len(f.Panels) > 0 || parts[f.Draw] != nil):
		ms.at("facet.wrap", "needs a figure with one row: set facet.cols, and neither facet.rows nor panels")
	}
	f.Panel.mistakes(&ms, "")
	for i, p := range f.Panels {
		at := item("panels", i)
		p.mistakes(&ms, at+".")
		if parts[p.Draw] != nil {
			ms.at(at+".draw", "%s makes its own panels: set it for the whole figure, without panels", p.Draw)
		}
	}
	for i, p := range f.panels() {
		at := ""
		if i < len(f.Panels) {
			at = item("panels", i)
		}
		p.mistakesTogether(&ms, at)
	}
	return ms
}

// mistakes reports fields that are wrong by themselves.
func (p Panel) mistakes(ms *mistakes, at string) {
	ms.choice(p.Band, "band", []string{BandQuantiles, BandMinMax, BandNone, BandRuns, BandHalvings}, at+"band")
	ms.choices(p.Log, "axis", []string{"x", "y"}, at+"log")
	ms.choice(p.Draw, "drawing", draws, at+"draw")
	var names []string
	for _, t := range tunings {
		names = append(names, t.name)
	}
	ms.choice(p.Tuned, "tuning", names, at+"tuned")
}

// mistakesTogether reports fields that do not suit each other, of a panel with all its
// fields filled in.
func (p Panel) mistakesTogether(ms *mistakes, at string) {
	switch {
	case p.Tuned != "" && (p.Draw != "" || p.X == xSeconds || p.Y == ySpectrum || len(p.FirstEpoch) > 0):
		ms.at(at, "tuned needs curves of a metric over a counted cost: remove it, or draw, first_epoch, x: %s or y: %s", xSeconds, ySpectrum)
	case p.Draw != DrawTradeoff && p.Band == BandHalvings:
		ms.at(at, "band: %s needs draw: %s", BandHalvings, DrawTradeoff)
	case p.Draw != DrawTradeoff:
	case p.X != record.MetricSupport || p.Y != yError || p.Split != record.SplitTest:
		ms.at(at, "draw: %s has fixed axes, the number of support vectors and the test error: remove x, y and split", DrawTradeoff)
	case len(p.FirstEpoch) > 0:
		ms.at(at, "first_epoch cannot be combined with draw: %s", DrawTradeoff)
	}
}

// Validate reports what makes the table impossible to build whatever the
// records hold.
func (t Table) Validate() error { return first(t.Mistakes(), "table", t.ID) }

// Mistakes lists what makes the table impossible to build whatever the records hold.
func (t Table) Mistakes() []*Mistake {
	var ms mistakes
	var names []string
	for _, k := range kinds[1:] {
		names = append(names, k.name)
	}
	ms.choice(t.Kind, "kind of table", names, "kind")
	times, sparsification := t.Kind == KindTimeToError, t.Kind == KindSparsification
	const suits = "needs a table with kind: %s"
	ms.when(t.Reference != "" && !times && !sparsification, "reference", suits, KindTimeToError)
	ms.when(len(t.Sizes) > 0 && !t.sized(), "sizes", suits, KindTradeoff+" or "+KindSparsification)
	ms.when(t.Validation && t.Kind != KindTradeoff, "validation", suits, KindTradeoff)
	ms.when(len(t.Exponents) > 0 && t.Kind != KindExponents, "exponents", suits, KindExponents)
	switch t.Kind {
	case KindDatasets:
		known := slices.Concat(columnIDs(datasetColumns), t.theoryColumns())
		if len(t.Columns) == 0 {
			ms.at("", "columns is empty: list some of %s", strings.Join(known, ", "))
		}
		ms.choices(t.Columns, "column", known, "columns")
	case KindTimeToError, KindTradeoff, KindSparsification:
		if len(t.Columns) > 0 {
			ms.at("columns", "a table with kind: %s has fixed columns; remove columns", t.Kind)
		}
		if len(t.Theory) > 0 {
			ms.at("theory", "a table with kind: %s cannot show theory; remove theory", t.Kind)
		}
	case KindExponents:
		t.mistakesOfExponents(&ms)
	}
	if t.Kind == KindTradeoff && len(t.Sizes) == 0 {
		ms.at("", "sizes is empty: list numbers of support vectors, such as sizes: [10, 30, 100, 300, 1000]")
	}
	for i, s := range t.Sizes {
		switch {
		case s < 1:
			ms.at(item("sizes", i), "must be at least 1, got %d", s)
		case slices.Contains(t.Sizes[:i], s):
			ms.at(item("sizes", i), "%d is listed twice", s)
		}
	}
	for i, c := range t.Columns {
		if slices.Contains(t.Columns[:i], c) {
			ms.at(item("columns", i), "the column %q is listed twice", c)
		}
	}
	return ms
}

// theoryColumns lists the columns of theory.
func (t Table) theoryColumns() []string {
	columns := make(map[string]bool)
	for _, texts := range t.Theory {
		for name := range texts {
			columns[name] = true
		}
	}
	return slices.Sorted(maps.Keys(columns))
}

func (t Table) mistakesOfExponents(ms *mistakes) {
	if len(t.Exponents) == 0 {
		ms.at("", "exponents is empty: list some, such as {over: epsilon, targets: [0.1, 0.05]}")
	}
	var ids []string
	for i, e := range t.Exponents {
		at, id := item("exponents", i), e.Column()
		ms.exponent(e, at)
		if slices.Contains(ids, id) {
			ms.at(at, "two exponents have the column %q: give one of them another id", id)
		}
		ids = append(ids, id)
		if !slices.Contains(t.Columns, id) {
			ms.at(at, "the column %q is not among the columns", id)
		}
	}
	ms.choices(t.Columns, "column", slices.Concat(ids, []string{columnObservations, "runs"}, t.theoryColumns()), "columns")
}

// exponent reports what makes an exponent impossible to fit.
func (ms *mistakes) exponent(e observe.Exponent, at string) {
	if e.Over == "" {
		ms.at(at, "over is missing: give the variable of the power law: epsilon, n, a fact such as u_norm, or a parameter")
		return
	}
	if len(e.Targets) == 0 {
		ms.at(at, "targets is empty: list some values of epsilon, the excess of the metric over its floor")
		return
	}
	variables := e.Variables()
	for i, v := range variables {
		switch {
		case v == "":
			ms.at(at, "with has an empty name")
		case slices.Contains(variables[:i], v):
			ms.at(at, "%q is already a variable of the power law: remove it from with", v)
		case v == observe.OverEpsilon && len(e.Targets) < 2:
			ms.at(at, "a power law in epsilon needs more than one target")
		}
	}
	for i, v := range e.Targets {
		switch {
		case !(v > 0):
			ms.at(at, "target %v is not positive", v)
		case slices.Contains(e.Targets[:i], v):
			ms.at(at, "target %v is listed twice", v)
		}
	}
	if len(e.Targets) > 1 && !slices.Contains(variables, observe.OverEpsilon) {
		ms.at(at, "several targets mean that epsilon varies: add epsilon to with, or keep one target")
	}
}
