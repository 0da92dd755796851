package cli

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"stochopt/datasets"
	"stochopt/harness/internal/model"
	"stochopt/results/words"
)

// rowSteps are the preparation steps that prepare each row by itself, whatever the
// others are.
var rowSteps = []string{"unit-norm"}

// byRow reports whether steps are all of that kind.
func byRow(steps []string) bool {
	return !slices.ContainsFunc(steps, func(s string) bool { return !slices.Contains(rowSteps, s) })
}

// open opens the data for a model, prepared as those that it was trained on.
func (o *predictOptions) open(ctx context.Context, a *app, m *model.Model, modelPath string, ref datasets.Ref) (*datasets.Data, error) {
	p := &m.Provenance
	trained := ref.Source != "" && ref.Source == p.Source
	if trained && o.variant == "" && p.Variant != "" {
		ref.With["variant"] = p.Variant
		fmt.Fprintf(a.err, "%s: the variant %s, which the model was trained on; --variant names another\n", ref.Source, p.Variant)
	}
	if m.Input != nil {
		like := *m.Input
		if o.prepared {
			like.Prepare = nil
		}
		ref.Like = &like
		return o.openLike(ctx, a, m, ref)
	}
	switch { // a file of version 1, or nothing to say
	case o.prepared || len(p.Prepare) == 0:
	case byRow(p.Prepare):
		ref.Prepare = p.Prepare
	case !trained:
		return nil, o.unprepared(m, modelPath)
	default:
		return o.openTrained(ctx, a, m, modelPath, ref)
	}
	return datasets.Open(ctx, ref, o.data.options(a))
}

// openLike opens data to be read and prepared as the model says, and tells what was done.
func (o *predictOptions) openLike(ctx context.Context, a *app, m *model.Model, ref datasets.Ref) (*datasets.Data, error) {
	data, err := datasets.Open(ctx, ref, o.data.options(a))
	if err != nil {
		return nil, err
	}
	name := cmp.Or(ref.Path, ref.Source)
	if ref.Path != "" && m.Input.Columns != nil && data.Recipe.Columns == nil {
		fmt.Fprintf(a.err, "%s: no header: its columns are taken for those of training, in their order\n", name)
	}
	if len(data.Ignored) > 0 {
		fmt.Fprintf(a.err, "%s: left out, as the model does not know them: %s\n", name, words.Quoted(data.Ignored))
	}
	if steps := ref.Like.Prepare; len(steps) > 0 {
		fmt.Fprintf(a.err, "%s: prepared by %s, as in training\n", name, strings.Join(m.Provenance.Prepare, ", "))
	}
	return data, nil
}

// unprepared explains that the statistics are not known which the data would have
// to be prepared with.
func (o *predictOptions) unprepared(m *model.Model, modelPath string) error {
	p := &m.Provenance
	data := cmp.Or(p.DatasetTitle, p.Dataset)
	text := fmt.Sprintf("%s: the model was trained on data prepared by %s, with numbers that come from all rows of what it was trained on (%s) and that it does not hold, as an older stochopt saved it; raw data would be misjudged. Save it anew with run, or prepare the data with the same numbers and give --prepared, which trusts you that they are",
		modelPath, strings.Join(p.Prepare, ", "), data)
	if slices.Contains(datasetNames(), p.Source) {
		name := p.Source
		if p.Variant != "" {
			name += ", of the variant " + p.Variant
		}
		text += fmt.Sprintf("; or name %s, which is prepared as in training", name)
	}
	return usagef("%s", text)
}

// openTrained opens the known dataset that a model was trained on, prepared with
// the statistics of the rows that were read then, and returns the part asked for.
func (o *predictOptions) openTrained(ctx context.Context, a *app, m *model.Model, modelPath string, ref datasets.Ref) (*datasets.Data, error) {
	p := &m.Provenance
	whole := ref
	whole.With, whole.Prepare = maps.Clone(ref.With), p.Prepare
	whole.With["part"] = "all"
	if p.Part != "" {
		whole.With["part"] = p.Part
	}
	var data *datasets.Data
	// Labels that were 1 and -1 may or may not have been made binary.
	for _, positive := range []*float64{nil, &m.Labels.Positive} {
		whole.Positive = positive
		d, err := datasets.Open(ctx, whole, o.data.options(a))
		if err != nil {
			return nil, err
		}
		if d.Hash == p.DatasetHash {
			data = d
			break
		}
	}
	if data == nil {
		return nil, o.unprepared(m, modelPath)
	}
	if o.part != "all" {
		lo, hi, err := data.Part(o.part)
		if err != nil {
			return nil, usagef("%s: the model was trained on the part %s, and prepared with it alone: %v", modelPath, p.Part, err)
		}
		data.Table = data.Table.Slice(lo, hi)
	}
	if whole.Positive != nil {
		// The labels are +1 and -1; the model's are those of the dataset.
		labels := slices.Clone(data.Table.Labels)
		for i, y := range labels {
			switch {
			case y > 0:
				labels[i] = m.Labels.Positive
			case m.Labels.Negative != nil:
				labels[i] = *m.Labels.Negative
			default:
				labels[i] = m.Labels.Positive - 1 // any other
			}
		}
		data.Table.Labels = labels
	}
	fmt.Fprintf(a.err, "%s: prepared by %s, as in training\n", ref.Source, strings.Join(p.Prepare, ", "))
	return data, nil
}
