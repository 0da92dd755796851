package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/spec"

	"github.com/spf13/cobra"
)

// externalOptions say whether the programs of external algorithms may be started.
type externalOptions struct {
	external string
	// leave: programs may be started.
	leave bool
}

// What --external and the configuration may say.
const (
	externalAllow  = "allow"
	externalRefuse = "refuse"
)

func (o *externalOptions) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.external, "external", "",
		"whether the programs of external algorithms may be started: allow or refuse (default: as the line external: allow of your config.yaml says, else refuse)")
}

// allowed reports whether programs may be started.
func (o *externalOptions) allowed() (bool, error) {
	switch o.external {
	case externalAllow:
		return true, nil
	case externalRefuse:
		return false, nil
	case "":
		c, err := readConfig()
		return c.External == externalAllow, usage(err)
	}
	return false, usagef("--external %q: want allow or refuse", o.external)
}

// configFile is the user's own configuration, in the folder of that.
const configFile = "stochopt/config.yaml"

// readConfig reads the user's own configuration, which need not be there.
func readConfig() (spec.Config, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return spec.Config{}, nil // nobody has allowed anything
	}
	c, err := spec.LoadConfig(filepath.Join(dir, configFile))
	if errors.Is(err, fs.ErrNotExist) {
		return spec.Config{}, nil
	}
	return c, err
}

// programs lists the programs that runs start, as one would type them, each once.
func programs(items []*plan.Item) (list []string) {
	for _, p := range plan.Programs(items) {
		list = append(list, fmt.Sprintf("%s: %s", p.ID, p))
	}
	return list
}

// permit finds out whether programs may be started, and returns an error if runs do and that
// is not allowed.
func (o *externalOptions) permit(items []*plan.Item) (err error) {
	if o.leave, err = o.allowed(); err != nil {
		return err
	}
	list := programs(items)
	if len(list) == 0 || o.leave {
		return nil
	}
	return usagef("external algorithms are performed by programs that this spec names, with your rights; nothing was started:\n  %s\ngive --external allow if you trust them", strings.Join(list, "\n  "))
}
