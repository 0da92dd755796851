package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"stochopt/datasets"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/propose"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/spec"
	"stochopt/internal/words"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

type newOptions struct {
	data            dataOptions
	task, path, out string
	inspect         datasets.InspectOptions
}

func newNew(a *app) *cobra.Command {
	o := &newOptions{}
	var header bool
	cmd := &cobra.Command{
		Use:   "new NAME",
		Short: "Inspect your data and write a spec for them",
		Long: `New inspects a data file (CSV, LIBSVM, IDX or NumPy, plain or compressed), reports what it found, and
writes NAME.yaml: a commented spec of a sweep that takes seconds. For a longer sweep, raise the number
of rows, the budget and the repeats in that file. New never overwrites a file.

Without --data, the spec uses a built-in data set. Labels in a CSV file may be texts. If there are more
than two classes, the task is one class against the rest.`,
		Example: `  stochopt new my-sweep --task svm --data mine.csv
  stochopt new small --task svm-sparse --data mine.csv --label class
  stochopt new first --task pca`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("header") {
				o.inspect.Header = &header
			}
			command := "stochopt new " + args[0]
			cmd.Flags().Visit(func(f *pflag.Flag) { command += " --" + f.Name + "=" + propose.Quoted(f.Value.String()) })
			return o.run(cmd.Context(), a, args[0], command)
		},
	}
	f := cmd.Flags()
	choiceFlag(cmd, &o.task, "task", "svm (train kernel SVMs), svm-sparse (SVMs with few support vectors) or pca",
		propose.Tasks...)
	f.StringVar(&o.path, "data", "", "data file (default: a built-in data set)")
	f.StringVar(&o.inspect.Label, "label", "", "label column of a CSV or NumPy file, as name, number or none; "+
		"or label file for an IDX or NumPy file (default: the most likely column)")
	f.BoolVar(&header, "header", false, "whether the first line of a CSV file has the column names "+
		"(default: determined from its content)")
	f.StringVarP(&o.out, "output", "o", "", "file to write (default: NAME.yaml)")
	o.data.flags(cmd)
	o.data.memory.flags(cmd)
	return cmd
}

func (o *newOptions) run(ctx context.Context, a *app, name, command string) error {
	if err := o.check(name); err != nil {
		return err
	}
	o.inspect.Options = o.data.options(a)
	s, err := propose.New(ctx, o.task, o.path, o.inspect)
	if err != nil {
		return usage(err)
	}
	for _, line := range s.Findings {
		fmt.Fprintln(a.out, strings.Join(words.Wrap(line, propose.Width, "  "), "\n"))
	}
	s.Name, s.File, s.Command = name, propose.Quoted(o.out), command
	text, err := s.Render()
	if err != nil {
		return err
	}
	parsed, err := spec.Parse(o.out, text, spec.LoadOptions{Catalog: registry.Catalog()})
	if err != nil {
		return fmt.Errorf("the generated spec is not valid: %w", err)
	}
	p, err := plan.Build(ctx, parsed, o.data.opener(a))
	if err != nil {
		return usage(err)
	}
	f, err := os.OpenFile(o.out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err == nil {
		_, err = f.Write(text)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return usagef("cannot write %s: %w; choose another file with -o", o.out, err)
	}
	rows := ""
	if s.Subset != nil {
		rows = fmt.Sprintf(" on %d of %d rows (to use all rows, remove subset)", s.Kept, s.Rows)
	}
	fmt.Fprintf(a.out, "%s: %d runs%s; next: stochopt run %s\n", o.out, len(p.Items), rows, o.out)
	return nil
}

func (o *newOptions) check(name string) error {
	if err := spec.CheckName(name); err != nil {
		return usagef("%w (the name of the results folder)", err)
	}
	if (o.inspect.Label != "" || o.inspect.Header != nil) && o.path == "" {
		return usagef("--label and --header need a data file: name it with --data")
	}
	o.out = cmp.Or(o.out, name+".yaml")
	return checkOutput(o.out)
}
