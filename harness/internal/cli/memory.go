package cli

import (
	"math"
	"runtime/debug"

	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/spec"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
)

// memoryOptions is the flag of the verbs that keep kernel rows in memory.
type memoryOptions struct{ text string }

func (o *memoryOptions) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.text, "memory", "", "most memory for rows of kernel matrices, and for random Fourier features and what else grows with the parameters of a run, such as 8GiB or 512MB (default: half of what the machine, its container or GOMEMLIMIT allows)")
}

// bytes returns the bound in bytes.
func (o *memoryOptions) bytes() (int64, error) {
	if o.text == "" {
		return available() / 2, nil
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

// bound returns the bound in bytes, which must do for all plans.
func (o *memoryOptions) bound(plans []*plan.Plan) (int64, error) {
	bytes, err := o.bytes()
	if err != nil {
		return 0, err
	}
	for _, p := range plans {
		pr, need := p.Memory()
		if need <= bytes {
			if err := p.CheckMemory(bytes); err != nil {
				return 0, usage(err)
			}
			continue
		}
		name, given := pr.Entry.ID, spec.Size(bytes)
		return 0, usagef("--memory %s: two rows of the kernel matrix of dataset %q take %s, the least there must be room for; give --memory %d or more", given, name, humanize.IBytes(uint64(need)), need)
	}
	return bytes, nil
}

// available returns how much memory the program may take: that of the machine,
// or less if its control group or GOMEMLIMIT says so.
func available() int64 {
	limit := debug.SetMemoryLimit(-1) // asks only
	for _, ask := range []memlimit.Provider{memlimit.FromSystem, memlimit.FromCgroup} {
		// An error means that there is no such limit.
		if n, err := ask(); err == nil && n < uint64(limit) {
			limit = int64(n)
		}
	}
	return limit
}
