package cli

import (
	"io"
	"slices"
	"strings"

	"stochopt/datasets"
	"stochopt/harness/internal/experiment"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/spec"

	"github.com/spf13/cobra"
)

// offer returns a completion that offers the given words and no file names.
func offer(list func() []string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return list(), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeFlag offers words for the value of a flag that the command has.
func completeFlag(cmd *cobra.Command, flag string, list ...string) {
	completeFlagBy(cmd, flag, offer(func() []string { return list }))
}

// completeFlagBy offers what a completion offers for the value of a flag.
func completeFlagBy(cmd *cobra.Command, flag string, by cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, by); err != nil {
		panic("cli: completion of a flag that is not there: " + err.Error())
	}
}

// completePaths offers specs, or folders, to commands whose usage asks for them.
func completePaths(cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		switch {
		case c.ValidArgsFunction != nil:
		case strings.Contains(c.Use, " SPEC") || strings.Contains(c.Use, "[SPEC"):
			c.ValidArgsFunction = only(cobra.ShellCompDirectiveFilterFileExt, "yaml", "yml")
		case strings.Contains(c.Use, " DIR") || strings.Contains(c.Use, " BASELINE"):
			c.ValidArgsFunction = only(cobra.ShellCompDirectiveFilterDirs)
		}
		completePaths(c)
	}
}

// only returns a completion that has the shell offer files or folders.
func only(what cobra.ShellCompDirective, list ...string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) { return list, what }
}

// specsTyped returns the specs that the arguments typed so far name: files, as --profile
// changes them, and results folders. Those that cannot be read offer nothing.
func specsTyped(cmd *cobra.Command, args []string) (list []*spec.Spec) {
	o := &specOptions{}
	if f := cmd.Flags().Lookup("profile"); f != nil {
		o.profile = f.Value.String()
	}
	silent := &app{err: io.Discard}
	for _, arg := range args {
		if s, err := o.load([]string{arg}); err == nil {
			list = append(list, s...)
			continue
		}
		_ = silent.eachFolder([]string{arg}, func(f *experiment.Folder) error {
			s, err := f.Spec()
			if err == nil {
				list = append(list, s)
			}
			return err
		})
	}
	return list
}

func algorithmIDs() []string {
	var ids []string
	for _, e := range registry.Algorithms("") {
		if !slices.Contains(ids, e.ID) { // several tasks may have it
			ids = append(ids, e.ID)
		}
	}
	return ids
}

func datasetNames() []string {
	var names []string
	for _, e := range datasets.List() {
		names = append(names, e.Name)
	}
	return names
}
