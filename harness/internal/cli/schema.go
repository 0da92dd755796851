package cli

import (
	"stochopt/harness/internal/spec"

	"github.com/spf13/cobra"
)

func newSchema(a *app) *cobra.Command {
	clusters := false
	cmd := &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON schema of specs, for editors (configs/schema.json)",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			print := spec.Schema
			if clusters {
				print = spec.ClustersSchema
			}
			schema, err := print()
			if err != nil {
				return err
			}
			_, err = a.out.Write(schema)
			return err
		},
	}
	cmd.Flags().BoolVar(&clusters, "clusters", false, "print that of clusters.yaml (configs/clusters-schema.json)")
	return cmd
}
