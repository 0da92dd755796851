package observe

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"stochopt/internal/words"
)

// Tables has the tables of an experiment's claims, and the runs that its records lack.
type Tables struct {
	List    []Table
	Missing []Missing
}

// Missing is a number of planned runs without a record. The data set and the series are "" if the plan does not
// name them.
type Missing struct {
	Dataset string `json:"dataset,omitempty"`
	Series  string `json:"series,omitempty"`
	Runs    int    `json:"runs"`
}

// columns are the columns of the CSV form of tables.
var columns = []string{"claim", "dataset", "setting", "kind", "name", "row", "column", "value", "note"}

// Kinds of rows. A row of kindScore or kindValue has a number of the last row of kindScores or kindQuantity. All other
// rows have a note in JSON.
const (
	kindMissing  = "missing"
	kindScores   = "scores"
	kindScore    = "score"
	kindTable    = "table"
	kindQuantity = "quantity"
	kindValue    = "value"
)

// Notes of values whose number is a lower or an upper bound.
const (
	noteAtLeast = ">="
	noteAtMost  = "<="
)

// tableNote is the JSON note of a table.
type tableNote struct {
	*Table
	// ScoresAt has the positions of the table's scores among the scores of all tables.
	ScoresAt []int `json:"scores,omitempty"`
}

// Write writes tables as CSV, one row per number. Scores that several tables share are written once.
func (o *Tables) Write(w io.Writer) error {
	out := csv.NewWriter(w) // retains its first error
	out.Write(columns)
	head := make([]string, 3)
	var failed error
	object := func(kind, name string, v any) {
		note, err := json.Marshal(v)
		failed = cmp.Or(failed, err)
		out.Write(append(slices.Clip(head), kind, name, "", "", "", string(note)))
	}
	number := func(kind, name string, row int, column string, v float64, note string) {
		out.Write(append(slices.Clip(head), kind, name, strconv.Itoa(row), column, words.Exact(v), note))
	}
	for _, m := range o.Missing {
		object(kindMissing, m.Series, m)
	}
	positions := map[string]int{} // of the scores written so far, by their text
	for i := range o.List {
		t := &o.List[i]
		head = []string{t.Claim, t.Dataset, t.Setting}
		note := tableNote{Table: t}
		for _, s := range t.Scores {
			key := fmt.Sprint(s)
			at, written := positions[key]
			if !written {
				at = len(positions)
				positions[key] = at
				object(kindScores, s.Series, s)
				for i, losses := range s.Losses {
					for j, v := range losses {
						number(kindScore, s.Series, s.Repeats[i], strconv.Itoa(j), v, "")
					}
				}
			}
			note.ScoresAt = append(note.ScoresAt, at)
		}
		object(kindTable, "", note)
		for _, q := range t.Quantities {
			object(kindQuantity, q.Key, q)
			for _, v := range slices.Concat(q.Values, q.Again) {
				number(kindValue, q.Key, v.Row, v.Choice, v.Number, v.censoring())
			}
		}
	}
	out.Flush()
	return cmp.Or(failed, out.Error())
}

// censoring returns the note of a value, which tells whether the number is a bound.
func (v Value) censoring() (note string) {
	if v.AtLeast {
		note = noteAtLeast
	}
	if v.AtMost {
		note += noteAtMost
	}
	return note
}

// ReadTables reads the output of Write.
func ReadTables(r io.Reader) (*Tables, error) {
	rows, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 || !slices.Equal(rows[0], columns) {
		return nil, fmt.Errorf("the columns are not %s", strings.Join(columns, ", "))
	}
	o := tableReader{lastScores: &Scores{}, lastQuantity: &Quantity{}}
	for i, fields := range rows[1:] {
		if err := o.add(fields); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+2, err)
		}
	}
	return &o.Tables, nil
}

// tableReader is the state of reading tables.
type tableReader struct {
	Tables
	// scores has the scores of all tables.
	scores       []Scores
	lastScores   *Scores
	lastQuantity *Quantity
}

// add adds a row.
func (o *tableReader) add(fields []string) (err error) {
	var v Value
	switch name, note := fields[4], fields[8]; fields[3] {
	case kindMissing:
		_, err = decode(&o.Missing, note)
	case kindScores:
		o.lastScores, err = decode(&o.scores, note)
	case kindTable:
		err = o.addTable(Table{Claim: fields[0], Dataset: fields[1], Setting: fields[2]}, note)
	case kindQuantity:
		if !o.continues(fields) {
			return errOrder
		}
		o.lastQuantity, err = decode(&o.List[len(o.List)-1].Quantities, note)
	case kindScore:
		if o.lastScores.Series != name {
			return errOrder
		}
		v, err = valueOfRow(fields)
		o.lastScores.add(v)
	case kindValue:
		if !o.continues(fields) || o.lastQuantity.Key != name {
			return errOrder
		}
		v, err = valueOfRow(fields)
		o.lastQuantity.Add(v)
	default:
		err = fmt.Errorf("unknown kind %q", fields[3])
	}
	return err
}

// continues reports whether a row has the claim, data set and setting of the last table.
func (o *tableReader) continues(fields []string) bool {
	if len(o.List) == 0 {
		return false
	}
	t := &o.List[len(o.List)-1]
	return slices.Equal(fields[:3], []string{t.Claim, t.Dataset, t.Setting})
}

// decode appends the value of a JSON note to a list, and returns its address there.
func decode[T any](list *[]T, note string) (added *T, err error) {
	var v T
	err = json.Unmarshal([]byte(note), &v)
	*list = append(*list, v)
	return &(*list)[len(*list)-1], err
}

var errOrder = errors.New("the row does not belong to the rows before it")

func (o *tableReader) addTable(t Table, text string) error {
	note := tableNote{Table: &t}
	err := json.Unmarshal([]byte(text), &note)
	for _, at := range note.ScoresAt {
		if at < 0 || at >= len(o.scores) {
			return errOrder
		}
		t.Scores = append(t.Scores, o.scores[at])
	}
	o.List, o.lastQuantity = append(o.List, t), &Quantity{}
	return err
}

// valueOfRow returns the number of a row.
func valueOfRow(fields []string) (Value, error) {
	row, errRow := strconv.Atoi(fields[5])
	number, errNumber := strconv.ParseFloat(fields[7], 64)
	note := fields[8]
	return Value{
		Row: row, Choice: fields[6], Number: number,
		AtLeast: strings.Contains(note, noteAtLeast), AtMost: strings.Contains(note, noteAtMost),
	}, cmp.Or(errRow, errNumber)
}

// add adds the loss of the next candidate in a repeat.
func (s *Scores) add(v Value) {
	if n := len(s.Repeats); n == 0 || s.Repeats[n-1] != v.Row {
		s.Repeats, s.Losses = append(s.Repeats, v.Row), append(s.Losses, nil)
	}
	last := &s.Losses[len(s.Losses)-1]
	*last = append(*last, v.Number)
}
