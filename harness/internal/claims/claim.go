// Package claims judges statements about experiments, such as sentences of the thesis, from records. A
// statement is checked by one of a small set of predicates. Confidence intervals over repeats decide
// whether it is reproduced, not reproduced or inconclusive.
package claims

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"stochopt/internal/observe"
	"stochopt/internal/record"
)

// Claim is a statement about the runs of an experiment, and how to check it.
//
// A claim is judged in parts: one for each dataset and each setting of the parameters, such as k, that
// its series have in common. Tuned parameters do not define parts, because each series has its own values.
// If a part has several settings of a series, Where must select one.
//
// Runs of several series are compared repeat by repeat. The single run of a deterministic method is
// compared with each repeat of the others. On its own it also gives a verdict, except on time. A single run
// of any other method gives no verdict for any number of halvings of the test set, except on bounds that
// hold run by run.
type Claim struct {
	// ID identifies the claim. It is unique in all specs of the project.
	ID string `yaml:"id" json:"id" jsonschema:"pattern=^[a-z0-9][a-z0-9-]*$,maxLength=100"`
	// Source is the place of the statement, such as "section 6.4.1". Omit it for your own statements.
	Source string `yaml:"source,omitempty" json:"source,omitempty"`
	// Says paraphrases the statement in one sentence.
	Says string `yaml:"says" json:"says"`
	// Kind is the kind of statement: "experiment" (default), a result of experiments; "rate", the order of
	// upper bounds, with which measured exponents may or may not agree; "bound", a theorem that limits the
	// results of experiments; or "identity", true by construction. Kinds are counted separately.
	Kind string `yaml:"kind,omitempty" json:"kind,omitempty" jsonschema:"enum=experiment,enum=rate,enum=bound,enum=identity"`
	// Shown is the id of the figure or table of the spec that shows the claim.
	Shown string `yaml:"shown,omitempty" json:"shown,omitempty"`
	// From is the smallest profile, of smoke < quick < paper, at which the claim is judged; the default is
	// quick. A spec without profiles counts as paper.
	From string `yaml:"from,omitempty" json:"from,omitempty" jsonschema:"enum=smoke,enum=quick,enum=paper"`
	// Data is "any" (default), or "real" if stand-ins for the data cannot decide the statement.
	Data string `yaml:"data,omitempty" json:"data,omitempty" jsonschema:"enum=any,enum=real"`
	// Datasets restricts the claim to the named datasets; the default is all.
	Datasets []string `yaml:"datasets,omitempty" json:"datasets,omitempty" jsonschema:"minItems=1,uniqueItems=true"`
	// Where restricts the claim to runs with these parameter values, such as {k: 4}. A list allows any of
	// its values. Runs without the parameter are not restricted.
	Where map[string]any `yaml:"where,omitempty" json:"where,omitempty"`
	// Of is the id of another claim, in the spec of the thesis's experiment, that this claim judges under a
	// different reading of the text. Such a claim is not counted.
	Of string `yaml:"of,omitempty" json:"of,omitempty" jsonschema:"pattern=^[a-z0-9][a-z0-9-]*$,maxLength=100"`
	// Reading describes the reading of the text in a few words, such as "the last iterate". It is required
	// with of and not allowed without.
	Reading string `yaml:"reading,omitempty" json:"reading,omitempty"`
	// Holds is the number of parts on which the statement must hold: "all" (default), "most" (more than
	// half) or "any".
	Holds string `yaml:"holds,omitempty" json:"holds,omitempty" jsonschema:"enum=all,enum=most,enum=any"`
	// Unjudged explains why no run of the spec can decide the statement, for example because data or a
	// program are not available, and what was run instead. The verdict is then "not run", with the result
	// of check next to it.
	Unjudged string `yaml:"unjudged,omitempty" json:"unjudged,omitempty"`
	// Check is the condition that must be true.
	Check Check `yaml:"check" json:"check"`
}

// Kinds of claims: values of Claim.Kind.
const (
	Experiment = "experiment"
	Rate       = "rate"
	Theorem    = "bound"
	Identity   = "identity"
)

// Kinds lists the kinds of claims in display order.
func Kinds() []string { return []string{Experiment, Rate, Theorem, Identity} }

// KindOrDefault returns the kind of the claim.
func (c *Claim) KindOrDefault() string { return cmp.Or(c.Kind, Experiment) }

// Profiles lists the profiles of the project's specs, smallest first.
func Profiles() []string { return []string{"smoke", "quick", "paper"} }

// leastProfile returns the smallest profile at which the claim is judged.
func (c *Claim) leastProfile() string { return cmp.Or(c.From, "quick") }

// judgedAt reports whether the claim is judged at a profile. An unknown profile, or none, counts as the
// largest.
func (c *Claim) judgedAt(profile string) bool {
	i := slices.Index(Profiles(), profile)
	return i < 0 || i >= slices.Index(Profiles(), c.leastProfile())
}

// restriction describes Where at the end of a sentence, such as " where k = 2 or 4".
func (c *Claim) restriction() string {
	text, word := "", " where "
	for _, name := range slices.Sorted(maps.Keys(c.Where)) {
		var values []string
		for _, v := range observe.Alternatives(c.Where[name]) {
			values = append(values, record.FormatValue(v))
		}
		text += word + name + " = " + strings.Join(values, " or ")
		word = " and "
	}
	return text
}

// Subjects lists the possible results of Subject in the order of the chapters.
func Subjects() []string {
	return []string{"chapters 1 and 2, kernel SVM training", "chapter 3, sparse SVMs", "chapters 4 to 6, streaming PCA"}
}

var located = regexp.MustCompile(`^(?:sections?|chapter) (\d+(?:\.\d+)*)(?: and (\d+(?:\.\d+)*))?`)

// Sections returns the numbers of the sections, such as "1.4.1", or of the chapter at the beginning of the
// claim's Source.
func (c *Claim) Sections() []string {
	at := located.FindStringSubmatch(c.Source)
	if at == nil {
		return nil
	}
	return slices.DeleteFunc(at[1:], func(number string) bool { return number == "" })
}

// Names lists the names that select the claim: its id, the claim that it is a reading of, its figures and tables, and
// its sections of the thesis.
func (c *Claim) Names() []string {
	names := append([]string{c.ID, c.Of, c.Shown}, c.Sections()...)
	for part := range strings.SplitSeq(c.Source, ", ") {
		if strings.HasPrefix(part, "fig-") || strings.HasPrefix(part, "tab-") {
			names = append(names, part)
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}

// Subject returns the chapters of the claim's Source and their subject. It is "" if Source does not begin
// with a section or a chapter.
func (c *Claim) Subject() string {
	for _, section := range c.Sections() {
		switch chapter, _, _ := strings.Cut(section, "."); chapter {
		case "1", "2":
			return Subjects()[0]
		case "3":
			return Subjects()[1]
		case "4", "5", "6":
			return Subjects()[2]
		}
	}
	return ""
}
