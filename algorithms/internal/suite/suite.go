// Package suite holds the common parts of the conformance suites svmtest, sparsetest and pcatest. It
// runs checks, and has checks for all kinds of learners, problems for kernel methods, and kernel rows
// that detect or provoke errors of learners.
package suite

import (
	"fmt"
	"slices"
	"testing"
)

// Reporter is the part of testing.T that checks use.
type Reporter interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Named returns a Reporter that prefixes its messages to t with what.
func Named(t Reporter, what string) Reporter { return named{t, what} }

type named struct {
	Reporter
	what string
}

func (n named) Errorf(format string, args ...any) {
	n.Helper()
	n.Reporter.Errorf("%s: %s", n.what, fmt.Sprintf(format, args...))
}

func (n named) Fatalf(format string, args ...any) {
	n.Helper()
	n.Reporter.Fatalf("%s: %s", n.what, fmt.Sprintf(format, args...))
}

// Check is a check of the learner that a case describes.
type Check[C any] struct {
	Name string
	Run  func(t Reporter, c C)
}

// Run runs the checks on c, as subtests of a parallel subtest of t, and checks that they do not change
// the configuration config, which may be nil.
func Run[C any](t *testing.T, name string, checks []Check[C], c C, config any) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		before := fmt.Sprintf("%#v", config)
		for _, check := range checks {
			t.Run(check.Name, func(t *testing.T) { check.Run(t, c) })
		}
		if after := fmt.Sprintf("%#v", config); after != before {
			t.Errorf("the configuration changed:\nbefore %s\nafter  %s", before, after)
		}
	})
}

// Faults runs the named checks, or all if there are no names, outside a test. It returns the first fault
// found by each check, by its name. A changed configuration is a fault with the name "Config".
func Faults[C any](checks []Check[C], c C, config any, names ...string) map[string]string {
	faults := map[string]string{}
	before := fmt.Sprintf("%#v", config)
	for _, check := range checks {
		if len(names) > 0 && !slices.Contains(names, check.Name) {
			continue
		}
		r := &recorder{}
		r.record(func() { check.Run(r, c) })
		if r.first != "" {
			faults[check.Name] = r.first
		}
	}
	if after := fmt.Sprintf("%#v", config); after != before {
		faults["Config"] = "the configuration changed"
	}
	return faults
}

// recorder is a Reporter that keeps the first message.
type recorder struct{ first string }

type stopped struct{}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	if r.first == "" {
		r.first = fmt.Sprintf(format, args...)
	}
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	panic(stopped{})
}

func (r *recorder) record(run func()) {
	defer func() {
		if v := recover(); v != nil {
			if _, ok := v.(stopped); !ok {
				r.Errorf("panic: %v", v)
			}
		}
	}()
	run()
}

// Must returns v. It panics if err is not nil. It is for the set-up of tests.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
