package cluster

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// fake is a Slurm with fixed answers by prefix of the command line. It logs the command lines.
type fake struct {
	answers map[string]string
	asked   []string
	// sbatch has the arguments of each sbatch.
	sbatch [][]string
	jobs   int
	// maxJobs is the number of jobs that sbatch accepts, 0 for no limit.
	maxJobs int
}

func (f *fake) slurm() Slurm {
	return Slurm{Command: func(_ context.Context, name string, args ...string) (string, error) {
		line := strings.Join(append([]string{name}, args...), " ")
		f.asked = append(f.asked, line)
		if name == "sbatch" {
			f.sbatch = append(f.sbatch, args)
			if f.jobs++; f.maxJobs > 0 && f.jobs > f.maxJobs {
				return "", errors.New("sbatch: error: QOSMaxSubmitJobPerUserLimit")
			}
			return fmt.Sprintf("%d\n", 100+f.jobs), nil
		}
		for begin, answer := range f.answers {
			if strings.HasPrefix(line, begin) {
				if text, bad := strings.CutPrefix(answer, "!"); bad {
					return "", errors.New(text)
				}
				return answer, nil
			}
		}
		return "", fmt.Errorf("%s: %w", name, ErrNoSlurm)
	}}
}

// asks returns the logged commands with a prefix.
func (f *fake) asks(begin string) (lines []string) {
	return slices.DeleteFunc(slices.Clone(f.asked), func(line string) bool { return !strings.HasPrefix(line, begin) })
}

func TestJobNumber(t *testing.T) {
	for answer, want := range map[string]string{"12\n": "12", "12;campus\n": "12", "Submitted batch job 12": "", "": "", "12 13": "", "-1": ""} {
		slurm := Slurm{Command: func(context.Context, string, ...string) (string, error) { return answer, nil }}
		job, err := slurm.submit(t.Context(), nil)
		if job != want || (err == nil) != (want != "") {
			t.Errorf("sbatch answers %q: %q, %v", answer, job, err)
		}
	}
}

func TestQueue(t *testing.T) {
	f := &fake{answers: map[string]string{"squeue": "12_3 RUNNING 1:02 n1\n12_4 PENDING 0:00 (Resources)\n13_N/A PENDING 0:00 (Dependency)\n"}}
	got, err := f.slurm().queue(t.Context(), []string{"12", "13"})
	want := map[string]string{"12_3": "12_3 RUNNING 1:02 n1", "12_4": "12_4 PENDING 0:00 (Resources)", "13": "13 PENDING 0:00 (Dependency)"}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	if lines := f.asks("squeue"); len(lines) != 1 || !strings.Contains(lines[0], "--jobs=12,13") {
		t.Errorf("asks %q", lines)
	}
	for answer, ok := range map[string]bool{"!squeue: slurm_load_jobs error: Invalid job id specified": true, "!squeue: Unable to contact slurm controller": false} {
		got, err := (&fake{answers: map[string]string{"squeue": answer}}).slurm().queue(t.Context(), []string{"12"})
		if len(got) > 0 || (err == nil) != ok {
			t.Errorf("%s: %v, %v", answer, got, err)
		}
	}
}

func TestMaxTasks(t *testing.T) {
	for config, want := range map[string]int{
		"SLURM_CONF = /etc/a=b\nMaxArraySize            = 5\n":                                  4,
		"MaxArraySize = 9000\nSchedulerParameters     = (null)\n":                               8999,
		"MaxArraySize = 9000\nSchedulerParameters     = bf_continue,max_array_tasks=70,defer\n": 70,
		"MaxArraySize = 50\nSchedulerParameters     = max_array_tasks=70\n":                     49,
		"nothing":            1000,
		"MaxArraySize = 1\n": 0,
	} {
		got, err := (&fake{answers: map[string]string{"scontrol show config": config}}).slurm().MaxTasks(t.Context())
		if got != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %d, %v, want %d", config, got, err, want)
		}
	}
	if _, err := (&fake{}).slurm().MaxTasks(t.Context()); !errors.Is(err, ErrNoSlurm) {
		t.Errorf("without Slurm: %v", err)
	}
}

// A missing command, a failing one, a hanging one and a successful one.
func TestCommands(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := (Slurm{}).run(t.Context(), "squeue"); !errors.Is(err, ErrNoSlurm) {
		t.Errorf("not installed: %v", err)
	}
	if _, err := (Slurm{}).run(t.Context(), "/bin/sh", "-c", "echo; echo a  b >&2; echo c >&2; exit 3"); err == nil || err.Error() != "/bin/sh: a b c" {
		t.Errorf("failed: %v", err)
	}
	// This command hangs and keeps its output open.
	ctx, stop := context.WithTimeout(t.Context(), time.Millisecond)
	defer stop()
	if _, err := (Slurm{}).run(ctx, "/bin/sh", "-c", "trap '' TERM; while :; do :; done"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a command that hangs: %v", err)
	}
	if out, err := (Slurm{}).run(t.Context(), "/bin/sh", "-c", "echo x"); out != "x\n" || err != nil {
		t.Errorf("%q, %v", out, err)
	}
}
