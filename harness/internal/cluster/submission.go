// Package cluster submits a plan to Slurm as three jobs and reads what became of them.
package cluster

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"stochopt/harness/internal/experiment"
	"stochopt/internal/disk"
)

//go:embed job.sh
var script []byte

// kinds are the kinds of the jobs of a submission. The job shards is an array.
var kinds = []string{"prepare", "shards", "collect"}

const array = 1

// mostBytes bounds the size of files that are read into memory.
const mostBytes = 1 << 30

// Submission is what was submitted for one results folder: a folder in it that is not part
// of the results.
type Submission struct {
	// Shards is the number of shards of the plan. Parts are the names of those submitted, by
	// the index, from 1, of the task of the array. Equal names stand for the same runs.
	Shards int            `json:"shards"`
	Parts  map[int]string `json:"parts"`
	// Jobs are the numbers of the jobs that Slurm has accepted, in the order of kinds.
	Jobs []string `json:"jobs"`

	// Dir is the folder of the submission. Its name is the time.
	Dir string `json:"-"`
	// Sbatch and Run are options of sbatch and of run for all jobs.
	Sbatch []string `json:"-"`
	Run    []string `json:"-"`
}

// Of reads the submissions of a results folder, the oldest first.
func Of(results string) (all []*Submission, err error) {
	folders, err := os.ReadDir(filepath.Join(results, experiment.ClusterFolder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, folder := range folders {
		s := &Submission{Dir: filepath.Join(results, experiment.ClusterFolder, folder.Name())}
		data, err := disk.ReadFile(filepath.Join(s.Dir, "submission.json"), mostBytes)
		if errors.Is(err, fs.ErrNotExist) {
			continue // submit is at work, or was killed
		}
		if err == nil {
			err = json.Unmarshal(data, s)
		}
		bad := func(job string) bool { return !jobID.MatchString(job) }
		if err != nil || len(s.Jobs) > len(kinds) || slices.ContainsFunc(s.Jobs, bad) {
			return nil, fmt.Errorf("the folder %s is damaged (%v); remove it", s.Dir, err)
		}
		all = append(all, s)
	}
	return all, err
}

// Task is a job or a task of an array.
type Task struct {
	// Name is JOB or JOB_INDEX, as in Slurm.
	Name string `json:"task"`
	// Queue is what squeue prints about it, "" if it is not in the queue.
	Queue string `json:"queue,omitempty"`
	Log   string `json:"log"`
	// Failed are the last lines of the log of a task that has failed.
	Failed []string `json:"failed,omitempty"`

	// Job is the number of the job, Part the name of the shard that the task performs.
	Job  string `json:"-"`
	Part string `json:"-"`
}

// Tasks returns the jobs and the tasks of the array. queue is what Queue returns. A
// task has failed if it is not in the queue and its log does not end with success.
func (s *Submission) Tasks(queue map[string]string) (tasks []Task) {
	for kind, job := range s.Jobs {
		if kind != array {
			tasks = append(tasks, Task{Name: job, Job: job})
			continue
		}
		for _, i := range slices.Sorted(maps.Keys(s.Parts)) {
			tasks = append(tasks, Task{Name: fmt.Sprintf("%s_%d", job, i), Job: job, Part: s.Parts[i]})
		}
	}
	for i := range tasks {
		t := &tasks[i]
		t.Queue, t.Log = queue[t.Name], s.Log(t.Name)
		text, err := disk.ReadFile(t.Log, mostBytes) // the log is missing if the task never started
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		if err == nil && t.Queue == "" && lines[len(lines)-1] != "stochopt: exit code 0" {
			t.Failed = lines[max(len(lines)-5, 0):]
		}
	}
	return tasks
}

// Queue returns what squeue prints about the jobs of submissions (see Slurm.queue).
func Queue(ctx context.Context, slurm Slurm, all []*Submission) (map[string]string, error) {
	var jobs []string
	for _, s := range all {
		jobs = append(jobs, s.Jobs...)
	}
	return slurm.queue(ctx, jobs...)
}

// Place chooses the folder of a submission in a results folder, but does not make it.
func (s *Submission) Place(results string) (err error) {
	now := time.Now().UTC().Format("20060102-150405.000")
	s.Dir, err = filepath.Abs(filepath.Join(results, experiment.ClusterFolder, now))
	if err == nil && strings.ContainsAny(s.Dir, `%\`) {
		err = fmt.Errorf("%s: Slurm gives %% and \\ a meaning in the path of a log; choose another --out", s.Dir)
	}
	return err
}

// Create makes the folder with what the jobs use: the script, and copies of the program at a
// path and of the text of a spec, so that later changes do not affect the jobs.
func (s *Submission) Create(program string, spec []byte) error {
	data, err := disk.ReadFile(program, mostBytes)
	if err == nil {
		err = os.MkdirAll(filepath.Join(s.Dir, "logs"), 0o755)
	}
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(s.Dir, "stochopt"), data, 0o755),
		os.WriteFile(filepath.Join(s.Dir, "spec.yaml"), spec, 0o644),
		os.WriteFile(filepath.Join(s.Dir, "job.sh"), script, 0o755))
}

// Submit gives the jobs to Slurm: prepare, once the jobs in after have ended; then the
// array, if prepare succeeds; then collect, however the tasks of the array end. If Slurm
// refuses one, those before it are cancelled.
func (s *Submission) Submit(ctx context.Context, slurm Slurm, after []string) error {
	program := filepath.Join(s.Dir, "stochopt")
	run := append([]string{program, "run", filepath.Join(s.Dir, "spec.yaml")}, s.Run...)
	err := s.give(ctx, slurm, "afterany", after, append(slices.Clone(run), "--prepare"))
	if err == nil {
		err = s.give(ctx, slurm, "afterok", s.Jobs, run)
	}
	if err == nil {
		err = s.give(ctx, slurm, "afterany", s.Jobs[array:], []string{program, "collect", filepath.Dir(filepath.Dir(s.Dir))})
	}
	if err != nil && len(s.Jobs) > 0 {
		// The jobs must leave the queue even if the user has interrupted submit.
		_, undo := slurm.run(context.WithoutCancel(ctx), "scancel", append([]string{"--quiet"}, s.Jobs...)...)
		err = errors.Join(err, undo)
	}
	return err
}

// give submits the next job. Options and the command are arguments of sbatch, never text of a
// script. The options of the harness come last, so they win.
func (s *Submission) give(ctx context.Context, slurm Slurm, when string, after, command []string) error {
	name := filepath.Base(filepath.Dir(filepath.Dir(s.Dir))) + "-" + kinds[len(s.Jobs)]
	args := append(slices.Clone(s.Sbatch), "--parsable", "--requeue", "--open-mode=append", "--signal=B:USR1@60", "--job-name="+name)
	if len(after) > 0 {
		args = append(args, "--dependency="+when+":"+strings.Join(after, ":"), "--kill-on-invalid-dep=yes")
	}
	log, count := "%j", 0
	if len(s.Jobs) == array {
		log, count = "%A_%a", s.Shards
		var indices []string
		for _, i := range slices.Sorted(maps.Keys(s.Parts)) {
			indices = append(indices, strconv.Itoa(i))
		}
		args = append(args, "--array="+strings.Join(indices, ","))
	}
	args = append(args, "--output="+s.Log(log), filepath.Join(s.Dir, "job.sh"), strconv.Itoa(count))
	id, err := slurm.Submit(ctx, append(args, command...)...)
	if err != nil {
		return fmt.Errorf("Slurm refuses the job %s: %w", kinds[len(s.Jobs)], err)
	}
	s.Jobs = append(s.Jobs, id)
	return nil
}

// Save writes what Of reads.
func (s *Submission) Save() error {
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return disk.Replace(filepath.Join(s.Dir, "submission.json"), append(text, '\n'))
}

// Log is the path of the log of a job or of a task of the array.
func (s *Submission) Log(task string) string { return filepath.Join(s.Dir, "logs", task+".log") }
