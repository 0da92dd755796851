package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"stochopt/datasets"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/propose"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/spec"
	"stochopt/internal/record"
	"stochopt/internal/words"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

type newOptions struct {
	data            dataOptions
	task, path, out string
	look            datasets.InspectOptions
}

func newNew(a *app) *cobra.Command {
	o := &newOptions{}
	var header bool
	cmd := &cobra.Command{
		Use:   "new NAME",
		Short: "Look at your data and write a spec for them",
		Long: `New inspects a file (CSV, LIBSVM, IDX or NumPy, plain or compressed), reports what it
found, and writes NAME.yaml: a commented spec of a sweep over the data that takes seconds.
For a longer sweep, raise the rows, the budget and the repeats in that file.
New asks nothing and overwrites nothing.

Without --data the spec is of a built-in data set. Labels may be texts in a CSV file;
those of more than two classes become one class against the rest.`,
		Example: `  stochopt new my-sweep --task svm --data mine.csv
  stochopt new small --task svm-sparse --data mine.csv --label class
  stochopt new first --task pca`,
		Args: exactlyOne("name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("header") {
				o.look.Header = &header
			}
			command := "stochopt new " + args[0]
			cmd.Flags().Visit(func(f *pflag.Flag) { command += " --" + f.Name + "=" + propose.Quoted(f.Value.String()) })
			return o.run(cmd.Context(), a, args[0], command)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.task, "task", record.TaskSVM, "what to do: svm (train kernel SVMs), "+
		"svm-sparse (SVMs of few support vectors) or pca")
	f.StringVar(&o.path, "data", "", "file of the data; by default a built-in data set")
	f.StringVar(&o.look.Label, "label", "", "column of the labels in a CSV or NumPy file, by name or number, or none; "+
		"or the file of the labels of an IDX or NumPy file (default: the likeliest)")
	f.BoolVar(&header, "header", false, "whether the first line of a CSV file names the columns "+
		"(default: its content decides)")
	f.StringVarP(&o.out, "output", "o", "", "file to write (default: NAME.yaml)")
	o.data.flags(cmd)
	o.data.memory.flags(cmd)
	return cmd
}

func (o *newOptions) run(ctx context.Context, a *app, name, command string) error {
	if err := o.check(a, name); err != nil {
		return err
	}
	o.look.Options = o.data.options(a)
	s, err := propose.New(ctx, o.task, o.path, o.look)
	if ctx.Err() != nil {
		return ctx.Err()
	}
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
		return fmt.Errorf("the spec that was made is not valid: %w", err)
	}
	p, err := plan.Build(ctx, parsed, o.data.opener(a))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return usage(err)
	}
	f, err := os.OpenFile(o.out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err == nil {
		_, err = f.Write(text)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return usagef("cannot write %s: %w; name another file with -o", o.out, cause(err))
	}
	rows := ""
	if s.Subset != nil {
		rows = fmt.Sprintf(" on %d of %d rows (remove subset for all)", s.Kept, s.Rows)
	}
	fmt.Fprintf(a.out, "%s: %d runs%s; next: stochopt run %s\n", o.out, len(p.Items), rows, o.out)
	return nil
}

func (o *newOptions) check(a *app, name string) error {
	if err := spec.CheckName(name); err != nil {
		return usagef("%w; it names the results folder", err)
	}
	if !slices.Contains(propose.Tasks, o.task) {
		return usagef("unknown task %q%s", o.task, spec.Hint(o.task, propose.Tasks))
	}
	if (o.look.Label != "" || o.look.Header != nil) && o.path == "" {
		return usagef("--label and --header are for a file; name it with --data")
	}
	o.out = a.path(cmp.Or(o.out, name+".yaml"))
	return checkOutput(o.out)
}
