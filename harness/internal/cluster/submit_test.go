package cluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// submit submits jobs for a results folder to a fake and returns the arguments of sbatch. The program of the jobs
// writes its arguments to the file arguments and exits with code 7.
func submit(t *testing.T, f *fake, s *Submission, results string) ([][]string, error) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program")
	write(t, program, "#!/bin/bash\nprintf '%s\\0' \"$@\" >\"${0%/*}/arguments\"\nexit 7\n")
	s.Shards, s.Parts = 9, []string{"1", "2", "9"}
	err := s.Submit(t.Context(), f.slurm(), results, program, []byte("name: sweep\n"))
	return f.sbatch, err
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// hostile is a name that must never reach a shell as text.
const hostile = `a b'c"d$(touch owned)` + "`touch owned`" + `;touch owned&*\{x,y}%j !#ü~`

// The program of a job gets all arguments unchanged.
func TestJobsPassArgumentsOn(t *testing.T) {
	above := t.TempDir()
	results := filepath.Join(above, strings.NewReplacer("%", "", `\`, "").Replace(hostile), "-sweep")
	s := &Submission{
		Run:    []string{"--set=" + hostile, "--profile=-n", "--out=", "--set=two\nlines\n#SBATCH --wrap=id"},
		Sbatch: []string{"--comment=" + hostile},
	}
	lines, err := submit(t, &fake{}, s, results)
	if err != nil {
		t.Fatal(err)
	}
	spec := filepath.Join(s.Dir, "spec.yaml")
	want := [][]string{
		slices.Concat([]string{"run", spec}, s.Run, []string{"--shard", "prepare"}),
		slices.Concat([]string{"run", spec}, s.Run, []string{"--shard", "2/9"}),
		{"collect", results},
	}
	for i, args := range lines {
		at := slices.Index(args, filepath.Join(s.Dir, "job.sh"))
		if at < 0 || args[0] != s.Sbatch[0] || slices.ContainsFunc(args[:at], func(o string) bool { return !strings.HasPrefix(o, "--") }) {
			t.Fatalf("sbatch gets %q", args)
		}
		cmd := exec.Command("bash", args[at:]...)
		cmd.Dir = above
		cmd.Env = append(os.Environ(), "SLURM_ARRAY_TASK_ID=2")
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != 7 || string(out) != "stochopt: exit code 7\n" {
			t.Errorf("job %d: exit %d\n%s", i+1, code, out)
		}
		text, err := os.ReadFile(filepath.Join(s.Dir, "arguments"))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00"); !slices.Equal(got, want[i]) {
			t.Errorf("job %d: the program gets\n%q, want\n%q", i+1, got, want[i])
		}
	}
	for _, dir := range []string{above, results, s.Dir} {
		if _, err := os.Stat(filepath.Join(dir, "owned")); err == nil {
			t.Errorf("a name was run as a command, in %s", dir)
		}
	}
}

// The script must have no directives of sbatch.
func TestScriptHasNoDirectives(t *testing.T) {
	for line := range strings.Lines(string(script)) {
		if strings.HasPrefix(line, "#") && line != "#!/bin/bash\n" && !strings.HasPrefix(line, "# ") {
			t.Errorf("the script has the line %q", line)
		}
	}
}

// A job is requeued before its time limit, but not if it was cancelled, failed, or was requeued too often.
func TestJobsAreRequeued(t *testing.T) {
	for name, c := range map[string]struct {
		signal                 syscall.Signal
		code, shards, restarts string
		want                   string
	}{
		"time limit":           {syscall.SIGUSR1, "130", "9", "9", "requeue 12_2\n"},
		"time limit, no array": {syscall.SIGUSR1, "130", "0", "9", "requeue 13\n"},
		"cancelled":            {syscall.SIGTERM, "130", "9", "0", ""},
		"failed":               {syscall.SIGUSR1, "1", "9", "0", ""},
		"too often":            {syscall.SIGUSR1, "130", "9", "10", ""},
	} {
		bin := t.TempDir()
		write(t, filepath.Join(bin, "scontrol"), "#!/bin/bash\necho \"$*\" >>"+bin+"/asked\n")
		// This program ends only after a signal.
		write(t, filepath.Join(bin, "program"), "#!/bin/bash\ntrap 'exit "+c.code+"' TERM\ntouch "+bin+"/ready\nwhile :; do sleep 0.01; done\n")
		write(t, filepath.Join(bin, "job.sh"), string(script))
		cmd := exec.Command("bash", filepath.Join(bin, "job.sh"), c.shards, filepath.Join(bin, "program"))
		cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"),
			"SLURM_JOB_ID=13", "SLURM_ARRAY_JOB_ID=12", "SLURM_ARRAY_TASK_ID=2", "SLURM_RESTART_COUNT="+c.restarts)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for {
			if _, err := os.Stat(filepath.Join(bin, "ready")); err == nil {
				break
			}
			time.Sleep(time.Millisecond)
		}
		_ = cmd.Process.Signal(c.signal)
		_ = cmd.Wait()
		asked, _ := os.ReadFile(filepath.Join(bin, "asked"))
		if string(asked) != c.want || fmt.Sprint(cmd.ProcessState.ExitCode()) != c.code {
			t.Errorf("%s: exit %d, asks scontrol %q", name, cmd.ProcessState.ExitCode(), asked)
		}
	}
}

func TestSubmitsThreeJobs(t *testing.T) {
	results := filepath.Join(t.TempDir(), "sweep")
	s := &Submission{Sbatch: []string{"--partition=a b"}}
	lines, err := submit(t, &fake{}, s, results)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]string{
		{"--job-name=sweep-prepare", "--output=" + s.Log("%j"), "0"},
		{"--dependency=afterok:101", "--kill-on-invalid-dep=yes", "--job-name=sweep-shards", "--output=" + s.Log("%A_%a"), "--array=1,2,9", "9"},
		{"--dependency=afterany:102", "--kill-on-invalid-dep=yes", "--job-name=sweep-collect", "--output=" + s.Log("%j"), "0"},
	} {
		for _, w := range append(want, "--requeue", "--signal=B:USR1@60", "--partition=a b") {
			if !slices.Contains(lines[i], w) {
				t.Errorf("job %d: there is no %q in %q", i+1, w, lines[i])
			}
		}
	}
	// A later submission is in progress.
	if err := os.Mkdir(s.Dir+"-later", 0o755); err != nil {
		t.Fatal(err)
	}
	last, err := Last(results)
	if err != nil || !slices.Equal(last.Jobs, []string{"101", "102", "103"}) || !slices.Equal(last.Parts, s.Parts) || last.Dir != s.Dir {
		t.Fatalf("read back as %+v, %v", last, err)
	}
	for _, text := range []string{"{", `{"jobs": ["../../1", "2", "3"]}`} {
		write(t, filepath.Join(s.Dir, "submission.json"), text)
		if _, err := Last(results); err == nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// If Slurm rejects a job, the others are cancelled.
func TestSubmitIsUndone(t *testing.T) {
	for accepted, cancelled := range map[int]string{1: "scancel --quiet 101", 2: "scancel --quiet 101 102"} {
		f := &fake{maxJobs: accepted, answers: map[string]string{"scancel": ""}}
		s := &Submission{}
		if _, err := submit(t, f, s, t.TempDir()); err == nil {
			t.Errorf("with %d jobs there is no error", accepted)
		}
		if got := f.asks("scancel"); !slices.Equal(got, []string{cancelled}) {
			t.Errorf("with %d jobs it cancels %q", accepted, got)
		}
		if _, err := os.Stat(s.Dir); !os.IsNotExist(err) {
			t.Errorf("the folder of the submission is left: %v", err)
		}
	}
}

// Slurm interprets % and \ in the path of a log.
func TestSubmitRefusesPatterns(t *testing.T) {
	for _, name := range []string{"%j", "100%", `a\b`} {
		_, err := submit(t, &fake{}, &Submission{}, filepath.Join(t.TempDir(), name))
		if err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// A task that is not in the queue and did not end with exit code 0 has failed, unless it never started.
func TestTasks(t *testing.T) {
	f := &fake{answers: map[string]string{"squeue": "102_1 RUNNING\n"}}
	s := &Submission{}
	if _, err := submit(t, f, s, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	for task, text := range map[string]string{
		"101": "ready\nstochopt: exit code 0\n", "102_1": "going\n", "102_2": "1\n2\n3\n4\nno space\nstochopt: exit code 1\n", "103": "",
	} {
		write(t, s.Log(task), text)
	}
	got, err := s.Tasks(t.Context(), f.slurm())
	want := []Task{
		{Name: "102_1", Queue: "102_1 RUNNING", Log: s.Log("102_1")},
		{Name: "102_2", Log: s.Log("102_2"), Failed: []string{"2", "3", "4", "no space", "stochopt: exit code 1"}},
		{Name: "103", Log: s.Log("103"), Failed: []string{""}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
}
