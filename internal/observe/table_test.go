package observe

import (
	"strings"
	"testing"
)

// A row that cannot be read is reported with its line.
func TestReadTablesReportsRows(t *testing.T) {
	t.Parallel()
	head := strings.Join(columns, ",") + "\n"
	table := head + "c,d,,table,,,,,\n"
	quantity := table + "c,d,,quantity,level,,mean,,a\n"
	for _, tt := range []struct{ text, want string }{
		{"claim,dataset\n", "the columns are claim, dataset, not claim"},
		{head + "c,d,,flag,worst,,,,\n", "line 2: the row does not belong"},
		{table + "c,e,,flag,worst,,,,\n", "line 3: the row does not belong"},
		{table + "c,d,,flag,best,,,,\n", `line 3: unknown row of the kind "flag": "best"`},
		{table + "c,d,,remark,doubt,,,,\nc,d,,remark,guess,,,,\n", `line 4: unknown row of the kind "remark": "guess"`},
		{table + "c,d,,value,level,0,,1,\n", "line 3: the row does not belong"},
		{table + "c,d,,scores-of,a,,k=1,,b\n", "line 3: the row does not belong"},
		{quantity + "c,d,,value,level,0,1 0,1,\n", "line 4: the row does not belong"},
		{quantity + "c,d,,value,level,x,,1,\n", "line 4: strconv.Atoi"},
		{quantity + "c,d,,point,level,0,x1,1,\n", "line 4: the row does not belong"},
		{quantity + "c,d,,about,level,,lest,1,\n", `line 4: unknown row of the kind "about": "lest"`},
	} {
		if _, err := ReadTables(strings.NewReader(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.text, err, tt.want)
		}
	}
}
