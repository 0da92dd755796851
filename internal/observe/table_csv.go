package observe

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"stochopt/internal/stats"
	"stochopt/internal/words"
)

// Tables are those of the claims of an experiment, with what its records lack.
type Tables struct {
	List    []Table
	Missing []Missing
}

// Missing is a number of planned runs without a record. The data set and the series are empty
// where the plan does not say them.
type Missing struct {
	Dataset string `json:"dataset,omitempty"`
	Series  string `json:"series,omitempty"`
	Runs    int    `json:"runs"`
}

// columns are those of the CSV form of tables.
var columns = []string{"claim", "dataset", "setting", "kind", "name", "row", "column", "value", "note"}

// Kinds of rows, besides those of properties. A table begins with a row of the kind table, and a
// quantity with one of the kind quantity.
const (
	kindMissing  = "missing"
	kindTable    = "table"
	kindScore    = "score"
	kindScoresOf = "scores-of"
	kindQuantity = "quantity"
	kindAbout    = "about"
	kindValue    = "value"
	kindPoint    = "point"
	kindThan     = "than"
)

// Notes of values.
const (
	noteAtLeast = "at least"
	noteAtMost  = "at most"
)

// property is a field of a table or a quantity in the CSV form: rows of a kind with its name, or,
// of a list of remarks, the kinds of these.
type property struct {
	kind, name string
	field      any
}

func (t *Table) properties() []property {
	return []property{
		{"flag", "deterministic", &t.Deterministic}, {"flag", "halvings", &t.Halvings}, {"flag", "refuted", &t.Refuted},
		{"flag", "some_diverged", &t.SomeDiverged}, {"flag", "stand_in", &t.StandIn},
		{"flag", "worst", &t.Worst}, {"failure", "", &t.Failure},
		{"remark", "", &t.Remarks}, {"loss", "", &t.Losses}, {"reason", "", &t.Reasons},
	}
}

func (q *Quantity) properties() []property {
	return []property{
		{kindAbout, "least", &q.Least}, {kindAbout, "most", &q.Most}, {kindAbout, "tries", &q.Tries},
		{kindAbout, "alike", &q.Alike}, {kindAbout, "below", &q.Below}, {kindAbout, "halves", &q.Halves},
		{kindAbout, "", &q.Remarks},
	}
}

// write writes the rows of the property.
func (p property) write(row func(name, value, note string)) {
	switch f := p.field.(type) {
	case *string:
		if *f != "" {
			row(p.name, "", *f)
		}
	case *bool:
		if *f {
			row(p.name, "", "")
		}
	case *int:
		if *f != 0 {
			row(p.name, strconv.Itoa(*f), "")
		}
	case **float64:
		if *f != nil {
			row(p.name, words.Exact(**f), "")
		}
	case *[]string:
		for _, text := range *f {
			row(p.name, "", text)
		}
	case *[]Remark:
		for _, r := range *f {
			row(string(r.Kind), "", r.Text)
		}
	}
}

// read adds a row to one of several properties.
func read(of []property, kind, name string, r csvRow) error {
	isRemark := slices.Contains([]RemarkKind{Note, Doubt, BelowScale}, RemarkKind(name))
	for _, p := range of {
		_, isRemarks := p.field.(*[]Remark)
		if p.kind != kind || p.name != name && !(isRemarks && isRemark) {
			continue
		}
		switch f := p.field.(type) {
		case *[]Remark:
			*f = append(*f, Remark{RemarkKind(name), r.note})
		case *string:
			*f = r.note
		case *bool:
			*f = true
		case *int:
			*f = int(r.value)
		case **float64:
			*f = &r.value
		case *[]string:
			*f = append(*f, r.note)
		}
		return nil
	}
	return fmt.Errorf("unknown row of the kind %q: %q", kind, name)
}

// tableWriter writes the rows of a table.
type tableWriter struct {
	out  *csv.Writer
	head []string
}

// row writes a row; a csv.Writer keeps its first error.
func (w *tableWriter) row(kind, name, row, column, value, note string) {
	w.out.Write(append(slices.Clip(w.head), kind, name, row, column, value, note))
}

func (w *tableWriter) number(kind, name string, row int, column string, v float64, note string) {
	w.row(kind, name, strconv.Itoa(row), column, words.Exact(v), note)
}

// Write writes tables as tidy CSV, one row a number or a text.
func (o *Tables) Write(w io.Writer) error {
	out := csv.NewWriter(w)
	out.Write(columns)
	for _, m := range o.Missing {
		out.Write([]string{"", m.Dataset, "", kindMissing, m.Series, "", "", strconv.Itoa(m.Runs), ""})
	}
	for i := range o.List {
		t := &o.List[i]
		t.write(&tableWriter{out, []string{t.Claim, t.Dataset, t.Setting}}, o.List[:i])
	}
	out.Flush()
	return out.Error()
}

// write writes the rows of a table. Scores that a table before it has are not repeated.
func (t *Table) write(w *tableWriter, before []Table) {
	w.row(kindTable, "", "", "", "", "")
	for _, p := range t.properties() {
		p.write(func(name, value, note string) { w.row(p.kind, name, "", "", value, note) })
	}
	for _, s := range t.Scores {
		if k := slices.IndexFunc(before, func(o Table) bool { return o.Dataset == t.Dataset && o.has(s) }); k >= 0 {
			w.row(kindScoresOf, s.Series, "", before[k].Setting, "", before[k].Claim)
			continue
		}
		for i, losses := range s.Losses {
			for j, v := range losses {
				w.number(kindScore, s.Series, s.Repeats[i], strconv.Itoa(j), v, "")
			}
		}
	}
	for i := range t.Quantities {
		q := &t.Quantities[i]
		w.row(kindQuantity, q.Key, "", string(q.Statistic), "", q.Name)
		for _, p := range q.properties() {
			p.write(func(name, value, note string) { w.row(kindAbout, q.Key, "", name, value, note) })
		}
		for _, v := range q.Values {
			w.number(kindValue, q.Key, v.Row, "", v.Number, v.censoring())
		}
		for _, choice := range slices.Sorted(maps.Keys(q.Again)) {
			for i, v := range q.Again[choice] {
				w.number(kindValue, q.Key, t.Scores[0].Repeats[i], choice, v, "")
			}
		}
		w.points(kindPoint, q.Key, q.Points)
		w.points(kindThan, q.Key, q.Than)
	}
}

// has reports whether a table has the same scores.
func (t *Table) has(s Scores) bool {
	return slices.ContainsFunc(t.Scores, func(o Scores) bool {
		return o.Series == s.Series && slices.Equal(o.Repeats, s.Repeats) &&
			slices.EqualFunc(o.Losses, s.Losses, slices.Equal[[]float64])
	})
}

// censoring is the note of a value.
func (v Value) censoring() string {
	var notes []string
	if v.AtLeast {
		notes = append(notes, noteAtLeast)
	}
	if v.AtMost {
		notes = append(notes, noteAtMost)
	}
	return strings.Join(notes, " ")
}

func (w *tableWriter) points(kind, key string, points []stats.Point) {
	for i, p := range points {
		w.number(kind, key, i, "y", p.Y, p.Cluster)
		for j, x := range p.X {
			w.number(kind, key, i, "x"+strconv.Itoa(j+1), x, "")
		}
	}
}

// ReadTables reads what Write wrote.
func ReadTables(r io.Reader) (*Tables, error) {
	in := csv.NewReader(r)
	in.ReuseRecord = true
	head, err := in.Read()
	if err != nil {
		return nil, err
	}
	if !slices.Equal(head, columns) {
		return nil, fmt.Errorf("the columns are %s, not %s", strings.Join(head, ", "), strings.Join(columns, ", "))
	}
	o := &Tables{}
	for line := 2; ; line++ {
		fields, err := in.Read()
		if errors.Is(err, io.EOF) {
			return o, nil
		}
		if err != nil {
			return nil, err
		}
		if err := o.add(fields); err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
	}
}

var errOrder = errors.New("the row does not belong to the rows before it")

// csvRow is a row of the CSV form, without the columns that name the table.
type csvRow struct {
	kind, name, column, note string
	row                      int
	value                    float64
}

func parseRow(fields []string) (csvRow, error) {
	row, err := strconv.Atoi(cmp.Or(fields[2], "0"))
	if err != nil {
		return csvRow{}, err
	}
	value, err := strconv.ParseFloat(cmp.Or(fields[4], "0"), 64)
	return csvRow{fields[0], fields[1], fields[3], fields[5], row, value}, err
}

// add adds a row.
func (o *Tables) add(fields []string) error {
	r, err := parseRow(fields[3:])
	switch {
	case err != nil:
		return err
	case r.kind == kindMissing:
		o.Missing = append(o.Missing, Missing{fields[1], r.name, int(r.value)})
		return nil
	case r.kind == kindTable:
		o.List = append(o.List, Table{Claim: fields[0], Dataset: fields[1], Setting: fields[2]})
		return nil
	case len(o.List) == 0:
		return errOrder
	}
	t := &o.List[len(o.List)-1]
	if !slices.Equal(fields[:3], []string{t.Claim, t.Dataset, t.Setting}) {
		return errOrder
	}
	return t.add(r, o.List)
}

// add adds a row; tables are those read so far.
func (t *Table) add(r csvRow, tables []Table) error {
	switch r.kind {
	case kindScoresOf:
		for _, o := range tables {
			k := slices.IndexFunc(o.Scores, func(s Scores) bool { return s.Series == r.name })
			if k >= 0 && o.Claim == r.note && o.Dataset == t.Dataset && o.Setting == r.column {
				t.Scores = append(t.Scores, o.Scores[k])
				return nil
			}
		}
		return errOrder
	case kindScore:
		t.addScore(r)
		return nil
	case kindQuantity:
		t.Quantities = append(t.Quantities, Quantity{Key: r.name, Name: r.note, Statistic: Statistic(r.column)})
		return nil
	case kindValue, kindPoint, kindThan, kindAbout:
		if n := len(t.Quantities); n > 0 && t.Quantities[n-1].Key == r.name {
			return t.Quantities[n-1].add(r, t.Scores)
		}
		return errOrder
	}
	return read(t.properties(), r.kind, r.name, r)
}

func (t *Table) addScore(r csvRow) {
	if n := len(t.Scores); n == 0 || t.Scores[n-1].Series != r.name {
		t.Scores = append(t.Scores, Scores{Series: r.name})
	}
	s := &t.Scores[len(t.Scores)-1]
	if n := len(s.Repeats); n == 0 || s.Repeats[n-1] != r.row {
		s.Repeats, s.Losses = append(s.Repeats, r.row), append(s.Losses, nil)
	}
	last := &s.Losses[len(s.Losses)-1]
	*last = append(*last, r.value)
}

func (q *Quantity) add(r csvRow, scores []Scores) error {
	switch {
	case r.kind == kindPoint:
		return addPoint(&q.Points, r)
	case r.kind == kindThan:
		return addPoint(&q.Than, r)
	case r.kind != kindValue:
		return read(q.properties(), r.kind, r.column, r)
	case r.column == "":
		atLeast, atMost := strings.Contains(r.note, noteAtLeast), strings.Contains(r.note, noteAtMost)
		q.Values = append(q.Values, Value{r.row, r.value, atLeast, atMost})
		return nil
	case len(scores) == 0 || !slices.Contains(scores[0].Repeats, r.row):
		return errOrder
	}
	q.SetAgain(r.column, Value{Row: r.row, Number: r.value}, scores[0].Repeats)
	return nil
}

func addPoint(points *[]stats.Point, r csvRow) error {
	if r.column == "y" {
		*points = append(*points, stats.Point{Y: r.value, Cluster: r.note})
		return nil
	}
	if r.row >= len(*points) || r.row < 0 {
		return errOrder
	}
	p := &(*points)[r.row]
	p.X = append(p.X, r.value)
	return nil
}
