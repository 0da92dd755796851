package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"stochopt/datasets"
	"stochopt/harness/internal/model"
	"stochopt/harness/internal/seed"
	"stochopt/harness/internal/spec"
	"stochopt/results/words"

	"github.com/spf13/cobra"
)

// rolePredict names the stream of the randomised rule.
const rolePredict = "predict"

type predictOptions struct {
	data          dataOptions
	format        string
	label         string
	labelFile     string
	part, variant string
	labels        bool
	randomised    bool
	seed          uint64
	prepared      bool
	out           string
}

func newPredict(a *app) *cobra.Command {
	o := &predictOptions{}
	cmd := &cobra.Command{
		Use:   "predict MODEL DATA",
		Short: "Apply a model to data: a decision value a line",
		Long: `Predict writes g(x) for each row x of DATA, a line each: it is above 0 where the
model says its positive class. If the data have labels, the error goes to
stderr; a decision value of 0 counts as an error. DATA is a file, plain, gzip or
bzip2, or the name of a known dataset, of which --part is taken, and the variant that the
model was trained on if --variant does not name another.

Give raw rows, as in training: they are prepared with the numbers that the model
holds. --prepared says that they are prepared already. (A model of an older stochopt
holds none: then only the known dataset that it was trained on can be prepared, and data
where each row is prepared by itself.) The columns of a CSV file are found by the names
in its header, and the column of the labels may be there or not. Labels that were texts
in training are written as texts.`,
		Example: `  stochopt model predict adult-100.model.json adult
  stochopt model predict results/small/models/best.model.json new.csv --labels -o labels.txt`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return fmt.Errorf("want a model file and data, got %d arguments", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, a, args[0], args[1]) },

		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) != 1 {
				return nil, cobra.ShellCompDirectiveDefault
			}
			return datasetNames(), cobra.ShellCompDirectiveDefault // or a file
		},
	}
	o.data.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "", "format of a file, if its name does not tell: libsvm, csv, idx")
	f.StringVar(&o.label, "label", "", "column of a csv file that holds the label: its name or number")
	f.StringVar(&o.labelFile, "label-file", "", "file of labels of an idx file")
	f.StringVar(&o.part, "part", "test", "part of a known dataset: train, test or all")
	f.StringVar(&o.variant, "variant", "", "variant of a known dataset")
	f.BoolVar(&o.labels, "labels", false, "write labels as in the training data instead of decision values; a model of one label against all others writes 1 and -1, or for texts such as dog and not dog")
	f.BoolVar(&o.randomised, "randomised", false, "add a number drawn uniformly from [-1/2, 1/2] to each decision value (the randomised rule of Cotter 2013, section 3.3)")
	f.Uint64Var(&o.seed, "seed", 0, "root of the random numbers of --randomised")
	f.BoolVar(&o.prepared, "prepared", false, "the data are already prepared as the training data of the model were")
	f.StringVarP(&o.out, "output", "o", "", "file to write in place of stdout")
	completeFlag(cmd, "format", "libsvm", "csv", "idx")
	completeFlag(cmd, "part", "train", "test", "all")
	return cmd
}

func (o *predictOptions) run(cmd *cobra.Command, a *app, modelPath, source string) error {
	ctx := cmd.Context()
	if cmd.Flags().Changed("seed") && !o.randomised {
		return usagef("--seed is for --randomised; decision values are not random")
	}
	if o.out != "" {
		if err := checkOutput(o.out); err != nil {
			return err
		}
	}
	m, err := model.Read(modelPath)
	if err != nil {
		return usage(err)
	}
	if m.Provenance.StandIn {
		fmt.Fprintf(a.err, "warning: %s was trained on STAND-IN DATA\n", modelPath)
	}
	ref, err := o.ref(cmd, source)
	if err != nil {
		return err
	}
	data, err := o.open(ctx, a, m, modelPath, ref)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return usage(o.explained(ref, err))
	}
	if data.Table == nil {
		return usagef("%s is a distribution and has no rows to predict", source)
	}
	if d := data.Table.D; d < m.Features && o.isCSV(ref) {
		return usagef("%s: the data have %d features, but the model %d; a column is missing", source, d, m.Features)
	}
	decisions, err := m.Decisions(ctx, data.Table)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if ref.Path != "" && data.Table.Labels == nil && data.Table.D == m.Features+1 {
			err = fmt.Errorf("%w; if a column is the label, name it with --label", err)
		}
		return usage(fmt.Errorf("%s: %w", source, err))
	}
	scores := decisions
	if o.randomised {
		scores = model.Randomised(decisions, seed.Stream(o.seed, data.Hash, "", 0, rolePredict))
	}
	text := o.text(m, scores)
	if o.out != "" {
		if err := writeOutput(o.out, []byte(text)); err != nil {
			return err
		}
	} else if _, err := fmt.Fprint(a.out, text); err != nil {
		return err
	}
	o.judge(a, m, data, decisions, scores)
	return nil
}

// ref returns what data are meant: a file that is there, or a known dataset.
func (o *predictOptions) ref(cmd *cobra.Command, source string) (datasets.Ref, error) {
	reject := func(what string, flags ...string) error {
		for _, name := range flags {
			if cmd.Flags().Changed(name) {
				return usagef("--%s is for %s", name, what)
			}
		}
		return nil
	}
	known := slices.Contains(datasetNames(), source)
	if info, err := os.Stat(source); err == nil && !info.IsDir() {
		if o.format == "" && datasets.FormatOf(source) == "" {
			return datasets.Ref{}, usagef("the name of %s does not tell its format: give --format libsvm, csv or idx", source)
		}
		ref := datasets.Ref{Path: source, Format: o.format, Label: o.label}
		switch {
		case o.labelFile != "":
			ref.With = map[string]any{"labels": o.labelFile}
		case o.isCSV(ref):
			if c, err := datasets.Delimiter(source); err == nil && c != 0 {
				ref.With = map[string]any{"delimiter": string(c)}
			}
		}
		return ref, reject("a known dataset, and "+source+" is a file", "part", "variant")
	} else if !known {
		if slices.Contains(datasets.Sources(), source) {
			return datasets.Ref{}, usagef("%s generates data, and predict takes rows that there are; name a file or one of %s", source, strings.Join(datasetNames(), ", "))
		}
		return datasets.Ref{}, usagef("there is no file %s, and no known dataset of that name%s", source, spec.Hint(source, datasetNames()))
	}
	ref := datasets.Ref{Source: source, With: map[string]any{"part": o.part}}
	if o.variant != "" {
		ref.With["variant"] = o.variant
	}
	return ref, reject("a file, and "+source+" is a known dataset", "format", "label", "label-file")
}

// isCSV reports whether data are a CSV file.
func (o *predictOptions) isCSV(ref datasets.Ref) bool {
	return ref.Path != "" && cmp.Or(o.format, datasets.FormatOf(ref.Path)) == "csv"
}

// explained says what to do about data that cannot be opened for predict.
func (o *predictOptions) explained(ref datasets.Ref, err error) error {
	var syntax *datasets.SyntaxError
	switch {
	case errors.Is(err, datasets.ErrMissing):
		return fmt.Errorf("dataset %s: %w", ref.Source, noSpec(err))
	case errors.Is(err, datasets.ErrFeatures) && ref.Label == "" && o.isCSV(ref):
		return fmt.Errorf("%w; if a column is the label, name it with --label", err)
	case ref.Path != "" && !o.isCSV(ref) && errors.As(err, &syntax) && strings.HasPrefix(syntax.Msg, "label"):
		return fmt.Errorf("%w; in rows without a label put 0 first", syntax)
	case errors.As(err, &syntax):
		return syntax // it names the file and the line
	}
	return err
}

// text returns the lines to write.
func (o *predictOptions) text(m *model.Model, scores []float64) string {
	var out strings.Builder
	for _, g := range scores {
		line := words.Exact(g)
		if o.labels {
			line = words.Exact(m.Label(g))
			if text, ok := m.LabelText(g); ok {
				line = text
			}
		}
		out.WriteString(line + "\n")
	}
	return out.String()
}

// judge says how many rows are misclassified.
func (o *predictOptions) judge(a *app, m *model.Model, data *datasets.Data, decisions, scores []float64) {
	labels := data.Table.Labels
	if labels == nil {
		fmt.Fprintf(a.err, "%s; they have no labels to tell the error by\n", words.Count(len(scores), "row"))
		return
	}
	signs, err := m.Signs(labels)
	if err != nil {
		fmt.Fprintf(a.err, "%s; no error is known: %v\n", words.Count(len(scores), "row"), err)
		return
	}
	wrong := 0
	for i, g := range scores {
		if !(float64(signs[i]*g) > 0) {
			wrong++
		}
	}
	n := float64(len(scores))
	fmt.Fprintf(a.err, "error %s (%d of %s)\n", words.Percent(float64(wrong)/n), wrong, words.Count(len(scores), "row"))
	if o.randomised {
		fmt.Fprintf(a.err, "expected error of the randomised rule: %s\n", words.Percent(model.RandomisedError(signs, decisions)))
	}
}
