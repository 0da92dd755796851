package cli

import (
	"strings"
	"testing"
)

// plot --style changes only the drawings, and plot without it restores them.
func TestPlotStyle(t *testing.T) {
	home(t)
	write(t, "small.yaml", small+"figures:\n  - {id: fig, y: suboptimality, log: [x, y]}\n")
	ok(t, "run", "small.yaml")
	files := []string{"figures/fig.svg", "figures/fig.pdf", "figures/fig.txt", "spec.yaml", "manifest.json"}
	contents := func() (texts []string) {
		for _, name := range files {
			texts = append(texts, read(t, "results/small", name))
		}
		return texts
	}
	before := contents()
	write(t, "paper.yaml", "width: 84mm\nheight: 60mm\nnotes: none\nfont: serif\nseries: {msg: {color: \"#123456\"}}\n")
	ok(t, "plot", "results/small", "--style", "paper.yaml")
	after := contents()
	wantText(t, "SVG", after[0], `<svg width="238.11pt" height="170.08pt"`, "#123456", "font-family:Liberation Serif,Times New Roman,Times,serif;")
	wantText(t, "PDF", after[1], "/MediaBox [0 0 238.11 170.08]", "/SUBSET+LiberationSerif")
	if strings.Join(after[2:], "") != strings.Join(before[2:], "") {
		t.Error("the caption, spec or manifest differs")
	}
	ok(t, "plot", "results/small")
	if strings.Join(contents(), "") != strings.Join(before, "") {
		t.Error("plot without the style does not restore the figures")
	}

	write(t, "paper.yaml", "width: 84 mm\nseries: {mgs: {width: 1}}\n")
	write(t, "narrow.yaml", "width: 20mm\nfont_size: 12\n")
	for _, test := range []struct {
		file  string
		code  int
		wants []string
	}{
		{"paper.yaml", exitUsage, []string{
			`paper.yaml:1:8: width: want a text such as "84mm" or "3.3in", got "84 mm"`,
			`paper.yaml:2:10: series.mgs: unknown series "mgs" (did you mean "msg"?)`,
		}},
		{"none.yaml", exitUsage, []string{"cannot read the style"}},
		{"narrow.yaml", exitFailed, []string{"figure fig: a label of the legend is wider than 20mm"}},
	} {
		o := stochopt(t, "plot", "results/small", "--style", test.file)
		if wantText(t, test.file, o.err, test.wants...); o.code != test.code {
			t.Errorf("%s: exit %d", test.file, o.code)
		}
	}
}
