package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"

	"stochopt/datasets"
	"stochopt/harness/internal/experiment"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/run"
	"stochopt/harness/internal/spec"
	"stochopt/internal/record"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
)

// specOptions are the flags of the verbs that take specs.
type specOptions struct {
	profile string
	sets    []string
}

func (o *specOptions) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.profile, "profile", "",
		"profile of the spec to merge in: smoke, quick, paper, … (default: the spec without a profile, for the thesis its full scale)")
	cmd.Flags().StringArrayVar(&o.sets, "set", nil,
		"set a value of the spec, as path=yaml: budget.iterations=500, algorithms.msg.step.c=[1, 2]")
}

// load reads each file as a spec of its own and reports the mistakes of all files together.
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

// readError explains a spec that cannot be read; it returns mistakes in a spec as they are.
func readError(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return fmt.Errorf("cannot read the spec: %w; name a YAML file", err)
	}
	return err
}

// dataOptions are the flags of the verbs that open data.
type dataOptions struct {
	offline bool
	standIn string
	memory  memoryOptions
	// recorded lists the datasets of which a results folder has stand-ins: `--stand-in spec` allows
	// stand-ins for these only. asRecorded: the data must be those of the folder.
	recorded   []string
	asRecorded bool
}

func (o *dataOptions) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.offline, "offline", false, "do not use the network")
}

func (o *dataOptions) standInFlag(cmd *cobra.Command) {
	choiceFlag(cmd, &o.standIn, "stand-in",
		"labelled stand-ins for data that are not available: spec (as the spec says), allow, only, forbid",
		"spec", "allow", "only", "forbid")
}

// leastFile is how much memory a file of the user may take whatever --memory says.
const leastFile = 64 << 20

func (o *dataOptions) options(a *app) datasets.Options {
	return datasets.Options{
		Dir:      a.root,
		MaxBytes: max(o.memory.bytes(), leastFile),
		CacheDir: a.path(a.getenv("HARNESS_CACHE")),
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

// opener opens the data of specs. It opens equal data once.
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
	specOptions
	dataOptions
	out string
}

func (o *experimentOptions) flags(cmd *cobra.Command) {
	o.specOptions.flags(cmd)
	o.dataOptions.flags(cmd)
	o.standInFlag(cmd)
	o.memory.flags(cmd)
	cmd.Flags().StringVar(&o.out, "out", "results", "folder of the results folders")
}

// plan plans a spec with its data, and warns of runs that do not fit in the memory. Data that only
// other runs than those picked need may be missing.
func (o *experimentOptions) plan(ctx context.Context, a *app, s *spec.Spec, picked plan.Only) (*plan.Plan, error) {
	local := o.dataOptions
	local.offline = true
	p, err := plan.Build(ctx, s, picked.Opener(s, o.opener(a), local.opener(a)))
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, usage(err) // the data can be corrected
	}
	o.memory.warn(a, p)
	return p, nil
}

// folder returns the results folder of a spec.
func (o *experimentOptions) folder(a *app, s *spec.Spec) string {
	return filepath.Join(a.path(o.out), s.Name)
}

// completed are runs that need no repetition, by the texts of their IDs.
type completed map[string]record.Run

// Lookup implements run.Recorded.
func (c completed) Lookup(key, extent string) (record.Run, bool) {
	r, ok := c[record.ID{Key: key, Extent: extent}.Text()]
	return r, ok
}

// recorded returns the completed runs of a results folder, if there is one. It warns of damage.
func (a *app) recorded(dir string) (completed, error) {
	all := make(completed)
	if _, err := os.Stat(dir); os.IsNotExist(err) {
		return all, nil
	}
	e, err := record.ReadDir(dir)
	if err != nil {
		return nil, usage(err)
	}
	defer e.Close()
	if e.Damaged > 0 {
		a.warn(e.Warnings)
	}
	for _, r := range e.Completed() {
		all[r.ID().Text()] = r
	}
	return all, nil
}

// folders returns the results folders that arguments name, each being one or the folder of several.
// It reports the arguments and folders that it ignores.
func (a *app) folders(dirs []string) ([]string, error) {
	dirs = a.paths(dirs)
	found, idle, err := experiment.Find(dirs)
	if err != nil {
		return nil, usage(err)
	}
	for _, dir := range idle {
		fmt.Fprintf(a.err, "note: %s holds no results and is ignored\n", dir)
	}
	named := func(dir string) bool {
		return slices.ContainsFunc(dirs, func(d string) bool { return filepath.Clean(d) == dir })
	}
	found = slices.DeleteFunc(found, func(dir string) bool {
		_, err := os.Stat(filepath.Join(dir, experiment.ManifestFile))
		if !errors.Is(err, fs.ErrNotExist) || named(dir) {
			return false
		}
		fmt.Fprintf(a.err, "warning: %s has no %s and is passed over\n", dir, experiment.ManifestFile)
		return true
	})
	if len(found) == 0 {
		return nil, usagef("%s: there is no results folder with a %s in it; name a folder that run has made, such as results/<name>", dirs[0], experiment.ManifestFile)
	}
	return found, nil
}

// eachFolder does something with each results folder that arguments stand for. What is wrong with
// one does not keep it from the others.
func (a *app) eachFolder(dirs []string, do func(*experiment.Folder) error) error {
	found, err := a.folders(dirs)
	if err != nil {
		return err
	}
	return eachOf(found, do)
}

// eachOf is eachFolder for results folders.
func eachOf(found []string, do func(*experiment.Folder) error) error {
	var errs []error
	for _, dir := range found {
		f, err := experiment.Open(dir)
		if err = usage(err); err == nil {
			err = with(f, do)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// with does something with a results folder and closes it. It is an error if a curve cannot be read.
func with(f *experiment.Folder, do func(*experiment.Folder) error) error {
	defer f.Close()
	err := do(f)
	return cmp.Or(usage(f.Err()), err)
}

// records reads the records of a results folder, of which there must be some, and tells what is
// damaged.
func (a *app) records(f *experiment.Folder) (*record.Experiment, error) {
	e, err := f.Records()
	if err != nil {
		return nil, usage(err)
	}
	a.warn(e.Warnings)
	if len(e.Runs) == 0 {
		return nil, noRecords(f.Dir)
	}
	return e, nil
}

func noRecords(dir string) error { return usagef("%s holds no records yet; start with run", dir) }

// warn prints warnings.
func (a *app) warn(warnings []string) {
	for _, w := range warnings {
		fmt.Fprintln(a.err, "warning:", w)
	}
}

// memoryOptions is the flag of the verbs that plan or perform runs, a pflag.Value.
type memoryOptions struct {
	text string
	most int64
}

func (o *memoryOptions) flags(cmd *cobra.Command) {
	cmd.Flags().Var(o, "memory", "most memory for data, runs and kernel rows, such as 8GiB or 512MiB (default: half of what the machine, its container or GOMEMLIMIT leaves the program)")
}

// String implements pflag.Value.
func (o *memoryOptions) String() string { return o.text }

// Type implements pflag.Value.
func (o *memoryOptions) Type() string { return "string" }

// Set implements pflag.Value.
func (o *memoryOptions) Set(text string) error {
	n, err := humanize.ParseBytes(text)
	if err != nil || n < 1 || n > math.MaxInt64 {
		return errors.New("want a size from 1 byte to 8 EiB, such as 8GiB or 512MiB")
	}
	o.text, o.most = text, int64(n)
	return nil
}

// bytes returns the bound in bytes.
func (o *memoryOptions) bytes() int64 {
	if o.most == 0 {
		return ordinaryMemory()
	}
	return o.most
}

// ordinaryMemory is the default of --memory: half of the memory of the machine, its control
// group or GOMEMLIMIT without what the program itself takes, and at least an eighth. It asks
// once, before the program sets its own limit.
var ordinaryMemory = sync.OnceValue(func() int64 {
	limit := debug.SetMemoryLimit(-1) // asks only
	for _, ask := range []memlimit.Provider{memlimit.FromSystem, memlimit.FromCgroup} {
		if n, err := ask(); err == nil && n < uint64(limit) { // an error means no limit
			limit = int64(n)
		}
	}
	return max((limit-run.ProgramMemory)/2, limit/8)
})

// warn reports the runs of a plan that do not fit in the memory.
func (o *memoryOptions) warn(a *app, p *plan.Plan) {
	for _, short := range p.Shortages(o.bytes()) {
		fmt.Fprintf(a.err, "warning: %v; its runs are skipped\n", short)
	}
}
