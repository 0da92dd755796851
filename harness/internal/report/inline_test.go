package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"stochopt/plots"
	"stochopt/results/record"
)

func TestInline(t *testing.T) {
	t.Parallel()
	const file = `<?xml version="1.0"?>
<!-- Generated -->
<svg width="300.5pt" height="200pt" viewBox="0 0 300.5 200"
	xmlns="http://www.w3.org/2000/svg"
	xmlns:xlink="http://www.w3.org/1999/xlink">
<title>A &lt;b&gt; &amp; c</title>
<desc>What it shows</desc>
<defs><clipPath id="clip"><rect x="0" y="0" width="10.25" height="3"/></clipPath></defs>
<g clip-path="url(#clip)"><circle r="1"/></g>
<path d="M-0.04,0.1234L12.345,-6.789" style="fill:none;stroke:#FF0000;stroke-width:0.4" />
<text x="1.26" y="-2" transform="scale(1, -1)"
	style="font-family:Liberation Sans,Arial;font-variant:normal;font-weight:bold;font-style:normal;font-size:11px;fill:#1A1A1A">two  words</text>
</svg>
`
	const want = `<svg viewBox="0 0 300.5 200" role="img" aria-labelledby="p-title" aria-describedby="p-desc" font-family="Liberation Sans,Arial,Helvetica,sans-serif" style="max-width:401px">` +
		`<title id="p-title">A &lt;b&gt; &amp; c</title><desc id="p-desc">What it shows</desc>` +
		`<defs><clipPath id="p-clip"><rect x="0" y="0" width="10.3" height="3"/></clipPath></defs>` +
		`<g clip-path="url(#p-clip)"><circle r="1"/></g>` +
		`<path d="M0 .1l12.3-6.9" fill="none" stroke="#FF0000" stroke-width="0.4"/>` +
		`<text x="1.3" y="-2" transform="scale(1, -1)" font-weight="bold" font-size="11" fill="#1A1A1A">two  words</text></svg>`
	got, err := inline([]byte(file), "p-")
	if err != nil || string(got) != want {
		t.Errorf("got\n%s\nwant\n%s\n(%v)", got, want, err)
	}
	for _, bad := range []string{"", "words", "<svg>", "<svg></g>", "<svg", "<html></html>"} {
		if got, err := inline([]byte(bad), "p-"); err == nil {
			t.Errorf("%q becomes %q", bad, got)
		}
	}
}

func TestDrawingsAreChecked(t *testing.T) {
	t.Parallel()
	for svg, want := range map[string]string{
		`<svg><script>alert(1)</script></svg>`:              "element <script>",
		`<svg><foreignObject/></svg>`:                       "element <foreignObject>",
		`<svg><image/></svg>`:                               "element <image>",
		`<svg><style>a{}</style></svg>`:                     "element <style>",
		`<svg><path onload="alert(1)"/></svg>`:              "attribute onload=",
		`<svg><path href="http://a.b"/></svg>`:              "attribute href=",
		`<svg><g xlink:href="#a"/></svg>`:                   "attribute href=",
		`<svg><path style="fill:url(http://a.b)"/></svg>`:   "attribute style=",
		`<svg><g></svg>`:                                    "not SVG",
		`<svg></svg><script/>`:                              "element <script>",
		`<svg><!DOCTYPE a></svg>`:                           "a declaration inside",
		`<svg><?xml-stylesheet href="http://a.b/c"?></svg>`: "a declaration inside",
	} {
		if got, err := inline([]byte(svg), "p-"); err == nil || got != "" || !strings.Contains(err.Error(), want) {
			t.Errorf("%s becomes %q, %v, want an error with %q", svg, got, err, want)
		}
	}
}

func TestShorten(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"M1.04,2.06L-3.96,-0.001Z": "M1,2.1L-4,0Z", "0.996": "1", "-0.126": "-0.13", "12": "12", "-0.0": "0", "100.25": "100.3",
	} {
		if got := shorten(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// Nothing that can be seen is lost: the texts are the file's, and so is the number of
// shapes.
func TestInlineKeepsAllThatIsSeen(t *testing.T) {
	t.Parallel()
	figure, err := plots.Compose(plots.Figure{ID: "fig", Title: "a < b & c"}, plots.Input{Runs: []record.Run{run(0), run(6)}})
	if err != nil {
		t.Fatal(err)
	}
	svg, err := figure.SVG()
	if err != nil {
		t.Fatal(err)
	}
	in, err := inline(svg, "x-")
	if err != nil {
		t.Fatal(err)
	}
	a, b := contents(t, string(svg)), contents(t, string(in))
	if a.texts != b.texts || a.elements != b.elements || a.elements < 10 || !strings.Contains(a.texts, "a < b & c") {
		t.Errorf("%d elements with %q, in the page %d with %q", a.elements, a.texts, b.elements, b.texts)
	}
	if len(in) > len(svg)*9/10 {
		t.Errorf("%d bytes of %d", len(in), len(svg))
	}
}

type seen struct {
	texts    string
	elements int
}

func contents(t *testing.T, svg string) (s seen) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader([]byte(svg)))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return s
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			s.elements++
		case xml.CharData:
			if text := strings.TrimSpace(string(token)); text != "" {
				s.texts += text + "|"
			}
		}
	}
}
