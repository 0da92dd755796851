package report

import (
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

// What of a drawing gets into a page is well formed, has elements of drawings only, and
// nothing in it runs or loads anything; taken in again it is still a drawing.
func FuzzInline(f *testing.F) {
	for _, s := range []string{
		`<svg width="3pt" viewBox="0 0 1 1"><title>A &lt;b&gt;</title><g clip-path="url(#c)"><path d="M0,0L1.25,-2" style="fill:none"/></g></svg>`,
		`<svg><text x="1.26">two  words</text></svg>`, `<svg><path onload="a()"/></svg>`, `<svg style="fill:u\72l(http://a.b)"/>`,
		`<svg><g fill="URL(http://a.b)"/></svg>`, `<!DOCTYPE svg [<!ENTITY a "b">]><svg>&a;</svg>`, `<svg><a:path b:href="x"/></svg>`, `<svg></svg><svg/>`,
		`<svg><path d="M 1e999 .-,L"/></svg>`, `<svg><g style="a:b;on:c"/></svg>`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, svg string) {
		out, err := inline([]byte(svg), "p-")
		if err != nil {
			return
		}
		d := xml.NewDecoder(strings.NewReader(string(out)))
		for {
			token, err := d.RawToken()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%q becomes %q: %v", svg, out, err)
			}
			switch e := token.(type) {
			case xml.StartElement:
				if !slices.Contains(drawn, rawName(e.Name)) {
					t.Fatalf("%q becomes %q, with <%s>", svg, out, rawName(e.Name))
				}
				for _, a := range e.Attr {
					name, value := strings.ToLower(a.Name.Local), strings.ToLower(a.Value)
					if strings.HasPrefix(name, "on") || name == "href" || strings.Contains(strings.ReplaceAll(value, "url(#", ""), "url(") ||
						strings.Contains(value, `\`) {
						t.Fatalf("%q becomes %q, with %s=%q", svg, out, a.Name.Local, a.Value)
					}
				}
			case xml.Directive, xml.ProcInst, xml.Comment:
				t.Fatalf("%q becomes %q", svg, out)
			}
		}
		if _, err := inline([]byte(out), "q-"); err != nil {
			t.Fatalf("%q becomes %q, which is refused: %v", svg, out, err)
		}
	})
}
