package plots

import (
	"math"
	"testing"

	"stochopt/internal/selection"
	"stochopt/internal/stats"
	"stochopt/internal/words"
)

// The law that claims are judged by is the one that the table shows.
func TestPowerLawsOfATable(t *testing.T) {
	t.Parallel()
	runs := append(powerLaw{"sbp", 2, 1, 3, 0.02}.runs(), powerLaw{"sgd", 3, 2, 3, 0.02}.runs()...)
	g := build(t, boundsTable(), Input{Catalog: listed, Choice: selection.All(runs)})
	for series, name := range map[string]string{"sbp": "SBP", "sgd": "SGD"} {
		row := rowOf(t, g, name)
		for _, column := range []string{"exponent_epsilon", "exponent_u_norm", "s_epsilon", "s_norm"} {
			all, err := boundsTable().PowerLaws().Observe(column, []string{series}, runs)
			if err != nil {
				t.Fatal(err)
			}
			law, err := stats.FitPowerLaw(len(all[0].Points[0].X), all[0].Points)
			if err != nil {
				t.Fatal(err)
			}
			if v := law.Exponents[0]; words.Exact(v.Value) != row[column].Value || words.Exact((v.Hi-v.Lo)/2) != row[column].Spread || law.Clusters < 2 {
				t.Errorf("%s, %s: %+v, the table has %+v", series, column, law, row[column])
			}
		}
	}
	all, err := boundsTable().PowerLaws().Observe("s_norm", []string{"sgd", "sbp"}, runs)
	if err != nil {
		t.Fatal(err)
	}
	law, err := stats.FitPowerLaw(len(all[0].Points[0].X), all[0].Points, all[1].Points)
	if v := law.Exponents[0]; err != nil || math.Abs(v.Value-2) > 0.01 || v.Lo > 2 || v.Hi < 2 {
		t.Errorf("exponents that differ by 2: %+v, %v", law, err)
	}
	without := boundsTable()
	without.Exponents[0].Over = "no_such_fact"
	for _, tt := range []struct {
		table          Table
		column, series string
		want           string
	}{
		{boundsTable(), "no_such", "sbp", `no exponent "no_such"`},
		{boundsTable(), "s_norm", "pegasos", "no runs of series pegasos"},
		{without, "exponent_no_such_fact", "sbp", "no record of no_such_fact"},
	} {
		if _, err := tt.table.PowerLaws().Observe(tt.column, []string{tt.series}, runs); err == nil {
			t.Errorf("%s, %s: error %v, want %q", tt.column, tt.series, err, tt.want)
		}
		if _, err := tt.table.PowerLaws().Observe(tt.column, []string{"sgd", tt.series}, runs); err == nil {
			t.Errorf("%s, sgd less %s: error %v, want %q", tt.column, tt.series, err, tt.want)
		}
	}
}
