package run

import (
	"context"
	"errors"
	"regexp"
	"testing"

	"stochopt/harness/internal/plan"
)

// Prepare certifies exactly the optima that the runs need, each once, with and without record.alone.
func TestPrepareCertifiesTheNeededOptima(t *testing.T) {
	t.Parallel()
	alone := func(text string) string {
		return regexp.MustCompile(`points: \d+`).ReplaceAllString(text, "$0, alone: true")
	}
	for name, p := range map[string]*plan.Plan{
		"pca": planOf(t, sweep), "svm": buildSVM(t, svmSweep), "sparse alone": buildSVM(t, alone(sparseSweep)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole, _ := perform(t, p, Options{Workers: 2}, constructors{})
			f := open(t, t.TempDir())
			done, err := Prepare(context.Background(), p, f.store, Options{Workers: 2})
			if err != nil || done.Missing != len(p.Items) || done.Certified == 0 {
				t.Fatalf("%+v, %v", done, err)
			}
			again, err := Prepare(context.Background(), p, f.store, Options{Workers: 2})
			if err != nil || again.Certified != 0 || again.Missing != len(p.Items) {
				t.Errorf("again: %+v, %v", again, err)
			}
			want := whole.optima()
			if got := f.optima(); got != want {
				t.Errorf("prepared optima\n%s\nwant\n%s", got, want)
			}
			for _, it := range p.Items {
				if _, done := f.store.Lookup(it.ID.Key, it.ID.Extent); done {
					t.Errorf("%s was run", it.ID.Text())
				}
			}
			// If all runs are on record, nothing is prepared.
			if done, err := Prepare(context.Background(), p, whole.store, Options{}); err != nil || done != (Prepared{}) {
				t.Errorf("all on record: %+v, %v", done, err)
			}
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			if _, err := Prepare(ctx, p, f.store, Options{}); !errors.Is(err, context.Canceled) {
				t.Errorf("interrupted: %v", err)
			}
		})
	}
}
