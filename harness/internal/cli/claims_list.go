package cli

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"stochopt/harness/internal/claims"
	"stochopt/internal/words"
	"stochopt/plots/table"

	"github.com/spf13/cobra"
	"gopkg.in/yaml.v3"
)

// listedClaim is a claim as list tells of it.
type listedClaim struct {
	Spec string `json:"spec"`
	claims.Claim
	// Only lists the profiles that have the claim, if the spec by itself does not.
	Only []string `json:"only,omitempty"`
}

// listClaims lists the claims of specs. Unless a profile is asked for, those that only
// profiles have are listed with the others of their spec.
func (a *app) listClaims(o *specOptions, files []string) ([]listedClaim, error) {
	specs, err := o.load(a, files)
	if err != nil {
		return nil, err
	}
	listed := []listedClaim{}
	for i, s := range specs {
		first := len(listed)
		for _, c := range s.Claims {
			listed = append(listed, listedClaim{Spec: s.Name, Claim: c})
		}
		if o.profile != "" {
			continue
		}
		for _, profile := range claims.Profiles() {
			more, err := (&specOptions{profile: profile, sets: o.sets}).load(a, files[i:i+1])
			if err != nil {
				continue // it has no such profile, or validate tells what is wrong with it
			}
			for _, c := range more[0].Claims {
				at := slices.IndexFunc(listed[first:], func(l listedClaim) bool { return l.ID == c.ID })
				switch {
				case at < 0:
					listed = append(listed, listedClaim{Spec: s.Name, Claim: c, Only: []string{profile}})
				case listed[first+at].Only != nil:
					listed[first+at].Only = append(listed[first+at].Only, profile)
				}
			}
		}
	}
	return listed, nil
}

func newClaimsList(a *app) *cobra.Command {
	o, filter := &specOptions{}, &claimFilter{}
	asJSON, whole := false, false
	cmd := &cobra.Command{
		Use:   "list [SPEC...]",
		Short: "List the claims of specs, and how each is checked; run nothing",
		Long: `List shows the claims of the specs, by default of those in the folder configs, a
line each: its id, where it stands in the thesis, and what it says. With --verbose it prints
each claim as the YAML of the spec. Comments there state the bounds of theorems, and mark
the claims that only profiles of a spec have.`,
		Example: `  stochopt claims list --section 2.5
  stochopt claims list --about fig-experiments configs/svm-experiments.yaml -v
  stochopt claims list --about sbp-below-pegasos -v`,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			files, err := a.orConfigs(args)
			if err != nil {
				return err
			}
			listed, err := a.listClaims(o, files)
			if err != nil {
				return err
			}
			listed, err = passing(filter, listed, func(l *listedClaim) *claims.Claim { return &l.Claim })
			switch {
			case err != nil:
				return err
			case asJSON:
				return printJSON(a.out, listed)
			case whole:
				return printWholeClaims(a.out, listed)
			}
			return printClaims(a.out, listed)
		},
	}
	o.flags(cmd)
	filter.flags(cmd)
	cmd.Flags().BoolVarP(&whole, "verbose", "v", false, "print the YAML of each claim, which says how it is checked")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// orConfigs returns the files given, or else the specs in the folder configs.
func (a *app) orConfigs(files []string) ([]string, error) {
	if len(files) > 0 {
		return files, nil
	}
	files, err := filepath.Glob(a.path(filepath.Join("configs", "*.yaml")))
	if err == nil && len(files) == 0 {
		err = usagef("no spec is given, and this folder has no specs in configs; name specs, or go to the project's folder")
	}
	return files, err
}

// printClaims prints claims that have not been judged, a line each below the name of their
// spec.
func printClaims(w io.Writer, list []listedClaim) error {
	specs, ids, places := 0, 0, 0
	for _, l := range list {
		ids, places = max(ids, utf8.RuneCountInString(l.ID)), max(places, utf8.RuneCountInString(placeOf(&l.Claim)))
	}
	for i, l := range list {
		if i == 0 || list[i-1].Spec != l.Spec {
			specs++
			fmt.Fprintln(w, l.Spec)
		}
		line := fmt.Sprintf("  %-*s  %-*s  %s", ids, l.ID, places, placeOf(&l.Claim), l.Says)
		fmt.Fprintln(w, words.Fit(line, table.Width))
	}
	text := countClaims(list)
	if len(list) > 0 {
		text += "; -v shows how each is checked"
	}
	if specs > 1 {
		text += "; --section, --about or the name of a spec narrow the list down"
	}
	_, err := fmt.Fprintln(w, strings.Join(words.Wrap(text, table.Width, ""), "\n"))
	return err
}

// placeOf names the sections of a claim, else where its source begins.
func placeOf(c *claims.Claim) string {
	first, _, _ := strings.Cut(c.Source, ",")
	return cmp.Or(strings.Join(c.Sections(), ", "), first)
}

// countClaims counts the claims of a list, and those that the specs by themselves lack.
func countClaims(list []listedClaim) string {
	text, only := words.Count(len(list), "claim"), 0
	for i := range list {
		if list[i].Only != nil {
			only++
		}
	}
	if only > 0 {
		text += fmt.Sprintf(", %d of them only at some profiles", only)
	}
	return text
}

// printWholeClaims prints claims that have not been judged as YAML, as specs have them.
func printWholeClaims(w io.Writer, list []listedClaim) error {
	for i, l := range list {
		if i == 0 || list[i-1].Spec != l.Spec {
			fmt.Fprintf(w, "%s:\n", l.Spec)
		}
		if l.Only != nil {
			fmt.Fprintf(w, "# only with --profile %s\n", strings.Join(l.Only, ", "))
		}
		if b := l.Check.Bound; b != nil {
			fmt.Fprintf(w, "# %s: %s\n", b.Name, b.Statement())
		}
		yamls := yaml.NewEncoder(w)
		yamls.SetIndent(2)
		if err := yamls.Encode([]claims.Claim{l.Claim}); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "# %s\n", countClaims(list))
	return err
}
