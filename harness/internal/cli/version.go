package cli

import (
	"fmt"

	"stochopt/harness/internal/experiment"
	"stochopt/harness/internal/spec"
	"stochopt/internal/record"

	"github.com/spf13/cobra"
)

func newVersion(a *app) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print what this binary was built from, and the versions of its formats",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			t := experiment.ThisTool()
			if asJSON {
				return printJSON(a.out, struct {
					experiment.Tool
					Spec   int `json:"spec_version"`
					Record int `json:"record_schema"`
				}{t, spec.Version, record.Schema})
			}
			dirty := ""
			if t.Dirty {
				dirty = " (modified)"
			}
			_, err := fmt.Fprintf(a.out, "stochopt %s, revision %s%s, %s %s; spec version %d, record schema %d\n",
				t.Version, t.Revision, dirty, t.Go, t.Platform, spec.Version, record.Schema)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func newSchema(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON schema of specs, for editors (configs/schema.json)",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			schema, err := spec.Schema()
			if err != nil {
				return err
			}
			_, err = a.out.Write(schema)
			return err
		},
	}
}
