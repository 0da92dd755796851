package observe

import (
	"strings"
	"testing"
)

// A row that cannot be read is reported with its line.
func TestReadTablesReportsRows(t *testing.T) {
	t.Parallel()
	head := strings.Join(columns, ",") + "\n"
	table := head + "c,d,,table,,,,,{}\n"
	for _, tt := range []struct{ text, want string }{
		{"claim,dataset\n", "the columns are not claim, dataset, setting"},
		{head + "c,d,,quantity,level,,,,{}\n", "row 1: the row does not belong"},
		{head + "c,d,,table,,,,,\"{\"\"scores\"\":[0]}\"\n", "row 1: the row does not belong"},
		{table + "c,d,,quantity,level,,,,{\n", "row 2: unexpected end of JSON"},
		{table + "c,d,,flag,worst,,,,\n", `row 2: unknown kind "flag"`},
		{table + "c,d,,value,level,x,,1,\n", "row 2: strconv.Atoi"},
		{table + "c,d,,value,level,0,,y,\n", "row 2: strconv.ParseFloat"},
	} {
		if _, err := ReadTables(strings.NewReader(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.text, err, tt.want)
		}
	}
}
