package record

import (
	"fmt"
	"slices"
	"strings"
)

// ID identifies a run of a plan.
type ID struct {
	Key    string `json:"key"`
	Extent string `json:"extent"`
	// Labels are the names of the run in the plan. They are not part of its identity: renaming a
	// series requires no new runs.
	Labels
}

// Text returns the identity as text, "KEY@EXTENT", without the labels.
func (id ID) Text() string { return id.Key + "@" + id.Extent }

// Labels are the names in a record that do not influence the computation. In a plan, the zero value
// keeps the labels of the record.
type Labels struct {
	Dataset string `json:"dataset,omitempty"`
	Group   string `json:"group,omitempty"`
	Series  string `json:"series,omitempty"`
}

// ref is the identity of a record.
type ref struct{ key, extent string }

func (r Run) ref() ref { return ref{r.Key, r.Extent} }

func (id ID) ref() ref { return ref{id.Key, id.Extent} }

// refs returns the set of identities of runs or plan entries.
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

// Name returns the name of the run in messages, such as "gaussian-k4 msg[k=4;step.c=0.5] repeat 3".
func (r Run) Name() string {
	return fmt.Sprintf("%s %s[%s] repeat %d", r.Dataset, r.Series, r.Params, r.Repeat)
}

// ExtentAlone is the suffix of the extent of runs that were performed one at a time without sharing
// kernel rows, so that their timings are comparable.
const ExtentAlone = "+" + alone

const alone = "alone"

// Budget returns the number of iterations in the extent of r, such as "10000" for "10000/log:200+spectrum".
func (r Run) Budget() string { return r.Extent[:strings.IndexAny(r.Extent+"/", "/+")] }

// Alone reports whether r was performed alone; see ExtentAlone.
func (r Run) Alone() bool { return slices.Contains(strings.Split(r.Extent, "+")[1:], alone) }
