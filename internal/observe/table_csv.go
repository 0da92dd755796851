package observe

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"stochopt/internal/stats"
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

// Kinds of rows. A table begins with a row of the kind table, and a quantity with one of the kind
// quantity.
const (
	kindMissing  = "missing"
	kindTable    = "table"
	kindFlag     = "flag"
	kindFailure  = "failure"
	kindLone     = "lone"
	kindRemark   = "remark"
	kindLoss     = "loss"
	kindReason   = "reason"
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

// flags names the flags.
func (f *Flags) flags() map[string]*bool {
	return map[string]*bool{
		"stand_in": &f.StandIn, "refuted": &f.Refuted, "some_diverged": &f.SomeDiverged, "deterministic": &f.Deterministic,
		"halvings": &f.Halvings, "wall_time": &f.WallTime, "worst": &f.Worst,
	}
}

// flags names those of a quantity.
func (q *Quantity) flags() map[string]*bool {
	return map[string]*bool{"below": &q.Below, "halves": &q.Halves, "alike": &q.Alike}
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

func (w *tableWriter) text(kind, name, note string) { w.row(kind, name, "", "", "", note) }

func (w *tableWriter) number(kind, name string, row int, column string, v float64, note string) {
	w.row(kind, name, strconv.Itoa(row), column, number(v), note)
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

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
	w.text(kindTable, "", "")
	flags := t.flags()
	for _, name := range slices.Sorted(maps.Keys(flags)) {
		if *flags[name] {
			w.text(kindFlag, name, "")
		}
	}
	if t.Failure != "" {
		w.text(kindFailure, "", t.Failure)
	}
	if t.Lone != "" {
		w.text(kindLone, "", t.Lone)
	}
	for _, r := range t.Remarks {
		w.text(kindRemark, string(r.Kind), r.Text)
	}
	for _, r := range t.Losses {
		w.text(kindLoss, string(r.Kind), r.Text)
	}
	for _, text := range t.Reasons {
		w.text(kindReason, "", text)
	}
	for _, s := range t.Scores {
		if same := t.sameScores(s, before); same != nil {
			w.row(kindScoresOf, s.Series, "", same.Setting, "", same.Claim)
			continue
		}
		for i, losses := range s.Losses {
			for j, v := range losses {
				w.number(kindScore, s.Series, s.Repeats[i], strconv.Itoa(j), v, "")
			}
		}
	}
	for i := range t.Quantities {
		t.Quantities[i].write(w, t.Scores)
	}
}

// sameScores returns a table of the same data set with the same scores, nil if there is none.
func (t *Table) sameScores(s Scores, tables []Table) *Table {
	for i := range tables {
		if old := tables[i].scores(s.Series); tables[i].Dataset == t.Dataset && old != nil && old.equal(s) {
			return &tables[i]
		}
	}
	return nil
}

// scores returns the scores of a series, nil if there are none.
func (t *Table) scores(series string) *Scores {
	if i := slices.IndexFunc(t.Scores, func(s Scores) bool { return s.Series == series }); i >= 0 {
		return &t.Scores[i]
	}
	return nil
}

func (s *Scores) equal(o Scores) bool {
	return slices.Equal(s.Repeats, o.Repeats) && slices.EqualFunc(s.Losses, o.Losses, slices.Equal[[]float64])
}

func (q *Quantity) write(w *tableWriter, scores []Scores) {
	w.row(kindQuantity, q.Key, "", string(q.Statistic), "", q.Name)
	about := func(column, value string) { w.row(kindAbout, q.Key, "", column, value, "") }
	if q.Least != nil {
		about("least", number(*q.Least))
	}
	if q.Most != nil {
		about("most", number(*q.Most))
	}
	if q.Tries > 0 {
		about("tries", strconv.Itoa(q.Tries))
	}
	flags := q.flags()
	for _, name := range slices.Sorted(maps.Keys(flags)) {
		if *flags[name] {
			about(name, "1")
		}
	}
	for _, r := range q.Remarks {
		w.row(kindAbout, q.Key, "", string(r.Kind), "", r.Text)
	}
	for _, v := range q.Values {
		note := ""
		if v.AtLeast {
			note = noteAtLeast
		}
		if v.AtMost {
			note = strings.TrimPrefix(note+" "+noteAtMost, " ")
		}
		w.number(kindValue, q.Key, v.Row, "", v.Number, note)
	}
	for _, choice := range slices.Sorted(maps.Keys(q.Again)) {
		for i, v := range q.Again[choice] {
			w.number(kindValue, q.Key, scores[0].Repeats[i], choice, v, "")
		}
	}
	w.points(kindPoint, q.Key, q.Points)
	w.points(kindThan, q.Key, q.Than)
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
	o := &Tables{}
	for line := 1; ; line++ {
		fields, err := in.Read()
		if errors.Is(err, io.EOF) && line > 1 {
			return o, nil
		}
		if err != nil {
			return nil, err
		}
		if line == 1 {
			if !slices.Equal(fields, columns) {
				return nil, fmt.Errorf("the columns are %s, not %s", strings.Join(fields, ", "), strings.Join(columns, ", "))
			}
			continue
		}
		if err := o.add(fields); err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
	}
}

var errOrder = errors.New("the row does not belong to the rows before it")

// csvRow is a row of the CSV form.
type csvRow struct {
	kind, name, column, note string
	row                      int
	value                    float64
}

func parseRow(fields []string) (r csvRow, err error) {
	r = csvRow{kind: fields[0], name: fields[1], column: fields[3], note: fields[5]}
	if fields[2] != "" {
		if r.row, err = strconv.Atoi(fields[2]); err != nil {
			return r, err
		}
	}
	if fields[4] != "" {
		r.value, err = strconv.ParseFloat(fields[4], 64)
	}
	return r, err
}

// add adds a row.
func (o *Tables) add(fields []string) error {
	of := [3]string(fields[:3])
	r, err := parseRow(fields[3:])
	if err != nil {
		return err
	}
	switch {
	case r.kind == kindMissing:
		o.Missing = append(o.Missing, Missing{of[1], r.name, int(r.value)})
		return nil
	case r.kind == kindTable:
		o.List = append(o.List, Table{Claim: of[0], Dataset: of[1], Setting: of[2]})
		return nil
	case len(o.List) == 0:
		return errOrder
	}
	t := &o.List[len(o.List)-1]
	if of != [3]string{t.Claim, t.Dataset, t.Setting} {
		return errOrder
	}
	if r.kind == kindScoresOf {
		return t.addScoresOf(r, o.List)
	}
	return t.add(r)
}

// addScoresOf adds scores that a table before has.
func (t *Table) addScoresOf(r csvRow, tables []Table) error {
	for i := range tables {
		old := &tables[i]
		if s := old.scores(r.name); s != nil && old.Claim == r.note && old.Dataset == t.Dataset && old.Setting == r.column {
			t.Scores = append(t.Scores, *s)
			return nil
		}
	}
	return errOrder
}

func (t *Table) add(r csvRow) error {
	switch r.kind {
	case kindFlag:
		return set(t.flags(), r)
	case kindFailure:
		t.Failure = r.note
	case kindLone:
		t.Lone = r.note
	case kindRemark:
		t.Remarks = append(t.Remarks, Remark{RemarkKind(r.name), r.note})
	case kindLoss:
		t.Losses = append(t.Losses, Remark{RemarkKind(r.name), r.note})
	case kindReason:
		t.Reasons = append(t.Reasons, r.note)
	case kindScore:
		return t.addScore(r)
	case kindQuantity:
		t.Quantities = append(t.Quantities, Quantity{Key: r.name, Name: r.note, Statistic: Statistic(r.column)})
	default:
		if len(t.Quantities) == 0 || t.Quantities[len(t.Quantities)-1].Key != r.name {
			return errOrder
		}
		return t.Quantities[len(t.Quantities)-1].add(r, t.Scores)
	}
	return nil
}

// set sets a flag.
func set(flags map[string]*bool, r csvRow) error {
	flag := flags[cmp.Or(r.column, r.name)]
	if flag == nil {
		return fmt.Errorf("unknown row of the kind %s: %q", r.kind, cmp.Or(r.column, r.name))
	}
	*flag = true
	return nil
}

func (t *Table) addScore(r csvRow) error {
	if n := len(t.Scores); n == 0 || t.Scores[n-1].Series != r.name {
		t.Scores = append(t.Scores, Scores{Series: r.name})
	}
	s := &t.Scores[len(t.Scores)-1]
	if n := len(s.Repeats); n == 0 || s.Repeats[n-1] != r.row {
		s.Repeats, s.Losses = append(s.Repeats, r.row), append(s.Losses, nil)
	}
	last := &s.Losses[len(s.Losses)-1]
	*last = append(*last, r.value)
	return nil
}

func (q *Quantity) add(r csvRow, scores []Scores) error {
	switch r.kind {
	case kindAbout:
		switch r.column {
		case "least":
			q.Least = &r.value
		case "most":
			q.Most = &r.value
		case "tries":
			q.Tries = int(r.value)
		case string(Note), string(Doubt):
			q.Remarks = append(q.Remarks, Remark{RemarkKind(r.column), r.note})
		default:
			return set(q.flags(), r)
		}
	case kindValue:
		if r.column == "" {
			atLeast, atMost := strings.Contains(r.note, noteAtLeast), strings.Contains(r.note, noteAtMost)
			q.Values = append(q.Values, Value{r.row, r.value, atLeast, atMost})
			return nil
		}
		if len(scores) == 0 {
			return errOrder
		}
		if q.Again == nil {
			q.Again = map[string][]float64{}
		}
		if q.Again[r.column] == nil {
			q.Again[r.column] = slices.Repeat([]float64{math.NaN()}, len(scores[0].Repeats))
		}
		at := slices.Index(scores[0].Repeats, r.row)
		if at < 0 {
			return errOrder
		}
		q.Again[r.column][at] = r.value
	case kindPoint:
		return addPoint(&q.Points, r)
	case kindThan:
		return addPoint(&q.Than, r)
	default:
		return fmt.Errorf("unknown kind of row: %q", r.kind)
	}
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
