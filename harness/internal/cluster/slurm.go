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

// timeout is the time limit of a Slurm command. A busy controller answers within a minute or two, or
// reports an error itself.
const timeout = 3 * time.Minute

// Slurm runs Slurm commands.
type Slurm struct {
	// Command runs a command and returns its standard output. If the command fails, the error contains
	// its standard error. nil runs the program on PATH.
	Command func(ctx context.Context, name string, args ...string) (string, error)
}

// ErrNoSlurm is wrapped by the error of a command that is not installed.
var ErrNoSlurm = errors.New("Slurm is not installed on this machine or not on PATH: use the login node of the cluster")

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

// submit calls sbatch and returns the job number.
func (s Slurm) submit(ctx context.Context, args []string) (job string, err error) {
	text, err := s.run(ctx, "sbatch", args...)
	if err != nil {
		return "", err
	}
	job, _, _ = strings.Cut(strings.TrimSpace(text), ";") // the name of the cluster follows
	if !jobID.MatchString(job) {
		return "", fmt.Errorf("sbatch printed %q, which is not a job number", strings.TrimSpace(text))
	}
	return job, nil
}

// queue returns the lines of squeue for the jobs and array tasks that are queued or running, by Task.Name.
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

// MaxTasks returns the maximum number of tasks of an array. MaxArraySize bounds their indices, which start
// at 1, and max_array_tasks their number.
func (s Slurm) MaxTasks(ctx context.Context) (int, error) {
	text, err := s.run(ctx, "scontrol", "show", "config")
	if err != nil {
		return 0, err
	}
	limit := 1000 // Slurm's default for MaxArraySize is 1001
	if m := maxArraySize.FindStringSubmatch(text); m != nil {
		limit, _ = strconv.Atoi(m[1]) // 0 on overflow
		limit--
	}
	if m := maxArrayTasks.FindStringSubmatch(text); m != nil {
		tasks, _ := strconv.Atoi(m[1])
		limit = min(limit, tasks)
	}
	if limit < 1 {
		return 0, errors.New("this Slurm does not allow job arrays: " +
			"submit jobs with run --shard i/N yourself, then use collect")
	}
	return limit, nil
}

var (
	maxArraySize  = regexp.MustCompile(`(?m)^MaxArraySize *= *([0-9]+)`)
	maxArrayTasks = regexp.MustCompile(`(?m)^SchedulerParameters *=.*\bmax_array_tasks=([0-9]+)`)
)
