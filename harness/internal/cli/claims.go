package cli

import (
	"fmt"
	"slices"
	"strings"

	"stochopt/harness/internal/claims"
	"stochopt/harness/internal/experiment"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/spec"
	"stochopt/internal/record"
	"stochopt/internal/words"

	"github.com/spf13/cobra"
)

type claimsOptions struct {
	spec     string
	from     string
	json     bool
	noFail   bool
	verbose  bool
	outcomes []string
	filter   claimFilter
}

// froms are the values of --from.
var froms = []string{"records", "observations"}

var outcomes = []string{claims.Reproduced, claims.NotReproduced, claims.Inconclusive, claims.NotRun}

func newClaims(a *app) *cobra.Command {
	o := &claimsOptions{}
	cmd := &cobra.Command{
		Use:   "claims DIR...",
		Short: "Judge the claims from the records alone; list shows them",
		Long: `Claims judges the claims of the specs that the folders were run with, from the
records alone, writes the verdicts into each folder's claims.json, and prints them. A
folder of results folders stands for all in it.

A claim is reproduced if its confidence interval is inside the claimed range, not
reproduced if it is outside, inconclusive if it contains an end of the range or there is
only one repeat, and not run if it cannot be judged: stand-in data where only real data
count, a profile below the claim's least, or no records.

Each verdict is shown with the numbers that decided, their intervals and the claimed range,
and after "but" the caveats. A star stands for the caveats listed above the table, where the
runs are below the scale of the thesis. --verbose shows all parts of a verdict.

Readings of a claim (keys of and reading, see configs/investigations) are shown in a table of
their own. They do not count as claims, and a reading that is not reproduced is no failure.

With --about or --section only the matching claims are shown and counted, and only they
decide the exit code; claims.json has all claims.

With --from observations the claims are judged from each folder's observations.csv.gz alone,
and nothing is written: it is an error if claims.json has other verdicts.

With --spec the claims of that spec are judged in place of those of the spec that
the folders were run with, and its figures and tables are those that they name. The
folders keep their own specs: to keep the claims, run the spec with the same profile, which
repeats no run.

Exit codes: 0 ok, 1 a claim is not reproduced (0 with --no-fail), 2 usage error.`,
		Example: `  stochopt claims results
  stochopt claims results/pca-simulated --outcome "not reproduced" --outcome inconclusive
  stochopt claims results --about fig-experiments --section 2.5
  stochopt claims list --section 2.5`,
		Args: atLeastOne("results folder"),
		RunE: func(_ *cobra.Command, args []string) error { return o.run(a, args) },
	}
	cmd.Flags().StringVar(&o.spec, "spec", "", "take claims, figures and tables from this spec")
	cmd.Flags().StringVar(&o.from, "from", froms[0], "judge from the records, or from the observations of an earlier judgement")
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON, with every part, estimate and caveat")
	cmd.Flags().BoolVarP(&o.verbose, "verbose", "v", false, "print every part and caveat of a verdict")
	cmd.Flags().BoolVar(&o.noFail, "no-fail", false, "exit with 0 though a claim is not reproduced")
	cmd.Flags().StringArrayVar(&o.outcomes, "outcome", nil, "show only this outcome: reproduced, not reproduced, inconclusive or not run; may be repeated")
	o.filter.flags(cmd)
	cmd.AddCommand(newClaimsList(a))
	return cmd
}

func (o *claimsOptions) check() error {
	if !slices.Contains(froms, o.from) {
		return usagef("--from %q: want records or observations%s", o.from, spec.Hint(o.from, froms))
	}
	if o.from == "observations" && o.spec != "" {
		return usagef("--spec: observations are of the claims of the folder's own spec; leave out --from")
	}
	for i, name := range o.outcomes {
		name = strings.ReplaceAll(name, "-", " ")
		if !slices.Contains(outcomes, name) {
			return usagef("--outcome %q: there is no such outcome%s", o.outcomes[i], spec.Hint(name, outcomes))
		}
		o.outcomes[i] = name
	}
	return nil
}

func (o *claimsOptions) run(a *app, dirs []string) error {
	if err := o.check(); err != nil {
		return err
	}
	judged := []claims.Verdict{}
	unread := a.eachFolder(dirs, func(f *experiment.Folder) error {
		more, err := o.judge(a, f)
		judged = append(judged, more...)
		return err
	})
	if len(judged) == 0 && unread != nil {
		return unread
	}
	judged, err := passing(&o.filter, judged, func(v *claims.Verdict) *claims.Claim { return &v.Claim })
	if err != nil {
		return err
	}
	shown := slices.DeleteFunc(slices.Clone(judged), func(v claims.Verdict) bool {
		return len(o.outcomes) > 0 && !slices.Contains(o.outcomes, v.Outcome)
	})
	if o.json {
		if err := printJSON(a.out, shown); err != nil {
			return err
		}
	} else if err := (&verdictTables{whole: o.verbose}).print(a.out, shown, judged); err != nil {
		return err
	}
	if unread != nil {
		return unread
	}
	if n := tally(claims.OfClaims(judged), claims.NotReproduced); n > 0 && !o.noFail {
		return failed(fmt.Errorf("%s not reproduced (a finding; with --no-fail the exit code is 0)", words.Count(n, "claim")))
	}
	return nil
}

// judge judges the claims of a results folder.
func (o *claimsOptions) judge(a *app, f *experiment.Folder) ([]claims.Verdict, error) {
	if o.from == "records" {
		return a.judge(f, o.spec)
	}
	s, err := f.Spec()
	if err != nil {
		return nil, err
	}
	if len(s.Claims) == 0 {
		fmt.Fprintf(a.err, "note: %s: the spec makes no claims\n", f.Dir)
		return nil, nil
	}
	verdicts, err := f.Decide(s)
	if err != nil {
		return nil, usagef("%s", err)
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

// judge judges the claims of a results folder by its records, those of another spec if one is
// given.
func (a *app) judge(f *experiment.Folder, from string) ([]claims.Verdict, error) {
	s, e, err := a.contents(f)
	if err != nil {
		return nil, err
	}
	dir, m, shortfalls := f.Dir, &f.Manifest, f.Manifest.BelowPaper
	if from != "" {
		other, err := (&specOptions{profile: m.Profile}).load(a, []string{from})
		if err != nil {
			return nil, err
		}
		shortfalls = a.belowPaper(from, s, recordedSizes(e))
		if name := other[0].Name; name != s.Name {
			fmt.Fprintf(a.err, "warning: %s is an experiment called %s, the spec %s is one called %s\n", dir, s.Name, from, name)
		} else if !slices.EqualFunc(s.Claims, other[0].Claims, experiment.SameClaim) {
			run := "run " + from
			if m.Profile != "" {
				run += " --profile " + m.Profile
			}
			fmt.Fprintf(a.err, "note: %s keeps its own spec; to keep the claims of %s there, run that spec with the same profile (%s): this records the spec and repeats no recorded run\n",
				dir, from, run)
		}
		s.Title, s.Figures, s.Tables, s.Claims = other[0].Title, other[0].Figures, other[0].Tables, other[0].Claims
	} else if v, err := f.RecordedVerdicts(); err == nil && v != nil && len(s.Claims) > 0 && !v.Of(s.Claims) {
		fmt.Fprintf(a.err, "note: %s: %s held verdicts on other claims than those of the folder's spec, which take their place\n", dir, experiment.ClaimsFile)
	}
	if len(s.Claims) == 0 {
		fmt.Fprintf(a.err, "note: %s: the spec makes no claims\n", dir)
		return nil, nil
	}
	d, err := f.Derive(s)
	if err != nil {
		return nil, failed(err)
	}
	d.Origin.Shortfalls = shortfalls
	products, err := d.Write(experiment.What{Claims: true})
	if err != nil {
		return nil, failed(err)
	}
	return products.Verdicts, nil
}

// belowPaper says in which ways s is smaller than the spec in a file at its full scale. If that
// cannot be told it warns.
func (a *app) belowPaper(file string, s *spec.Spec, sizes spec.Sizes) []claims.Shortfall {
	full, err := spec.FullScale(a.path(file), registry.Catalog())
	if err != nil {
		fmt.Fprintf(a.err, "warning: verdicts will lack the caveats about the smaller scale: %s\n", err)
		return nil
	}
	return spec.Shortfalls(s, full, sizes)
}

// recordedSizes tells the sizes of splits by the records.
func recordedSizes(e *record.Experiment) spec.Sizes {
	return func(dataset string) map[string]int64 {
		sizes := make(map[string]int64)
		for i := range e.Runs {
			r := &e.Runs[i]
			if r.Dataset != dataset {
				continue
			}
			for name, n := range r.Rows {
				if !strings.HasSuffix(name, "_of") {
					sizes[name] = max(sizes[name], n, r.Rows[name+"_of"])
				}
			}
		}
		return sizes
	}
}

func tally(verdicts []claims.Verdict, outcome string) (n int) {
	for i := range verdicts {
		if verdicts[i].Outcome == outcome {
			n++
		}
	}
	return n
}
