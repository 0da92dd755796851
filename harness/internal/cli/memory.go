package cli

import (
	"fmt"
	"math"
	"runtime/debug"
	"sync"

	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/run"
	"stochopt/harness/internal/spec"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/spf13/cobra"
)

// memoryOptions is the flag of the verbs that plan or perform runs.
type memoryOptions struct{ text string }

func (o *memoryOptions) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.text, "memory", "", "most memory for data, runs and kernel rows, such as 8GiB or 512MiB (default: half of what the machine, its container or GOMEMLIMIT leaves the program)")
}

// bytes returns the bound in bytes.
func (o *memoryOptions) bytes() (int64, error) {
	if o.text == "" {
		return ordinary(available()), nil
	}
	n, ok := spec.ParseSize(o.text)
	if !ok || n < 1 || n >= math.MaxInt64 {
		return 0, usagef("--memory %q: want a size of at least 1 byte and less than 8 EiB, such as 8GiB or 512MiB", o.text)
	}
	return int64(n), nil
}

// ordinary is the default of --memory if the program may take so many bytes: half of what it
// leaves, and at least an eighth of all.
func ordinary(available int64) int64 { return max((available-run.ProgramMemory)/2, available/8) }

// available returns how much memory the program may take: that of its control group or of the
// machine, or less if GOMEMLIMIT says so. It asks once, before the program sets its own limit.
var available = sync.OnceValue(func() int64 {
	limit := debug.SetMemoryLimit(-1) // asks only
	for _, ask := range []memlimit.Provider{memlimit.FromSystem, memlimit.FromCgroup} {
		if n, err := ask(); err == nil && n < uint64(limit) { // an error means no limit
			limit = int64(n)
		}
	}
	return limit
})

// warn reports the runs of a plan that do not fit in the memory.
func (o *memoryOptions) warn(a *app, p *plan.Plan) error {
	bytes, err := o.bytes()
	if err != nil {
		return err
	}
	for _, short := range p.Shortages(bytes, plan.DataBytes([]*plan.Plan{p})) {
		fmt.Fprintf(a.err, "warning: %v; its runs are skipped\n", short)
	}
	return nil
}
