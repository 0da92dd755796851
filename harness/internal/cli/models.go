package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"stochopt/harness/internal/model"
	"stochopt/harness/internal/output"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/run"
	"stochopt/harness/internal/spec"
	"stochopt/results"

	"github.com/dustin/go-humanize"
)

// modelMaker saves the models of one experiment.
type modelMaker struct {
	app  *app
	plan *plan.Plan
	dir  string
	tool output.Tool
	opt  run.Options

	experiment *results.Experiment
	halved     *results.Halved
}

// models saves the classifiers that a spec lists, those that there are already
// excepted. One that cannot be had does not keep the others from being saved; it
// returns how many there are of them.
func (o *runOptions) models(ctx context.Context, a *app, p *plan.Plan, dir string, tool output.Tool, memory int64) (lost int, err error) {
	if len(p.Spec.Models) == 0 || o.noModels {
		return 0, nil
	}
	e, err := results.ReadDir(dir)
	if err != nil {
		return 0, usage(err)
	}
	m := &modelMaker{
		app: a, plan: p, dir: dir, tool: tool, experiment: e,
		opt: run.Options{Dir: dir, Tool: tool.String(), Workers: o.workers, Memory: memory, Warn: func(line string) { fmt.Fprintln(a.err, "warning:", line) }},
	}
	for i := range p.Spec.Models {
		entry := &p.Spec.Models[i]
		err := m.save(ctx, entry)
		if ctx.Err() != nil {
			return lost, ctx.Err()
		}
		if err != nil {
			lost++
			fmt.Fprintf(a.err, "%s: model %s: NOT SAVED: %v\n", p.Spec.Name, entry.ID, err)
		}
	}
	return lost, nil
}

// wanted is a model to be saved: where it comes from, and how to get it.
type wanted struct {
	item       *plan.Item
	provenance model.Provenance
	support    int // 0: as many as there are
	get        func(ctx context.Context) (*run.Classifier, error)
}

func (m *modelMaker) save(ctx context.Context, entry *spec.ModelEntry) error {
	want, err := m.choose(entry)
	if err != nil {
		return err
	}
	path := filepath.Join(m.dir, output.ModelFile(entry.ID))
	if old, err := model.Read(path); err == nil && old.Provenance.Equal(want.provenance) {
		m.say(path, old, "unchanged")
		return nil
	}
	fmt.Fprintf(m.app.err, "%s: model %s: performing its run again\n", m.plan.Spec.Name, entry.ID)
	c, err := want.get(ctx)
	if err != nil {
		return err
	}
	if want.support > 0 && len(c.Coef) != want.support {
		return fmt.Errorf("performed again, the run has %d expansion vectors where its record has %d; run with --fresh", len(c.Coef), want.support)
	}
	made, err := newModel(want, c)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("cannot write the model: %w", err)
	}
	if err := model.Write(path, made); err != nil {
		return err
	}
	m.say(path, made, "saved")
	return nil
}

// say tells what a model is.
func (m *modelMaker) say(path string, made *model.Model, state string) {
	text := plural(made.Support(), "expansion vector")
	if e := made.Provenance.TestError; e != nil {
		text += fmt.Sprintf(", test error %.4g", *e)
	}
	fmt.Fprintf(m.app.out, "%s: model %s: %s, %s -> %s\n", m.plan.Spec.Name, made.Provenance.Model, text, state, path)
}

// choose finds out what classifier a model is.
func (m *modelMaker) choose(entry *spec.ModelEntry) (*wanted, error) {
	if entry.Series == spec.Reference {
		return m.reference(entry)
	}
	if m.halved == nil {
		s := m.plan.Spec
		h, err := results.Halve(m.experiment.Runs, results.HalvingOptions{Count: s.Select.Halvings, Seed: s.Seed, Tune: s.Select.Tune})
		if err != nil {
			return nil, err
		}
		m.halved = h
	}
	pick, err := m.halved.Choose(entry.Dataset, entry.Series, entry.Support)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(m.plan.Items, func(it *plan.Item) bool { return it.ID.Key == pick.Run.Key })
	if i < 0 {
		return nil, errors.New("the run that it would be made of is not among those of the spec; run the spec anew")
	}
	w := &wanted{item: m.plan.Items[i], support: pick.Support}
	iterations := pick.Run.Curve.Cost["iterations"][pick.Point]
	w.provenance = m.provenance(entry, w.item)
	p := &w.provenance
	p.Algorithm, p.AlgorithmVersion, p.Params = pick.Run.Algorithm, pick.Run.Version, pick.Run.Params
	p.Key, p.Extent, p.Iterations, p.TestError = pick.Run.Key, pick.Run.Extent, iterations, &pick.Error
	w.get = func(ctx context.Context) (*run.Classifier, error) {
		return run.ClassifierOf(ctx, m.plan, w.item, iterations, m.opt)
	}
	return w, nil
}

// reference returns the trained classifier that the runs on a dataset
// approximate; of several repeats it is that of the first.
func (m *modelMaker) reference(entry *spec.ModelEntry) (*wanted, error) {
	it, err := m.plan.ReferenceItem(entry.Dataset)
	if err != nil {
		return nil, err
	}
	w := &wanted{item: it, provenance: m.provenance(entry, it)}
	p := &w.provenance
	p.Algorithm, p.AlgorithmVersion = "smo", registry.ReferenceVersion
	p.Params = it.Trained()
	p.Params["gap"] = registry.SparseReferenceGap
	for _, r := range m.experiment.Runs {
		if e, ok := r.Facts["reference_error"]; ok && r.Key == it.ID.Key {
			p.TestError = &e
		}
	}
	w.get = func(ctx context.Context) (*run.Classifier, error) {
		return run.ReferenceOf(ctx, m.plan, it, m.opt)
	}
	return w, nil
}

// provenance returns what all models of a run have in common.
func (m *modelMaker) provenance(entry *spec.ModelEntry, it *plan.Item) model.Provenance {
	data := it.Problem.Data
	return model.Provenance{
		Tool: m.tool.String(), Spec: m.plan.Spec.Name, Model: entry.ID,
		Dataset: entry.Dataset, DatasetTitle: data.Title, DatasetHash: data.Hash, StandIn: data.StandIn,
		Split: it.Problem.Split, Train: it.Problem.TrainRows, Prepare: it.Problem.Entry.Prepare,
		Series: entry.Series, Seed: m.plan.Spec.Seed, Repeat: it.Repeat,
	}
}

// newModel makes a model of a classifier.
func newModel(w *wanted, c *run.Classifier) (*model.Model, error) {
	kern, err := model.NewKernel(c.Kernel)
	if err != nil {
		return nil, err
	}
	minus := -1.0
	labels := model.Labels{Positive: 1, Negative: &minus}
	if positive := w.item.Problem.Entry.Positive; positive != nil {
		labels = model.Labels{Positive: *positive}
	}
	m := &model.Model{Kernel: kern, Features: c.Dim, Labels: labels, Provenance: w.provenance, Bias: c.Bias, Coefficients: c.Coef}
	for _, v := range c.Vectors {
		own := model.Vector{Values: v.Values}
		for _, j := range v.Indices {
			own.Indices = append(own.Indices, j+1)
		}
		m.Vectors = append(m.Vectors, own)
	}
	return m, nil
}

// sizeOf returns the size of a file in words.
func sizeOf(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return "unknown"
	}
	return humanize.IBytes(uint64(info.Size()))
}
