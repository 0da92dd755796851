package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/spec"
	"stochopt/internal/words"

	"github.com/spf13/cobra"
)

type newOptions struct {
	data   dataOptions
	memory memoryOptions
	task   string
	path   string
	label  string
	header string
	out    string
}

// newTasks are the tasks that there are templates of.
var newTasks = []string{registry.TaskSVM, registry.TaskSparse, registry.TaskPCA}

func newNew(a *app) *cobra.Command {
	o := &newOptions{}
	cmd := &cobra.Command{
		Use:   "new NAME",
		Short: "Look at your data and write a spec for them",
		Long: `New inspects a file (CSV, LIBSVM or IDX, plain or compressed), reports what it found,
and writes NAME.yaml: a commented spec of a sweep over the data that takes seconds. For a
longer sweep, raise the rows, the budget and the repeats in that file.
New asks nothing and overwrites nothing.

Without --data the spec is of a built-in data set. Labels may be texts in a CSV file;
those of more than two classes become one class against the rest.`,
		Example: `  stochopt new my-sweep --task svm --data mine.csv
  stochopt new small --task svm-sparse --data mine.csv --label class
  stochopt new first --task pca`,
		Args: exactlyOne("name"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), a, args[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&o.task, "task", registry.TaskSVM, "what to do: svm (train kernel SVMs), "+
		"svm-sparse (SVMs of few support vectors) or pca")
	f.StringVar(&o.path, "data", "", "file of the data; by default a built-in data set")
	f.StringVar(&o.label, "label", "", "column of a CSV file that holds the labels, by name or number, or none; "+
		"or the file of the labels of an IDX file (default: the likeliest)")
	f.StringVar(&o.header, "header", "", "true or false: whether the first line of a CSV file names the columns "+
		"(default: its content decides)")
	f.StringVarP(&o.out, "output", "o", "", "file to write (default: NAME.yaml)")
	o.data.flags(cmd)
	o.memory.flags(cmd)
	return cmd
}

func (o *newOptions) run(ctx context.Context, a *app, name string) error {
	if err := o.check(a, name); err != nil {
		return err
	}
	s, err := o.look(ctx, a)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return usage(err)
	}
	s.Name, s.File, s.Command = name, shown(o.out), o.command(name)
	for _, line := range s.Saw {
		fmt.Fprintln(a.out, strings.Join(words.Wrap(line, commentWidth, "  "), "\n"))
	}
	text, p, err := s.plan(ctx, a, o)
	if err != nil {
		return err
	}
	if err := createOutput(o.out, text); err != nil {
		return err
	}
	rows := ""
	if s.Subset != nil {
		rows = fmt.Sprintf(" on %d of %d rows (remove subset for all)", s.kept, s.Rows)
	}
	fmt.Fprintf(a.out, "%s: %d runs%s; next: stochopt run %s\n", o.out, len(p.Items), rows, o.out)
	return nil
}

func (o *newOptions) check(a *app, name string) error {
	if err := spec.CheckName(name); err != nil {
		return usagef("%w; it names the results folder", err)
	}
	if !slices.Contains(newTasks, o.task) {
		return usagef("unknown task %q%s", o.task, spec.Hint(o.task, newTasks))
	}
	if o.label != "" && o.path == "" {
		return usagef("--label %q is for a file; name it with --data", o.label)
	}
	if o.header != "" && o.path == "" {
		return usagef("--header %q is for a file; name it with --data", o.header)
	}
	if !slices.Contains([]string{"", "true", "false"}, o.header) {
		return usagef("--header %q: want true or false", o.header)
	}
	if _, err := o.memory.bytes(); err != nil {
		return err
	}
	o.data.memory = o.memory
	if o.out == "" {
		o.out = name + ".yaml"
	}
	o.out = a.path(o.out)
	if err := checkOutput(o.out); err != nil {
		return err
	}
	if _, err := os.Lstat(o.out); err == nil {
		return existsError(o.out)
	}
	return nil
}

func existsError(path string) error {
	return usagef("%s is there already, and is not overwritten; name another file with -o, or remove it", path)
}

// createOutput writes a file that is not there yet.
func createOutput(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return existsError(path)
	}
	if err == nil {
		_, err = f.Write(data)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return usagef("cannot write %s: %w; name another file with -o", path, cause(err))
	}
	return nil
}

// command is what was asked for, as a comment says it.
func (o *newOptions) command(name string) string {
	text := fmt.Sprintf("Written by `stochopt new %s --task %s", name, o.task)
	if o.path != "" {
		text += " --data " + shown(o.path)
	}
	if o.label != "" {
		text += " --label " + shown(o.label)
	}
	if o.header != "" {
		text += " --header " + o.header
	}
	return text + "`."
}

// shown is a name as it is in a comment: in quotes where it is not plain.
func shown(name string) string {
	if name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789./_-") == "" {
		return name
	}
	return fmt.Sprintf("%q", name)
}

// plan renders the spec and plans it, as run does: what new writes is valid.
func (s *sweep) plan(ctx context.Context, a *app, o *newOptions) ([]byte, *plan.Plan, error) {
	text, err := s.render()
	if err != nil {
		return nil, nil, err
	}
	parsed, err := spec.Parse(o.out, text, spec.LoadOptions{Catalog: registry.Catalog()})
	if err == nil {
		err = plan.Check(parsed)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("the spec that was made is not valid: %w", err)
	}
	p, err := plan.Build(ctx, parsed, o.data.opener(a))
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return text, p, usage(err)
}
