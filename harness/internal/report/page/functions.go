package page

import (
	"cmp"
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strings"
	"time"

	"stochopt/results/words"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
)

// functions are what templates may call.
var functions = template.FuncMap{
	"about":    about,
	"attr":     attr,
	"bytes":    func(n int64) string { return humanize.Bytes(uint64(n)) },
	"changes":  words.Changes,
	"date":     func(t time.Time) string { return t.UTC().Format("2 January 2006, 15:04 MST") },
	"spaced":   func(params any) string { return strings.ReplaceAll(fmt.Sprint(params), ";", "; ") },
	"stamp":    func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"ink":      ink,
	"mark":     newMark,
	"number":   number,
	"outcome":  outcomeOf,
	"percent":  func(v float64) float64 { return 100 * v },
	"plural":   plural,
	"rich":     rich,
	"rows":     rows,
	"tallied":  tallied,
	"took":     took,
	"times":    times,
	"unscored": unscored,
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

// plural writes "1 run", "12,000 runs".
func plural(n int, one, many string) string {
	return humanize.Comma(int64(n)) + " " + english.PluralWord(n, one, many)
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
	place := func(name string) int { // of others it is the last
		if i := slices.Index(order, name); i >= 0 {
			return i
		}
		return len(order)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(place(a)-place(b), strings.Compare(a, b)) })
	for i, name := range names {
		text := humanize.Comma(m[name])
		if of, ok := m[name+"_of"]; ok && of != m[name] {
			text += " of " + humanize.Comma(of)
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
