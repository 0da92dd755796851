package spec

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestStyles(t *testing.T) {
	t.Parallel()
	const styles = `style: {width: 84mm, notes: none, series: {msg: {color: "#AA0000", width: 1}}, x: [0, null]}
figures:
  - {id: fig, x: iterations, y: rank, style: {notes: shown, series: {msg: {width: 2}}}}
`
	text := with(t, "figures:\n  - {id: fig, x: iterations, y: rank}\n", styles)
	text = strings.Replace(text, "smoke: {repeats: 1}", "smoke: {style: {width: 3.5in}}", 1)
	for profile, width := range map[string]string{"": "84mm", "smoke": "3.5in"} {
		style := mustParse(t, text, profile).Figures[0].Style
		if s := style.Series["msg"]; style.Width != width || style.Notes != "shown" || s.Color != "#AA0000" || s.Width != 2 || *style.X[0] != 0 || style.X[1] != nil {
			t.Errorf("profile %q: %+v", profile, style)
		}
	}
	plain, styled := mustParse(t, base, ""), mustParse(t, text, "")
	if plain.Datasets[0].ID != styled.Datasets[0].ID || len(plain.Algorithms) != len(styled.Algorithms) {
		t.Error("a style changes the runs")
	}
	for in, want := range map[string]string{
		"{widht: 84mm}":                 `s.yaml:17:9: style.widht: unknown key`,
		"{width: -84mm}":                `s.yaml:17:16: style.width: want a text such as "84mm" or "3.3in", got "-84mm"`,
		"{width: 84}":                   `style.width: want a text such as "84mm" or "3.3in", got the number 84`,
		"{height: 0.1in}":               "style.height: want 20mm to 500mm, got 0.1in",
		"{font_size: 0}":                "style.font_size: must be at least 4, got 0",
		"{font: comic}":                 `style.font: unknown value "comic" (known: sans, serif, mono)`,
		"{legend: belwo}":               `style.legend: unknown value "belwo" (did you mean "below"?)`,
		"{series: {mgs: {width: 1}}}":   `s.yaml:17:18: style.series.mgs: unknown series "mgs" (did you mean "msg"?)`,
		"{series: {msg: {color: red}}}": `style.series.msg.color: want a text such as "#aa0000", got "red"`,
		"{series: {msg: {color: }}}":    `style.series.msg.color: is empty: give it a value such as "#aa0000" or remove the key`,
		"{series: {msg: {width: -1}}}":  "style.series.msg.width: must be more than 0, got -1",
		"{y: [1]}":                      "style.y: want 2 items, got 1",
	} {
		_, err := parseText(with(t, "figures:", "style: "+in+"\nfigures:"), "")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", in, err, want)
		}
	}
}

// A style file may name series of any of the specifications.
func TestReadStyle(t *testing.T) {
	t.Parallel()
	specs := []*Spec{mustParse(t, base, ""), mustParse(t, with(t, "- id: msg", "- id: msg\n    as: mine"), "")}
	for text, want := range map[string]string{
		"{width: 84mm, series: {msg: {label: A}, mine: {label: B}}}": "",
		"{series: {yours: {label: A}}}":                              `1:11: series.yours: unknown series "yours"`,
		"{widht: 84mm}":                                              `1:2: widht: unknown key (did you mean "width"?)`,
		"[]":                                                         "1:1: want a mapping of keys to values, got a list",
	} {
		file := filepath.Join(t.TempDir(), "style.yaml")
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		style, err := ReadStyle(file, specs)
		if want == "" && (err != nil || style.Series["mine"].Label != "B") || want != "" && (err == nil || !strings.Contains(err.Error(), file+":"+want)) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
