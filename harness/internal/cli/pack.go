package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"stochopt/harness/internal/experiment"
	"stochopt/harness/internal/verify"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
)

func newPack(a *app) *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "pack DIR... --out DIR",
		Short: "Keep the records behind figures, tables and verdicts, small enough to publish",
		Long: `Pack writes a folder OUT/<name> for each results folder: the spec, the manifest, the
verdicts, the selection with the score of every candidate, figures as PNG, tables as
Markdown, and the records that these are made from. It keeps all runs, but only the curves
that figures, tables and verdicts read. For other runs it keeps the score, the costs that
power laws are fitted to, the distance from bounds, and a checksum of the curve; for
selection at each support size, its outcome. Where the records are large, unused columns of
curves are left out.

Then it makes everything again from the packed records alone, and fails if anything
differs; verify repeats this check at any time. claims, table, plot, report and compare
read packed folders. compare treats their selection as fixed, and uses the checksums to
test whether a new curve equals one that was left out. run cannot add to a packed folder;
give it another --out.`,
		Example: "  stochopt pack results/pca-simulated --out published\n  stochopt pack results --out published\n  stochopt verify published/pca-simulated",
		Args:    atLeastOne("results folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" {
				return usagef("--out is missing: name the folder to pack into")
			}
			return a.eachFolder(args, func(f *experiment.Folder) error { return a.pack(cmd.Context(), f, out) })
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "folder of the packed folders")
	return cmd
}

func (a *app) pack(ctx context.Context, f *experiment.Folder, out string) error {
	dir, err := f.Pack(out)
	if err != nil {
		return usage(fmt.Errorf("cannot pack %s: %w", f.Dir, err))
	}
	packed, err := experiment.Open(dir)
	if err != nil {
		return err
	}
	about, err := packed.Packing()
	if err != nil {
		return err
	}
	report, err := verify.Folder(ctx, dir, verify.Options{Tool: experiment.ThisTool()})
	if err != nil {
		return err
	}
	if !report.OK {
		if err := a.printVerification(report); err != nil {
			return err
		}
		return failed(fmt.Errorf("%s: %s", dir, summed(report)))
	}
	size, err := folderSize(dir)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, "%s: %d runs, %d with curves, in %s; the same figures, tables and verdicts come out of them\n",
		dir, about.Runs, about.Curves, humanize.IBytes(uint64(size)))
	return nil
}

// folderSize is that of all files in a folder, in bytes.
func folderSize(dir string) (size int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	return size, err
}
