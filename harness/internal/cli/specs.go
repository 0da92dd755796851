package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime/debug"
	"slices"

	"stochopt/datasets"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/spec"

	"github.com/spf13/cobra"
)

// specOptions are the flags of the verbs that take specs.
type specOptions struct {
	profile string
	sets    []string
}

func (o *specOptions) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.profile, "profile", "", "profile of the spec to merge in: smoke, quick, paper, … (default: the spec as it stands, for the thesis its full scale)")
	cmd.Flags().StringArrayVar(&o.sets, "set", nil, "set a value of the spec, as path=yaml: budget.iterations=500, algorithms.msg.step.c=[1, 2]")
}

// load reads each file as a spec of its own. All mistakes of all files are
// found before anything runs.
func (o *specOptions) load(a *app, files []string) ([]*spec.Spec, error) {
	var specs []*spec.Spec
	var errs []error
	from := make(map[string]string)
	for _, f := range a.paths(files) {
		s, err := spec.Load(f, spec.LoadOptions{Profile: o.profile, Sets: o.sets, Catalog: registry.Catalog()})
		if err != nil {
			errs = append(errs, readError(err))
			continue
		}
		if err := plan.Check(s); err != nil {
			errs = append(errs, err)
			continue
		}
		if before, ok := from[s.Name]; ok {
			errs = append(errs, fmt.Errorf("%s: the name %q is also that of %s, and names the results folder; rename one of them", f, s.Name, before))
		}
		from[s.Name] = f
		specs = append(specs, s)
	}
	return specs, usage(errors.Join(errs...))
}

// readError explains a spec that cannot be read; it leaves mistakes in one
// alone.
func readError(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return fmt.Errorf("cannot read the spec: %w; name a YAML file", err)
	}
	return err
}

var standInModes = []string{"spec", "allow", "only", "forbid"}

// dataOptions are the flags of the verbs that open data.
type dataOptions struct {
	cache   string
	offline bool
	standIn string
	// memory is that of --memory, for files of the user's own: its default where the verb
	// has no such flag.
	memory memoryOptions
	// recorded lists the datasets that a results folder has stand-ins of. A
	// stand-in is what --stand-in spec means for them. asRecorded: the data have to be
	// those of the folder, so that a stand-in will not do for others.
	recorded   []string
	asRecorded bool
}

func (o *dataOptions) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.cache, "cache", "", "folder of downloaded data (default: stochopt in the user's cache folder)")
	cmd.Flags().BoolVar(&o.offline, "offline", false, "do not use the network")
}

func (o *dataOptions) standInFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.standIn, "stand-in", "spec", "labelled stand-ins for data that are not available: spec (as the spec says), allow, only, forbid")
}

func (o *dataOptions) check() error {
	if o.standIn != "" && !slices.Contains(standInModes, o.standIn) {
		return usagef("--stand-in %q: want spec, allow, only or forbid", o.standIn)
	}
	return nil
}

// leastFile is what files of the user's own may take whatever --memory says.
const leastFile = 64 << 20

func (o *dataOptions) options(a *app) datasets.Options {
	most, _ := o.memory.bytes() // the verb has checked it
	most = max(most, leastFile)
	return datasets.Options{
		Dir:      a.root,
		MaxBytes: most,
		CacheDir: cmp.Or(a.path(o.cache), a.cache),
		Mirror:   a.getenv("HARNESS_MIRROR"),
		Offline:  o.offline,
		Log:      func(line string) { fmt.Fprintln(a.err, line) },
	}
}

// standIns says whether a dataset may, and whether it must, be a stand-in.
func (o *dataOptions) standIns(e *spec.DatasetEntry) (allow, force bool) {
	switch o.standIn {
	case "allow":
		return true, false
	case "only":
		return true, true
	case "forbid":
		return false, false
	}
	force = slices.Contains(o.recorded, e.ID)
	return force || e.StandIn == "allow", force
}

// opener opens the data of specs, equal ones once.
func (o *dataOptions) opener(a *app) plan.Opener {
	opened := make(map[string]*datasets.Data)
	return func(ctx context.Context, e *spec.DatasetEntry) (*datasets.Data, error) {
		opt := o.options(a)
		opt.AllowStandIn, opt.ForceStandIn = o.standIns(e)
		id, err := json.Marshal(registry.Ref(e))
		if err != nil {
			return nil, err
		}
		key := fmt.Sprintf("%s %v %v", id, opt.AllowStandIn, opt.ForceStandIn)
		if data, ok := opened[key]; ok {
			return data, nil
		}
		data, err := registry.Open(ctx, e, opt)
		var missing *datasets.MissingError
		switch {
		case err == nil:
			opened[key] = data
			if rows := data.Rows(); rows != "" {
				a.warn([]string{fmt.Sprintf("dataset %q: %s", e.ID, rows)})
			}
		case errors.As(err, &missing):
			missing.Real = o.asRecorded || o.standIn == "forbid"
		}
		return data, err
	}
}

// experimentOptions are the flags of the verbs that plan experiments.
type experimentOptions struct {
	spec specOptions
	data dataOptions
	out  string
}

func (o *experimentOptions) flags(cmd *cobra.Command) {
	o.spec.flags(cmd)
	o.data.flags(cmd)
	o.data.standInFlag(cmd)
	cmd.Flags().StringVar(&o.out, "out", "results", "folder of the results folders")
}

// plans reads and plans the specs in files, all of them or none, so that what is wrong with
// any of them is found before anything runs. Data of several specs that take much of the
// memory are released once their spec is planned.
func (o *experimentOptions) plans(ctx context.Context, a *app, files []string) ([]*plan.Plan, error) {
	bytes, err := o.data.memory.bytes()
	if err != nil {
		return nil, err
	}
	return o.build(ctx, a, files, bytes/8)
}

// build is plans that releases the data of specs once they take more bytes than keep
// together.
func (o *experimentOptions) build(ctx context.Context, a *app, files []string, keep int64) ([]*plan.Plan, error) {
	if err := o.data.check(); err != nil {
		return nil, err
	}
	o.out = a.path(o.out)
	specs, err := o.spec.load(a, files)
	if err != nil {
		return nil, err
	}
	open := o.data.opener(a)
	var plans, held []*plan.Plan
	var errs []error
	for _, s := range specs {
		p, err := plan.Build(ctx, s, open)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		plans, errs = append(plans, p), append(errs, err)
		if err != nil {
			continue
		}
		if held = append(held, p); len(specs) > 1 && plan.DataBytes(held) > keep {
			open, held = o.data.opener(a), release(held)
		}
	}
	// What is wrong with the data is the user's to mend.
	return plans, usage(errors.Join(errs...))
}

// release lets go of the data of plans.
func release(plans []*plan.Plan) (none []*plan.Plan) {
	for _, p := range plans {
		p.Release()
	}
	debug.FreeOSMemory()
	return nil
}

// folder is the results folder of a spec.
func folder(out string, s *spec.Spec) string { return filepath.Join(out, s.Name) }
