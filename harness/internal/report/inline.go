package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"html/template"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// inline makes an SVG file a part of a page: it scales with what is around it, ids
// begin with prefix so that those of several do not clash, and screen readers find its
// title and description. Styles become attributes, which the page's own style sheet
// may override, and coordinates lose the digits that nobody sees. It is an error if the
// drawing is not well formed, or has anything in it that could run a script or load
// something.
func inline(svg []byte, prefix string) (template.HTML, error) {
	in := inliner{prefix: prefix}
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		t, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", fmt.Errorf("the drawing is not XML: %w", err)
		}
		if err := in.token(t); err != nil {
			return "", err
		}
	}
	if len(in.open) > 0 || !in.root {
		return "", errNotSVG
	}
	return template.HTML(in.out.String()), nil
}

var errNotSVG = errors.New("the drawing is not SVG")

// inliner writes the elements it is given, those without content in short.
type inliner struct {
	out    strings.Builder
	prefix string
	open   []string
	// root: the root element has been met. start: the last tag is not closed yet.
	root, start bool
}

func (in *inliner) token(t xml.Token) error {
	switch t := t.(type) {
	case xml.StartElement:
		if err := harmless(t); err != nil {
			return err
		}
		in.finishTag()
		name := rawName(t.Name)
		in.out.WriteString("<" + name)
		for _, a := range in.attributes(name, t.Attr) {
			// A style may have made an attribute of any name.
			if err := harmlessAttribute(a.name, a.value); err != nil {
				return err
			}
			in.out.WriteString(" " + a.name + `="`)
			in.escape(a.value)
			in.out.WriteByte('"')
		}
		in.open, in.start = append(in.open, name), true
	case xml.EndElement:
		n := len(in.open) - 1
		if n < 0 || in.open[n] != rawName(t.Name) {
			return errNotSVG
		}
		in.open = in.open[:n]
		if in.start {
			in.out.WriteString("/>")
			in.start = false
			return nil
		}
		in.out.WriteString("</" + rawName(t.Name) + ">")
	case xml.CharData:
		if len(in.open) == 0 || len(bytes.TrimSpace(t)) == 0 && !slices.Contains(textElements, in.open[len(in.open)-1]) {
			return nil
		}
		in.finishTag()
		in.escape(string(t))
	case xml.Directive, xml.ProcInst:
		if len(in.open) > 0 {
			return errors.New("the drawing has a declaration inside")
		}
	}
	return nil
}

// drawn are the elements that drawings of figures have.
var drawn = []string{
	"svg", "g", "defs", "title", "desc", "path", "text", "tspan", "line", "rect", "circle", "ellipse", "polyline", "polygon",
	"clipPath", "linearGradient", "radialGradient", "stop",
}

func harmless(e xml.StartElement) error {
	if !slices.Contains(drawn, rawName(e.Name)) {
		return fmt.Errorf("the drawing has an element <%s>", rawName(e.Name))
	}
	for _, a := range e.Attr {
		if err := harmlessAttribute(a.Name.Local, a.Value); err != nil {
			return err
		}
	}
	return nil
}

// harmlessAttribute refuses what runs or loads something, and the escapes of style sheets,
// which could hide that.
func harmlessAttribute(name, value string) error {
	low := strings.ToLower(name)
	if strings.HasPrefix(low, "on") || low == "href" || strings.Contains(value, `\`) ||
		strings.Contains(strings.ReplaceAll(strings.ToLower(value), "url(#", ""), "url(") {
		return fmt.Errorf("the drawing has the attribute %s=%q", name, value)
	}
	return nil
}

// plainName is the name of an attribute. Properties of styles may begin with a hyphen, names in
// XML may not.
var plainName = regexp.MustCompile(`^[A-Za-z][A-Za-z-]*$`)

var textElements = []string{"text", "tspan", "title", "desc"}

func (in *inliner) finishTag() {
	if in.start {
		in.out.WriteByte('>')
		in.start = false
	}
}

// escape writes text; the builder it goes to has no errors.
func (in *inliner) escape(text string) {
	template.HTMLEscape(&in.out, []byte(text))
}

func rawName(n xml.Name) string {
	if n.Space != "" {
		return n.Space + ":" + n.Local
	}
	return n.Local
}

type attribute struct{ name, value string }

func (in *inliner) attributes(element string, attrs []xml.Attr) []attribute {
	var out []attribute
	root := element == "svg" && !in.root
	width := ""
	for _, a := range attrs {
		name := rawName(a.Name)
		switch {
		case root && (name == "xmlns" || a.Name.Space == "xmlns" || name == "height"):
		case root && name == "width":
			width = a.Value
		case name == "style":
			out = append(out, presentation(a.Value)...)
		case name == "id":
			out = append(out, attribute{name, in.prefix + a.Value})
		case name == "d":
			out = append(out, attribute{name, shortPath(a.Value)})
		case slices.Contains(coordinates, name):
			out = append(out, attribute{name, shorten(a.Value)})
		default:
			out = append(out, attribute{name, strings.ReplaceAll(a.Value, "url(#", "url(#"+in.prefix)})
		}
	}
	switch {
	case root:
		in.root = true
		out = append(out, attribute{"role", "img"},
			attribute{"aria-labelledby", in.prefix + "title"}, attribute{"aria-describedby", in.prefix + "desc"},
			attribute{"font-family", fontFamily})
		if w, err := strconv.ParseFloat(strings.TrimSuffix(width, "pt"), 64); err == nil {
			out = append(out, attribute{"style", "max-width:" + strconv.Itoa(int(math.Round(w*4/3))) + "px"})
		}
	case element == "title" || element == "desc":
		out = append(out, attribute{"id", in.prefix + element})
	}
	return out
}

// fontFamily is that of all the texts of a drawing.
const fontFamily = "Liberation Sans,Arial,Helvetica,sans-serif"

// coordinates are the attributes that hold lengths.
var coordinates = []string{"points", "x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "rx", "ry", "width", "height"}

// presentation turns a style into attributes, without what is so by default.
func presentation(style string) []attribute {
	var out []attribute
	for p := range strings.SplitSeq(style, ";") {
		name, value, ok := strings.Cut(p, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		switch {
		case !ok, !plainName.MatchString(name), name == "font-family", value == "normal":
		case name == "font-size":
			out = append(out, attribute{name, strings.TrimSuffix(value, "px")})
		case name == "fill-opacity", name == "stroke-opacity":
			out = append(out, attribute{name, shorten(value)})
		default:
			out = append(out, attribute{name, value})
		}
	}
	return out
}

var decimal = regexp.MustCompile(`-?\d+\.\d+`)

// shorten rounds the numbers in a text to a tenth; those below 1 to a hundredth.
func shorten(text string) string {
	return decimal.ReplaceAllStringFunc(text, func(s string) string {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return s
		}
		unit := 10.0
		if math.Abs(v) < 1 {
			unit = 100
		}
		v = math.Round(v*unit) / unit
		return strconv.FormatFloat(v+0, 'f', -1, 64) // not -0
	})
}
