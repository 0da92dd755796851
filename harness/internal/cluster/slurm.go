package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// patience bounds how long a command of Slurm may take: a controller that is busy answers
// within a minute or two, or gives up itself.
const patience = 3 * time.Minute

// Slurm talks to a Slurm by its commands.
type Slurm struct {
	// Command runs one of them and returns what it prints; nil runs that on PATH. The
	// error of a command that fails has what it said.
	Command func(ctx context.Context, name string, args ...string) (string, error)
}

// ErrNoSlurm is in the error of a command that is not installed.
var ErrNoSlurm = errors.New("Slurm is not installed here, or not on PATH: log in to the cluster's login node")

func (s Slurm) run(ctx context.Context, name string, args ...string) (string, error) {
	if s.Command != nil {
		return s.Command(ctx, name, args...)
	}
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	var out, said bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdout, cmd.Stderr = &out, &said
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	switch {
	case err == nil:
		return out.String(), nil
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("%s: %w", name, ErrNoSlurm)
	}
	text := strings.Join(strings.Fields(said.String()), " ")
	if text == "" {
		text = err.Error()
	}
	return out.String(), fmt.Errorf("%s: %s", name, text)
}

var jobID = regexp.MustCompile(`^[0-9]+$`)

// Submit gives a script to sbatch and returns the job's number.
func (s Slurm) Submit(ctx context.Context, args ...string) (job string, err error) {
	text, err := s.run(ctx, "sbatch", args...)
	if err != nil {
		return "", err
	}
	job, _, _ = strings.Cut(strings.TrimSpace(text), ";") // the cluster's name follows
	if !jobID.MatchString(job) {
		return "", fmt.Errorf("sbatch: answers %q, which is no job's number", strings.TrimSpace(text))
	}
	return job, nil
}

// Cancel takes jobs out of the queue. Those that are no longer there are none of its
// business.
func (s Slurm) Cancel(ctx context.Context, jobs ...string) error {
	if len(jobs) == 0 {
		return nil
	}
	_, err := s.run(ctx, "scancel", append([]string{"--quiet"}, jobs...)...)
	return err
}

// State is where a job, or a task of an array, is in the queue.
type State struct {
	Job string
	// Index is that in the array, 0 of a job that is none.
	Index int
	// Running: it is on a node. Else it waits.
	Running bool
	// Reason says why it waits, as Slurm has it.
	Reason string
}

// Never reports whether a job waits for what will never be.
func (s State) Never() bool { return s.Reason == "DependencyNeverSatisfied" }

// Queue returns where those of the jobs are that are in the queue.
func (s Slurm) Queue(ctx context.Context, jobs ...string) ([]State, error) {
	if len(jobs) == 0 {
		return nil, nil
	}
	text, err := s.run(ctx, "squeue", "--noheader", "--array", "--jobs="+strings.Join(jobs, ","), "--format=%F|%K|%T|%r")
	if err != nil {
		// What it says of a single job that it has forgotten.
		if strings.Contains(err.Error(), "Invalid job id") {
			return nil, nil
		}
		return nil, err
	}
	var out []State
	for line := range strings.Lines(text) {
		f := strings.SplitN(strings.TrimSpace(line), "|", 4)
		if len(f) < 4 {
			continue
		}
		index, _ := strconv.Atoi(f[1]) // "N/A" of a job that is no array
		switch f[2] {
		case "RUNNING", "COMPLETING", "SUSPENDED", "STOPPED", "STAGE_OUT", "SIGNALING", "CONFIGURING":
			out = append(out, State{Job: f[0], Index: index, Running: true})
		case "PENDING", "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "RESV_DEL_HOLD", "SPECIAL_EXIT", "RESIZING":
			out = append(out, State{Job: f[0], Index: index, Reason: f[3]})
		}
	}
	return out, nil
}

// Ended returns how jobs and tasks of arrays ended, such as TIMEOUT, by "JOB" and
// "JOB_INDEX". Many clusters keep no accounts: there only of those that ended a few minutes
// ago.
func (s Slurm) Ended(ctx context.Context, jobs ...string) map[string]string {
	if len(jobs) == 0 {
		return nil
	}
	out := make(map[string]string)
	text, err := s.run(ctx, "sacct", "--noheader", "--parsable2", "--allocations", "--jobs="+strings.Join(jobs, ","), "--format=JobID,State")
	if err == nil {
		for line := range strings.Lines(text) {
			if job, state, ok := strings.Cut(strings.TrimSpace(line), "|"); ok {
				out[job], _, _ = strings.Cut(state, " ") // "CANCELLED by 1000"
			}
		}
		return out
	}
	for _, job := range jobs {
		text, err := s.run(ctx, "scontrol", "--oneliner", "show", "job", job)
		if err != nil {
			continue // it is forgotten
		}
		for line := range strings.Lines(text) {
			said := make(map[string]string)
			for word := range strings.FieldsSeq(line) {
				key, value, _ := strings.Cut(word, "=")
				said[key] = value
			}
			indices := said["ArrayTaskId"]
			if indices == "" {
				out[job] = said["JobState"]
			}
			for _, i := range expand(indices) {
				out[fmt.Sprintf("%s_%d", job, i)] = said["JobState"]
			}
		}
	}
	return out
}

// expand lists the indices of an array that never began as Slurm writes them: "1-3,7%2".
func expand(text string) (list []int) {
	text, _, _ = strings.Cut(text, "%")
	for part := range strings.SplitSeq(text, ",") {
		from, to, ok := strings.Cut(part, "-")
		if !ok {
			to = from
		}
		first, err1 := strconv.Atoi(from)
		last, err2 := strconv.Atoi(to)
		if err1 != nil || err2 != nil || last-first > mostIndices {
			continue
		}
		for i := first; i <= last; i++ {
			list = append(list, i)
		}
	}
	return list
}

// mostIndices bounds the arrays that are believed to be: Slurm has none as large.
const mostIndices = 4_000_000

// Limits are what a cluster bounds submissions by.
type Limits struct {
	// Array is the MaxArraySize: indices of arrays are below it.
	Array int
	// Jobs is how many jobs the user may still submit, each task of an array counting as
	// one. Source names the limit. It is math.MaxInt where none is known.
	Jobs   int
	Source string
}

// DefaultArray is Slurm's own MaxArraySize, where scontrol does not tell.
const DefaultArray = 1001

// Limits asks for the limits of a user.
func (s Slurm) Limits(ctx context.Context, user string) (Limits, error) {
	text, err := s.run(ctx, "scontrol", "show", "config")
	if err != nil {
		return Limits{}, err
	}
	config := make(map[string]string)
	for line := range strings.Lines(text) {
		if key, value, ok := strings.Cut(line, "="); ok {
			config[strings.TrimSpace(key)] = strings.TrimSpace(value)
		}
	}
	l := Limits{Array: DefaultArray, Jobs: math.MaxInt}
	if n, err := strconv.Atoi(config["MaxArraySize"]); err == nil {
		l.Array = n
	}
	if n, err := strconv.Atoi(config["MaxJobCount"]); err == nil && n > 0 {
		if text, err := s.run(ctx, "squeue", "--noheader", "--array", "--format=%A"); err == nil {
			l.lower(n-strings.Count(text, "\n"), "MaxJobCount")
		}
	}
	// Where accounts are kept, they may bound those of a user.
	text, err = s.run(ctx, "sacctmgr", "--noheader", "--parsable2", "show", "assoc", "where", "user="+user, "format=MaxSubmitJobs")
	if err == nil {
		most := 0
		for line := range strings.Lines(text) {
			n, err := strconv.Atoi(strings.TrimSpace(line))
			if err != nil {
				most = math.MaxInt // an account without a limit
				break
			}
			most = max(most, n)
		}
		if most > 0 && most < math.MaxInt {
			mine, err := s.run(ctx, "squeue", "--noheader", "--array", "--user="+user, "--format=%A")
			if err == nil {
				l.lower(most-strings.Count(mine, "\n"), "MaxSubmitJobs")
			}
		}
	}
	return l, nil
}

func (l *Limits) lower(jobs int, source string) {
	if jobs = max(jobs, 0); jobs < l.Jobs {
		l.Jobs, l.Source = jobs, source
	}
}
