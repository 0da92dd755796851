package experiment

import (
	"encoding/json"
	"testing"
)

// Verdicts are unchanged after writing and reading.
func FuzzVerdicts(f *testing.F) {
	f.Add([]byte(`{"schema":1,"claims":[{"experiment":"e","id":"c","verdict":"reproduced"}]}`))
	f.Add([]byte(`{"schema":2,"claims":[]}`))
	f.Add([]byte(`{"schema":1,"claims":[{"check":{"order":{"series":"a","below":["b"]}},"where":{"k":1e400}}]}`))
	f.Add([]byte(`{"schema":1}trailing`))
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := decodeVerdicts(data)
		if err != nil {
			return
		}
		text := encoded(t, v)
		again, err := decodeVerdicts(text)
		if err != nil || string(encoded(t, again)) != string(text) {
			t.Fatalf("%q gives %s, and after writing and reading %s (%v)", data, text, encoded(t, again), err)
		}
	})
}

func encoded(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
