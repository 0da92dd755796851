package experiment

import (
	"encoding/json"
	"testing"
)

// A manifest that is read says the same when it is written and read again.
func FuzzManifest(f *testing.F) {
	f.Add([]byte(`{"tool":{"version":"1"},"spec":"a","profile":"smoke","seed":7,"planned_runs":3,"datasets":[{"id":"d","stand_in":true}],"below_paper":[{"text":"x"}]}`))
	f.Add([]byte(`{"seed":18446744073709551616}`))
	f.Add([]byte(`{"datasets":null,"planned_runs":-1}`))
	f.Add([]byte(`[]`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		put(t, &Folder{Dir: dir}, ManifestFile, string(data))
		m, err := readManifest(dir)
		if err != nil {
			return
		}
		text := encoded(t, m)
		put(t, &Folder{Dir: dir}, ManifestFile, string(text))
		if again, err := readManifest(dir); err != nil || string(encoded(t, again)) != string(text) {
			t.Fatalf("%q is read as %+v, and then as %+v (%v)", data, m, again, err)
		}
	})
}

// Verdicts that are read say the same when they are written and read again.
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
			t.Fatalf("%q is read as %s, and then as %s (%v)", data, text, encoded(t, again), err)
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
