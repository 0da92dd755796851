package page

import (
	"encoding/xml"
	"errors"
	"fmt"
	"html/template"
	"io"
	"strings"
)

// drawing returns the svg element of a drawing, without what comes before it in a
// file. It is an error if it is not well formed, or has anything in it that could
// run a script or load something.
func drawing(svg template.HTML) (template.HTML, error) {
	text := string(svg)
	start := strings.Index(text, "<svg")
	if start < 0 {
		return "", errors.New("it is no SVG")
	}
	text = strings.TrimSpace(text[start:])
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return template.HTML(text), nil
		}
		if err != nil {
			return "", fmt.Errorf("its SVG is not well formed: %w", err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			if err := harmless(t); err != nil {
				return "", err
			}
		case xml.Directive, xml.ProcInst:
			return "", errors.New("its SVG has a declaration inside")
		}
	}
}

// drawn are the elements that drawings of figures have.
var drawn = map[string]bool{
	"svg": true, "g": true, "defs": true, "title": true, "desc": true, "path": true, "text": true, "tspan": true,
	"line": true, "rect": true, "circle": true, "ellipse": true, "polyline": true, "polygon": true,
	"clipPath": true, "linearGradient": true, "radialGradient": true, "stop": true,
}

func harmless(e xml.StartElement) error {
	if !drawn[e.Name.Local] {
		return fmt.Errorf("its SVG has an element <%s>", e.Name.Local)
	}
	for _, a := range e.Attr {
		name, value := strings.ToLower(a.Name.Local), strings.ToLower(a.Value)
		if strings.HasPrefix(name, "on") || name == "href" ||
			strings.Contains(value, "url(") && !strings.Contains(value, "url(#") {
			return fmt.Errorf("its SVG has the attribute %s=%q", a.Name.Local, a.Value)
		}
	}
	return nil
}
