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
	quantity := table + "c,d,,quantity,level,,,,\"{\"\"key\"\":\"\"level\"\"}\"\n"
	for _, tt := range []struct{ text, want string }{
		{"claim,dataset\n", "the columns are not claim, dataset, setting"},
		{head + "c,d,,quantity,level,,,,{}\n", "line 2: the row does not belong"},
		{head + "c,d,,table,,,,,\"{\"\"scores\"\":[0]}\"\n", "line 2: the row does not belong"},
		{table + "c,d,,quantity,level,,,,{\n", "line 3: unexpected end of JSON"},
		{table + "c,e,,quantity,level,,,,{}\n", "line 3: the row does not belong"},
		{table + "c,d,,value,level,0,,1,\n", "line 3: the row does not belong"},
		{table + "c,d,,score,a,0,0,1,\n", "line 3: the row does not belong"},
		{table + "c,d,,flag,worst,,,,\n", `line 3: unknown kind "flag"`},
		{quantity + "c,d,,value,level,x,,1,\n", "line 4: strconv.Atoi"},
		{quantity + "c,d,,value,level,0,,y,\n", "line 4: strconv.ParseFloat"},
	} {
		if _, err := ReadTables(strings.NewReader(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.text, err, tt.want)
		}
	}
}
