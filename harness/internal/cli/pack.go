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
		Short: "Keep what shows an experiment, small enough to publish",
		Long: `Pack writes a folder OUT/<name> for each results folder: the spec, the manifest, the
verdicts, the selection with the score of every candidate, figures as PNG, tables as
Markdown, and of the records what these can be made from again. All runs are there, but
curves only of those that figures, tables and verdicts read; of the others there is what
they were selected by, what power laws are fitted to, how far they are from bounds, and a
checksum of the curve. Of selection at each support size there is the outcome. Where the
records are large, columns of curves are left out that nothing depends on.

Then it makes everything again from the packed records alone, and fails if anything
comes out otherwise; verify does so at any time. claims, table, plot, report and compare
read packed folders. compare takes what was selected in them as fixed, and knows by the
checksums whether a curve that was left out has been made again bit for bit. Nothing can
be added to them by run, which needs its own --out.`,
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
