package plots

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"stochopt/results"
)

// scenes are figures and records that between them use every feature.
func scenes() map[string]struct {
	fig Figure
	in  Input
} {
	type scene = struct {
		fig Figure
		in  Input
	}
	return map[string]scene{
		"efficiency": {figEfficiency, Input{Runs: efficiency(16, true), Profile: "quick"}},
		"iterations": {figIterations, Input{Runs: simulated(1), Title: "Simulated data", Profile: "quick"}},
		"runtime":    {figRuntime, Input{Runs: simulated(5), Profile: "quick"}},
		"real":       {figReal, Input{Runs: realData(5, false), Profile: "paper", Notes: []string{"c chosen on validation"}}},
		"zeros": {
			Figure{ID: "zeros", Panel: Panel{Log: []string{"x", "y"}, Where: map[string]any{"k": 4}}, Panels: []Panel{{}, {Y: "objective"}, {X: "sum_kt2", Band: BandRuns, Log: []string{"y"}}}},
			Input{Runs: withZeros(realData(3, true)), Title: strings.Repeat("A really long title that goes on. ", 6)},
		},
		"long": {
			Figure{ID: "long", Panel: Panel{Band: BandMinMax}, Panels: []Panel{{}, {Y: "rank"}}, Facet: Facet{Rows: "k"}},
			Input{Runs: longRuns()},
		},
		"many":   {Figure{ID: "many", Facet: Facet{Rows: "series", Cols: "k"}, Panel: Panel{Log: []string{"x", "y"}}, Color: "dataset"}, Input{Runs: realData(2, false)}},
		"swept":  {Figure{ID: "swept", Panel: Panel{Log: []string{"y"}}}, Input{Runs: realData(2, false)}},
		"points": {Figure{ID: "points", Panel: Panel{Log: []string{"y"}, Where: map[string]any{"k": 1}}}, Input{Runs: onePoint(realData(2, false))}},
		"empty":  {Figure{ID: "empty"}, Input{}},
	}
}

func withZeros(runs []results.Run) []results.Run {
	for i := range runs {
		if runs[i].Series != "saa" {
			continue
		}
		s := runs[i].Curve.Metrics["test"]["suboptimality"]
		for j := 60; j < len(s); j++ {
			s[j] = -1e-17 * float64(j%2)
		}
	}
	return runs
}

func longRuns() []results.Run {
	var runs []results.Run
	for r := range 2 {
		runs = append(runs, synth{series: "msg", dataset: "mnist", repeat: r, points: 30000, last: 1000000, rate: .4, rank: 8, params: results.Params{"k": int64(4)}}.run())
	}
	return runs
}

func onePoint(runs []results.Run) []results.Run {
	for i := range runs {
		c := &runs[i].Curve
		for name, v := range c.Cost {
			c.Cost[name] = v[50:51]
		}
		for _, m := range c.Metrics {
			for name, v := range m {
				m[name] = v[50:51]
			}
		}
	}
	return runs
}

func TestNothingIsClippedOrOverlaps(t *testing.T) {
	for name, s := range scenes() {
		t.Run(name, func(t *testing.T) { checkLayout(t, s.fig, s.in) })
	}
}

// drawn draws a figure and returns its files by extension.
func drawn(t *testing.T, fig Figure, in Input) (Drawn, map[string][]byte) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "made", "on demand")
	d, err := Draw(fig, in, dir)
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string][]byte)
	for _, f := range d.Files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Dir(f) != dir || strings.TrimSuffix(filepath.Base(f), filepath.Ext(f)) != fig.ID {
			t.Errorf("unexpected file %s", f)
		}
		files[strings.TrimPrefix(filepath.Ext(f), ".")] = b
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 3 {
		t.Errorf("%d files in the folder, want 3 (%v)", len(entries), err)
	}
	return d, files
}

// texts returns the text elements of an SVG file, which must be well-formed.
func texts(t *testing.T, svg []byte) []string {
	t.Helper()
	var all []string
	d := xml.NewDecoder(bytes.NewReader(svg))
	inText := false
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			inText = tok.Name.Local == "text"
		case xml.EndElement:
			inText = false
		case xml.CharData:
			if inText {
				all = append(all, string(tok))
			}
		}
	}
}

func count(all []string, s string) int {
	n := 0
	for _, v := range all {
		if v == s {
			n++
		}
	}
	return n
}

func TestFilesAreSound(t *testing.T) {
	for name, s := range scenes() {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "efficiency" {
				t.Skip("one scene is enough")
			}
			d, f := drawn(t, s.fig, s.in)
			for _, bad := range []string{"NaN", "Inf"} {
				if bytes.Contains(f["svg"], []byte(bad)) {
					t.Errorf("%s in the SVG file", bad)
				}
			}
			texts(t, f["svg"])
			if !bytes.HasPrefix(f["pdf"], []byte("%PDF-")) || !bytes.Contains(f["pdf"], []byte("%%EOF")) {
				t.Error("not a PDF file")
			}
			img, err := png.DecodeConfig(bytes.NewReader(f["png"]))
			if err != nil {
				t.Fatal(err)
			}
			sh, _, err := compose(s.fig, s.in)
			if err != nil {
				t.Fatal(err)
			}
			if dpi := float64(img.Width) / (float64(sh.width) / 72); dpi < 150 {
				t.Errorf("%.0f dpi", dpi)
			}
			if d.Caption == "" || strings.ContainsAny(d.Caption, "\u00a0{}") {
				t.Errorf("caption %q", d.Caption)
			}
		})
	}
}

func TestLegendNamesEveryCurveOnce(t *testing.T) {
	_, f := drawn(t, figIterations, Input{Runs: simulated(1)})
	all := texts(t, f["svg"])
	for _, a := range synthAlgorithms {
		if n := count(all, DisplayName(a.id)); n != 1 {
			t.Errorf("%s is named %d times", DisplayName(a.id), n)
		}
	}
	_, f = drawn(t, figEfficiency, Input{Runs: efficiency(2, false)})
	all = texts(t, f["svg"])
	for _, k := range []int{1, 2, 4, 8, 16, 32} {
		if n := count(all, fmt.Sprintf("k = %d", k)); n != 1 {
			t.Errorf("k = %d is named %d times", k, n)
		}
	}
}

func TestHeadingTellsTheData(t *testing.T) {
	d, f := drawn(t, figEfficiency, Input{Runs: efficiency(16, false), Profile: "quick"})
	want := "Data: adult · k = 1, 2, 4, 8, 16, 32 · mean of 16 repeats · band: 10 % to 90 % quantile · profile: quick"
	if all := texts(t, f["svg"]); count(all, want) != 1 {
		t.Errorf("heading %q not among %q", want, all)
	}
	if !strings.Contains(d.Caption, want) {
		t.Errorf("caption %q", d.Caption)
	}
	for _, tt := range []struct {
		repeats int
		want    string
	}{{1, "a single run each"}, {2, "mean of 2 repeats"}} {
		_, f := drawn(t, figReal, Input{Runs: realData(tt.repeats, false)})
		if !bytes.Contains(f["svg"], []byte(tt.want)) || !bytes.Contains(f["svg"], []byte("measured on: test")) {
			t.Errorf("%q or the split is missing", tt.want)
		}
	}
}

func TestStandInIsMarked(t *testing.T) {
	for _, standIn := range []bool{true, false} {
		d, f := drawn(t, figReal, Input{Runs: realData(1, standIn)})
		all := texts(t, f["svg"])
		mark := slices.ContainsFunc(all, func(s string) bool { return strings.HasPrefix(s, "STAND-IN DATA: mnist") })
		titles := count(all, "k = 4 · stand-in data")
		if mark != standIn || (titles == 2) != standIn || strings.Contains(d.Caption, "STAND-IN DATA") != standIn {
			t.Errorf("stand-in %v: mark %v, %d panel titles, caption %q", standIn, mark, titles, d.Caption)
		}
	}
}

// strokes returns the colour and dashes of every stroked path of an SVG file.
func strokes(svg []byte) map[string]bool {
	m := make(map[string]bool)
	for _, s := range regexp.MustCompile(`style="fill:none;(stroke:#[0-9A-F]{6})[^"]*`).FindAllSubmatch(svg, -1) {
		dash := regexp.MustCompile(`stroke-dasharray:[^;"]*`).Find(s[0])
		m[string(s[1])+" "+string(dash)] = true
	}
	return m
}

func TestSameLookInEveryFigure(t *testing.T) {
	only := func(id string, f Figure) Figure {
		f.Series = []string{id}
		return f
	}
	base := strokes(drawnSVG(t, figIterations, Input{}))
	for _, a := range synthAlgorithms {
		var looks []string
		for _, f := range []struct {
			fig  Figure
			runs []results.Run
		}{
			{Figure{ID: "a", Panel: Panel{Y: "rank"}, Facet: Facet{Cols: "k"}}, realData(1, false)},
			{Figure{ID: "b", Panel: Panel{Log: []string{"x", "y"}}, Facet: Facet{Rows: "k", Cols: "group"}}, simulated(1)},
		} {
			all := strokes(drawnSVG(t, only(a.id, f.fig), Input{Runs: f.runs}))
			var own []string
			for s := range all {
				if !base[s] && !strings.HasPrefix(s, "stroke:#E6E6E6") && !strings.HasPrefix(s, "stroke:#E5E5E5") {
					own = append(own, s)
				}
			}
			if len(own) != 1 {
				t.Fatalf("%s: looks %q", a.id, own)
			}
			looks = append(looks, own[0])
		}
		if looks[0] != looks[1] {
			t.Errorf("%s: %s in one figure, %s in another", a.id, looks[0], looks[1])
		}
	}
}

func drawnSVG(t *testing.T, fig Figure, in Input) []byte {
	_, f := drawn(t, fig, in)
	return f["svg"]
}

func TestSameRecordsSameBytes(t *testing.T) {
	for _, name := range []string{"efficiency", "runtime", "zeros", "swept"} {
		s := scenes()[name]
		_, first := drawn(t, s.fig, s.in)
		if !bytes.Contains(first["pdf"], []byte("/CreationDate (D:20000101000000)")) || !bytes.Contains(first["pdf"], []byte("/ModDate (D:20000101000000)")) {
			t.Errorf("%s: the PDF file is dated", name)
		}
		for range 4 {
			s := scenes()[name]
			_, again := drawn(t, s.fig, s.in)
			for ext, b := range first {
				if !bytes.Equal(b, again[ext]) {
					t.Errorf("%s.%s differs from one drawing to the next", name, ext)
				}
			}
		}
	}
}

func TestDrawConcurrently(t *testing.T) {
	in := Input{Runs: realData(2, false)}
	_, want := drawn(t, figReal, in)
	dir := t.TempDir()
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			d, err := Draw(figReal, in, filepath.Join(dir, fmt.Sprint(i)))
			if err != nil {
				t.Error(err)
				return
			}
			for _, f := range d.Files {
				b, err := os.ReadFile(f)
				if err != nil || !bytes.Equal(b, want[strings.TrimPrefix(filepath.Ext(f), ".")]) {
					t.Errorf("%s differs (%v)", f, err)
				}
			}
		})
	}
	wg.Wait()
}

func TestDrawLeavesRecordsAlone(t *testing.T) {
	runs, untouched := simulated(2), simulated(2)
	drawn(t, figRuntime, Input{Runs: runs})
	for i := range runs {
		a, errA := results.EncodeRun(runs[i])
		b, errB := results.EncodeRun(untouched[i])
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Fatalf("run %d was changed (%v, %v)", i, errA, errB)
		}
	}
}

func TestZerosOnLogAxesAreNoted(t *testing.T) {
	s := scenes()["zeros"]
	d, f := drawn(t, s.fig, s.in)
	if !bytes.Contains(f["svg"], []byte("zero and negative ones too, are drawn on the dotted line")) {
		t.Error("no note on the face of the figure")
	}
	if !slices.Contains(d.Warnings, "figure zeros: k = 4: values below 0.0001 are drawn at the floor of the logarithmic axis") {
		t.Errorf("warnings %q", d.Warnings)
	}
	d, f = drawn(t, figReal, Input{Runs: realData(1, false)})
	if bytes.Contains(f["svg"], []byte("dotted line")) || len(d.Warnings) != 0 {
		t.Errorf("a note without reason, or warnings %q", d.Warnings)
	}
}

func TestEmptyPanelsSayWhy(t *testing.T) {
	failed := realData(1, false)
	for i := range failed {
		failed[i].Status, failed[i].Reason = results.StatusFailed, "eigensolver gave up"
	}
	diverged := realData(2, false)
	for i := range diverged {
		if diverged[i].Repeat == 1 && diverged[i].Series == "msg" {
			diverged[i].Status, diverged[i].Reason = results.StatusDiverged, "not finite"
		}
	}
	one := map[string]any{"k": 1}
	for _, tt := range []struct {
		name    string
		panel   Panel
		runs    []results.Run
		face    string
		warning string
	}{
		{"no runs", Panel{}, nil, "no data: no runs", "no data: no runs"},
		{"no match", Panel{Where: map[string]any{"k": 3}}, realData(1, false), "no data: no runs of k = 3", "no runs of k = 3"},
		{"no metric", Panel{Y: "objective", Where: one}, realData(1, false), `no data: no record of "objective" against "iterations"`, `7 of 7 runs have no record of "objective"`},
		{"no counter", Panel{X: "kernel_evals", Where: one}, realData(1, false), `against "kernel_evals"`, `against "kernel_evals"`},
		{"no split", Panel{Split: "validation", Where: one}, realData(1, false), "on the validation split", "on the validation split"},
		{"no spectrum", Panel{Y: "spectrum", Where: one}, realData(1, false), "no record of the spectrum", "no record of the spectrum"},
		{"all failed", Panel{Where: one}, failed, "no data: all 7 runs failed or diverged", "7 of 7 runs failed and are left out"},
		{"one diverged", Panel{Where: one}, diverged, "1 of 14 runs diverged and are left out (MSG: not finite)", "1 of 14 runs diverged"},
		{"missing series", Panel{Where: one, Series: []string{"msg", "msg2"}}, realData(1, false), "MSG", `no runs of series "msg2"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := Input{Runs: tt.runs}
			checkLayout(t, Figure{ID: "f", Panel: tt.panel}, in)
			d, f := drawn(t, Figure{ID: "f", Panel: tt.panel}, in)
			if face := strings.Join(texts(t, f["svg"]), "\n"); !strings.Contains(face, tt.face) {
				t.Errorf("%q is not on its face:\n%s", tt.face, face)
			}
			if !strings.Contains(strings.Join(d.Warnings, "\n"), tt.warning) {
				t.Errorf("%q is not among the warnings %q", tt.warning, d.Warnings)
			}
		})
	}
}

func TestRunsOfOneCurveAreNotMixed(t *testing.T) {
	runs := realData(2, false) // k differs, and nothing separates it
	fig := Figure{ID: "f", Panel: Panel{Series: []string{"msg"}}}
	d, f := drawn(t, fig, Input{Runs: append(runs, runs[0], runs[2])})
	all := texts(t, f["svg"])
	for _, k := range []string{"MSG, k = 1", "MSG, k = 4", "MSG, k = 8"} {
		if count(all, k) != 1 {
			t.Errorf("%s is not in the legend %q", k, all)
		}
	}
	for _, w := range []string{"runs of MSG differ in k too", "1 records repeat others"} {
		if !strings.Contains(strings.Join(d.Warnings, "\n"), w) {
			t.Errorf("no warning %q among %q", w, d.Warnings)
		}
	}
}

func TestDrawErrors(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Draw(Figure{ID: "a/b"}, Input{}, dir); err == nil {
		t.Error("an id with a slash was accepted")
	}
	if _, err := Draw(Figure{ID: "f"}, Input{}, filepath.Join(file, "sub")); err == nil || !strings.Contains(err.Error(), "figure f") {
		t.Errorf("drawing into a file: %v", err)
	}
	if err := os.Mkdir(filepath.Join(dir, "g.svg"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Draw(Figure{ID: "g"}, Input{}, dir); err == nil || !strings.Contains(err.Error(), "writing figure g") {
		t.Errorf("drawing over a folder: %v", err)
	}
}

func TestLongCurvesAreThinnedInShape(t *testing.T) {
	const n = 50000
	var l polyline
	for i := range n {
		l.x = append(l.x, float64(i))
		l.y = append(l.y, math.Sin(float64(i)*0.7)+float64(i%997)/997)
	}
	l.y[31234], l.y[40001] = 50, -50
	sx, sy := newScale(l.x, false), newScale(l.y, false)
	pts, clipped := placeLine(l, sx, sy)
	if clipped || len(pts) > 4*(thinBins+1) || len(pts) < thinBins {
		t.Errorf("%d points, clipped %v", len(pts), clipped)
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for i, p := range pts {
		lo, hi = min(lo, p.y), max(hi, p.y)
		if i > 0 && p.x <= pts[i-1].x {
			t.Fatalf("points out of order at %d", i)
		}
		if l.y[int(p.x)] != p.y {
			t.Fatalf("point %d was made up", i)
		}
	}
	if lo != -50 || hi != 50 || pts[0].x != 0 || pts[len(pts)-1].x != n-1 {
		t.Errorf("range %g to %g, from %g to %g", lo, hi, pts[0].x, pts[len(pts)-1].x)
	}
	below, above, _ := placeBand(l.x, l.y, l.y, sx, sy)
	lo, hi = math.Inf(1), math.Inf(-1)
	for i := range below {
		lo, hi = min(lo, below[i].y), max(hi, above[i].y)
		if below[i].y > above[i].y || below[i].x != above[i].x {
			t.Fatalf("the band is upside down at %d", i)
		}
	}
	if lo != -50 || hi != 50 || len(below) > thinBins+1 {
		t.Errorf("band of %d points from %g to %g", len(below), lo, hi)
	}
	short, _ := placeLine(polyline{l.x[:thinAbove], l.y[:thinAbove]}, sx, sy)
	if len(short) != thinAbove {
		t.Errorf("a line of %d points was thinned to %d", thinAbove, len(short))
	}
}

func TestStrands(t *testing.T) {
	c := results.Curve{
		Cost:     map[string][]int64{"iterations": {0, 1, 5, 9}},
		Spectrum: [][]float64{{1, 0.5}, {1}, {0.9, 0.4, 0.1}, {0.8, 0.3}},
	}
	got := fmt.Sprint(strands(c, "iterations"))
	want := fmt.Sprint([]polyline{
		{[]float64{0, 1, 5, 9}, []float64{1, 1, 0.9, 0.8}},
		{[]float64{0}, []float64{0.5}},
		{[]float64{5, 9}, []float64{0.4, 0.3}},
		{[]float64{5}, []float64{0.1}},
	})
	if got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if s := strands(results.Curve{}, "iterations"); len(s) != 0 {
		t.Errorf("strands of nothing: %v", s)
	}
}

func TestSharedAxes(t *testing.T) {
	in := simulated(1)
	cells, err := layOut(figRuntime, in)
	if err != nil {
		t.Fatal(err)
	}
	contents := make([][]content, len(cells))
	for i := range cells {
		for j := range cells[i] {
			contents[i] = append(contents[i], curvesOf(&cells[i][j], varSeries))
		}
	}
	xs, ys := scales(cells, contents)
	if a, b := ys[cells[0][0].yKey()], ys[cells[0][1].yKey()]; a != b {
		t.Errorf("ranks of one row on axes %+v and %+v", a, b)
	}
	if a, b := xs[cells[0][0].xKey()], xs[cells[1][0].xKey()]; a != b {
		t.Errorf("iterations of one column on axes %+v and %+v", a, b)
	}
	if cells[1][0].xKey() == cells[2][0].xKey() {
		t.Error("iterations share an axis with the estimated runtime")
	}
	if s := ys[cells[1][0].yKey()]; s.log || s.min > 0 || s.max < 1 || s.max > 1.1 {
		t.Errorf("eigenvalues on axis %+v", s)
	}
}
