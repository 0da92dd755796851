package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"stochopt/harness/internal/claims"

	"github.com/spf13/cobra"
)

// listedClaim is a claim as list tells of it.
type listedClaim struct {
	Spec string `json:"spec"`
	claims.Claim
	// Checked is the check in words.
	Checked string `json:"checked"`
}

func newClaimsList(a *app) *cobra.Command {
	o := &specOptions{}
	format, asJSON := "table", false
	cmd := &cobra.Command{
		Use:   "list [SPEC...]",
		Short: "List the claims of specs, and how each is checked; run nothing",
		Long: `List shows the claims of the specs, by default of those in the folder configs:
where each stands, what it says, what is checked, and the least profile that it is
judged at.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := (&claimsOptions{format: format}).check(); err != nil {
				return err
			}
			files, err := orConfigs(args)
			if err != nil {
				return err
			}
			specs, err := o.load(files)
			if err != nil {
				return err
			}
			listed := []listedClaim{}
			for _, s := range specs {
				in := newWording(s)
				for _, c := range s.Claims {
					listed = append(listed, listedClaim{s.Name, c, in.claim(c)})
				}
			}
			if asJSON {
				return printJSON(a.out, listed)
			}
			return printClaims(a.out, listed, format)
		},
	}
	o.flags(cmd)
	cmd.Flags().StringVar(&format, "format", format, "table or markdown")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	completeFlag(cmd, "format", claimsFormats...)
	return cmd
}

// orConfigs returns the files given, or else the specs in the folder configs.
func orConfigs(files []string) ([]string, error) {
	if len(files) > 0 {
		return files, nil
	}
	if _, err := os.Stat("configs"); errors.Is(err, fs.ErrNotExist) {
		return nil, usagef("no spec is given, and there is no folder configs here; name specs, or go to the project's folder")
	}
	files, err := filepath.Glob(filepath.Join("configs", "*.yaml"))
	if err == nil && len(files) == 0 {
		err = usagef("no spec is given, and there is none in the folder configs; name specs")
	}
	return files, err
}
