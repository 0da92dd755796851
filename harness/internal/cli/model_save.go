package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"stochopt/datasets"
	"stochopt/harness/internal/experiment"
	"stochopt/harness/internal/model"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/run"
	"stochopt/harness/internal/spec"
	"stochopt/results/analysis"
	"stochopt/results/record"
	"stochopt/results/words"

	"github.com/dustin/go-humanize"
)

// modelMaker saves the models of one experiment.
type modelMaker struct {
	app     *app
	plan    *plan.Plan
	derived *experiment.Derivation
	opt     run.Options
	open    plan.Opener
	// verbose: a line tells of each model as it is saved. told are these lines.
	verbose bool
	told    []string
}

// models saves the classifiers that a spec lists, those that there are already
// excepted. One that cannot be had does not keep the others from being saved; it
// returns a line on each model, and how many are lost.
func (o *runOptions) models(ctx context.Context, a *app, p *plan.Plan, d *experiment.Derivation) (told []string, lost int, err error) {
	if len(p.Spec.Models) == 0 || o.noModels {
		return nil, 0, nil
	}
	m := &modelMaker{app: a, plan: p, derived: d, open: o.data.opener(a), verbose: o.verbose, opt: run.Options{
		Dir: d.Folder.Dir, Tool: d.Folder.Manifest.Tool.String(), Workers: o.workers, Memory: o.bytes, Data: o.held,
		Warn: func(line string) { a.warn([]string{line}) }, External: o.leave,
	}}
	for i := range p.Spec.Models {
		entry := &p.Spec.Models[i]
		err := m.save(ctx, entry)
		if ctx.Err() != nil {
			return m.told, lost, ctx.Err()
		}
		if err != nil {
			lost++
			fmt.Fprintf(a.err, "%s: model %s: NOT SAVED: %v\n", p.Spec.Name, entry.ID, err)
		}
	}
	return m.told, lost, nil
}

// wanted is a model to be saved: where it comes from, and how to get it.
type wanted struct {
	item *plan.Item
	// provenance lacks what making it again tells: the iterations and the test
	// error, of the reference neither.
	provenance model.Provenance
	// input says how rows are read and prepared.
	input *datasets.Recipe
	// support is the number of vectors of the recorded classifier that it is at
	// least as large as. after and until are the iterations of those recorded
	// before and after it, 0 if there is none.
	support      int
	after, until int64
	get          func(ctx context.Context) (*model.Model, error)
}

// is reports whether a model is the one wanted.
func (w *wanted) is(old *model.Model) bool {
	p, q := old.Provenance, w.provenance
	if p.Iterations < w.after || w.until > 0 && p.Iterations > w.until {
		return false
	}
	p.Iterations, p.TestError = q.Iterations, q.TestError
	return p.Equal(q) && old.ReadsLike(w.input)
}

func (m *modelMaker) save(ctx context.Context, entry *spec.ModelEntry) error {
	want, err := m.choose(entry)
	if err != nil {
		return err
	}
	path := filepath.Join(m.opt.Dir, experiment.ModelFile(entry.ID))
	if old, err := model.Read(path); err == nil && want.is(old) {
		m.say(path, entry, old, "unchanged")
		return nil
	}
	made, err := m.remake(ctx, entry, want)
	if err != nil {
		return err
	}
	if err := model.Write(m.opt.Dir, experiment.ModelFile(entry.ID), made); err != nil {
		return err
	}
	m.say(path, entry, made, "saved")
	return nil
}

// remake performs the run of a model again.
func (m *modelMaker) remake(ctx context.Context, entry *spec.ModelEntry, want *wanted) (*model.Model, error) {
	fmt.Fprintf(m.app.err, "%s: model %s: performing its run again\n", m.plan.Spec.Name, entry.ID)
	made, err := want.get(ctx)
	if err != nil {
		return nil, err
	}
	if made.Support() < want.support {
		return nil, fmt.Errorf("performed again, the run has %d expansion vectors, but its record has %d; run with --fresh", made.Support(), want.support)
	}
	if made.Provenance.TestError != nil {
		want.provenance.TestError = made.Provenance.TestError
	}
	if want.provenance.Asked > 0 {
		want.provenance.Iterations = made.Provenance.Iterations
	}
	made.Provenance, made.Labels, made.Input = want.provenance, labelsOf(want.item.Problem.Entry), want.input
	if made.Labels.Negative == nil {
		made.Labels.Negative = m.otherLabel(ctx, want.item.Problem.Entry)
	}
	return made, nil
}

// again makes a model of the spec, be it saved or not.
func (m *modelMaker) again(ctx context.Context, entry *spec.ModelEntry) (*model.Model, error) {
	want, err := m.choose(entry)
	if err != nil {
		return nil, err
	}
	return m.remake(ctx, entry, want)
}

// say tells what a model is.
func (m *modelMaker) say(path string, entry *spec.ModelEntry, made *model.Model, state string) {
	p := made.Provenance
	text := words.Count(made.Support(), "expansion vector")
	if p.Asked > made.Support() {
		text = fmt.Sprintf("asked for at most %d, got %s", p.Asked, text)
	}
	switch {
	case p.TestError == nil:
		text += ", test error unknown (no test rows)"
	case p.ValidationError != nil:
		text += ", test error " + testErrorText(made)
	default:
		text += ", test error " + words.Percent(*p.TestError) + " (too low if these rows chose it)"
	}
	name := p.Model
	if entry.Series == spec.Best {
		name += " (" + p.Series + ")"
	}
	m.told = append(m.told, fmt.Sprintf("model %s: %s, %s", name, text, state))
	if m.verbose {
		fmt.Fprintf(m.app.out, "%s: %s -> %s\n", m.plan.Spec.Name, m.told[len(m.told)-1], path)
	}
}

// choose finds out what classifier a model is.
func (m *modelMaker) choose(entry *spec.ModelEntry) (*wanted, error) {
	switch {
	case entry.Series == spec.Reference:
		return m.reference(entry)
	case entry.Series == spec.Best && m.derived.Halved != nil && !m.runs(spec.Best, entry.Dataset):
		c := m.derived.Halved.Best(entry.Dataset, entry.Support, func(*analysis.HalvedCurve) bool { return true })
		if c == nil {
			return nil, fmt.Errorf("no series on %s has a classifier of at most %d expansion vectors in every repeat; ask for more", entry.Dataset, entry.Support)
		}
		best := *entry
		best.Series, entry = c.Series, &best
	}
	if err := m.anyClassifier(entry); err != nil {
		return nil, err
	}
	c, err := m.pick(entry)
	if err != nil {
		return nil, err
	}
	r, point := c.run, c.point
	i := slices.IndexFunc(m.plan.Items, func(it *plan.Item) bool { return it.ID.Key == r.Key })
	if i < 0 {
		return nil, errors.New("the run that it is made from is not in the spec; run the spec again")
	}
	w := &wanted{item: m.plan.Items[i], input: inputOf(m.plan.Items[i]), support: supportAt(r, point)}
	w.provenance = m.provenance(entry, w.item)
	p := &w.provenance
	p.Algorithm, p.AlgorithmVersion, p.Params = r.Algorithm, r.Version, r.Params
	p.Key, p.Extent, p.Asked = r.Key, r.Extent, entry.Support
	if c.validation != nil {
		p.ValidationError, p.TestRows = c.validation, r.Rows[record.SplitTest]
	}
	iterations := r.Measured().Cost["iterations"]
	if c.exact {
		w.after, w.until = iterations[point], iterations[point]
		w.get = func(ctx context.Context) (*model.Model, error) {
			return run.ClassifierOf(ctx, m.plan, w.item, iterations[point], m.opt)
		}
		return w, nil
	}
	// There may be larger ones between those on record.
	if point > 0 {
		w.after = iterations[point-1]
	}
	switch {
	case point+1 < len(iterations):
		w.until = iterations[point+1]
	case r.Status != record.StatusFinished:
		w.until = iterations[point] // the end is out of reach
	}
	w.get = func(ctx context.Context) (*model.Model, error) {
		return run.ClassifierUpTo(ctx, m.plan, w.item, entry.Support, w.until, m.opt)
	}
	return w, nil
}

// runs reports whether an entry of that label runs on a dataset.
func (m *modelMaker) runs(series, dataset string) bool {
	return slices.ContainsFunc(m.plan.Spec.Algorithms, func(a spec.AlgorithmEntry) bool {
		return a.Series() == series && a.RunsOn(dataset)
	})
}

// chosen is a recorded classifier that a model is made of.
type chosen struct {
	run   *record.Run
	point int
	// exact: the model is that very classifier, else the largest of the run that may be.
	exact bool
	// validation is the error that it was chosen by, nil if it was by test rows, or not at all.
	validation *float64
}

func (m *modelMaker) pick(entry *spec.ModelEntry) (c chosen, err error) {
	h := m.derived.Halved
	if h == nil {
		if c.run, err = m.only(entry); err == nil {
			c.point, err = largest(c.run, entry.Support)
		}
		return c, err
	}
	pick, err := h.Choose(entry.Dataset, entry.Series, entry.Support)
	c = chosen{run: &pick.Run, point: pick.Point, exact: h.Options.Validation || h.Options.Over == analysis.OverAny}
	if h.Options.Validation {
		c.validation = &pick.Score
	}
	return c, err
}

// only returns the run of a series on a dataset that there is without halvings: of
// the parameters that are selected, or the only ones, the first repeat.
func (m *modelMaker) only(entry *spec.ModelEntry) (*record.Run, error) {
	var first *record.Run
	selected := m.derived.Selection.Runs()
	for i := range selected {
		r := &selected[i]
		switch {
		case r.Dataset != entry.Dataset || r.Series != entry.Series || !r.HasClassifier():
		case first == nil:
			first = r
		case first.Params.String() != r.Params.String():
			return nil, fmt.Errorf("%s has several settings on %s, such as %s and %s, and nothing chooses between them: set select: {by: %s, …}", entry.Series, entry.Dataset, first.Params, r.Params, analysis.ByHalvings)
		case r.Repeat < first.Repeat:
			first = r
		}
	}
	if first == nil {
		return nil, fmt.Errorf("none of the runs of %s on %s could be selected; see its notes", entry.Series, entry.Dataset)
	}
	return first, nil
}

// largest returns the point of a run's record with the largest support that is at
// most so many, the latest of several.
func largest(r *record.Run, support int) (point int, err error) {
	point, least := -1, 0
	for i := range r.Points() {
		k := supportAt(r, i)
		if k > 0 && (least == 0 || k < least) {
			least = k
		}
		if k > 0 && k <= support && (point < 0 || k >= supportAt(r, point)) {
			point = i
		}
	}
	if point < 0 {
		return 0, fmt.Errorf("%s on %s has no classifier of at most %d expansion vectors; its smallest has %d", r.Series, r.Dataset, support, least)
	}
	return point, nil
}

// supportAt returns the number of expansion vectors at a point of a record.
func supportAt(r *record.Run, point int) int {
	return int(r.Measured().Metrics["state"]["support"][point])
}

// anyClassifier returns an error that says why if no run of a model's series has a
// classifier.
func (m *modelMaker) anyClassifier(entry *spec.ModelEntry) error {
	var why []string
	for i := range m.derived.Records.Runs {
		r := &m.derived.Records.Runs[i]
		if r.Dataset != entry.Dataset || r.Series != entry.Series {
			continue
		}
		if r.HasClassifier() {
			return nil
		}
		if text := r.Status + ": " + r.Reason; !slices.Contains(why, text) {
			why = append(why, text)
		}
	}
	if why == nil {
		return fmt.Errorf("there are no runs of %s on %s", entry.Series, entry.Dataset)
	}
	return fmt.Errorf("no run of %s on %s has a classifier with expansion vectors (%s)", entry.Series, entry.Dataset, strings.Join(why, "; "))
}

// reference returns the trained classifier that the runs on a dataset
// approximate; of several repeats it is that of the first.
func (m *modelMaker) reference(entry *spec.ModelEntry) (*wanted, error) {
	it, err := m.plan.ReferenceItem(entry.Dataset)
	if err != nil {
		return nil, err
	}
	w := &wanted{item: it, input: inputOf(it), provenance: m.provenance(entry, it)}
	p := &w.provenance
	p.Algorithm, p.AlgorithmVersion = "smo", registry.ReferenceVersion
	p.Params = it.Trained()
	p.Params["gap"] = registry.SparseReferenceGap
	for _, r := range m.derived.Records.Runs {
		if e, ok := r.Facts["reference_error"]; ok && r.Key == it.ID.Key {
			p.TestError = &e
		}
	}
	w.get = func(ctx context.Context) (*model.Model, error) {
		return run.ReferenceOf(ctx, m.plan, it, m.opt)
	}
	return w, nil
}

// provenance returns what all models of a run have in common.
func (m *modelMaker) provenance(entry *spec.ModelEntry, it *plan.Item) model.Provenance {
	data := it.Problem.Data
	return model.Provenance{
		Tool: m.opt.Tool, Spec: m.plan.Spec.Name, Model: entry.ID,
		Dataset: entry.Dataset, DatasetTitle: data.Title, DatasetHash: data.Hash, StandIn: data.StandIn,
		Source: it.Problem.Entry.Source, Variant: textOf(it.Problem.Entry.With, "variant"), Part: textOf(it.Problem.Entry.With, "part"),
		Split: it.Problem.Split, Train: it.Problem.TrainRows, Prepare: it.Problem.Entry.Prepare,
		Series: entry.Series, Seed: m.plan.Spec.Seed, Repeat: it.Repeat,
	}
}

// inputOf says how the rows of a run were read and prepared, nil if there is nothing to say.
func inputOf(it *plan.Item) *datasets.Recipe {
	r := it.Problem.Data.Recipe
	if r.Columns == nil && r.Classes == nil && r.Prepare == nil {
		return nil
	}
	return &r
}

// labelsOf returns the labels of the classes of a dataset; which the other one is of a
// class against the rest is to be found out.
func labelsOf(e *spec.DatasetEntry) model.Labels {
	if e.Positive != nil {
		return model.Labels{Positive: *e.Positive}
	}
	return model.Labels{Positive: 1, Negative: new(-1.0)}
}

// otherLabel returns the label of the rows of a dataset that are not of its positive
// class, nil if they have several.
func (m *modelMaker) otherLabel(ctx context.Context, e *spec.DatasetEntry) *float64 {
	raw := *e
	raw.Positive, raw.Prepare = nil, nil
	data, err := m.open(ctx, &raw)
	if err != nil || data.Table == nil {
		return nil // then it is not known
	}
	var other *float64
	for _, y := range data.Table.Labels {
		switch {
		case y == *e.Positive:
		case other == nil:
			other = &y
		case *other != y:
			return nil
		}
	}
	return other
}

// textOf returns a parameter of a source that is text, "" if it is not given.
func textOf(with map[string]any, name string) string {
	text, _ := with[name].(string)
	return text
}

// sizeOf returns the size of a file in words.
func sizeOf(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return "unknown"
	}
	return humanize.IBytes(uint64(info.Size()))
}
