package observe

import (
	"fmt"
	"strings"
	"testing"
)

// An invalid row is reported with its line.
func TestReadTablesReportsRows(t *testing.T) {
	t.Parallel()
	head := strings.Join(columns, ",") + "\n"
	table := head + "c,d,,table,,,,,{}\n"
	quantity := table + "c,d,,quantity,level,,,,\"{\"\"key\"\":\"\"level\"\"}\"\n"
	for _, text := range []string{
		"claim,dataset\n",
		head + "c,d,,quantity,level,,,,{}\n",
		head + "c,d,,table,,,,,\"{\"\"scores\"\":[0]}\"\n",
		table + "c,d,,quantity,level,,,,{\n",
		table + "c,e,,quantity,level,,,,{}\n",
		table + "c,d,,value,level,0,,1,\n",
		table + "c,d,,score,a,0,0,1,\n",
		table + "c,d,,flag,worst,,,,\n",
		quantity + "c,d,,value,level,x,,1,\n",
		quantity + "c,d,,value,level,0,,y,\n",
	} {
		line := fmt.Sprintf("line %d: ", strings.Count(text, "\n"))
		if _, err := ReadTables(strings.NewReader(text)); err == nil || text != "claim,dataset\n" && !strings.Contains(err.Error(), line) {
			t.Errorf("%q: %v, want %q", text, err, line)
		}
	}
}
