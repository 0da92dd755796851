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
		return ordinaryMemory(), nil
	}
	n, ok := spec.ParseSize(o.text)
	if !ok || n < 1 || n >= math.MaxInt64 {
		return 0, usagef("--memory %q: want a size from 1 byte to 8 EiB, such as 8GiB or 512MiB", o.text)
	}
	return int64(n), nil
}

// ordinaryMemory is the default of --memory: half of the memory of the machine, its control
// group or GOMEMLIMIT without what the program itself takes, and at least an eighth. It asks
// once, before the program sets its own limit.
var ordinaryMemory = sync.OnceValue(func() int64 {
	limit := debug.SetMemoryLimit(-1) // asks only
	for _, ask := range []memlimit.Provider{memlimit.FromSystem, memlimit.FromCgroup} {
		if n, err := ask(); err == nil && n < uint64(limit) { // an error means no limit
			limit = int64(n)
		}
	}
	return max((limit-run.ProgramMemory)/2, limit/8)
})

// warn reports the runs of a plan that do not fit in the memory.
func (o *memoryOptions) warn(a *app, p *plan.Plan) error {
	bytes, err := o.bytes()
	if err != nil {
		return err
	}
	for _, short := range p.Shortages(bytes, p.DataBytes()) {
		fmt.Fprintf(a.err, "warning: %v; its runs are skipped\n", short)
	}
	return nil
}
