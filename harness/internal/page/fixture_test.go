package page

import (
	"math"
	"time"

	"stochopt/harness/internal/claims"
	results "stochopt/harness/internal/experiment"
	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/plots"
)

func ptr(v float64) *float64 { return &v }

// curve returns a curve with the value scale * 2^-i at cost 10^i and a band of 10 % on either side.
func curve(key string, n int, scale float64) plots.ChartCurve {
	c := plots.ChartCurve{Key: key, N: 3}
	for i := range n {
		y := scale * math.Pow(2, -float64(i))
		c.X = append(c.X, math.Pow(10, float64(i)))
		c.Y, c.Lo, c.Hi = append(c.Y, y), append(c.Lo, 0.9*y), append(c.Hi, 1.1*y)
	}
	return c
}

func figureOf(id, title string, panels ...*plots.ChartPanel) *Figure {
	return &Figure{
		Image: imageOf([]byte(`<svg xmlns="http://www.w3.org/2000/svg" width="400pt" height="300pt"><title>50 % of 'it' &amp; #1</title></svg>`)),
		Chart: &plots.Chart{ID: id, Title: title, Lead: title + ". Caption of " + id + ".", Notes: []string{"a note"}, Panels: [][]*plots.ChartPanel{panels}, Keys: []plots.ChartKey{
			{Key: "Fast", Label: "Fast", Series: "fast", Style: plots.Style{Color: "#0072b2", Width: 1.6, Glyph: "disc"}},
			{Key: "Slow", Label: "Slow", Series: "slow", Style: plots.Style{Color: "#000000", Dash: []float64{7, 2}, Width: 1.4, Glyph: "box"}},
		}},
	}
}

func panelOf(title string, curves ...plots.ChartCurve) *plots.ChartPanel {
	return &plots.ChartPanel{
		Title: title, X: plots.ChartAxis{Label: "Iterations", Log: true, Min: 0.8, Max: 2e4},
		Y:      plots.ChartAxis{Label: "Suboptimality", Log: true, Min: 0.01, Max: 2},
		Curves: curves,
	}
}

func verdictOf(id, outcome, shown string, series []string, datasets ...string) claims.Verdict {
	v := claims.Verdict{Outcome: outcome, Profile: "quick", Reason: "what decided " + id}
	v.Claim = claims.Claim{ID: id, Source: "section 1", Says: "the claim " + id + " holds", Shown: shown}
	v.Check.Order = &claims.Order{Series: series[0], Below: series[1:]}
	for _, d := range datasets {
		v.Parts = append(v.Parts, claims.Part{Dataset: d, Setting: "k=4", Outcome: outcome, Reason: "part on " + d,
			Estimates: []claims.Estimate{{Name: "fast / slow", Value: 0.83, Lo: 0.79, Hi: 0.87, Level: 0.95, N: 10, Wanted: "at most 1", Between: observe.Between{Most: ptr(1.0)}, Outcome: outcome}}})
	}
	return v
}

// fixture returns a page with at least one element of each kind.
func fixture() *Page {
	tool := results.Tool{Version: "v1.2.3", Revision: "0123456789abcdef", Go: "go1.26", Platform: "linux/amd64", CPUs: 2, CPU: "A CPU", Dirty: true}
	real := results.Dataset{ID: "digits", Title: "Digits", Hash: "sha256:00"}
	made := results.Dataset{ID: "speech", Title: "Speech", Hash: "sha256:01", StandIn: true, Reason: "there is no network"}
	standIn := panelOf("speech", curve("Fast", 5, 0.8), curve("Slow", 5, 1.5))
	standIn.StandIn = true
	speech := figureOf("fig-speech", "Error on speech", standIn)
	speech.Alarms = []string{"STAND-IN DATA: speech was made up; this is no result on it"}
	wide := figureOf("fig-digits", "Error on digits", panelOf("k = 1", curve("Fast", 5, 1), curve("Slow", 5, 1.9)), panelOf("k = 4", curve("Fast", 5, 0.5), curve("Slow", 5, 1.2)))

	one := &Experiment{
		Name: "alpha", Title: "The first experiment", Task: "svm", Dir: "results/alpha", Planned: 20, Counts: record.Counts{Runs: 20, Finished: 18, Failed: 1, Diverged: 1}, Seconds: 12.5,
		Manifest:   results.Manifest{Tool: tool, Spec: "alpha", Profile: "quick", Seed: 7, Datasets: []results.Dataset{real, made}},
		Spec:       "version: 1\nname: alpha\n",
		SelectedBy: "c by the mean over the curve",
		Selection: []selectionRow{
			{Dataset: "digits", Params: record.Params{"k": 4.0}, Label: "Fast", Chosen: "c=4", Score: "0.2 ± 0.02", Candidates: 3, Remarks: []string{"c = 4 is at the high grid edge"}},
			{Dataset: "speech", StandIn: true, Label: "Slow", Chosen: "by support size", Sizes: []sizeRange{{From: 1, To: 10, Params: "eta=1", Share: 0.9}}},
		},
		Problems: []problem{{
			Problem: results.Problem{Dataset: "digits", Series: "slow", Params: "c=2", Status: "diverged", Reason: "iteration 12 leaves the finite range"}, Repeats: []int{1, 3}}},
		Warnings: []string{"c is at the high end of its grid: widen it"},
		Links:    []Link{{Name: "curves.csv", Href: "results/alpha/curves.csv", Bytes: 2048}, {Name: record.DatabaseFile, Bytes: 10}},
	}
	tables := []*Table{
		{Grid: &plots.Grid{ID: "tab-end", Title: "Errors at the end", StandIn: []bool{false, true}, Remarks: []string{"STAND-IN DATA: speech was made up"},
			Columns: []plots.Column{{ID: "data", Title: "Data"}, {ID: "series", Title: "Algorithm"}, {ID: "error", Title: "Error", Numeric: true}, {ID: "hidden", Title: "For CSV", CSVOnly: true}},
			Rows: [][]plots.Cell{
				{{Text: "digits"}, {Text: "Fast"}, {Text: "1.0 %"}, {Text: "no"}},
				{{Text: "speech"}, {Text: "Slow"}, {Text: "2.0 %"}, {Text: "no"}},
			}}},
		{Grid: &plots.Grid{ID: "costs", Title: "Costs", Columns: []plots.Column{{ID: "data", Title: "Data"}, {ID: "n", Title: "k'ₜ", Numeric: true}},
			Rows: [][]plots.Cell{{{Text: "digits"}, {Text: "10000"}}}}},
	}
	for _, f := range []*Figure{wide, speech} {
		one.addFigure(f)
	}
	for _, t := range tables {
		one.addTable(t)
	}
	one.Exhibits[0].Number, one.Exhibits[2].Number = "Figure 2.3", "Table 1.2"
	first := verdictOf("first", claims.Reproduced, "fig-digits", []string{"fast", "slow"}, "digits")
	second := verdictOf("second", claims.NotReproduced, "fig-speech", []string{"fast"}, "speech")
	second.Parts[0].StandIn = true
	second.Caveats = []claims.Caveat{{Remark: observe.Remark{Text: "judged on stand-in data"}}}
	one.addVerdicts([]claims.Verdict{first, second, verdictOf("third", claims.Inconclusive, "tab-end", []string{"slow"}, "digits", "speech")})

	linear := panelOf("forest", curve("Fast", 4, 0.3))
	linear.X, linear.Y = plots.ChartAxis{Label: "Support vectors", Max: 1000}, plots.ChartAxis{Label: "Test error", Max: 0.4, Percent: true}
	linear.Curves[0].Y[3] = 0
	linear.Lines = []plots.ChartLine{{Key: "Slow", Y: ptr(0.1), Label: "the reference"}, {Key: "none", X: ptr(100.0)}}
	two := &Experiment{
		Name: "beta", Title: "The second experiment", Task: "pca", Dir: "results/beta", Planned: 5, Counts: record.Counts{Runs: 5, Finished: 5},
		Manifest: results.Manifest{Tool: tool, Spec: "beta", Profile: "quick", Datasets: []results.Dataset{{ID: "forest", Title: "Forest", Hash: "sha256:02"}}},
	}
	two.addFigure(figureOf("fig-forest", "Error on forest", linear))
	two.addFigure(figureOf("fig-picture", "A picture", &plots.ChartPanel{Static: true}))
	two.Exhibits[0].Number = "Figure 6.1"
	fourth := verdictOf("fourth", claims.NotRun, "fig-forest", []string{"fast"})
	fourth.Source, fourth.Kind = "", claims.Theorem
	two.addVerdicts([]claims.Verdict{fourth})
	return &Page{Title: "Two experiments", Made: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), Tool: tool, Experiments: []*Experiment{one, two}}
}
