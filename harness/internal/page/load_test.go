package page

import (
	"context"
	"maps"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"stochopt/datasets"
	results "stochopt/harness/internal/experiment"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/run"
	"stochopt/harness/internal/spec"
	"stochopt/internal/record"

	"github.com/chromedp/chromedp"
	"gonum.org/v1/gonum/floats"
)

// BenchmarkLoad measures how long Chromium takes to load a page as large as that of all
// specs at the profile paper, and to draw its figures, and its size. With PAGE=FILE it
// measures that page.
func BenchmarkLoad(b *testing.B) {
	tab := openTab(b, 5*time.Minute)
	path := os.Getenv("PAGE")
	if path == "" {
		path = paperPage(b)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		b.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	loaded, painted, drawn := math.Inf(1), math.Inf(1), math.Inf(1)
	for b.Loop() {
		tab.do(chromedp.Navigate("file://" + path))
		tab.await(`performance.getEntriesByType("navigation")[0].loadEventEnd && performance.getEntriesByType("paint").length`)
		// Milliseconds from the start of navigation, the least of all rounds: other work on the
		// machine only adds to it.
		loaded = min(loaded, eval[float64](tab, `performance.getEntriesByType("navigation")[0].loadEventEnd`))
		drawn = min(drawn, eval[float64](tab, `new Promise((done) => {
			const look = () => document.querySelector(".panels:empty") ? setTimeout(look, 5) : done(performance.now());
			look();
		})`))
		painted = min(painted, eval[float64](tab, `performance.getEntriesByType("paint").at(-1).startTime`))
	}
	b.ReportMetric(float64(info.Size()), "bytes")
	b.ReportMetric(loaded, "ms-to-load")
	b.ReportMetric(painted, "ms-to-paint")
	b.ReportMetric(drawn, "ms-to-draw")
}

// paperPage makes the page of folders that have the runs of the profile paper, with at most
// three repeats, which no figure shows one by one. Their curves are like those of the
// reference records, with more points.
func paperPage(b *testing.B) string {
	b.Helper()
	const root = "../../../"
	references, err := filepath.Glob(root + "results/reference/*/" + results.ManifestFile)
	if err != nil || len(references) == 0 {
		b.Fatalf("no reference records: %v", err)
	}
	dir := b.TempDir()
	for _, r := range references {
		name := filepath.Base(filepath.Dir(r))
		s, err := spec.Load(root+"configs/"+name+".yaml", spec.LoadOptions{Profile: "paper", Catalog: registry.Catalog()})
		if err != nil {
			b.Fatal(err)
		}
		s.Repeats = min(s.Repeats, 3)
		fillFolder(b, filepath.Join(dir, name), s, filepath.Dir(r))
	}
	p, err := Collect([]string{dir}, Options{Made: time.Now(), Tool: results.ThisTool()})
	if err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(b.TempDir(), "report.html")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	if err := p.Write(f); err != nil {
		b.Fatal(err)
	}
	return path
}

// fillFolder writes a results folder of a spec with the curves of another.
func fillFolder(b *testing.B, dir string, s *spec.Spec, from string) {
	b.Helper()
	before, err := record.ReadDir(from)
	if err != nil {
		b.Fatal(err)
	}
	defer before.Close()
	type cell struct{ dataset, series string }
	like := make(map[cell][]record.Run)
	for _, r := range before.Runs {
		if r.Status == record.StatusFinished {
			like[cell{r.Dataset, r.Series}] = append(like[cell{r.Dataset, r.Series}], r)
			like[cell{"", r.Series}] = append(like[cell{"", r.Series}], r)
		}
	}
	p, err := plan.Build(context.Background(), s, func(ctx context.Context, e *spec.DatasetEntry) (*datasets.Data, error) {
		return registry.Open(ctx, e, datasets.Options{Offline: true, AllowStandIn: true, ForceStandIn: true})
	})
	if err != nil {
		b.Fatal(err)
	}
	store, err := record.Open(dir, record.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for i, it := range p.Items {
		r := run.Planned(it)
		same := like[cell{r.Dataset, r.Series}]
		if len(same) == 0 {
			same = like[cell{"", r.Series}]
		}
		if len(same) == 0 {
			continue // of a solver that the reference leaves out
		}
		of := same[i%len(same)]
		r.Status, r.Reason, r.Rows, r.Facts = of.Status, of.Reason, of.Rows, of.Facts
		r.Curve = stretched(of.Measured(), s.Record.Points, 1+0.01*float64(i%13))
		if err := store.Add(r, record.Timing{}); err != nil {
			b.Fatal(err)
		}
	}
	if err := store.Close(); err != nil {
		b.Fatal(err)
	}
	m := results.Manifest{Tool: results.ThisTool(), Spec: s.Name, Profile: "paper", Seed: s.Seed, Planned: len(p.Items)}
	for _, pr := range p.Problems {
		m.Datasets = append(m.Datasets, results.Dataset{ID: pr.Entry.ID, Title: pr.Data.Title, Hash: pr.Data.Hash})
	}
	if err := results.Describe(dir, s, m); err != nil {
		b.Fatal(err)
	}
}

// stretched repeats the points of a curve up to a number of points, and scales its metrics.
func stretched(c record.Curve, points int, scale float64) record.Curve {
	if c.Len() == 0 {
		return c
	}
	points = max(points, c.Len())
	if len(c.Mistakes) > 0 {
		scale = 1 // the errors are the numbers of mistakes
	}
	out := record.Curve{Cost: maps.Clone(c.Cost), Metrics: maps.Clone(c.Metrics), Vectors: c.Vectors}
	for name, values := range c.Cost {
		longer := repeated(values, points)
		for i := range longer {
			longer[i] = longer[i]*int64(points) + int64(i)
		}
		out.Cost[name] = longer
	}
	for split, metrics := range c.Metrics {
		out.Metrics[split] = maps.Clone(metrics)
		for name, values := range metrics {
			longer := repeated(values, points)
			floats.Scale(scale, longer)
			out.Metrics[split][name] = longer
		}
	}
	if len(c.Spectrum) > 0 {
		out.Spectrum = repeated(c.Spectrum, points)
	}
	if len(c.Mistakes) > 0 {
		out.Mistakes = repeated(c.Mistakes, points)
	}
	return out
}

func repeated[T any](values []T, points int) []T {
	out := make([]T, points)
	for i := range out {
		out[i] = values[i*len(values)/points]
	}
	return out
}
