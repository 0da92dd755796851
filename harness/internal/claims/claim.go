// Package claims judges statements about experiments, such as those of the
// thesis's prose, from records alone. A statement is checked by one of a small
// closed set of predicates, each evaluated with confidence intervals over repeats, so that
// the verdict is reproduced, not reproduced or inconclusive.
package claims

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"stochopt/internal/observe"
	"stochopt/internal/record"
)

// Claim is a statement about the runs of an experiment, and how to check it.
//
// It is judged for each data set, and for each setting of the parameters, such as
// k, that all series it is about have in common: each is a part of it. Tuned
// parameters make no parts, because each series has its own values of them. If a part has
// several settings of a series, Where must choose one.
//
// Runs of several series are compared repeat by repeat. The single run of a method
// without randomness is compared with each repeat of the others; alone, it gives a verdict,
// except on time. A single run of any other method gives none, however many halvings of the
// test set it is evaluated on, except on bounds that hold run by run.
type Claim struct {
	// ID names the claim, in all specifications of the project.
	ID string `yaml:"id" json:"id" jsonschema:"pattern=^[a-z0-9][a-z0-9-]*$,maxLength=100"`
	// Source says where the statement stands, such as "section 6.4.1"; leave it out for a
	// statement of your own.
	Source string `yaml:"source,omitempty" json:"source,omitempty"`
	// Says paraphrases the statement in a sentence.
	Says string `yaml:"says" json:"says"`
	// Kind is what the statement is: "experiment" (default), of what experiments show;
	// "rate", of the order of upper bounds, which measured exponents may have or not; "bound",
	// of a theorem on what experiments can show at most; or "identity", true by construction
	// of what is run. They are counted apart.
	Kind string `yaml:"kind,omitempty" json:"kind,omitempty" jsonschema:"enum=experiment,enum=rate,enum=bound,enum=identity"`
	// Shown is the id of the figure or table of the specification that shows it.
	Shown string `yaml:"shown,omitempty" json:"shown,omitempty"`
	// From is the least profile, of smoke < quick < paper, that the claim is judged
	// at: by default quick. A specification without profiles is at paper.
	From string `yaml:"from,omitempty" json:"from,omitempty" jsonschema:"enum=smoke,enum=quick,enum=paper"`
	// Data is "any" (default), or "real" for a statement that stand-ins of the data
	// cannot decide.
	Data string `yaml:"data,omitempty" json:"data,omitempty" jsonschema:"enum=any,enum=real"`
	// Datasets restricts the claim to the datasets named; all by default.
	Datasets []string `yaml:"datasets,omitempty" json:"datasets,omitempty" jsonschema:"minItems=1,uniqueItems=true"`
	// Where restricts the claim to runs with these values of parameters, e.g. {k: 4}; a list
	// stands for any of its values. Runs without such a parameter are not restricted by it.
	Where map[string]any `yaml:"where,omitempty" json:"where,omitempty"`
	// Of is the id of the claim, in the specification of the thesis's experiment, that this
	// one judges under a reading of its text. It takes no part in the counts of claims.
	Of string `yaml:"of,omitempty" json:"of,omitempty" jsonschema:"pattern=^[a-z0-9][a-z0-9-]*$,maxLength=100"`
	// Reading says in a few words how the text is read here, such as "the last iterate";
	// a claim that is a reading of another has it, and no other.
	Reading string `yaml:"reading,omitempty" json:"reading,omitempty"`
	// Holds says on how many of its parts the statement must hold: "all"
	// (default), "most" (more than half) or "any".
	Holds string `yaml:"holds,omitempty" json:"holds,omitempty" jsonschema:"enum=all,enum=most,enum=any"`
	// Unjudged says why no run of the specification can decide the statement, such as one about
	// data or a program that it lacks, and what was run instead: the verdict is "not run", with
	// what Check finds next to it.
	Unjudged string `yaml:"unjudged,omitempty" json:"unjudged,omitempty"`
	// Check says what must be true.
	Check Check `yaml:"check" json:"check"`
}

// Kinds of claims: values of Claim.Kind.
const (
	Experiment = "experiment"
	Rate       = "rate"
	Theorem    = "bound"
	Identity   = "identity"
)

// Kinds lists the kinds of claims, in the order in which they are shown.
func Kinds() []string { return []string{Experiment, Rate, Theorem, Identity} }

// OfKind is the kind of the claim.
func (c *Claim) OfKind() string { return cmp.Or(c.Kind, Experiment) }

// Profiles lists the profiles that the specifications of the project have, from the least.
func Profiles() []string { return []string{"smoke", "quick", "paper"} }

// LeastProfile is the least profile that the claim is judged at.
func (c *Claim) LeastProfile() string { return cmp.Or(c.From, "quick") }

// JudgedAt reports whether the claim is judged at a profile. One that is not of the
// project, or none, is taken for the whole.
func (c *Claim) JudgedAt(profile string) bool {
	i := slices.Index(Profiles(), profile)
	return i < 0 || i >= slices.Index(Profiles(), c.LeastProfile())
}

// restriction says at the end of a sentence what the claim is restricted to, such as " where k = 2 or 4".
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

// subjects are what the chapters of the thesis are about.
var subjects = []string{"", kernelChapters, kernelChapters, "chapter 3, sparse SVMs", pcaChapters, pcaChapters, pcaChapters}

const (
	kernelChapters = "chapters 1 and 2, kernel SVM training"
	pcaChapters    = "chapters 4 to 6, streaming PCA"
)

var located = regexp.MustCompile(`^(?:sections?|chapter) (\d+(?:\.\d+)*)(?: and (\d+(?:\.\d+)*))?`)

// Sections lists the numbers of the sections of the thesis that the claim's Source begins
// with, such as "1.4.1", or of its chapter.
func (c *Claim) Sections() []string {
	at := located.FindStringSubmatch(c.Source)
	if at == nil {
		return nil
	}
	return slices.DeleteFunc(at[1:], func(number string) bool { return number == "" })
}

// About lists what the claim is about: its id, that of the claim that it is a reading of, the figures
// and tables that show it or that its Source names, and the sections of the thesis.
func (c *Claim) About() []string {
	about := append([]string{c.ID, c.Of, c.Shown}, c.Sections()...)
	for part := range strings.SplitSeq(c.Source, ", ") {
		if strings.HasPrefix(part, "fig-") || strings.HasPrefix(part, "tab-") {
			about = append(about, part)
		}
	}
	return slices.DeleteFunc(about, func(name string) bool { return name == "" })
}

// Subject names the chapters of the thesis that the claim's Source is in, with what they
// are about. It is empty where the source does not begin with a section or a chapter.
func (c *Claim) Subject() string {
	at := c.Sections()
	if at == nil {
		return ""
	}
	first, _, _ := strings.Cut(at[0], ".")
	if chapter, err := strconv.Atoi(first); err == nil && chapter < len(subjects) {
		return subjects[chapter]
	}
	return ""
}

// Subjects lists what Subject returns, in the order of the chapters.
func Subjects() []string { return slices.Compact(slices.Clone(subjects[1:])) }
