package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"stochopt/harness/internal/cluster"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/spec"
	"stochopt/results/words"

	"github.com/spf13/cobra"
)

// clustersFile is the name of the file of the clusters, in the project's folder and in the
// user's configuration folder.
const clustersFile = "clusters.yaml"

// queueOptions are the flags of the verbs that submit jobs.
type queueOptions struct {
	cluster  string
	tasks    int
	throttle int
	dryRun   bool
	// named is the cluster that settings is of, "" without one.
	named    string
	settings spec.Cluster
}

func (o *queueOptions) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.cluster, "cluster", "", "the settings of clusters.yaml to submit with (default: those that it names as default, or the only ones)")
	cmd.Flags().IntVar(&o.tasks, "tasks", 100, "divide the runs among at most this many tasks")
	cmd.Flags().IntVar(&o.throttle, "throttle", 0, "most tasks that may run side by side (default: as many as the cluster lets)")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "print the commands and scripts, and submit nothing")
	completeFlagBy(cmd, "cluster", offer(clusterNames))
}

// parse checks the flags and reads the settings.
func (o *queueOptions) parse() (err error) {
	switch {
	case o.tasks < 1:
		return usagef("--tasks %d: want at least 1", o.tasks)
	case o.throttle < 0:
		return usagef("--throttle %d: want at least 1", o.throttle)
	}
	o.named, o.settings, err = readSettings(o.cluster)
	return err
}

// clustersFiles returns the paths of the project's file and of the user's own.
func clustersFiles() (project, own string, err error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return clustersFile, "", fmt.Errorf("there is no folder for your %s: %w", clustersFile, err)
	}
	return clustersFile, filepath.Join(dir, "stochopt", clustersFile), nil
}

// readClusters reads the project's file and the user's own, empty ones where there are none.
func readClusters() (project, own spec.Clusters, err error) {
	projectFile, ownFile, noFolder := clustersFiles()
	read := func(file, owner string) (c spec.Clusters) {
		got, e := spec.LoadClusters(file, owner)
		switch {
		case e == nil:
			c = *got
		case !errors.Is(e, fs.ErrNotExist):
			err = errors.Join(err, e)
		}
		return c
	}
	if noFolder != nil {
		project = read(projectFile, "that in your configuration folder, which HOME or XDG_CONFIG_HOME has to name")
		return project, own, usage(err)
	}
	own = read(ownFile, "")
	a, errA := os.Stat(projectFile)
	b, errB := os.Stat(ownFile)
	if errA != nil || errB != nil || !os.SameFile(a, b) {
		project = read(projectFile, ownFile)
	}
	return project, own, usage(err)
}

func clusterNames() []string {
	project, own, _ := readClusters()
	return namesOfClusters(project, own)
}

// namesOfClusters lists the clusters of both files.
func namesOfClusters(project, own spec.Clusters) []string {
	names := append(project.Names(), own.Names()...)
	slices.Sort(names)
	return slices.Compact(names)
}

// readSettings returns those of the cluster of a name, or of the default one for "". The
// project's file counts before the user's own, key by key.
func readSettings(name string) (string, spec.Cluster, error) {
	project, own, err := readClusters()
	if err != nil {
		return "", spec.Cluster{}, err
	}
	names := namesOfClusters(project, own)
	if name == "" {
		switch {
		case project.Default != "":
			name = project.Default
		case own.Default != "":
			name = own.Default
		case len(names) == 1:
			name = names[0]
		case len(names) == 0:
			return "", spec.Cluster{}, nil
		default:
			return "", spec.Cluster{}, usagef("there are several clusters in %s: choose one with --cluster, of %s", clustersFile, words.Quoted(names))
		}
	}
	if !slices.Contains(names, name) {
		if len(names) == 0 {
			_, ownFile, _ := clustersFiles()
			return "", spec.Cluster{}, usagef("--cluster %q: there is no %s here, nor %s", name, clustersFile, ownFile)
		}
		return "", spec.Cluster{}, usagef("--cluster %q: there is no such cluster in %s%s", name, clustersFile, spec.Hint(name, names))
	}
	return name, project.Clusters[name].Over(own.Clusters[name]), nil
}

// divide packs runs into tasks, no more than the cluster takes of them.
func (o *queueOptions) divide(a *app, j *job, limits cluster.Limits) ([]*plan.Task, error) {
	tasks := cluster.Pack(j.pending, o.tasks)
	most := limits.Jobs - cluster.Beside
	switch {
	case len(tasks) <= most:
		return tasks, nil
	case most < 1:
		return nil, usagef("%s: the cluster takes %s more of you now, and a submission has at least 3 (%s); wait for some to end",
			j.plan.Spec.Name, words.Count(limits.Jobs, "job"), limits.Source)
	}
	fmt.Fprintf(a.err, "%s: %s rather than %d, each longer: the cluster takes %s more of you now (%s)\n",
		j.plan.Spec.Name, words.Count(most, "task"), len(tasks), words.Count(limits.Jobs, "job"), limits.Source)
	return cluster.Pack(j.pending, most), nil
}
