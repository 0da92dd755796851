// Package cluster submits a plan to Slurm as three jobs and reads their state.
package cluster

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
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

// maxBytes bounds the size of files that are read into memory.
const maxBytes = 1 << 30

// Submission describes the jobs submitted for a results folder.
type Submission struct {
	// Shards is the number of shards of the plan. Parts has the numbers of the submitted shards, from 1, which
	// are the task indices of the array.
	Shards int      `json:"shards"`
	Parts  []string `json:"parts"`
	// Jobs has the numbers of the accepted jobs, in the order of kinds.
	Jobs []string `json:"jobs"`

	// Dir is the folder of the submission in the results folder. It is named by the time.
	Dir string `json:"-"`
	// Sbatch and Run are options of sbatch and of run for all jobs.
	Sbatch []string `json:"-"`
	Run    []string `json:"-"`
}

// Last returns the last submission of a results folder, or nil.
func Last(results string) (*Submission, error) {
	folders, err := os.ReadDir(filepath.Join(results, experiment.ClusterFolder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, folder := range slices.Backward(folders) {
		s := &Submission{Dir: filepath.Join(results, experiment.ClusterFolder, folder.Name())}
		data, err := disk.ReadFile(filepath.Join(s.Dir, "submission.json"), maxBytes)
		if errors.Is(err, fs.ErrNotExist) {
			continue // submit is running or was killed
		}
		if err == nil {
			err = json.Unmarshal(data, s)
		}
		invalid := func(job string) bool { return !jobID.MatchString(job) }
		if err != nil || len(s.Jobs) != len(kinds) || slices.ContainsFunc(s.Jobs, invalid) {
			return nil, fmt.Errorf("the folder %s is damaged (%v); remove it", s.Dir, err)
		}
		return s, nil
	}
	return nil, err
}

// Task is a job or a task of an array.
type Task struct {
	// Name is JOB or JOB_INDEX, as in Slurm.
	Name string `json:"task"`
	// Queue is what squeue prints about it, "" if it is not in the queue.
	Queue string `json:"queue,omitempty"`
	Log   string `json:"log"`
	// Failed has the last lines of the log of a failed task.
	Failed []string `json:"failed,omitempty"`
}

// Tasks returns the jobs and tasks that are queued or failed. A task has failed if it is not in the queue and its
// log does not end with exit code 0.
func (s *Submission) Tasks(ctx context.Context, slurm Slurm) (tasks []Task, err error) {
	queue, err := slurm.queue(ctx, s.Jobs)
	if err != nil {
		return nil, err
	}
	names := []string{s.Jobs[0]}
	for _, i := range s.Parts {
		names = append(names, s.Jobs[array]+"_"+i)
	}
	for _, name := range append(names, s.Jobs[array+1]) {
		t := Task{Name: name, Queue: queue[name], Log: s.Log(name)}
		text, err := disk.ReadFile(t.Log, maxBytes) // the log is missing if the task never started
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		if err == nil && t.Queue == "" && lines[len(lines)-1] != "stochopt: exit code 0" {
			t.Failed = lines[max(len(lines)-5, 0):]
		}
		if t.Queue != "" || t.Failed != nil {
			tasks = append(tasks, t)
		}
	}
	return tasks, nil
}

// Submit creates the folder of a submission in a results folder and submits three jobs: prepare, then the
// array if prepare succeeds, then collect for any result of the array. The jobs use copies of the program
// and of the spec, so that later changes do not affect them. If Slurm rejects a job, Submit cancels the
// others.
func (s *Submission) Submit(ctx context.Context, slurm Slurm, results, program string, spec []byte) (err error) {
	now := time.Now().UTC().Format("20060102-150405.000")
	s.Dir, err = filepath.Abs(filepath.Join(results, experiment.ClusterFolder, now))
	if err == nil && strings.ContainsAny(s.Dir, `%\`) {
		err = fmt.Errorf("%s: Slurm interprets %% and \\ in the path of a log; choose another --out", s.Dir)
	}
	if err != nil {
		return err
	}
	if err = s.create(program, spec); err == nil {
		err = s.submit(ctx, slurm, results)
	}
	if err == nil {
		return nil
	}
	if len(s.Jobs) > 0 {
		// Cancel the jobs even if the user interrupts submit.
		_, undo := slurm.run(context.WithoutCancel(ctx), "scancel", append([]string{"--quiet"}, s.Jobs...)...)
		err = errors.Join(err, undo)
	}
	return errors.Join(err, os.RemoveAll(s.Dir))
}

// create writes the folder of the submission.
func (s *Submission) create(program string, spec []byte) error {
	data, err := disk.ReadFile(program, maxBytes)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(s.Dir, "logs"), 0o755); err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(s.Dir, "stochopt"), data, 0o755),
		os.WriteFile(filepath.Join(s.Dir, "spec.yaml"), spec, 0o644),
		os.WriteFile(filepath.Join(s.Dir, "job.sh"), script, 0o755))
}

// submit submits the three jobs and writes submission.json.
func (s *Submission) submit(ctx context.Context, slurm Slurm, results string) error {
	results, err := filepath.Abs(results)
	if err != nil {
		return err
	}
	program := filepath.Join(s.Dir, "stochopt")
	run := append([]string{program, "run", filepath.Join(s.Dir, "spec.yaml")}, s.Run...)
	if err := s.submitJob(ctx, slurm, "", slices.Concat(run, []string{"--shard", "prepare"})); err != nil {
		return err
	}
	if err := s.submitJob(ctx, slurm, "afterok:", run); err != nil {
		return err
	}
	if err := s.submitJob(ctx, slurm, "afterany:", []string{program, "collect", results}); err != nil {
		return err
	}
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return disk.Replace(filepath.Join(s.Dir, "submission.json"), append(text, '\n'))
}

// submitJob submits the next job, which depends on the previous one. Options and the command are arguments of
// sbatch, never text of a script. The options of the harness come last, so that they take precedence.
func (s *Submission) submitJob(ctx context.Context, slurm Slurm, after string, command []string) error {
	kind := len(s.Jobs)
	name := filepath.Base(filepath.Dir(filepath.Dir(s.Dir))) + "-" + kinds[kind]
	args := append(slices.Clone(s.Sbatch), "--parsable", "--requeue", "--open-mode=append", "--signal=B:USR1@60", "--job-name="+name)
	if kind > 0 {
		args = append(args, "--dependency="+after+s.Jobs[kind-1], "--kill-on-invalid-dep=yes")
	}
	log, count := "%j", 0
	if kind == array {
		log, count = "%A_%a", s.Shards
		args = append(args, "--array="+strings.Join(s.Parts, ","))
	}
	args = append(args, "--output="+s.Log(log), filepath.Join(s.Dir, "job.sh"), strconv.Itoa(count))
	id, err := slurm.submit(ctx, append(args, command...))
	if err != nil {
		return fmt.Errorf("Slurm rejected the job %s: %w", kinds[kind], err)
	}
	s.Jobs = append(s.Jobs, id)
	return nil
}

// Log returns the path of the log of a job or array task.
func (s *Submission) Log(task string) string { return filepath.Join(s.Dir, "logs", task+".log") }
