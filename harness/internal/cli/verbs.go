package cli

import (
	"fmt"
	"strings"

	"stochopt/harness/internal/spec"

	"github.com/spf13/cobra"
)

// groups names the annotation of commands that do nothing but group verbs.
const groups = "groups"

// strictVerbs makes an unknown verb an error at every level. Of itself cobra
// prints the help and succeeds.
func strictVerbs(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		strictVerbs(sub)
	}
	if !cmd.HasSubCommands() || cmd.Runnable() {
		return
	}
	cmd.Annotations = map[string]string{groups: "yes"}
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknownVerb(cmd, args[0])
		}
		return cmd.Help()
	}
}

func unknownVerb(cmd *cobra.Command, verb string) error {
	var known []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			known = append(known, sub.Name())
		}
	}
	return usagef("unknown verb %q%s; see %s --help", verb, spec.Hint(verb, known), cmd.CommandPath())
}

// flagError explains a flag that cmd does not take. Where cmd only groups
// verbs, a mistyped verb, whose flags these are, is the better explanation.
func flagError(cmd *cobra.Command, args []string, err error) error {
	if cmd.Annotations[groups] == "" {
		return err
	}
	depth := len(strings.Fields(cmd.CommandPath())) - 1
	for _, arg := range args {
		if strings.HasPrefix(arg, "-") {
			continue
		}
		if depth == 0 {
			return unknownVerb(cmd, arg)
		}
		depth--
	}
	return err
}

func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [VERB...]",
		Short: "Help about a verb",
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := cmd.Root().Find(args)
			if err != nil {
				return usage(err)
			}
			if len(rest) > 0 {
				return unknownVerb(found, rest[0])
			}
			return found.Help()
		},
	}
}

// atLeastOne and exactlyOne say what is missing, which cobra's own do not.
func atLeastOne(what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return fmt.Errorf("no %s is given", what)
		}
		return nil
	}
}

func exactlyOne(what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("want one %s, got %d", what, len(args))
		}
		return nil
	}
}
