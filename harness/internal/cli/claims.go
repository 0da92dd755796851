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
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/spec"
	"stochopt/internal/words"

	"github.com/spf13/cobra"
)

type claimsOptions struct {
	format   string
	noFail   bool
	verbose  bool
	outcomes []string
	about    []string
}

func newClaims(a *app) *cobra.Command {
	o := &claimsOptions{}
	cmd := &cobra.Command{
		Use:   "claims DIR...",
		Short: "Judge the claims from the records alone; list shows them",
		Long: `Claims judges the claims of the specs that the folders were run with, from the records
alone, writes the verdicts into each folder's claims.json, and prints them. A folder of results
folders stands for all in it. docs/claims.md explains the verdicts.

Each verdict is shown with the numbers that decided, their confidence intervals and the claimed
range, and after "but" the caveats. Readings of a claim are shown in a table of their own; they
do not count as claims. With --about only the matching claims are shown and counted, and only
they decide the exit code; claims.json has all claims.

A folder without records, such as those in results/paper, is judged from its observations.csv.gz,
and nothing is written: it is an error if claims.json has other verdicts. To judge claims that
are not in a folder's spec, add them to the spec and run it again, which repeats no run.

Exit codes: 0 ok, 1 a claim is not reproduced (0 with --no-fail), 2 usage error.`,
		Example: `  stochopt claims results
  stochopt claims results/pca-simulated --outcome "not reproduced" --outcome inconclusive
  stochopt claims results --about 2.5 --format csv
  stochopt claims list --about 2.5`,
		Args: atLeastOne("results folder"),
		RunE: func(_ *cobra.Command, args []string) error { return o.run(a, args) },
	}
	f := cmd.Flags()
	f.BoolVarP(&o.verbose, "verbose", "v", false, "print every part and caveat of a verdict")
	f.BoolVar(&o.noFail, "no-fail", false, "exit with 0 though a claim is not reproduced")
	f.StringArrayVar(&o.outcomes, "outcome", nil,
		"show only this outcome: reproduced, not reproduced, inconclusive or not run; may be repeated")
	aboutFlag(cmd, &o.about)
	formatFlags(cmd, &o.format)
	cmd.AddCommand(newClaimsList(a))
	return cmd
}

func (o *claimsOptions) run(a *app, dirs []string) error {
	if err := o.check(); err != nil {
		return err
	}
	var judged []claims.Verdict
	unread := a.eachFolder(dirs, func(f *experiment.Folder) error {
		more, err := o.judge(a, f)
		judged = append(judged, more...)
		return err
	})
	if len(judged) == 0 && unread != nil {
		return unread
	}
	judged, err := matching(o.about, judged, func(v *claims.Verdict) *claims.Claim { return &v.Claim })
	if err != nil {
		return err
	}
	shown := slices.DeleteFunc(slices.Clone(judged), func(v claims.Verdict) bool {
		return len(o.outcomes) > 0 && !slices.Contains(o.outcomes, v.Outcome)
	})
	if o.format == inTable {
		err = printVerdicts(a.out, shown, judged, o.verbose)
	} else {
		err = printTable(a.out, o.format, shown, verdictColumns(o.verbose))
	}
	if err = cmp.Or(err, unread); err != nil {
		return err
	}
	if n := tally(claims.WithoutReadings(judged), claims.NotReproduced); n > 0 && !o.noFail {
		return failed(fmt.Errorf("%s not reproduced (a finding; with --no-fail the exit code is 0)", words.Count(n, "claim")))
	}
	return nil
}

func (o *claimsOptions) check() error {
	for i, name := range o.outcomes {
		name = strings.ReplaceAll(name, "-", " ")
		if !slices.Contains(outcomes, name) {
			return usagef("--outcome %q: there is no such outcome%s", o.outcomes[i], spec.Hint(name, outcomes))
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
		fmt.Fprintf(a.err, "note: %s: the spec makes no claims\n", f.Dir)
	}
	if !f.DerivedOnly() {
		_, products, err := a.products(f, s, experiment.Kinds{Claims: true})
		if err != nil {
			return nil, err
		}
		return products.Verdicts, nil
	}
	if len(s.Claims) == 0 {
		return nil, nil // there need not be observations
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
		return verdicts, failed(fmt.Errorf("%s: %s has other verdicts than its observations give", f.Dir, experiment.ClaimsFile))
	}
	return verdicts, nil
}

// belowPaper says in which ways s is smaller than the spec in a file at its full scale. If that
// cannot be determined, it warns.
func (a *app) belowPaper(file string, s *spec.Spec, sizes spec.Sizes) []claims.Shortfall {
	full, err := spec.FullScale(a.path(file), registry.Catalog())
	if err != nil {
		fmt.Fprintf(a.err, "warning: verdicts will lack the caveats about the smaller scale: %s\n", err)
		return nil
	}
	return spec.Shortfalls(s, full, sizes)
}

func aboutFlag(cmd *cobra.Command, about *[]string) {
	cmd.Flags().StringSliceVar(about, "about", nil, "only the claims about these: figures, tables or claims, by their ids, "+
		"or sections of the thesis with their subsections, such as 2.5")
}

// matching returns those of a list whose claims are about any of what is asked for; all if nothing
// is. It is an error if no claim is about one of them.
func matching[T any](asked []string, list []T, claim func(*T) *claims.Claim) ([]T, error) {
	if len(asked) == 0 {
		return list, nil
	}
	found := make(map[string]bool)
	var left []T
	var known []string
	for i := range list {
		matches := false
		about := claim(&list[i]).Names()
		known = append(known, about...)
		for _, name := range asked {
			within := func(subject string) bool { return subject == name || strings.HasPrefix(subject, name+".") }
			if slices.ContainsFunc(about, within) {
				matches, found[name] = true, true
			}
		}
		if matches {
			left = append(left, list[i])
		}
	}
	for _, name := range asked {
		if !found[name] {
			slices.Sort(known)
			return nil, usagef("--about %q: no claim here is about it%s", name, spec.Hint(name, slices.Compact(known)))
		}
	}
	return left, nil
}

// listedClaim is a claim of a spec.
type listedClaim struct {
	Spec string `json:"spec"`
	claims.Claim
}

type claimsListOptions struct {
	spec    specOptions
	about   []string
	format  string
	verbose bool
}

func newClaimsList(a *app) *cobra.Command {
	o := &claimsListOptions{}
	cmd := &cobra.Command{
		Use:   "list [SPEC...]",
		Short: "List the claims of specs, and how each is checked; run nothing",
		Long: `List shows the claims of the specs, by default of those in the folder configs: their ids,
where they stand in the thesis, and what they say. With --verbose it prints each claim as the
YAML of the spec, with the bounds of theorems as comments. Claims that only a profile has are
listed with --profile.`,
		Example: `  stochopt claims list --about 2.5
  stochopt claims list --about fig-experiments configs/svm-experiments.yaml -v
  stochopt claims list --about sbp-below-pegasos -v`,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error { return o.run(a, args) },
	}
	o.spec.flags(cmd)
	aboutFlag(cmd, &o.about)
	formatFlags(cmd, &o.format)
	cmd.Flags().BoolVarP(&o.verbose, "verbose", "v", false, "print the YAML of each claim, which says how it is checked")
	return cmd
}

func (o *claimsListOptions) run(a *app, files []string) error {
	if len(files) == 0 {
		files, _ = filepath.Glob(a.path(filepath.Join("configs", "*.yaml"))) // the pattern is valid
	}
	if len(files) == 0 {
		return usagef("no spec is given, and this folder has no specs in configs; name specs, or go to the project's folder")
	}
	specs, err := o.spec.load(a, files)
	if err != nil {
		return err
	}
	var listed []listedClaim
	for _, s := range specs {
		for _, c := range s.Claims {
			listed = append(listed, listedClaim{s.Name, c})
		}
	}
	listed, err = matching(o.about, listed, func(l *listedClaim) *claims.Claim { return &l.Claim })
	if err != nil {
		return err
	}
	if o.verbose && o.format == inTable {
		return printChecks(a.out, listed)
	}
	columns := []column[listedClaim]{
		{"spec", func(l listedClaim) any { return l.Spec }},
		{"claim", func(l listedClaim) any { return l.ID }},
		{"sections", func(l listedClaim) any { return strings.Join(l.Sections(), ", ") }},
		{"what it says", func(l listedClaim) any { return l.Says }},
	}
	if o.format != inTable {
		return printTable(a.out, o.format, listed, columns)
	}
	for _, s := range specs {
		of := slices.DeleteFunc(slices.Clone(listed), func(l listedClaim) bool { return l.Spec != s.Name })
		if len(of) > 0 {
			fmt.Fprintln(a.out, s.Name)
		}
		if err := printTable(a.out, inTable, of, columns[1:]); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(a.out, "%s; -v shows how each is checked\n", words.Count(len(listed), "claim"))
	return err
}

// printChecks prints claims as specs have them.
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
