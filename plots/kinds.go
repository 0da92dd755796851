package plots

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"stochopt/results/record"
)

// Values of Table.Kind.
const (
	KindDatasets    = "datasets"
	KindTimeToError = "time-to-error"
	KindExponents   = "exponents"
	KindTradeoff    = "tradeoff"
	// KindSparsification compares costs.
	KindSparsification = "sparsification"
)

// kind is a way of building a table other than the general one.
type kind struct {
	// build fills the grid's columns, rows and notes, and returns what the rows
	// were made from.
	build func(g *Grid, t Table, runs []record.Run, ms measures) ([]tableRow, error)
	// check reports fields of the table that do not suit the kind.
	check func(t Table) error
}

// kindOf returns the kind of a name. The empty one, of the general tables, has
// no functions.
func kindOf(name string) (k kind, ok bool) {
	switch name {
	case "":
		return kind{}, true
	case KindDatasets:
		return kind{buildDatasets, checkDatasets}, true
	case KindTimeToError:
		return kind{buildTimeToError, checkTimeToError}, true
	case KindExponents:
		return kind{buildExponents, checkExponents}, true
	case KindTradeoff:
		return kind{buildTradeoff, checkTradeoff}, true
	case KindSparsification:
		return kind{buildSparsification, checkSparsification}, true
	}
	return kind{}, false
}

// Kinds lists the values of Table.Kind but the empty one.
func Kinds() []string {
	return []string{KindDatasets, KindTimeToError, KindExponents, KindTradeoff, KindSparsification}
}

func (t Table) validateKind() error {
	k, ok := kindOf(t.Kind)
	if !ok {
		return fmt.Errorf("kind %q is none of %s", t.Kind, strings.Join(Kinds(), ", "))
	}
	switch {
	case t.Kind != KindTimeToError && t.Kind != KindSparsification && t.Reference != "", t.Kind != KindTimeToError && len(t.Targets) > 0:
		return fmt.Errorf("reference and targets are for tables of the kind %s", KindTimeToError)
	case !t.sized() && (len(t.Sizes) > 0 || t.Validation):
		return fmt.Errorf("sizes and validation are for tables of the kind %s", KindTradeoff)
	case t.Kind != KindExponents && len(t.Exponents) > 0:
		return fmt.Errorf("exponents are for tables of the kind %s", KindExponents)
	case k.check == nil:
		return nil
	}
	return k.check(t)
}

func checkDatasets(t Table) error {
	if len(t.Columns) == 0 {
		return errors.New("it has no columns: list some of " + strings.Join(DatasetColumns(), ", ") + ", or columns of theory")
	}
	for _, c := range t.Columns {
		if !t.isTheory(c) && !slices.Contains(DatasetColumns(), c) {
			return fmt.Errorf("column %q is neither in its theory nor one of %s", c, strings.Join(DatasetColumns(), ", "))
		}
	}
	return nil
}

func checkTimeToError(t Table) error {
	if len(t.Columns) > 0 {
		return errors.New("a table of the kind " + KindTimeToError + " has columns of its own: drop columns")
	}
	if len(t.Theory) > 0 {
		return errors.New("a table of the kind " + KindTimeToError + " has no place for theory")
	}
	for _, name := range sortedKeys(t.Targets) {
		if v := t.Targets[name]; !(0 <= v && v < 1) {
			return fmt.Errorf("the target of %s is %v; an error is a fraction, at least 0 and less than 1", name, v)
		}
	}
	return nil
}
