package objective

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stochopt/internal/record"
)

// Whatever is in a file of optima, what is believed agrees with itself, the rest is kept
// aside, and a file that was opened and closed once stays as it then is.
func FuzzReferences(f *testing.F) {
	sound, err := os.ReadFile(filepath.Join("testdata", "references.jsonl"))
	if err != nil {
		f.Fatal(err)
	}
	text := string(sound)
	f.Add(text)
	f.Add(text[:len(text)-30])
	f.Add(strings.Replace(text, "0.", "1.", 3))
	f.Add(`{"kernel":"x","primal":1,"dual":0.9}` + "\n{}\nnull\n\xff\n")
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), record.ReferencesFile)
		put(t, path, text)
		r, said := opened(t, path, false)
		for id, ref := range r.byID {
			if err := ref.sound(); err != nil || id != ref.id() {
				t.Fatalf("%q is believed: %v", id, err)
			}
		}
		damaged := len(r.lines.Damaged)
		if (damaged > 0) != (len(*said) > 0) {
			t.Fatalf("of %d damaged lines is said %q", damaged, *said)
		}
		if damaged > 0 {
			var kept []string
			for line := range strings.Lines(content(t, filepath.Join(filepath.Dir(path), record.DamagedFile))) {
				var aside struct {
					Text  string `json:"text"`
					Bytes []byte `json:"base64"`
				}
				if err := json.Unmarshal([]byte(line), &aside); err != nil {
					t.Fatal(err)
				}
				kept = append(kept, aside.Text+string(aside.Bytes))
			}
			for _, l := range r.lines.Damaged {
				if !slices.Contains(kept, string(l.Data)) {
					t.Fatalf("lost: %q", l.Data)
				}
			}
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		first := content(t, path)
		again, said := opened(t, path, false)
		if len(*said) > 0 || len(again.byID) != len(r.byID) {
			t.Fatalf("opened again: %d optima of %d, %q", len(again.byID), len(r.byID), *said)
		}
		if err := again.Close(); err != nil {
			t.Fatal(err)
		}
		if content(t, path) != first {
			t.Fatalf("closed again:\n%s\nafter\n%s", content(t, path), first)
		}
	})
}
