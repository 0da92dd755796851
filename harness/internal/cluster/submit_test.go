package cluster

import (
	"bytes"
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

	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/spec"
	"stochopt/internal/disk"
)

// made makes a submission of so many tasks in a folder, whose program writes its arguments
// and where it is to the file said, and ends with a code.
func made(t *testing.T, results string, tasks int, change func(*Submission)) *Submission {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program")
	text := "#!/bin/bash\nprintf '%s\\0' \"$PWD\" \"${HARNESS_MIRROR-}\" \"${TMPDIR-}\" \"$@\" >\"${0%/*}/said\"\nexit 7\n"
	if err := os.WriteFile(program, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	machine, err := exec.Command("uname", "-m").Output()
	if err != nil {
		t.Fatal(err)
	}
	s := &Submission{
		Spec: "sweep", Made: time.Date(2026, 11, 23, 6, 7, 8, 0, time.UTC), Folder: results, Results: results,
		Arguments: []string{"--out=" + results}, Machine: strings.TrimSpace(string(machine)),
	}
	if change != nil {
		change(s)
	}
	var list []*plan.Task
	for i := range tasks {
		list = append(list, &plan.Task{Number: i + 1, Keys: []string{"key@" + strings.Repeat("x", i+1)}})
	}
	if err := New(s, program, []byte("name: sweep\n"), list); err != nil {
		t.Fatal(err)
	}
	return s
}

// hostile texts are what names and paths may be, and what no shell may see.
const hostile = `a b'c"d$(touch owned)` + "`touch owned`" + `;touch owned&*\{x,y}%j !#ü~`

// A script passes the most hostile names on as they are.
func TestScriptsQuote(t *testing.T) {
	above := t.TempDir()
	results := filepath.Join(above, strings.NewReplacer("%", "", `\`, "").Replace(hostile), "-sweep")
	scratch := filepath.Join(above, "scratch "+hostile)
	if err := os.MkdirAll(results, 0o755); err != nil {
		t.Fatal(err)
	}
	arguments := []string{"--out=" + results, "--set=" + hostile, "--profile=-n", "--cache="}
	s := made(t, results, 3, func(s *Submission) {
		s.Spec, s.Arguments, s.Mirror, s.Settings.Scratch, s.Settings.CPUs = hostile, arguments, hostile, scratch, 3
		s.Settings.Setup = []string{`touch set-up "$here"/was-run`, "echo $undefined"}
	})
	file := filepath.Join(s.Dir, SpecFile)
	for kind, want := range map[string][]string{
		Prepare: slices.Concat([]string{"run", "-j", "3"}, arguments, []string{"--submitted", "--prepare", "--", file}),
		Tasks:   slices.Concat([]string{"run", "-j", "3"}, arguments, []string{"--submitted", "--task", filepath.Join(s.Dir, TasksFile) + ":6", "--", file}),
		Collect: {"collect", "--", results},
	} {
		cmd := exec.Command("bash", filepath.Join(s.Dir, kind+".sh"), "4")
		cmd.Dir = above
		cmd.Env = append(os.Environ(), "SLURM_ARRAY_TASK_ID=2")
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != 7 || !strings.HasSuffix(string(out), kind+EndedWith+"7\n") {
			t.Errorf("%s: exit %d\n%s", kind, code, out)
		}
		said, err := os.ReadFile(filepath.Join(s.Dir, "said"))
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Split(strings.TrimSuffix(string(said), "\x00"), "\x00")
		if want := slices.Concat([]string{results, hostile, scratch}, want); !slices.Equal(got, want) {
			t.Errorf("%s: the program sees\n%q, want\n%q", kind, got, want)
		}
	}
	for _, dir := range []string{above, results, s.Dir} {
		if _, err := os.Stat(filepath.Join(dir, "owned")); err == nil {
			t.Errorf("a name was run as a command, in %s", dir)
		}
	}
	if _, err := os.Stat(filepath.Join(s.Dir, "was-run")); err != nil {
		t.Errorf("the set-up lines were not run: %v", err)
	}
}

// Nothing in a script is an option of sbatch: those stand before the first command only,
// and no text has lines.
func TestScriptsHaveNoDirectives(t *testing.T) {
	s := made(t, t.TempDir(), 1, nil)
	for _, kind := range kinds {
		text, err := s.Script(kind)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "here=") {
				break
			}
			if line != "#!/bin/bash\n" && !strings.HasPrefix(line, "# ") {
				t.Errorf("%s begins with %q", kind, line)
			}
		}
	}
	const bad = "x\n#SBATCH --wrap=id\n"
	for name, spoil := range map[string]func(*Submission){
		"folder": func(s *Submission) { s.Folder = bad }, "results": func(s *Submission) { s.Results = bad },
		"submission": func(s *Submission) { s.Dir = bad }, "mirror": func(s *Submission) { s.Mirror = bad },
		"scratch": func(s *Submission) { s.Settings.Scratch = bad }, "argument": func(s *Submission) { s.Arguments = []string{bad} },
		"set-up": func(s *Submission) { s.Settings.Setup = []string{bad} },
	} {
		spoilt := *s
		spoil(&spoilt)
		if text, err := spoilt.Script(Tasks); err == nil {
			t.Errorf("%s: a line break comes into the script:\n%s", name, text)
		}
	}
}

// What is not what was submitted is not run.
func TestScriptsRefuse(t *testing.T) {
	for name, spoil := range map[string]func(*Submission, *testing.T){
		"another architecture": func(s *Submission, _ *testing.T) { s.Machine = "m68k" },
		"no such folder":       func(s *Submission, _ *testing.T) { s.Folder += "/none" },
	} {
		s := made(t, t.TempDir(), 1, nil)
		spoil(s, t)
		text, err := s.Script(Tasks)
		if err != nil {
			t.Fatal(err)
		}
		out, _ := exec.Command("bash", "-c", text, "script", "1").CombinedOutput()
		if _, err := os.Stat(filepath.Join(s.Dir, "said")); err == nil || !strings.HasSuffix(string(out), EndedWith+"2\n") {
			t.Errorf("%s: the program runs\n%s", name, out)
		}
	}
	// A changed file is waited for; let no time pass.
	s := made(t, t.TempDir(), 1, nil)
	if err := os.WriteFile(filepath.Join(s.Dir, ProgramFile), []byte("#!/bin/bash\ntouch \"${0%/*}/said\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	text, _ := s.Script(Tasks)
	out, _ := exec.Command("bash", "-c", "sleep() { :; }\n"+text, "script", "1").CombinedOutput()
	if _, err := os.Stat(filepath.Join(s.Dir, "said")); err == nil || !strings.Contains(string(out), "is not what was submitted") {
		t.Errorf("a rebuilt program runs\n%s", out)
	}
}

// A task that is told to stop passes it on, and goes back into the queue, alone: not where
// it was cancelled, has ended otherwise, or was put back often enough.
func TestScriptsGoBackIntoTheQueue(t *testing.T) {
	for name, c := range map[string]struct {
		state, code, restarts string
		back                  bool
	}{
		"its time is over": {"RUNNING", "130", "2", true},
		"cancelled":        {"COMPLETING", "130", "0", false},
		"failed":           {"RUNNING", "1", "0", false},
		"too often":        {"RUNNING", "130", "10", false},
	} {
		bin := t.TempDir()
		for command, text := range map[string]string{
			"squeue":   `[[ "$*" == *--jobs=12_2\ * ]] && echo ` + c.state,
			"scontrol": `echo "$*" >>"` + bin + `/asked"`,
			// A program that ends when it is told to, and not before.
			"program": "trap 'exit " + c.code + "' TERM\ntouch " + bin + "/ready\nwhile :; do sleep 0.01; done",
		} {
			if err := os.WriteFile(filepath.Join(bin, command), []byte("#!/bin/bash\n"+text+"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		s := made(t, t.TempDir(), 3, nil)
		if err := link(filepath.Join(bin, "program"), filepath.Join(s.Dir, "p")); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(s.Dir, "p"), filepath.Join(s.Dir, ProgramFile)); err != nil {
			t.Fatal(err)
		}
		s.Program, _ = disk.SHA256(filepath.Join(s.Dir, ProgramFile))
		text, err := s.Script(Tasks)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("bash", "-c", text, "script", "0")
		cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"),
			"SLURM_JOB_ID=12", "SLURM_ARRAY_JOB_ID=12", "SLURM_ARRAY_TASK_ID=2", "SLURM_RESTART_COUNT="+c.restarts)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for {
			if _, err := os.Stat(filepath.Join(bin, "ready")); err == nil {
				break
			}
			time.Sleep(time.Millisecond)
		}
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
		asked, _ := os.ReadFile(filepath.Join(bin, "asked"))
		if got := string(asked); got != map[bool]string{true: "requeue 12_2\n"}[c.back] || fmt.Sprint(cmd.ProcessState.ExitCode()) != c.code {
			t.Errorf("%s: exit %d, asks scontrol %q", name, cmd.ProcessState.ExitCode(), got)
		}
	}
}

func TestSubmitKeepsToTheArrayLimit(t *testing.T) {
	for limit, want := range map[int][]Job{
		1001: {{"102", Tasks, 0, 10, true}},
		5:    {{"102", Tasks, 0, 4, true}, {"103", Tasks, 4, 4, true}, {"104", Tasks, 8, 2, true}},
		11:   {{"102", Tasks, 0, 10, true}},
		10:   {{"102", Tasks, 0, 9, true}, {"103", Tasks, 9, 1, true}},
	} {
		f := &fake{}
		s := made(t, t.TempDir(), 10, func(s *Submission) { s.Throttle = 3 })
		jobs, err := s.Submit(t.Context(), f.slurm(), Limits{Array: limit})
		if err != nil {
			t.Fatal(err)
		}
		if noted, err := s.Jobs(); err != nil || !reflect.DeepEqual(noted, jobs) {
			t.Errorf("limit %d: notes %v (%v), submitted %v", limit, noted, err, jobs)
		}
		if jobs[0].Kind != Prepare || jobs[len(jobs)-1].Kind != Collect || !reflect.DeepEqual(jobs[1:len(jobs)-1], want) {
			t.Errorf("limit %d: %v, want %v", limit, jobs, want)
		}
		lines, depends := f.asks("sbatch"), "afterany"
		for i, j := range want {
			line := lines[1+i]
			if !strings.Contains(line, "--dependency=afterok:101 --kill-on-invalid-dep=yes") || !strings.Contains(line, " --array=1-"+fmt.Sprint(j.Tasks)+"%3 ") ||
				!strings.HasSuffix(line, "/tasks.sh "+fmt.Sprint(j.Before)) || !strings.Contains(line, "--signal=B:TERM@60") || !strings.Contains(line, "--requeue") ||
				!strings.Contains(line, "--output=logs/%A_%a.log") {
				t.Errorf("limit %d: %s", limit, line)
			}
			depends += ":" + j.Job
		}
		if last := lines[len(lines)-1]; !strings.Contains(last, "--dependency="+depends+" ") || !strings.Contains(last, "--output=logs/%j.log") {
			t.Errorf("limit %d: collect depends otherwise: %s", limit, last)
		}
	}
	// Without arrays each task is a job.
	f, s := &fake{}, made(t, t.TempDir(), 2, nil)
	if _, err := s.Submit(t.Context(), f.slurm(), Limits{Array: 1}); err != nil {
		t.Fatal(err)
	}
	lines := f.asks("sbatch")
	if len(lines) != 4 || !strings.HasSuffix(lines[2], "/tasks.sh 2") || strings.Contains(lines[2], "--array") {
		t.Errorf("%q", lines)
	}
}

// Where the cluster takes some jobs and not others, it has none in the end.
func TestSubmitIsUndone(t *testing.T) {
	f := &fake{most: 2, answers: map[string]string{"scancel": ""}}
	s := made(t, t.TempDir(), 8, nil)
	jobs, err := s.Submit(t.Context(), f.slurm(), Limits{Array: 5})
	if err == nil || !strings.Contains(err.Error(), "QOSMaxSubmitJobPerUserLimit") || jobs != nil {
		t.Errorf("%v, %v", jobs, err)
	}
	if got := f.asks("scancel"); len(got) != 1 || got[0] != "scancel --quiet 101 102" {
		t.Errorf("cancels %q", got)
	}
}

// Slurm would take them for patterns of the names of logs.
func TestSubmissionsRefuseFoldersThatSlurmReads(t *testing.T) {
	for _, name := range []string{"%j", "100%", `a\b`} {
		results := filepath.Join(t.TempDir(), name)
		s := &Submission{Spec: "sweep", Results: results, Folder: "/"}
		if err := New(s, os.Args[0], nil, nil); err == nil || !strings.Contains(err.Error(), "use another --out") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(results); err == nil {
			t.Errorf("%s: the folder is made", name)
		}
	}
}

func TestOptionsOfSettings(t *testing.T) {
	s := &Submission{Spec: "sweep", Dir: "/d", Alone: true, Settings: spec.Cluster{
		Partition: "a b", Account: "$x", Time: spec.Span(90 * time.Minute), Memory: 2e9, CPUs: 4,
		Directives: map[string]any{"qos": "high", "nice": int64(10), "exclusive": true},
	}}
	want := []string{"--partition=a b", "--account=$x", "--time=0-01:30:00", "--mem=1953125K", "--cpus-per-task=4", "--exclusive", "--nice=10", "--qos=high"}
	if got := s.options(Tasks); !slices.Equal(got[len(got)-len(want):], want) {
		t.Errorf("%q, want %q in the end", got, want)
	}
	plain := &Submission{Spec: "sweep", Dir: "/d"}
	for _, o := range plain.options(Prepare) {
		for _, name := range []string{"--partition", "--account", "--time", "--mem", "--signal", "--exclusive"} {
			if strings.HasPrefix(o, name) {
				t.Errorf("a plain cluster is asked for %s", o)
			}
		}
	}
}

// Two submissions of one second have folders of their own, and one program on the disk.
func TestSubmissionsOfOneSecond(t *testing.T) {
	results := t.TempDir()
	first := made(t, results, 2, nil)
	second := *first
	if err := New(&second, filepath.Join(first.Dir, ProgramFile), []byte("name: sweep\n"), nil); err != nil {
		t.Fatal(err)
	}
	a, errA := os.Stat(filepath.Join(first.Dir, ProgramFile))
	b, errB := os.Stat(filepath.Join(second.Dir, ProgramFile))
	if errA != nil || errB != nil || !os.SameFile(a, b) || first.ID != "20261123-060708" || second.ID != "20261123-060708-2" {
		t.Errorf("%s and %s (%v, %v)", first.Dir, second.Dir, errA, errB)
	}
	all, err := Of(results)
	if err != nil || len(all) != 2 || !reflect.DeepEqual(all[0], first) {
		t.Errorf("read back as %+v (%v), want %+v", all, err, first)
	}
	if text, err := first.Text(); string(text) != "name: sweep\n" || err != nil {
		t.Errorf("the spec is %q, %v", text, err)
	}
	if err := os.WriteFile(filepath.Join(first.Dir, SpecFile), []byte("name: other\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := first.Text(); err == nil {
		t.Error("a changed spec is taken for that which was submitted")
	}
}

func TestTheProgramIsTheSame(t *testing.T) {
	s := made(t, t.TempDir(), 1, nil)
	path := filepath.Join(s.Dir, ProgramFile)
	if got, err := s.SameProgram(path); got != path || err != nil {
		t.Errorf("%s, %v", got, err)
	}
	other := filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(other, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := s.SameProgram(other); err == nil || !strings.Contains(err.Error(), path+" resubmit "+s.Results) {
		t.Errorf("another program: %v", err)
	}
}

// The file of jobs may end in the middle of a line, but no other may be damaged.
func TestJobsOfAKilledSubmit(t *testing.T) {
	for text, want := range map[string]int{"": 0, `{"job":"1","kind":"prepare"}` + "\n" + `{"job":"2","ki`: 1, "x\n" + `{"job":"1"}` + "\n": -1, `{"job":"1; id"}` + "\n": -1} {
		s := made(t, t.TempDir(), 1, nil)
		if err := os.WriteFile(filepath.Join(s.Dir, jobsFile), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		jobs, err := s.Jobs()
		if (err != nil) != (want < 0) || len(jobs) != max(want, 0) {
			t.Errorf("%q: %v, %v", text, jobs, err)
		}
	}
}

// A preview writes nothing, and shows what would be given to sbatch.
func TestPreview(t *testing.T) {
	results := t.TempDir()
	program := filepath.Join(t.TempDir(), "p")
	if err := os.WriteFile(program, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	s := &Submission{Spec: "sweep", Results: results, Folder: "/a b", Machine: "x"}
	var b bytes.Buffer
	if err := Preview(&b, s, Limits{Array: 3}, program, nil, []*plan.Task{{Number: 1}, {Number: 2}, {Number: 3}}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"afterok:1 ", "--array=1-2 ", "--array=1-1 ", "afterany:2:3 ", "cd -- '/a b'", "### " + s.Dir + "/collect.sh"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("there is no %q in\n%s", want, b.String())
		}
	}
	if left, err := os.ReadDir(results); err != nil || len(left) > 0 {
		t.Errorf("it wrote %v (%v)", left, err)
	}
}
