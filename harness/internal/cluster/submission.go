// Package cluster submits the runs of a plan to a Slurm, packed into tasks, and tells where
// they are. A submission is a folder beside the records that its tasks make; they are the
// truth, and the queue only says what may still come.
package cluster

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"stochopt/harness/internal/experiment"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/spec"
	"stochopt/internal/disk"
	"stochopt/internal/shell"
)

// LogFolder is the folder of logs in a submission.
const LogFolder = "logs"

// Files of a submission.
const (
	// ProgramFile and SpecFile are copies: what is built or edited later changes nothing.
	ProgramFile = "stochopt"
	SpecFile    = "spec.yaml"
	// TasksFile lists the runs of each task, a line a task (see plan.Task).
	TasksFile      = "tasks.jsonl"
	submissionFile = "submission.json"
	// jobsFile lists the jobs, each as soon as it is in the queue.
	jobsFile = "jobs.jsonl"
)

// mostBytes bounds what is read of a file of a submission.
const mostBytes = 1 << 30

// Submission is what was asked of a cluster for one spec.
type Submission struct {
	// ID is the name of its folder, Spec that of the experiment.
	ID   string `json:"id"`
	Spec string `json:"spec"`
	// Made is when it was submitted.
	Made time.Time `json:"made"`
	// Folder is the working directory, which paths in the spec are relative to, Results the
	// results folder; both are absolute.
	Folder  string `json:"folder"`
	Results string `json:"results"`
	// Arguments are the options of run that its jobs are given, beside -j.
	Arguments []string `json:"arguments"`
	// Mirror is the value of HARNESS_MIRROR, "" for none.
	Mirror string `json:"mirror,omitempty"`
	// Cluster is the name in clusters.yaml of the Settings, "" without one.
	Cluster  string       `json:"cluster,omitempty"`
	Settings spec.Cluster `json:"settings"`
	// Throttle is the most tasks of an array that may run side by side, 0 for any number.
	Throttle int `json:"throttle,omitempty"`
	// Alone: no other job may be on the node of a task, whose times are to compare.
	Alone bool `json:"alone,omitempty"`
	// Machine is the architecture, as uname has it.
	Machine string `json:"machine"`
	// Program, SpecSHA256 and TasksSHA256 are the SHA-256 of the files.
	Program     string `json:"program_sha256"`
	SpecSHA256  string `json:"spec_sha256"`
	TasksSHA256 string `json:"tasks_sha256"`
	// Runs and Count are the numbers of runs and of tasks.
	Runs  int `json:"runs"`
	Count int `json:"tasks"`

	// Dir is its folder.
	Dir string `json:"-"`
}

// Job is a job of a submission in the queue.
type Job struct {
	Job  string `json:"job"`
	Kind string `json:"kind"`
	// Before is the number of the tasks before those of the job, Tasks theirs: task
	// Before+i has index i in the array. Array tells an array from a single job.
	Before int  `json:"before,omitempty"`
	Tasks  int  `json:"tasks,omitempty"`
	Array  bool `json:"array,omitempty"`
}

// name is what Slurm calls the job, or its task with that index.
func (j Job) name(index int) string {
	if j.Array {
		return fmt.Sprintf("%s_%d", j.Job, index)
	}
	return j.Job
}

// Log is the path of the log of the job, or of its task with that index, in the submission.
func (j Job) Log(index int) string { return filepath.Join(LogFolder, j.name(index)+".log") }

// New makes the folder of a submission, with the files that its jobs use, but submits
// nothing. The program is the file at that path, text that of the spec.
func New(s *Submission, program string, text []byte, tasks []*plan.Task) error {
	files, err := s.describe(program, text, tasks)
	if err != nil {
		return err
	}
	if err := disk.Inside(s.Results); err != nil {
		return err
	}
	above := filepath.Join(s.Results, experiment.ClusterFolder)
	if err := os.MkdirAll(above, 0o755); err != nil {
		return err
	}
	for n := 2; ; n++ {
		err := os.Mkdir(s.Dir, 0o755)
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
		s.name(n)
	}
	if err := s.fill(program, files); err != nil {
		_ = os.RemoveAll(s.Dir) // the first error says more
		return err
	}
	return nil
}

// name gives the submission its folder, the n-th of its second.
func (s *Submission) name(n int) {
	s.ID = s.Made.UTC().Format("20060102-150405")
	if n > 1 {
		s.ID = fmt.Sprintf("%s-%d", s.ID, n)
	}
	s.Dir = filepath.Join(s.Results, experiment.ClusterFolder, s.ID)
}

// describe fills in what follows from the files of a submission, and returns those that
// are text, by name.
func (s *Submission) describe(program string, text []byte, tasks []*plan.Task) (files map[string][]byte, err error) {
	s.name(1)
	// In the path of a log they stand for something, wherever they come from.
	if strings.ContainsAny(s.Dir, `%\`) {
		return nil, fmt.Errorf("Slurm cannot write logs into %s: it has a meaning of its own for %% and \\ in a path; use another --out", s.Dir)
	}
	if s.Program, err = disk.SHA256(program); err != nil {
		return nil, err
	}
	var lines bytes.Buffer
	s.Runs, s.Count = 0, len(tasks)
	for _, t := range tasks {
		line, err := json.Marshal(t)
		if err != nil {
			return nil, err
		}
		lines.Write(append(line, '\n'))
		s.Runs += len(t.Keys)
	}
	s.SpecSHA256, s.TasksSHA256 = disk.SHA256Of(text), disk.SHA256Of(lines.Bytes())
	return map[string][]byte{SpecFile: text, TasksFile: lines.Bytes()}, nil
}

// fill writes the files.
func (s *Submission) fill(program string, files map[string][]byte) error {
	if err := os.Mkdir(filepath.Join(s.Dir, LogFolder), 0o755); err != nil {
		return err
	}
	if err := link(program, filepath.Join(s.Dir, ProgramFile)); err != nil {
		return err
	}
	for _, kind := range kinds {
		script, err := s.Script(kind)
		if err != nil {
			return err
		}
		files[kind+".sh"] = []byte(script)
	}
	about, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	files[submissionFile] = append(about, '\n')
	for name, data := range files {
		if err := disk.Replace(filepath.Join(s.Dir, name), data); err != nil {
			return err
		}
	}
	return nil
}

// Read reads a submission by its folder. Where it lies, and not what it says, is the
// results folder that it is of.
func Read(dir string) (*Submission, error) {
	path := filepath.Join(dir, submissionFile)
	data, err := disk.ReadFile(path, mostBytes)
	if err != nil {
		return nil, err
	}
	s := new(Submission)
	if err := json.Unmarshal(data, s); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w", path, err)
	}
	if s.Dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	s.ID, s.Results = filepath.Base(s.Dir), filepath.Dir(filepath.Dir(s.Dir))
	return s, nil
}

// Of returns the submissions of a results folder, in the order in which they were made.
// What is wrong with one does not hide the others.
func Of(results string) (all []*Submission, err error) {
	entries, err := os.ReadDir(filepath.Join(results, experiment.ClusterFolder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var errs []error
	for _, e := range entries {
		s, err := Read(filepath.Join(results, experiment.ClusterFolder, e.Name()))
		switch {
		case errors.Is(err, fs.ErrNotExist): // being made, or removed
		case err != nil:
			errs = append(errs, err)
		default:
			all = append(all, s)
		}
	}
	slices.SortStableFunc(all, func(a, b *Submission) int { return a.Made.Compare(b.Made) })
	return all, errors.Join(append(errs, err)...)
}

// Text reads the spec, which must be the one that was submitted.
func (s *Submission) Text() ([]byte, error) {
	path := filepath.Join(s.Dir, SpecFile)
	text, err := spec.ReadFile(path)
	if err == nil && disk.SHA256Of(text) != s.SpecSHA256 {
		err = fmt.Errorf("%s is not what was submitted; use submit with the spec that is meant", path)
	}
	return text, err
}

// SameProgram returns the path of the submission's program, which must be the same as that
// which runs now, whose path it is given.
func (s *Submission) SameProgram(now string) (string, error) {
	path := filepath.Join(s.Dir, ProgramFile)
	hash, err := disk.SHA256(now)
	if err != nil {
		return "", err
	}
	if hash != s.Program {
		return "", fmt.Errorf("this stochopt is not the one that was submitted: to go on with that one, use %[1]s resubmit %[2]s; to go on with this one, submit the spec again: what is on record stays",
			shell.Word(path), shell.Word(s.Results))
	}
	if of, err := disk.SHA256(path); err != nil || of != hash {
		return now, nil
	}
	return path, nil
}

// Tasks reads the tasks.
func (s *Submission) Tasks() ([]*plan.Task, error) {
	return readLines[*plan.Task](filepath.Join(s.Dir, TasksFile), true)
}

// Jobs reads the jobs that were submitted; a last line that is not whole is that of a
// submit that was killed.
func (s *Submission) Jobs() ([]Job, error) {
	jobs, err := readLines[Job](filepath.Join(s.Dir, jobsFile), false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, j := range jobs {
		if !jobID.MatchString(j.Job) {
			return nil, fmt.Errorf("%s is damaged: %q is no job's number", filepath.Join(s.Dir, jobsFile), j.Job)
		}
	}
	return jobs, err
}

// note adds a job to those that were submitted.
func (s *Submission) note(j Job) error {
	line, err := json.Marshal(j)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(s.Dir, jobsFile), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Sync(), f.Close())
}

// readLines reads a file of JSON lines. Where not all need be whole, the last need not.
func readLines[T any](path string, whole bool) (out []T, err error) {
	data, err := disk.ReadFile(path, mostBytes)
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, mostBytes)
	for n := 1; lines.Scan(); n++ {
		var v T
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			if !whole && !bytes.HasSuffix(data, []byte("\n")) && strings.HasSuffix(string(data), lines.Text()) {
				break
			}
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		out = append(out, v)
	}
	return out, lines.Err()
}
