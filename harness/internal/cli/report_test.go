package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/spec"

	"github.com/spf13/cobra"
)

func TestReport(t *testing.T) {
	at := spec.Position{File: "s.yaml", Line: 3, Col: 4}
	mistake := spec.Errors{{Pos: at, Msg: "bad"}}
	for _, test := range []struct {
		err  error
		code int
		text string
	}{
		{nil, 0, ""},
		{failed(errors.New("went wrong")), 1, "stochopt: went wrong\n"},
		{usage(errors.New("not so")), 2, "stochopt: not so\n"},
		{fmt.Errorf("while: %w", usage(errors.New("not so"))), 2, "stochopt: while: not so\n"},
		{errors.New("oops"), 3, "stochopt: internal error: oops\n"},
		{usage(errors.Join(mistake, errors.New("more"))), 2, "s.yaml:3:4: bad\nmore\n"},
		{usage(&plan.Error{Pos: at, Err: errors.New("bad")}), 2, "s.yaml:3:4: bad\n"},
		{context.Canceled, 130, "interrupted; run the same command again\n"},
		{failed(fmt.Errorf("run: %w", context.Canceled)), 130, "interrupted; run the same command again\n"},
	} {
		var w strings.Builder
		report(&w, test.err)
		if code := exitCode(new(cobra.Command), test.err); code != test.code || w.String() != test.text {
			t.Errorf("report(%v): %d %q, want %d %q", test.err, code, w.String(), test.code, test.text)
		}
	}
	if usage(nil) != nil || failed(nil) != nil {
		t.Error("no error became one")
	}
}

// Without recovery, a panic would have the exit code of a usage error.
func TestPanicIsAnInternalError(t *testing.T) {
	home(t)
	write(t, "small.yaml", small)
	var stderr strings.Builder
	a := newApp(t, &strings.Builder{}, &stderr)
	a.limitHeap = func(int64) { panic("a bug") }
	if code := a.run(context.Background(), []string{"run", "small.yaml"}); code != exitInternal {
		t.Errorf("exit %d, want %d", code, exitInternal)
	}
	wantText(t, "stderr", stderr.String(), "report_test.go")
}

func TestInterruptedCommands(t *testing.T) {
	home(t)
	write(t, "small.yaml", small)
	ok(t, "run", "small.yaml")
	before := exported(t, "results/small")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, args := range []string{"run small.yaml", "run small.yaml --set repeats=3", "plan small.yaml", "verify results/small", "datasets fetch adult --offline"} {
		o := stochoptWith(t, ctx, nil, strings.Fields(args)...)
		if o.code != exitInterrupted || o.err != "interrupted; run the same command again\n" {
			t.Errorf("%s: exit %d: %s", args, o.code, o.err)
		}
	}
	if exported(t, "results/small") != before {
		t.Error("an interrupted command changed the records")
	}
}

// An interruption does not hide why an earlier spec could not be run.
func TestInterruptedAfterAnError(t *testing.T) {
	home(t)
	absent := "datasets:\n  - {id: own, path: absent.csv, problem: {k: 1}}"
	write(t, "absent.yaml", strings.NewReplacer("name: small", "name: absent", "datasets:", absent).Replace(small))
	write(t, "small.yaml", small)
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(time.Second, cancel)
	o := stochoptWith(t, ctx, nil, "run", "absent.yaml", "small.yaml", "--set", "budget.iterations=1000000000")
	if o.code != exitInterrupted {
		t.Errorf("exit %d, want %d", o.code, exitInterrupted)
	}
	wantText(t, "stderr", o.err, "small: interrupted: 0 of", "absent.csv")
}
