package page

import (
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
)

// functions are what templates may call.
var functions = template.FuncMap{
	"attr":    attr,
	"bytes":   func(n int64) string { return humanize.Bytes(uint64(n)) },
	"date":    func(t time.Time) string { return t.UTC().Format("2 January 2006, 15:04 MST") },
	"spaced":  func(params string) string { return strings.ReplaceAll(params, ";", "; ") },
	"stamp":   func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"ink":     ink,
	"number":  number,
	"percent": func(v float64) float64 { return 100 * v },
	"plural":  plural,
	"rich":    rich,
	"rows":    rows,
	"score":   func(v *float64) string { return number(*v) },
	"tallied": tallied,
	"took":    took,
	"times":   times,
}

// attr encodes facets for an attribute, as a query, where the script finds them.
func attr(f facets) string {
	var b strings.Builder
	put := func(key string, values ...string) {
		for _, v := range values {
			if b.Len() > 0 {
				b.WriteByte('&')
			}
			b.WriteString(key + "=" + url.QueryEscape(v))
		}
	}
	if f.Experiment != "" {
		put("e", f.Experiment)
	}
	put("d", f.Datasets...)
	put("s", f.Series...)
	put("o", f.Outcomes...)
	return b.String()
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return group(fmt.Sprint(n)) + " " + many
}

func took(seconds float64) string {
	switch {
	case seconds >= 7200:
		return number(seconds/3600) + " hours"
	case seconds >= 120:
		return number(seconds/60) + " minutes"
	}
	return number(seconds) + " s"
}

// rows says how many rows there are, by split.
func rows(m map[string]int64) string {
	var names []string
	for name := range m {
		if !strings.HasSuffix(name, "_of") {
			names = append(names, name)
		}
	}
	order := []string{"train", "validation", "test"}
	slices.SortFunc(names, func(a, b string) int {
		i, j := slices.Index(order, a), slices.Index(order, b)
		if i < 0 || j < 0 || i == j {
			if (i < 0) != (j < 0) {
				return j - i
			}
			return strings.Compare(a, b)
		}
		return i - j
	})
	for i, name := range names {
		text := group(fmt.Sprint(m[name]))
		if of, ok := m[name+"_of"]; ok && of != m[name] {
			text += " of " + group(fmt.Sprint(of))
		}
		names[i] = text + " " + name
	}
	return strings.Join(names, ", ")
}

// times says which repeats failed.
func times(repeats []int) string {
	switch n := len(repeats); {
	case n == 0:
		return ""
	case n > 6:
		return fmt.Sprintf("%d repeats, from %d to %d", n, slices.Min(repeats), slices.Max(repeats))
	}
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(repeats), " ", ", "), "[]")
}
