package cluster

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// fake is a Slurm that answers commands by what they begin with, and keeps what it was
// asked.
type fake struct {
	answers map[string]string
	asked   []string
	jobs    int
	// most is how many jobs sbatch takes.
	most int
}

func (f *fake) slurm() Slurm {
	return Slurm{Command: func(_ context.Context, name string, args ...string) (string, error) {
		line := strings.Join(append([]string{name}, args...), " ")
		f.asked = append(f.asked, line)
		if name == "sbatch" {
			if f.jobs++; f.most > 0 && f.jobs > f.most {
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

// asks returns the commands that begin like this.
func (f *fake) asks(begin string) (lines []string) {
	return slices.DeleteFunc(slices.Clone(f.asked), func(line string) bool { return !strings.HasPrefix(line, begin) })
}

func TestJobsNumber(t *testing.T) {
	for answer, want := range map[string]string{"12\n": "12", "12;campus\n": "12", "Submitted batch job 12": "", "": "", "12 13": "", "-1": ""} {
		slurm := Slurm{Command: func(context.Context, string, ...string) (string, error) { return answer, nil }}
		job, err := slurm.Submit(t.Context())
		if job != want || (err == nil) != (want != "") {
			t.Errorf("sbatch answers %q: %q, %v", answer, job, err)
		}
	}
}

func TestQueue(t *testing.T) {
	f := &fake{answers: map[string]string{"squeue": "12|3|RUNNING|None\n12|4|PENDING|Resources\n13|N/A|PENDING|DependencyNeverSatisfied\n" +
		"12|5|COMPLETING|None\n12|6|TIMEOUT|TimeLimit\n12|7|REQUEUED|a|b\nwhatever\n"}}
	got, err := f.slurm().Queue(t.Context(), "12", "13")
	want := []State{
		{Job: "12", Index: 3, Running: true}, {Job: "12", Index: 4, Reason: "Resources"}, {Job: "13", Reason: "DependencyNeverSatisfied"},
		{Job: "12", Index: 5, Running: true}, {Job: "12", Index: 7, Reason: "a|b"},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	if !want[2].Never() || want[1].Never() {
		t.Error("it is not told what waits for ever")
	}
	if lines := f.asks("squeue"); len(lines) != 1 || !strings.Contains(lines[0], "--jobs=12,13") {
		t.Errorf("asks %q", lines)
	}
	for answer, ok := range map[string]bool{"!squeue: slurm_load_jobs error: Invalid job id specified": true, "!squeue: Unable to contact slurm controller": false} {
		got, err := (&fake{answers: map[string]string{"squeue": answer}}).slurm().Queue(t.Context(), "12")
		if len(got) > 0 || (err == nil) != ok {
			t.Errorf("%s: %v, %v", answer, got, err)
		}
	}
	if got, err := (&fake{}).slurm().Queue(t.Context()); got != nil || err != nil {
		t.Errorf("of no jobs: %v, %v", got, err)
	}
}

func TestAccountsWhereTheyAreKept(t *testing.T) {
	f := &fake{answers: map[string]string{"sacct": "12_3|TIMEOUT\n12_4|CANCELLED by 1000\n13|COMPLETED\n"}}
	want := map[string]string{"12_3": "TIMEOUT", "12_4": "CANCELLED", "13": "COMPLETED"}
	if got := f.slurm().Ended(t.Context(), "12", "13"); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	f.answers["sacct"] = "!sacct: Slurm accounting storage is disabled"
	if got := f.slurm().Ended(t.Context(), "12"); len(got) > 0 {
		t.Errorf("without accounts: %v", got)
	}
}

func TestLimits(t *testing.T) {
	const config = "Configuration data as of 2026-11-23\nMaxArraySize            = 5\nMaxJobCount             = 100\nSLURM_CONF = /etc/a=b\n"
	mine, others := strings.Repeat("7\n", 4), strings.Repeat("8\n", 60)
	for name, c := range map[string]struct {
		answers map[string]string
		want    Limits
	}{
		"of the cluster": {map[string]string{"scontrol show config": config, "squeue": mine + others}, Limits{5, 36, "MaxJobCount"}},
		"of the user": {map[string]string{
			"scontrol show config": config, "squeue --noheader --array --format=%A": mine + others, "squeue --noheader --array --user=me": mine,
			"sacctmgr --noheader --parsable2 show assoc where user=me": "10\n30\n",
		}, Limits{5, 26, "MaxSubmitJobs"}},
		"an account without": {map[string]string{
			"scontrol show config": config, "squeue": mine, "sacctmgr": "10\n\n",
		}, Limits{5, 96, "MaxJobCount"}},
		"more than there may be": {map[string]string{
			"scontrol show config": config, "squeue": mine, "sacctmgr": "3\n",
		}, Limits{5, 0, "MaxSubmitJobs"}},
		"none told": {map[string]string{"scontrol show config": "nothing", "sacctmgr": "!no accounts"}, Limits{DefaultArray, math.MaxInt, ""}},
	} {
		got, err := (&fake{answers: c.answers}).slurm().Limits(t.Context(), "me")
		if err != nil || got != c.want {
			t.Errorf("%s: %v, %v, want %v", name, got, err, c.want)
		}
	}
	if _, err := (&fake{}).slurm().Limits(t.Context(), "me"); !errors.Is(err, ErrNoSlurm) {
		t.Errorf("without a Slurm: %v", err)
	}
}

// A command that is not there, one that fails and one that works.
func TestCommands(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := (Slurm{}).run(t.Context(), "squeue"); !errors.Is(err, ErrNoSlurm) {
		t.Errorf("not installed: %v", err)
	}
	if _, err := (Slurm{}).run(t.Context(), "/bin/sh", "-c", "echo; echo a  b >&2; echo c >&2; exit 3"); err == nil || err.Error() != "/bin/sh: a b c" {
		t.Errorf("failed: %v", err)
	}
	if out, err := (Slurm{}).run(t.Context(), "/bin/sh", "-c", "echo x"); out != "x\n" || err != nil {
		t.Errorf("%q, %v", out, err)
	}
}
