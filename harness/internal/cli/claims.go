package cli

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"stochopt/harness/internal/claims"
	"stochopt/harness/internal/experiment"
	"stochopt/harness/internal/spec"
	"stochopt/internal/observe"
	"stochopt/internal/words"

	"github.com/spf13/cobra"
)

type claimsOptions struct {
	asJSON   bool
	noFail   bool
	verbose  bool
	outcomes []string
	about    []string
}

func newClaims(a *app) *cobra.Command {
	o := &claimsOptions{}
	cmd := &cobra.Command{
		Use:   "claims DIR...",
		Short: "Judge claims from the records; list shows claims of specs",
		Long: `Claims judges the claims in the specs of results folders from the records, writes the verdicts into
claims.json of each folder, and prints them. A folder of results folders stands for all of them.
docs/claims.md explains the verdicts.

A verdict comes with the numbers that decided it, their confidence intervals and the claimed range.
Caveats follow after "but". A reading judges a claim under another interpretation of the thesis.
Readings have their own table and do not count as claims. With --about, only the matching claims are
printed and counted, and only they determine the exit code; claims.json still has all claims.

A folder without records, such as those in results/paper, is judged from its observations.csv.gz, and
nothing is written. It is an error if claims.json has other verdicts. To judge further claims, add them
to the spec and run it again; this repeats no run.

Exit codes: 0 ok, 1 a claim is not reproduced (0 with --no-fail), 2 usage error.`,
		Example: `  stochopt claims results
  stochopt claims results/pca-simulated --outcome "not reproduced" --outcome inconclusive
  stochopt claims results --about 2.5 --json
  stochopt claims list --about 2.5`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return o.run(a, args) },
	}
	f := cmd.Flags()
	f.BoolVarP(&o.verbose, "verbose", "v", false, "print all parts and caveats of a verdict")
	f.BoolVar(&o.noFail, "no-fail", false, "exit with 0 even if a claim is not reproduced")
	f.StringArrayVar(&o.outcomes, "outcome", nil,
		"print only this outcome: reproduced, not reproduced, inconclusive or not run; repeatable")
	aboutFlag(cmd, &o.about)
	jsonFlag(cmd, &o.asJSON)
	cmd.AddCommand(newClaimsList(a))
	return cmd
}

func (o *claimsOptions) run(a *app, dirs []string) error {
	if err := o.parseOutcomes(); err != nil {
		return err
	}
	var judged []claims.Verdict
	folderErr := a.eachFolder(dirs, func(f *experiment.Folder) error {
		more, err := o.judge(a, f)
		judged = append(judged, more...)
		return err
	})
	if len(judged) == 0 && folderErr != nil {
		return folderErr
	}
	judged, err := matching(o.about, judged, (*claims.Verdict).Names)
	if err != nil {
		return err
	}
	shown := slices.DeleteFunc(slices.Clone(judged), func(v claims.Verdict) bool {
		return len(o.outcomes) > 0 && !slices.Contains(o.outcomes, v.Outcome)
	})
	if o.asJSON {
		err = printJSONList(a.out, shown)
	} else {
		printVerdicts(a.out, shown, judged, o.verbose)
	}
	if err = cmp.Or(err, folderErr); err != nil {
		return err
	}
	if n := countOutcome(claims.WithoutReadings(judged), claims.NotReproduced); n > 0 && !o.noFail {
		return failed(fmt.Errorf("%s not reproduced (a finding; with --no-fail the exit code is 0)", words.Count(n, "claim")))
	}
	return nil
}

// parseOutcomes checks --outcome and replaces hyphens by spaces.
func (o *claimsOptions) parseOutcomes() error {
	known := claims.Outcomes()
	for i, name := range o.outcomes {
		name = strings.ReplaceAll(name, "-", " ")
		if !slices.Contains(known, name) {
			return usagef("--outcome %q: unknown outcome%s", o.outcomes[i], spec.Hint(name, known))
		}
		o.outcomes[i] = name
	}
	return nil
}

// judge judges the claims of a results folder.
func (o *claimsOptions) judge(a *app, f *experiment.Folder) ([]claims.Verdict, error) {
	s, err := f.Spec()
	if err != nil {
		return nil, usage(err)
	}
	if len(s.Claims) == 0 {
		fmt.Fprintf(a.err, "note: %s: the spec has no claims\n", f.Dir)
	}
	if !f.DerivedOnly() {
		_, products, err := a.products(f, s, experiment.Kinds{Claims: true})
		if err != nil {
			return nil, err
		}
		return products.Verdicts, nil
	}
	if len(s.Claims) == 0 {
		return nil, nil // the folder may lack observations
	}
	verdicts, err := f.Decide(s)
	if err != nil {
		return nil, usage(err)
	}
	recorded, err := f.RecordedVerdicts()
	if err != nil {
		return nil, err
	}
	if recorded != nil && !recorded.Equal(verdicts) {
		return verdicts, failed(fmt.Errorf("%s: the observations contradict %s", f.Dir, experiment.ClaimsFile))
	}
	return verdicts, nil
}

func aboutFlag(cmd *cobra.Command, about *[]string) {
	cmd.Flags().StringSliceVar(about, "about", nil, "print only claims about these figures, tables or claims (by id) "+
		"or sections of the thesis with their subsections, such as 2.5")
}

// matching returns the claims that are about any of the names, or all claims if there are no names. subjects
// returns what a claim is about. It is an error if no claim is about one of the names.
func matching[T any](names []string, list []T, subjects func(*T) []string) (kept []T, err error) {
	if len(names) == 0 {
		return list, nil
	}
	var known []string
	for i := range list {
		about := subjects(&list[i])
		known = append(known, about...)
		if slices.ContainsFunc(names, func(name string) bool { return isAbout(about, name) }) {
			kept = append(kept, list[i])
		}
	}
	slices.Sort(known)
	for _, name := range names {
		if !isAbout(known, name) {
			return nil, usagef("--about %q: no claim matches%s", name, spec.Hint(name, slices.Compact(known)))
		}
	}
	return kept, nil
}

// isAbout reports whether a name, or a subsection of it, is among the subjects of a claim.
func isAbout(subjects []string, name string) bool {
	return slices.ContainsFunc(subjects, func(s string) bool { return s == name || strings.HasPrefix(s, name+".") })
}

// listedClaim is a claim of a spec.
type listedClaim struct {
	Spec string `json:"spec"`
	claims.Claim
}

type claimsListOptions struct {
	spec    specOptions
	about   []string
	asJSON  bool
	verbose bool
}

func newClaimsList(a *app) *cobra.Command {
	o := &claimsListOptions{}
	cmd := &cobra.Command{
		Use:   "list [SPEC...]",
		Short: "List the claims of specs and how each is checked; run nothing",
		Long: `List prints the claims of specs: their ids, their sections in the thesis and their statements. The
default is all specs in the folder configs. With --verbose, it prints each claim as YAML, with the
bounds of theorems as comments. To include the claims of a profile, use --profile.`,
		Example: `  stochopt claims list --about 2.5
  stochopt claims list --about fig-experiments configs/svm-experiments.yaml -v
  stochopt claims list --about sbp-below-pegasos -v`,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error { return o.run(a, args) },
	}
	o.spec.flags(cmd)
	aboutFlag(cmd, &o.about)
	jsonFlag(cmd, &o.asJSON)
	cmd.Flags().BoolVarP(&o.verbose, "verbose", "v", false, "print the YAML of each claim, including its check")
	return cmd
}

func (o *claimsListOptions) run(a *app, files []string) error {
	if len(files) == 0 {
		files, _ = filepath.Glob(filepath.Join("configs", "*.yaml")) // the pattern is valid
	}
	if len(files) == 0 {
		return usagef("no specs: name some, or run this command in a folder with configs/*.yaml")
	}
	specs, err := o.spec.load(files)
	if err != nil {
		return err
	}
	var listed []listedClaim
	for _, s := range specs {
		for _, c := range s.Claims {
			listed = append(listed, listedClaim{s.Name, c})
		}
	}
	listed, err = matching(o.about, listed, (*listedClaim).Names)
	if err != nil {
		return err
	}
	if o.asJSON {
		return printJSONList(a.out, listed)
	}
	if o.verbose {
		return printChecks(a.out, listed)
	}
	for _, group := range observe.Grouped(listed, func(l *listedClaim) string { return l.Spec }) {
		fmt.Fprintln(a.out, group[0].Spec)
		printTable(a.out, inTable, group, []column[listedClaim]{
			{"claim", func(l listedClaim) any { return l.ID }},
			{"sections", func(l listedClaim) any { return strings.Join(l.Sections(), ", ") }},
			{"statement", func(l listedClaim) any { return l.Says }},
		})
	}
	fmt.Fprintf(a.out, "%s; -v prints the checks\n", words.Count(len(listed), "claim"))
	return nil
}

// printChecks prints claims as YAML.
func printChecks(w io.Writer, list []listedClaim) error {
	for i, l := range list {
		if i == 0 || list[i-1].Spec != l.Spec {
			fmt.Fprintf(w, "%s:\n", l.Spec)
		}
		if b := l.Check.Bound; b != nil {
			fmt.Fprintf(w, "# %s: %s\n", b.Name, b.Statement())
		}
		if err := printYAML(w, []claims.Claim{l.Claim}); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "# %s\n", words.Count(len(list), "claim"))
	return err
}
