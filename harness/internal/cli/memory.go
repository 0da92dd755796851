package cli

import (
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"sync"

	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/run"
	"stochopt/harness/internal/spec"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
)

// memoryOptions is the flag of the verbs that plan or perform runs.
type memoryOptions struct{ text string }

func (o *memoryOptions) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.text, "memory", "", "most memory for what grows with the data and the parameters of runs (data, second moments, bases, rows of kernel matrices, features, curves), such as 8GiB or 512MB (default: half of what the machine, its container or GOMEMLIMIT leaves the program, three quarters up to 512 MiB)")
}

// bytes returns the bound in bytes.
func (o *memoryOptions) bytes() (int64, error) {
	if o.text == "" {
		return ordinary(available()), nil
	}
	n, ok := spec.ParseSize(o.text)
	switch {
	case !ok:
		return 0, usagef("--memory %q: want a size, such as 8GiB or 512MB", o.text)
	case n <= 0:
		return 0, usagef("--memory %q: the size must be positive, such as 8GiB or 512MB", o.text)
	case n >= math.MaxInt64:
		return 0, usagef("--memory %q: the size is too large; the most is %d, and this machine has %s", o.text, math.MaxInt64, humanize.IBytes(uint64(available())))
	}
	return int64(n), nil
}

// ordinary is the default of --memory where so many bytes may be taken in all: half of
// what the program leaves, three quarters where that is little, and an eighth of all where
// it is next to nothing.
func ordinary(available int64) int64 {
	const little = 512 << 20
	left := available - run.ProgramMemory
	return max(left/2, min(left/4*3, little), available/8)
}

// shortages returns what does not fit in the memory, for each plan, and an error if
// it leaves no run at all.
func (o *memoryOptions) shortages(plans []*plan.Plan) (short []error, err error) {
	bytes, err := o.bytes()
	if err != nil {
		return nil, err
	}
	data, none, each := plan.DataBytes(plans), len(plans) > 0, apart(plans, bytes)
	for _, p := range plans {
		if each {
			data = plan.DataBytes([]*plan.Plan{p})
		}
		more, all := p.Shortages(p.Budget(bytes, data))
		short, none = append(short, more...), none && all
	}
	if none {
		return nil, usage(errors.Join(short...))
	}
	return short, nil
}

// apart reports whether the data of several plans take so much of the memory that those of
// one plan are to be held at a time.
func apart(plans []*plan.Plan, bytes int64) bool {
	return len(plans) > 1 && plan.DataBytes(plans) > bytes/2
}

// warn tells of runs that do not fit in the memory, and returns an error if none does.
func (o *memoryOptions) warn(a *app, plans []*plan.Plan) error {
	short, err := o.shortages(plans)
	for _, s := range short {
		fmt.Fprintf(a.err, "warning: %v; its runs are skipped, and the others made\n", s)
	}
	return err
}

// bound returns the memory in bytes and what the data of plans take of it, for runs that
// must all fit.
func (o *memoryOptions) bound(plans []*plan.Plan) (bytes, data int64, err error) {
	short, err := o.shortages(plans)
	if err == nil {
		err = usage(errors.Join(short...))
	}
	if err != nil {
		return 0, 0, err
	}
	bytes, err = o.bytes()
	return bytes, plan.DataBytes(plans), err
}

// available returns how much memory the program may take: that of the machine,
// or less if its control group or GOMEMLIMIT says so. It asks once, before the program
// gives itself a limit.
var available = sync.OnceValue(func() int64 {
	limit := debug.SetMemoryLimit(-1) // asks only
	for _, ask := range []memlimit.Provider{memlimit.FromSystem, memlimit.FromCgroup} {
		// An error means that there is no such limit.
		if n, err := ask(); err == nil && n < uint64(limit) {
			limit = int64(n)
		}
	}
	return limit
})
