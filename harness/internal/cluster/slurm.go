package cluster

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// timeout bounds the time of a command of Slurm. A busy controller answers within a minute or two,
// or reports an error itself.
const timeout = 3 * time.Minute

// Slurm runs the commands of Slurm.
type Slurm struct {
	// Command runs a command and returns what it prints; nil runs the program on PATH. The
	// error of a command that fails contains what it wrote to standard error.
	Command func(ctx context.Context, name string, args ...string) (string, error)
}

// ErrNoSlurm is in the error of a command that is not installed.
var ErrNoSlurm = errors.New("Slurm is not installed here, or not on PATH: log in to the cluster's login node")

func (s Slurm) run(ctx context.Context, name string, args ...string) (string, error) {
	if s.Command != nil {
		return s.Command(ctx, name, args...)
	}
	ctx, stop := context.WithTimeout(ctx, timeout)
	defer stop()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		err = fmt.Errorf("no answer from Slurm: %w", ctx.Err())
	case errors.Is(err, exec.ErrNotFound):
		err = ErrNoSlurm
	case errors.As(err, &exit) && len(exit.Stderr) > 0:
		err = errors.New(strings.Join(strings.Fields(string(exit.Stderr)), " "))
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return string(out), err
}

var jobID = regexp.MustCompile(`^[0-9]+$`)

// submit passes arguments to sbatch and returns the number of the job.
func (s Slurm) submit(ctx context.Context, args []string) (job string, err error) {
	text, err := s.run(ctx, "sbatch", args...)
	if err != nil {
		return "", err
	}
	job, _, _ = strings.Cut(strings.TrimSpace(text), ";") // the name of the cluster follows
	if !jobID.MatchString(job) {
		return "", fmt.Errorf("sbatch printed %q, which is not the number of a job", strings.TrimSpace(text))
	}
	return job, nil
}

// queue returns the lines that squeue prints about those jobs and tasks of arrays that wait or run,
// by their names (see Task).
func (s Slurm) queue(ctx context.Context, jobs []string) (map[string]string, error) {
	lines := make(map[string]string)
	options := []string{"--noheader", "--array", "--jobs=" + strings.Join(jobs, ","), "--format=%F_%K %T %M %R"}
	text, err := s.run(ctx, "squeue", options...)
	if err != nil && strings.Contains(err.Error(), "Invalid job id") {
		return lines, nil // Slurm has forgotten the jobs
	}
	for line := range strings.Lines(text) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		name = strings.TrimSuffix(name, "_N/A")
		lines[name] = name + " " + rest
	}
	return lines, err
}

// MostTasks returns how many tasks an array may have: their indices begin with 1 and are
// below MaxArraySize, and max_array_tasks bounds their number.
func (s Slurm) MostTasks(ctx context.Context) (int, error) {
	text, err := s.run(ctx, "scontrol", "show", "config")
	if err != nil {
		return 0, err
	}
	most := 1000 // Slurm's default for MaxArraySize is 1001
	if m := maxArraySize.FindStringSubmatch(text); m != nil {
		most, _ = strconv.Atoi(m[1]) // 0 if it is out of range
		most--
	}
	if m := maxArrayTasks.FindStringSubmatch(text); m != nil {
		tasks, _ := strconv.Atoi(m[1])
		most = min(most, tasks)
	}
	if most < 1 {
		return 0, errors.New("this Slurm has no job arrays: start run --shard i/N in jobs of your own, then use collect")
	}
	return most, nil
}

var (
	maxArraySize  = regexp.MustCompile(`(?m)^MaxArraySize *= *([0-9]+)`)
	maxArrayTasks = regexp.MustCompile(`(?m)^SchedulerParameters *=.*\bmax_array_tasks=([0-9]+)`)
)
