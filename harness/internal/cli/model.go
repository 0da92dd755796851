package cli

import (
	"fmt"
	"strings"

	"stochopt/datasets"
	"stochopt/harness/internal/model"
	"stochopt/results/record"
	"stochopt/results/words"

	"github.com/spf13/cobra"
)

func newModels(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "model",
		Short: "Describe, apply and export saved classifiers",
		Long: `A model is a classifier that run has saved because its spec lists it under
models: a file RESULTS/models/<id>.model.json with the expansion vectors, their
coefficients, the bias, the kernel, and where it comes from.`,
		Args: cobra.NoArgs,
	}
	asJSON := false
	info := &cobra.Command{
		Use: "info MODEL", Short: "Describe a model", Args: exactlyOne("model file"),
		RunE: func(_ *cobra.Command, args []string) error { return a.modelInfo(args[0], asJSON) },
	}
	info.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	out := ""
	export := &cobra.Command{
		Use: "export MODEL -o FILE", Short: "Write a model in LIBSVM's text format, for svm-predict", Args: exactlyOne("model file"),
		Example: "  stochopt model export results/svm-sparse/models/adult-100.model.json -o adult.libsvm\n  svm-predict data adult.libsvm predictions",
		RunE:    func(_ *cobra.Command, args []string) error { return a.modelExport(args[0], out) },
	}
	export.Flags().StringVarP(&out, "output", "o", "", "file to write")
	cmd.AddCommand(info, newPredict(a), export)
	return cmd
}

// modelReport is what model info tells.
type modelReport struct {
	File       string           `json:"file"`
	Format     string           `json:"format"`
	Version    int              `json:"version"`
	Kernel     model.Kernel     `json:"kernel"`
	Features   int              `json:"features"`
	Support    int              `json:"support"`
	Bias       float64          `json:"bias"`
	Labels     model.Labels     `json:"labels"`
	Input      *datasets.Recipe `json:"input,omitempty"`
	Provenance model.Provenance `json:"provenance"`
}

func (a *app) modelInfo(path string, asJSON bool) error {
	m, err := model.Read(path)
	if err != nil {
		return usage(err)
	}
	if asJSON {
		return printJSON(a.out, modelReport{path, model.Format, m.Version(), m.Kernel, m.Features, m.Support(), m.Bias, m.Labels, m.Input, m.Provenance})
	}
	p := m.Provenance
	line := func(name, format string, args ...any) {
		if text := fmt.Sprintf(format, args...); strings.TrimSpace(text) != "" {
			fmt.Fprintf(a.out, "%-10s %s\n", name, text)
		}
	}
	line("file", "%s (%s, format version %d)", path, sizeOf(path), m.Version())
	line("kernel", "%s", m.Kernel)
	line("features", "%d%s", m.Features, columnsText(m))
	support := words.Count(m.Support(), "expansion vector")
	if p.Asked > 0 {
		support += fmt.Sprintf(" (at most %d were asked for)", p.Asked)
	}
	line("support", "%s", support)
	line("bias", "%v", m.Bias)
	line("labels", "%s", labelsText(m))
	data := p.Dataset
	if p.DatasetTitle != "" {
		data += ": " + p.DatasetTitle
	}
	if p.StandIn {
		data += " (STAND-IN DATA)"
	}
	line("data", "%s", data)
	line("hash", "%s", p.DatasetHash)
	line("split", "%s", p.Split)
	if p.Train > 0 {
		line("trained on", "%s", words.Count(p.Train, "point"))
	}
	prepared := strings.Join(p.Prepare, ", ")
	if m.Input == nil && !byRow(p.Prepare) {
		prepared += " (by numbers that the file does not hold)"
	}
	line("prepared", "%s", prepared)
	if p.Algorithm != "" {
		line("made by", "%s (%s, version %d), %s", p.Series, p.Algorithm, p.AlgorithmVersion, record.Params(p.Params))
	}
	if p.Spec != "" {
		line("experiment", "%s, model %s, seed %d, repeat %d", p.Spec, p.Model, p.Seed, p.Repeat)
	}
	line("run", "%s", strings.TrimSpace(p.Key+" "+p.Extent))
	if p.Iterations > 0 {
		line("iterations", "%d", p.Iterations)
	}
	if p.TestError != nil {
		line("test error", "%s", testErrorText(m))
	}
	if p.ValidationError != nil {
		line("validation", "%s, by which it was chosen", words.Percent(*p.ValidationError))
	}
	line("tool", "%s", p.Tool)
	return nil
}

// testErrorText says what the test error is of.
func testErrorText(m *model.Model) string {
	p := m.Provenance
	text := words.Percent(*p.TestError)
	switch {
	case p.ValidationError != nil:
		return text + fmt.Sprintf(", on %s that chose nothing", words.Count(int(p.TestRows), "test row"))
	case p.Asked > 0: // not the reference
		return text + ", on the test split, by which it may have been chosen"
	}
	return text + ", on the test split"
}

// columnsText names the columns of a CSV file that are the features.
func columnsText(m *model.Model) string {
	if m.Input == nil || m.Input.Columns == nil {
		return ""
	}
	names := m.Input.Columns
	text := ": " + words.Quoted(names[:min(len(names), shownColumns)])
	if more := len(names) - shownColumns; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// shownColumns is how many columns a line lists.
const shownColumns = 12

func labelsText(m *model.Model) string {
	name := func(g, label float64) string {
		text := words.Exact(label)
		if word, ok := m.LabelText(g); ok {
			text = fmt.Sprintf("%s (%s)", word, text)
		}
		return text
	}
	l := m.Labels
	if l.Negative == nil {
		return fmt.Sprintf("%s where g(x) > 0, against all others", name(1, l.Positive))
	}
	return fmt.Sprintf("%s where g(x) > 0, else %s", name(1, l.Positive), name(-1, *l.Negative))
}

func (a *app) modelExport(path, out string) error {
	if out == "" {
		return usagef("no file to write is given; name it with -o FILE")
	}
	if err := checkOutput(out); err != nil {
		return err
	}
	m, err := model.Read(path)
	if err != nil {
		return usage(err)
	}
	var text strings.Builder
	if err := model.ExportLIBSVM(&text, m); err != nil {
		return usage(fmt.Errorf("%s: %w", path, err))
	}
	if err := writeOutput(out, []byte(text.String())); err != nil {
		return err
	}
	fmt.Fprintf(a.err, "%s: %s in LIBSVM's format\n", out, words.Count(m.Support(), "vector"))
	if l := m.Labels; l.Negative == nil {
		fmt.Fprintf(a.err, "warning: the classes are called 1 and -1, for the label %v and all others: the accuracy that svm-predict tells means nothing unless the data's labels are 1 and -1\n", l.Positive)
	} else if !model.LIBSVMLabels(m) {
		fmt.Fprintf(a.err, "warning: the classes are called 1 and -1, as LIBSVM takes integers: the accuracy that svm-predict tells means nothing for data with the labels %v and %v\n", l.Positive, *l.Negative)
	}
	if steps := m.Provenance.Prepare; len(steps) > 0 {
		fmt.Fprintf(a.err, "warning: the model is for data prepared by %s\n", strings.Join(steps, ", "))
	}
	return nil
}
