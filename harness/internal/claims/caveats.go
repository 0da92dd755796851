package claims

import (
	"fmt"
	"slices"
	"strings"

	"stochopt/internal/observe"
	"stochopt/internal/words"
)

// RemarkKind says what a remark is about.
type RemarkKind int

// Kinds of remarks.
const (
	// Said: only the words are known, as of verdicts on record.
	Said RemarkKind = iota
	// BelowScale: the runs are below the scale of the thesis, by What.
	BelowScale

	standIn
	unpaired
	wallTime
	noProcessorTime
	processorTime
	sideBySide
	timedOnce
	leftOut
	outOfTime
	endedBefore
	rangeCut
	passesCut
	tooFewAlike
	mayBeLess
	mayBeMore
	tie
	byChance
	otherChoice
	otherChoiceUnknown
	oneRepeat
	oneRepeatOf
	overHalvings
	notJudged
	missingRuns
	declaredCost
)

// Remark is what an outcome must not be told without.
type Remark struct {
	Kind RemarkKind
	// The other fields are what the words of the kind have: the series that it is about,
	// numbers of runs or of what else is counted, where runs end and where they were to,
	// and a name or a text.
	Series     string
	N, Of      int
	End, Asked float64
	What       string
}

func (r Remark) String() string {
	switch r.Kind {
	case standIn:
		return "stand-in data"
	case unpaired:
		return "only repeats that all series have are used"
	case wallTime:
		return "wall time, which gives no verdict"
	case noProcessorTime:
		return "no processor time on record; wall time gives no verdict"
	case processorTime:
		return "seconds are processor time"
	case sideBySide:
		return fmt.Sprintf("measured with %d runs in parallel", r.N)
	case timedOnce:
		return r.Series + " was timed once"
	case leftOut:
		return fmt.Sprintf("%d of %s of %s left out: %s", r.N, words.Count(r.Of, "run"), r.Series, r.What)
	case outOfTime:
		return fmt.Sprintf("%s of %s out of time, used up to that point", words.Count(r.N, "run"), r.Series)
	case endedBefore:
		return fmt.Sprintf("%s of %s ended before that cost", words.Count(r.N, "run"), r.Series)
	case rangeCut:
		return fmt.Sprintf("the runs end at %s %s, not %s", words.Cost(r.End), r.What, words.Cost(r.Asked))
	case passesCut:
		return fmt.Sprintf("%s ends after %s passes, not %s", r.Series, words.Rounded(r.End), words.Rounded(r.Asked))
	case tooFewAlike:
		return alike(r.N, r.What) + ", too few to show a spread"
	case mayBeLess:
		return "the true value may be less: runs that ended early count up to their end"
	case mayBeMore:
		return "the true value may be more: runs that did not reach the target count as if they reached it at their end"
	case tie:
		return "a tie: there is no difference"
	case byChance:
		return fmt.Sprintf("one of %d comparisons is outside the range, which may be chance", r.N)
	case otherChoice:
		return "the verdict may change with the parameters that other repeats would choose"
	case otherChoiceUnknown:
		return "the value is unknown for the parameters that other repeats would choose"
	case oneRepeat:
		return "one repeat"
	case oneRepeatOf:
		return "one repeat of " + r.Series
	case overHalvings:
		return "the interval is over halvings of one test set, not over repeats"
	case notJudged:
		return "not judged: " + r.What
	case declaredCost:
		return observe.Declared{Cost: r.What, Series: []string{r.Series}}.String()
	case missingRuns:
		return "not on record: " + words.Count(r.N, "run") + " that the claim is about"
	}
	return r.What
}

// alike says that a quantity is the same in all replicates.
func alike(n int, replicate string) string { return "the same in all " + words.Count(n, replicate) }

// Caveat is a remark with what it holds of: data sets with settings, data sets or
// series. On is empty if that is all, or nothing in particular.
type Caveat struct {
	Remark
	On []string
}

func (c Caveat) String() string {
	if len(c.On) == 0 {
		return c.Remark.String()
	}
	return words.List(c.On, 4) + ": " + c.Remark.String()
}

// MarshalText writes the words.
func (c Caveat) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads words, of which no more is known.
func (c *Caveat) UnmarshalText(text []byte) error {
	*c = Caveat{Remark: Remark{What: string(text)}}
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
func AddCaveat(list []Caveat, r Remark, on ...string) []Caveat {
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

// caveats collects those of the parts, of parts that were not judged, of the scale and
// of missing runs.
func (v *Verdict) caveats(j *judging) []Caveat {
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
			list = AddCaveat(list, Remark{Kind: notJudged, What: p.Reason}, p.where())
		}
	}
	v.everywhere(list)
	for _, s := range j.in.Shortfalls {
		everywhere := datasets[""] && (len(v.Datasets) == 0 || slices.Contains(v.Datasets, s.Dataset))
		if s.Dataset != "" && !datasets[s.Dataset] && !everywhere || s.Series != "" && !slices.Contains(j.series, s.Series) {
			continue
		}
		var on []string
		if where := strings.TrimSpace(s.Dataset + " " + s.Series); where != "" {
			on = []string{where}
		}
		list = AddCaveat(list, Remark{Kind: BelowScale, What: s.Text}, on...)
	}
	if n := j.missing(); n > 0 {
		list = AddCaveat(list, Remark{Kind: missingRuns, N: n})
	}
	return list
}

// missing is the number of runs that the claim is about and that are not on record.
func (j *judging) missing() (n int) {
	for _, m := range j.in.Missing {
		of := m.Dataset == "" || len(j.Datasets) == 0 || slices.Contains(j.Datasets, m.Dataset)
		if of && (m.Series == "" || slices.Contains(j.series, m.Series)) {
			n += m.Runs
		}
	}
	return n
}

// everywhere leaves out of caveats what they hold of where that is all parts.
func (v *Verdict) everywhere(list []Caveat) {
	for i, c := range list {
		if len(c.On) == len(v.Parts) || c.On[0] == "" {
			list[i].On = nil
		}
	}
}
