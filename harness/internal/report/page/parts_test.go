package page

import (
	"math"
	"strings"
	"testing"

	"stochopt/harness/internal/claims"
	"stochopt/harness/internal/report"
	"stochopt/plots"
	"stochopt/results/analysis"
	"stochopt/results/record"
)

func TestNumbers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		v    float64
		want string
	}{
		{0, "0"}, {1, "1"}, {-2, "−2"}, {0.155, "0.155"}, {28000, "28,000"}, {123456, "123,456"}, {1234.5678, "1,235"}, {0.00123456, "0.001235"},
		{740000, "740,000"}, {7.4e6, "7.4·10⁶"}, {1e6, "1·10⁶"}, {1.2345e-5, "1.234·10⁻⁵"}, {-3e-10, "−3·10⁻¹⁰"}, {99999.6, "100,000"}, {-12345.6, "−12,350"},
		{math.Inf(1), "+∞"}, {math.NaN(), "undefined"},
	} {
		if got := number(c.v); got != c.want {
			t.Errorf("number(%v) = %q, want %q", c.v, got, c.want)
		}
	}
}

func TestRichText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"plain", "plain"}, {"10^{−3}", "10<sup>−3</sup>"}, {"k′_{t} < 1", "k′<sub>t</sub> &lt; 1"}, {"T k^2 d", "T k<sup>2</sup> d"},
		{"k'_t^2 d", "k&#39;<sub>t</sub><sup>2</sup> d"}, {"kernel_evals", "kernel_evals"}, {"a^{<b>} & c", "a<sup>&lt;b&gt;</sup> &amp; c"},
		{"open ^{x", "open ^{x"}, {"x_{i}^{2}", "x<sub>i</sub><sup>2</sup>"},
	} {
		if got := string(rich(c.text)); got != c.want {
			t.Errorf("rich(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

// Every colour of a series can be seen on both grounds, and a colour that can be
// seen stays what it is.
func TestColoursHaveContrast(t *testing.T) {
	t.Parallel()
	check := func(c rgb) {
		t.Helper()
		if got := contrast(onLight(c), lightGround); got < lightContrast-0.05 {
			t.Errorf("%v on light: contrast %.2f", c, got)
		}
		if got := contrast(onDark(c), darkGround); got < darkContrast-0.05 {
			t.Errorf("%v on dark: contrast %.2f", c, got)
		}
	}
	for r := 0; r < 256; r += 51 {
		for g := 0; g < 256; g += 51 {
			for b := 0; b < 256; b += 51 {
				check(rgb{float64(r), float64(g), float64(b)})
			}
		}
	}
	if c := parseColor("#0072b2"); onLight(c) != c {
		t.Errorf("a legible colour was changed to %v", onLight(c))
	}
	if got := onDark(parseColor("#000000")).String(); got != "#ffffff" {
		t.Errorf("black is %s in the dark", got)
	}
	if got := contrast(rgb{}, rgb{255, 255, 255}); math.Abs(got-21) > 1e-9 {
		t.Errorf("black on white has contrast %v", got)
	}
	if paint(`red;}</style>`) != paint("#737373") {
		t.Error("what is no colour is not grey")
	}
}

// The drawing of an estimate keeps the order of its numbers and stays within.
func TestMarksKeepOrder(t *testing.T) {
	t.Parallel()
	for _, e := range []claims.Estimate{
		{Lo: 0.79, Value: 0.83, Hi: 0.87, Between: claims.Between{Most: ptr(1.0)}},
		{Lo: 0.79, Value: 1.2, Hi: 7, Between: claims.Between{Most: ptr(1.0), Below: true}},
		{Lo: 3, Value: 3, Hi: 3, Between: claims.Between{Least: ptr(1.0), Most: ptr(2.0)}},
		{Lo: 0, Value: 0, Hi: 0, Between: claims.Between{Most: ptr(0.0)}},
		{Lo: -5, Value: 1, Hi: 1e9, Between: claims.Between{Least: ptr(3.0)}},
		{Lo: 1e-12, Value: 1e-6, Hi: 1, Wanted: "at most 1"},
	} {
		m := newMark(e)
		if m == nil || m.Lo > m.At || m.At > m.Hi || m.Lo < 0 || m.Hi > markWidth {
			t.Errorf("%+v: %+v", e, m)
			continue
		}
		from, to := e.Ends()
		ok := e.Least != nil || e.Most != nil // as is not on record of old verdicts
		if ok != m.Wanted {
			t.Errorf("%+v: wanted is %v", e, m.Wanted)
		}
		if ok && e.Value < to && m.At > m.To || ok && e.Value > to && m.At < m.To || ok && e.Value < from && m.At > m.From || ok && e.Value > from && m.At < m.From {
			t.Errorf("%+v: the value is on the wrong side: %+v", e, m)
		}
	}
	if newMark(claims.Estimate{Lo: math.NaN()}) != nil || newMark(claims.Estimate{Hi: math.Inf(1)}) != nil {
		t.Error("what is not finite is drawn")
	}
}

func TestGridCurves(t *testing.T) {
	t.Parallel()
	choice := func(scores ...float64) report.Choice {
		c := report.Choice{Tuned: "c"}
		for i, s := range scores {
			k := analysis.Candidate{Params: record.Params{"c": math.Pow(2, float64(i))}, Scored: true, Score: s, SE: s / 10}
			if math.IsNaN(s) {
				k = analysis.Candidate{Params: k.Params, Problems: []string{"it diverged"}}
			}
			c.Candidates = append(c.Candidates, k)
		}
		return c
	}
	c := choice(5, 3, math.NaN(), 1, 2)
	c.Candidates[3].Selected = true
	g := newGrid(c)
	if g == nil || len(g.Points) != 5 || len(g.Lines) != 2 {
		t.Fatalf("%+v", g)
	}
	for i, p := range g.Points {
		if p.Lost != (i == 2) || p.Selected != (i == 3) || i > 0 && p.X <= g.Points[i-1].X || p.Y < 0 || p.Y > gridHeight {
			t.Errorf("point %d: %+v", i, p)
		}
	}
	if g.Points[3].Y <= g.Points[0].Y {
		t.Error("the best score is not the lowest point")
	}
	if want := "Score along a grid of 5 values of c from 1 to 16: c = 8 was chosen, at a score of 1; 1 without a score"; g.Text != want {
		t.Errorf("the text is %q", g.Text)
	}
	one := choice(1)
	several := choice(1, 2)
	several.Candidates[1].Params = record.Params{"c": "two"}
	if newGrid(one) != nil || newGrid(several) != nil {
		t.Error("what is no grid is drawn")
	}
	if g := newGrid(choice(math.NaN(), math.NaN())); g == nil || len(g.Lines) != 0 || !strings.Contains(g.Text, "none was chosen; 2 without a score") {
		t.Errorf("without scores: %+v", g)
	}
}

// What the script gets are the numbers of the chart, to six digits, each column of x
// once.
func TestChartData(t *testing.T) {
	t.Parallel()
	c := fixture().Experiments[0].Figures[0].Chart
	c.Panels[0][1].Curves[0].Y[2] = math.Inf(1)
	c.Panels[0][0].Curves[0].Y[1] = 0.123456789
	data, err := encode(c)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	if n := strings.Count(text, "[1,10,100,1000,10000]"); n != 1 {
		t.Errorf("the column of x is there %d times", n)
	}
	for _, want := range []string{"0.123457", "null", `"label":"Fast"`, `"dash":[7,2]`, `"log":true`} {
		if !strings.Contains(text, want) {
			t.Errorf("the data do not have %s", want)
		}
	}
	c.Panels = append(c.Panels, []*plots.ChartPanel{nil})
	if _, err := encode(c); err != nil {
		t.Errorf("a place without a panel: %v", err)
	}
}

func TestRows(t *testing.T) {
	t.Parallel()
	got := rows(map[string]int64{"test": 50, "train": 10000, "train_of": 60000, "other": 1, "validation": 7, "validation_of": 7})
	if want := "10,000 of 60,000 train, 7 validation, 50 test, 1 other"; got != want {
		t.Errorf("rows = %q, want %q", got, want)
	}
}
