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

// specOptions holds the flags of commands that read specs.
type specOptions struct {
	profile string
	sets    []string
}

func (o *specOptions) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.profile, "profile", "",
		"profile of the spec, such as smoke, quick or paper (default: none; for specs of the thesis, its full scale)")
	cmd.Flags().StringArrayVar(&o.sets, "set", nil,
		"set a value of the spec, as path=yaml: budget.iterations=500, algorithms.msg.step.c=[1, 2]")
}

// load reads specs and reports the mistakes in all of them together.
func (o *specOptions) load(files []string) ([]*spec.Spec, error) {
	var specs []*spec.Spec
	var errs []error
	fileOf := make(map[string]string)
	for _, f := range files {
		s, err := spec.Load(f, spec.LoadOptions{Profile: o.profile, Sets: o.sets, Catalog: registry.Catalog()})
		if err != nil {
			errs = append(errs, readError("spec", err))
			continue
		}
		if err := plan.Check(s); err != nil {
			errs = append(errs, err)
			continue
		}
		if other, ok := fileOf[s.Name]; ok {
			errs = append(errs, fmt.Errorf("%s: %s has the same name, %q, and so the same results folder; rename one of them",
				f, other, s.Name))
		}
		fileOf[s.Name] = f
		specs = append(specs, s)
	}
	return specs, usage(errors.Join(errs...))
}

// readError adds advice to an error of the file system about a YAML file. It returns other errors unchanged.
func readError(what string, err error) error {
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("cannot read the %s: %w; name a YAML file", what, err)
	}
	return err
}

// dataOptions holds the flags of commands that open data.
type dataOptions struct {
	offline bool
	standIn string
	memory  memoryOptions
	// forced lists the data sets for which verify needs stand-ins, because the records used stand-ins.
	forced []string
	// suggestReal means that errors about missing data do not suggest stand-ins.
	suggestReal bool
}

func (o *dataOptions) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.offline, "offline", false, "do not use the network")
}

func (o *dataOptions) standInFlag(cmd *cobra.Command) {
	choiceFlag(cmd, &o.standIn, "stand-in",
		"generated stand-ins for data: spec (as the spec says), allow (for unavailable data), "+
			"only (also for available data) or forbid",
		"spec", "allow", "only", "forbid")
}

// minFileMemory is the size of a user's data file, in bytes, that is accepted even if --memory is less.
const minFileMemory = 64 << 20

func (o *dataOptions) options(a *app) datasets.Options {
	return datasets.Options{
		MaxBytes: max(o.memory.bytes(), minFileMemory),
		CacheDir: os.Getenv("HARNESS_CACHE"),
		Mirror:   os.Getenv("HARNESS_MIRROR"),
		Offline:  o.offline,
		Log:      func(line string) { fmt.Fprintln(a.err, line) },
	}
}

// standIns reports whether a stand-in for a data set is allowed and whether it is required.
func (o *dataOptions) standIns(e *spec.DatasetEntry) (allow, force bool) {
	switch o.standIn {
	case "allow":
		return true, false
	case "only":
		return true, true
	case "forbid":
		return false, false
	}
	force = slices.Contains(o.forced, e.ID)
	return force || e.StandIn == "allow", force
}

// opener returns a function that opens data sets. It opens the same data only once.
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
		if missing, ok := errors.AsType[*datasets.MissingError](err); ok {
			missing.Real = o.suggestReal || o.standIn == "forbid"
		}
		if err != nil {
			return nil, err
		}
		opened[key] = data
		if rows := data.Rows(); rows != "" {
			a.warn(fmt.Sprintf("dataset %q: %s", e.ID, rows))
		}
		return data, nil
	}
}

// experimentOptions holds the flags of commands that plan experiments.
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
	cmd.Flags().StringVar(&o.out, "out", "results", "parent of the results folders")
}

// plan plans a spec and warns of runs that exceed the memory limit. It downloads only the data that the
// selected runs need, and does not report other missing data.
func (o *experimentOptions) plan(ctx context.Context, a *app, s *spec.Spec, selected plan.Only) (*plan.Plan, error) {
	local := o.dataOptions
	local.offline = true
	p, err := plan.Build(ctx, s, selected.Opener(s, o.opener(a), local.opener(a)))
	if err != nil {
		return nil, usage(err)
	}
	o.memory.warn(a, p)
	return p, nil
}

// folder returns the results folder of a spec.
func (o *experimentOptions) folder(s *spec.Spec) string {
	return filepath.Join(o.out, s.Name)
}

// completed holds completed runs by the texts of their IDs.
type completed map[string]record.Run

// Lookup implements run.Recorded.
func (c completed) Lookup(key, extent string) (record.Run, bool) {
	r, ok := c[record.ID{Key: key, Extent: extent}.Text()]
	return r, ok
}

// recorded returns the completed runs of a results folder, or none if the folder does not exist.
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
		a.warn(e.Warnings...)
	}
	for _, r := range e.Completed() {
		all[r.ID().Text()] = r
	}
	return all, nil
}

// folders returns the results folders among dirs and directly below them. It reports the folders that it
// ignores.
func (a *app) folders(dirs []string) ([]string, error) {
	found, ignored, err := experiment.Find(dirs)
	if err != nil {
		return nil, usage(err)
	}
	for _, dir := range ignored {
		fmt.Fprintf(a.err, "note: %s has no results and is ignored\n", dir)
	}
	named := func(dir string) bool {
		return slices.ContainsFunc(dirs, func(d string) bool { return filepath.Clean(d) == dir })
	}
	found = slices.DeleteFunc(found, func(dir string) bool {
		_, err := os.Stat(filepath.Join(dir, experiment.ManifestFile))
		if !errors.Is(err, fs.ErrNotExist) || named(dir) {
			return false
		}
		a.warn(fmt.Sprintf("%s has no %s and is ignored", dir, experiment.ManifestFile))
		return true
	})
	if len(found) == 0 {
		return nil, usagef("%s has no results folder with a %s; name a folder that run has written, such as results/<name>",
			dirs[0], experiment.ManifestFile)
	}
	return found, nil
}

// eachFolder calls do with each results folder that the arguments name. After an error it continues.
func (a *app) eachFolder(args []string, do func(*experiment.Folder) error) error {
	dirs, err := a.folders(args)
	if err != nil {
		return err
	}
	return openEach(dirs, do)
}

// openEach calls do with each of the results folders. After an error it continues. It returns an error if do has
// read a damaged curve.
func openEach(dirs []string, do func(*experiment.Folder) error) error {
	var errs []error
	for _, dir := range dirs {
		f, err := experiment.Open(dir)
		if err != nil {
			errs = append(errs, usage(err))
			continue
		}
		err = do(f)
		errs = append(errs, cmp.Or(usage(f.Err()), err))
		f.Close()
	}
	return errors.Join(errs...)
}

// records reads the records of a results folder. It returns an error if the folder has no records.
func (a *app) records(f *experiment.Folder) (*record.Experiment, error) {
	e, err := f.Records()
	if err != nil {
		return nil, usage(err)
	}
	a.warn(e.Warnings...)
	if len(e.Runs) == 0 {
		return nil, noRecords(f.Dir)
	}
	return e, nil
}

func noRecords(dir string) error { return usagef("%s has no records yet; start with run", dir) }

// warn prints warnings.
func (a *app) warn(warnings ...string) {
	for _, w := range warnings {
		fmt.Fprintln(a.err, "warning:", w)
	}
}

// memoryOptions is the value of --memory.
type memoryOptions struct {
	text  string
	limit int64
}

func (o *memoryOptions) flags(cmd *cobra.Command) {
	cmd.Flags().Var(checkedText{&o.text, o.parse}, "memory",
		"memory limit for data, runs and kernel rows, such as 8GiB or 512MiB (default: about half "+
			"of the memory that the machine, its container and GOMEMLIMIT allow)")
}

// parse parses the text of the flag.
func (o *memoryOptions) parse(text string) error {
	n, err := humanize.ParseBytes(text)
	if err != nil || n < 1 || n > math.MaxInt64 {
		return errors.New("want a size from 1 byte to 8 EiB, such as 8GiB or 512MiB")
	}
	o.limit = int64(n)
	return nil
}

// bytes returns the limit.
func (o *memoryOptions) bytes() int64 {
	if o.limit == 0 {
		return defaultMemory()
	}
	return o.limit
}

// defaultMemory returns the default of --memory. The limit of the process is the least of the memory of the
// machine, its control group and GOMEMLIMIT. The default is half of this limit less the memory of the program
// itself, and at least an eighth of the limit. The limit is read before the program sets its own.
var defaultMemory = sync.OnceValue(func() int64 {
	limit := debug.SetMemoryLimit(-1) // only reads the limit
	for _, provider := range []memlimit.Provider{memlimit.FromSystem, memlimit.FromCgroup} {
		if n, err := provider(); err == nil && n < uint64(limit) { // an error means no limit
			limit = int64(n)
		}
	}
	return max((limit-run.ProgramMemory)/2, limit/8)
})

// warn warns of the runs of a plan that exceed the limit.
func (o *memoryOptions) warn(a *app, p *plan.Plan) {
	for _, shortage := range p.Shortages(o.bytes()) {
		a.warn(fmt.Sprintf("%v; its runs are skipped", shortage))
	}
}
