package record

import (
	"fmt"
	"slices"
	"strings"
)

// ID names a record, and what the plan at hand calls it.
type ID struct {
	Key    string `json:"key"`
	Extent string `json:"extent"`
	// Labels are the names that the plan gives to the record. They are no part of its identity: a
	// renamed series needs no new run.
	Labels
}

// Text names the record, without its labels, as files list it: "KEY@EXTENT".
func (id ID) Text() string { return id.Key + "@" + id.Extent }

// Labels are the names in a record that do not influence the computation. The zero value stands for
// those that it was recorded with.
type Labels struct {
	Dataset string `json:"dataset,omitempty"`
	Group   string `json:"group,omitempty"`
	Series  string `json:"series,omitempty"`
}

// ref is the identity of a record.
type ref struct{ key, extent string }

func (r Run) ref() ref { return ref{r.Key, r.Extent} }

func (id ID) ref() ref { return ref{id.Key, id.Extent} }

// refs returns the set of identities of records, or of the entries of a plan.
func refs[T interface{ ref() ref }](of []T) map[ref]bool {
	set := make(map[ref]bool, len(of))
	for _, v := range of {
		set[v.ref()] = true
	}
	return set
}

func (r *Run) labels() Labels { return Labels{r.Dataset, r.Group, r.Series} }

// ID returns the identity and the labels of r.
func (r Run) ID() ID { return ID{Key: r.Key, Extent: r.Extent, Labels: r.labels()} }

func (r Run) relabelled(l Labels) Run {
	if l != (Labels{}) {
		r.Dataset, r.Group, r.Series = l.Dataset, l.Group, l.Series
	}
	return r
}

// Name returns what messages call the run, for example "gaussian-k4 msg[k=4;step.c=0.5] repeat 3".
func (r Run) Name() string {
	return fmt.Sprintf("%s %s[%s] repeat %d", r.Dataset, r.Series, r.Params, r.Repeat)
}

// ExtentAlone ends the extent of runs that were made one at a time, each with kernel rows of its
// own, so that their timings compare.
const ExtentAlone = "+" + alone

const alone = "alone"

// Extent is Run.Extent taken apart.
type Extent struct {
	// Budget is the number of iterations.
	Budget string
	// Also lists what else is on record or holds of the run, such as "spectrum".
	Also []string
}

// ParseExtent takes an extent such as "10000/log:200+spectrum" apart.
func ParseExtent(text string) Extent {
	parts := strings.Split(text, "+")
	budget, _, _ := strings.Cut(parts[0], "/")
	return Extent{Budget: budget, Also: parts[1:]}
}

// Alone reports whether r was run alone.
func (r Run) Alone() bool { return slices.Contains(ParseExtent(r.Extent).Also, alone) }
