// Package page writes results folders as one self-contained HTML file. Its content security policy forbids all
// requests. A script draws the figures from their data, so that readers can read values with the mouse. Without
// JavaScript the page shows the figures as images.
package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"strings"
	"sync"
	"time"

	"stochopt/harness/internal/claims"
	"stochopt/internal/words"

	"github.com/dustin/go-humanize"
)

var (
	//go:embed assets/*.tmpl
	files embed.FS
	//go:embed assets/page.css
	style string
	//go:embed vendor/plot.min.js
	library string
	//go:embed assets/page.js
	script string
)

var templates = sync.OnceValues(func() (*template.Template, error) {
	return template.New("page").Funcs(template.FuncMap{
		"bytes":    func(n int64) string { return humanize.Bytes(uint64(n)) },
		"changes":  words.Changes,
		"count":    words.Count,
		"date":     func(t time.Time) string { return t.UTC().Format("2 January 2006, 15:04 MST") },
		"list":     func(texts []string) string { return strings.Join(texts, ", ") },
		"number":   words.Rounded,
		"outcome":  outcomeOf,
		"outcomes": func() []outcome { return outcomes },
		"percent":  func(share float64) string { return words.Digits(100*share, 3) + " %" },
		"repeats":  repeatText,
		"seconds":  func(s float64) time.Duration { return time.Duration(s * float64(time.Second)).Round(time.Second) },
		"spaced":   func(params any) string { return strings.ReplaceAll(fmt.Sprint(params), ";", "; ") },
	}).ParseFS(files, "assets/*.tmpl")
})

// Write writes the page as HTML. The same page gives the same bytes. If the page has an error, nothing is written.
func (p *Page) Write(w io.Writer) error {
	pages, err := templates()
	if err != nil {
		return fmt.Errorf("page: %w", err)
	}
	p.setAnchors()
	v := view{p, p.groups(), template.CSS(style), template.JS(library), template.JS(script), policy(library, script)}
	var b bytes.Buffer
	if err := pages.ExecuteTemplate(&b, "page.html.tmpl", v); err != nil {
		return fmt.Errorf("page: %w", err)
	}
	_, err = w.Write(b.Bytes())
	return err
}

// view is the data of the templates.
type view struct {
	*Page
	Groups          []*group
	Style           template.CSS
	Library, Script template.JS
	Policy          string
}

// Chapters returns the distinct chapters of the groups.
func (v view) Chapters() []string {
	var all []string
	for _, g := range v.Groups {
		all = words.AddOnce(all, g.Chapter)
	}
	return all
}

// Chance returns a sentence on claims that may be wrong by chance. See claims.ExpectedErrors.
func (v view) Chance() string {
	var all []claims.Verdict
	for _, e := range v.Experiments {
		for _, c := range e.Claims {
			all = append(all, c.Verdict)
		}
	}
	return claims.ExpectedErrors(all)
}

// policy returns the content security policy. It allows the given scripts, all inline styles and no requests. The
// plotting library adds a style to each drawing.
func policy(scripts ...string) string {
	p := "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src 'unsafe-inline'; script-src"
	for _, s := range scripts {
		sum := sha256.Sum256([]byte(s))
		p += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return p
}

// setAnchors sets the ids of the elements that links refer to.
func (p *Page) setAnchors() {
	used := anchors{}
	for _, e := range p.Experiments {
		e.Anchor = used.add("x-" + e.Name)
		for _, x := range e.Exhibits {
			kind := "t"
			if x.Figure != nil {
				kind = "f"
			}
			x.Anchor = used.add(kind + "-" + e.Name + "-" + x.ID)
		}
		for _, c := range e.Claims {
			c.Anchor = used.add("c-" + c.ID)
		}
	}
}

// notInID matches a character that anchors replaces.
var notInID = regexp.MustCompile("[^A-Za-z0-9-]")

// anchors is a set of element ids.
type anchors map[string]bool

// add converts a text to an id and adds it. Characters other than letters, digits and "-" become "-". If the id
// exists, add appends a number.
func (n anchors) add(text string) string {
	id := notInID.ReplaceAllString(text, "-")
	for i, base := 2, id; n[id]; i++ {
		id = fmt.Sprintf("%s-%d", base, i)
	}
	n[id] = true
	return id
}
