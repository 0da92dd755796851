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

// shards is the kind of the job that is an array; the others are prepare and collect.
const shards = "shards"

// mostBytes bounds the size of files that are read into memory.
const mostBytes = 1 << 30

// Submission is what was submitted for one results folder: a folder in it that is not part
// of the results.
type Submission struct {
	// Shards is the number of shards of the plan. Parts are the names of those submitted, by
	// the index, from 1, of the task of the array. Equal names stand for the same runs.
	Shards int            `json:"shards"`
	Parts  map[int]string `json:"parts"`
	// Jobs are the jobs that Slurm has accepted.
	Jobs []Job `json:"jobs"`

	// Dir is the folder of the submission. Its name is the time.
	Dir string `json:"-"`
	// Sbatch and Run are options of sbatch and of run for all jobs.
	Sbatch []string `json:"-"`
	Run    []string `json:"-"`
}

// Job is a job of a submission.
type Job struct {
	ID   string `json:"id"`
	Kind string `json:"kind"`
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
		if err != nil {
			return nil, fmt.Errorf("the folder %s is damaged (%w); remove it", s.Dir, err)
		}
		all = append(all, s)
	}
	return all, err
}

// Tasks returns the names that Slurm gives to the jobs, JOB, and to the tasks of the array,
// JOB_INDEX, and the parts by these names.
func (s *Submission) Tasks() (names []string, parts map[string]string) {
	parts = make(map[string]string)
	for _, j := range s.Jobs {
		if j.Kind != shards {
			names = append(names, j.ID)
			continue
		}
		for _, i := range slices.Sorted(maps.Keys(s.Parts)) {
			name := fmt.Sprintf("%s_%d", j.ID, i)
			names, parts[name] = append(names, name), s.Parts[i]
		}
	}
	return names, parts
}

// IDs returns the numbers of the jobs of submissions.
func IDs(all ...*Submission) (ids []string) {
	for _, s := range all {
		for _, j := range s.Jobs {
			ids = append(ids, j.ID)
		}
	}
	return ids
}

// Place chooses the folder of a submission in a results folder, but does not make it.
func (s *Submission) Place(results string) (err error) {
	s.Dir, err = filepath.Abs(filepath.Join(results, experiment.ClusterFolder, time.Now().UTC().Format("20060102-150405.000")))
	if err == nil && strings.ContainsAny(s.Dir, `%\`) {
		err = fmt.Errorf("Slurm cannot write logs into %s, because %% and \\ have a meaning in the path of a log; choose another --out", s.Dir)
	}
	return err
}

// Create makes the folder with what the jobs use: the script, and copies of the program at a
// path and of the text of a spec, so that later changes do not affect the jobs.
func (s *Submission) Create(program string, spec []byte) error {
	data, err := disk.ReadFile(program, mostBytes)
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

// Submit gives the jobs to Slurm: prepare, once the jobs in after have ended; then the
// array, if prepare succeeds; then collect, however the tasks of the array end. If Slurm
// refuses one, those before it are cancelled.
func (s *Submission) Submit(ctx context.Context, slurm Slurm, after []string) error {
	program := filepath.Join(s.Dir, "stochopt")
	run := append([]string{program, "run", filepath.Join(s.Dir, "spec.yaml")}, s.Run...)
	err := s.give(ctx, slurm, "prepare", "afterany", after, append(slices.Clone(run), "--prepare"))
	if err == nil {
		err = s.give(ctx, slurm, shards, "afterok", IDs(s), run)
	}
	if err == nil {
		err = s.give(ctx, slurm, "collect", "afterany", IDs(s)[1:], []string{program, "collect", filepath.Dir(filepath.Dir(s.Dir))})
	}
	if err != nil && len(s.Jobs) > 0 {
		// The jobs must leave the queue even if the user has interrupted submit.
		_, undo := slurm.run(context.WithoutCancel(ctx), "scancel", append([]string{"--quiet"}, IDs(s)...)...)
		err = errors.Join(err, undo)
	}
	return err
}

// give submits one job. Options and the command are arguments of sbatch, never text of a
// script. The options of the harness come last, so they win.
func (s *Submission) give(ctx context.Context, slurm Slurm, kind, when string, after, command []string) error {
	args := append(slices.Clone(s.Sbatch), "--parsable", "--requeue", "--open-mode=append", "--signal=B:USR1@60", "--job-name="+filepath.Base(filepath.Dir(filepath.Dir(s.Dir)))+"-"+kind)
	if len(after) > 0 {
		args = append(args, "--dependency="+when+":"+strings.Join(after, ":"), "--kill-on-invalid-dep=yes")
	}
	log, count := "%j", 0
	if kind == shards {
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
		return fmt.Errorf("Slurm refuses the job %s: %w", kind, err)
	}
	s.Jobs = append(s.Jobs, Job{ID: id, Kind: kind})
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

// Failure is a job, or a task of an array, that did not succeed.
type Failure struct {
	Task string `json:"task"`
	Log  string `json:"log"`
	// Lines are the last lines of the log.
	Lines []string `json:"lines"`
}

// Failures returns the jobs and tasks that are not in the queue (see Slurm.Queue) and whose
// logs do not end with success.
func (s *Submission) Failures(queue map[string]string) (failures []Failure, err error) {
	names, _ := s.Tasks()
	for _, task := range names {
		if queue[task] != "" {
			continue
		}
		lines, err := lastLines(s.Log(task), 5)
		switch {
		case errors.Is(err, fs.ErrNotExist): // it never started
		case err != nil:
			return failures, err
		case !strings.HasSuffix(strings.Join(lines, "\n"), "stochopt: exit code 0"):
			failures = append(failures, Failure{task, s.Log(task), lines})
		}
	}
	return failures, nil
}

// lastLines reads the last n lines of a log.
func lastLines(path string, n int) ([]string, error) {
	data, err := disk.ReadFile(path, mostBytes)
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	return lines[max(len(lines)-n, 0):], err
}
