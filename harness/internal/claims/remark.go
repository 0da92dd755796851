package claims

import (
	"fmt"
	"slices"
	"strings"

	"stochopt/internal/observe"
	"stochopt/internal/words"
)

func note(format string, args ...any) observe.Remark {
	return observe.Remark{Kind: observe.Note, Text: fmt.Sprintf(format, args...)}
}

func doubt(format string, args ...any) observe.Remark {
	return observe.Remark{Kind: observe.Doubt, Text: fmt.Sprintf(format, args...)}
}

// Remarks that several places make.
var (
	standIn  = doubt("stand-in data")
	unpaired = note("only repeats that all series have are used")
)

// Caveat is a remark with what it holds of: data sets with settings, data sets or
// series. On is empty if that is all, or nothing in particular.
type Caveat struct {
	observe.Remark
	On []string
}

func (c Caveat) String() string {
	if len(c.On) == 0 {
		return c.Text
	}
	return words.List(c.On, 4) + ": " + c.Text
}

// MarshalText writes the words.
func (c Caveat) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads words, whose kind is not known.
func (c *Caveat) UnmarshalText(text []byte) error {
	*c = Caveat{Remark: observe.Remark{Text: string(text)}}
	return nil
}

// Texts are the words of caveats.
func Texts(list []Caveat) []string {
	var texts []string
	for _, c := range list {
		texts = append(texts, c.String())
	}
	return texts
}

// AddCaveat adds a remark to a list, in which each is once, with all that it holds of.
func AddCaveat(list []Caveat, r observe.Remark, on ...string) []Caveat {
	i := slices.IndexFunc(list, func(c Caveat) bool { return c.Remark == r })
	if i < 0 {
		return append(list, Caveat{r, slices.Clone(on)})
	}
	if len(on) == 0 || len(list[i].On) == 0 { // it holds of all
		list[i].On = nil
		return list
	}
	for _, name := range on {
		list[i].On = words.AddOnce(list[i].On, name)
	}
	return list
}

// caveats collects the caveats of the parts, of parts that were not judged, of the scale and of
// missing runs.
func (v *Verdict) caveats(series []string, in *Origin) []Caveat {
	var list []Caveat
	datasets := make(map[string]bool)
	for i := range v.Parts {
		p := &v.Parts[i]
		datasets[p.Dataset] = true
		if v.Outcome == NotRun {
			continue
		}
		for _, c := range p.Caveats {
			list = AddCaveat(list, c.Remark, p.where())
		}
		if p.Outcome == NotRun {
			list = AddCaveat(list, doubt("not judged: %s", p.Reason), p.where())
		}
	}
	v.everywhere(list)
	about := func(name string) bool { return name == "" || slices.Contains(series, name) }
	for _, s := range in.Shortfalls {
		everywhere := datasets[""] && (len(v.Datasets) == 0 || slices.Contains(v.Datasets, s.Dataset))
		if s.Dataset != "" && !datasets[s.Dataset] && !everywhere || !about(s.Series) {
			continue
		}
		var on []string
		if where := strings.TrimSpace(s.Dataset + " " + s.Series); where != "" {
			on = []string{where}
		}
		list = AddCaveat(list, observe.Remark{Kind: observe.BelowScale, Text: s.Text}, on...)
	}
	missing := 0
	for _, m := range in.Missing {
		if m.Dataset == "" || len(v.Datasets) == 0 || slices.Contains(v.Datasets, m.Dataset) {
			if about(m.Series) {
				missing += m.Runs
			}
		}
	}
	if missing > 0 {
		list = AddCaveat(list, doubt("not on record: %s that the claim is about", words.Count(missing, "run")))
	}
	return list
}

// everywhere leaves out of caveats what they hold of where that is all parts.
func (v *Verdict) everywhere(list []Caveat) {
	for i, c := range list {
		if len(c.On) == len(v.Parts) || c.On[0] == "" {
			list[i].On = nil
		}
	}
}
