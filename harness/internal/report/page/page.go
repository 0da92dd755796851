// Package page writes a report as one HTML file that needs nothing else: styles,
// scripts, data and drawings are in it, and its content security policy lets it
// ask for nothing. Without JavaScript, and in print, it shows the drawings that
// the figures' files have; with it the curves can be read, filtered and rescaled.
package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"
	"sync"

	"stochopt/harness/internal/report"
)

//go:embed assets templates vendor/plot.min.js
var files embed.FS

// styles and scripts are concatenated in this order. The theme comes first, before
// anything is shown; all others share one scope.
var (
	styles  = []string{"base", "layout", "filters", "summary", "claims", "figures", "tables", "print"}
	scripts = []string{"dom", "numbers", "filter", "nav", "scale", "panel", "reading", "points", "figure", "main"}
)

// assets are what the page carries, the same for every report.
type assets struct {
	style, theme, library, script string
	pages                         *template.Template
}

var load = sync.OnceValues(func() (*assets, error) {
	a := &assets{}
	var err error
	read := func(name string) string {
		data, e := files.ReadFile(name)
		if err == nil {
			err = e
		}
		return strings.TrimSpace(string(data)) + "\n"
	}
	for _, name := range styles {
		a.style += read("assets/" + name + ".css")
	}
	a.theme = read("assets/theme.js")
	a.library = read("vendor/plot.min.js")
	a.script = "(function () {\n\"use strict\";\n"
	for _, name := range scripts {
		a.script += read("assets/" + name + ".js")
	}
	a.script += "})();\n"
	if err != nil {
		return nil, fmt.Errorf("page: %w", err)
	}
	a.pages, err = template.New("page").Funcs(functions).ParseFS(files, "templates/*.tmpl")
	if err != nil {
		return nil, fmt.Errorf("page: %w", err)
	}
	return a, nil
})

// Render writes the page. The same page gives the same bytes. It is an error if a
// figure's chart is not consistent, or if w fails; nothing is written before the page
// is complete.
func Render(w io.Writer, p *report.Page) error {
	a, err := load()
	if err != nil {
		return err
	}
	v, err := newView(p)
	if err != nil {
		return fmt.Errorf("page: %w", err)
	}
	v.Style, v.Theme = template.CSS(a.style), template.JS(a.theme)
	v.Library, v.Script = template.JS(a.library), template.JS(a.script)
	v.Policy = policy(a.theme, a.library, a.script)
	var b bytes.Buffer
	if err := a.pages.ExecuteTemplate(&b, "page.html.tmpl", v); err != nil {
		return fmt.Errorf("page: %w", err)
	}
	_, err = w.Write(b.Bytes())
	return err
}

// policy is the content security policy: the given scripts and no others, and no requests.
// Styles must be free, as drawings have theirs on every line.
func policy(scripts ...string) string {
	p := "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src 'unsafe-inline'; script-src"
	for _, s := range scripts {
		sum := sha256.Sum256([]byte(s))
		p += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return p
}
