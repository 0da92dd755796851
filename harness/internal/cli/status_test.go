package cli

import (
	"os"
	"testing"

	"stochopt/internal/record"
)

// Status names the process that writes to a folder, until it has closed it.
func TestStatusNamesTheWriter(t *testing.T) {
	home(t)
	write(t, "small.yaml", small)
	ok(t, "run", "small.yaml", "--only", "series=msg")
	running := func() []record.Holder {
		return parseJSON[[]progressReport](t, ok(t, "status", "results/small", "--json").out)[0].Running
	}
	store, err := record.Open(at(t, "results/small"), record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if all := running(); len(all) != 1 || all[0].Process != os.Getpid() {
		t.Errorf("running are %v, want this process, %d", all, os.Getpid())
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if all := running(); len(all) != 0 {
		t.Errorf("after the end %v are running", all)
	}
}
