package cli

import (
	"strings"

	"stochopt/harness/internal/plan"

	"github.com/spf13/cobra"
)

// externalOptions say whether the programs of external algorithms may be started.
type externalOptions struct {
	external string
	// leave: programs may be started.
	leave bool
}

func (o *externalOptions) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.external, "external", "refuse", "whether the programs of external algorithms may be started: allow or refuse")
}

// programs lists the programs that runs start, as one would type them, each once.
func programs(items []*plan.Item) (list []string) {
	for _, p := range plan.Programs(items) {
		list = append(list, p.ID+": "+p.String())
	}
	return list
}

// permit finds out whether programs may be started, and returns an error if runs start some
// without permission.
func (o *externalOptions) permit(items []*plan.Item) error {
	if o.external != "allow" && o.external != "refuse" {
		return usagef("--external %q: want allow or refuse", o.external)
	}
	o.leave = o.external == "allow"
	list := programs(items)
	if len(list) == 0 || o.leave {
		return nil
	}
	return usagef("external algorithms are performed by programs that this spec names, with your rights; nothing was started:\n  %s\ngive --external allow if you trust them", strings.Join(list, "\n  "))
}
