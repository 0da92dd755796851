package cluster

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stochopt/harness/internal/plan"
)

// Records come first, then the queue; what is in neither is lost.
func TestFollow(t *testing.T) {
	s := made(t, t.TempDir(), 6, nil)
	f := &fake{answers: map[string]string{
		"squeue": "102|2|RUNNING|None\n102|1|RUNNING|None\n103|1|PENDING|Priority\n104|N/A|PENDING|Dependency\n",
		"sacct":  "102_3|TIMEOUT\n103_2|OUT_OF_MEMORY\n",
	}}
	if _, err := s.Submit(t.Context(), f.slurm(), Limits{Array: 5}); err != nil {
		t.Fatal(err)
	}
	done := func(key string) bool { return key == "key@x" || key == "key@xxxx" }
	all, err := Follow(t.Context(), f.slurm(), []*Submission{s}, done)
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	p := all[0]
	want := []string{Done, Running, Lost + " TIMEOUT", Done, Queued, Lost + " OUT_OF_MEMORY"}
	for i, task := range p.Tasks {
		if got := strings.TrimSpace(task.State + " " + task.Ended); got != want[i] {
			t.Errorf("task %d is %s, want %s", i+1, got, want[i])
		}
	}
	if tasks, missing := p.Count(Lost); tasks != 2 || missing != 2 {
		t.Errorf("%d lost tasks of %d runs", tasks, missing)
	}
	if got := p.Tasks[4].Job.Log(p.Tasks[4].Index); got != "logs/103_1.log" {
		t.Errorf("the log of task 5 is %s", got)
	}
	if p.Never {
		t.Error("something waits for ever")
	}

	f.answers["squeue"] = "102|1|PENDING|DependencyNeverSatisfied\n104|N/A|PENDING|Dependency\n"
	all, err = Follow(t.Context(), f.slurm(), []*Submission{s}, func(string) bool { return false })
	if err != nil || all[0].Tasks[0].State != Lost || !all[0].Never {
		t.Errorf("%+v, %v", all[0], err)
	}

	// A queue that does not answer is no sign that tasks are lost.
	f.answers["squeue"] = "!squeue: Unable to contact slurm controller"
	all, err = Follow(t.Context(), f.slurm(), []*Submission{s}, done)
	if err == nil || all[0].Tasks[0].State != Done || all[0].Tasks[1].State != Unknown {
		t.Errorf("%+v, %v", all, err)
	}
}

// What a later submission has is not lost.
func TestFollowSeveral(t *testing.T) {
	results := t.TempDir()
	first := made(t, results, 3, nil)
	second := *first
	if err := New(&second, filepath.Join(first.Dir, ProgramFile), nil, []*plan.Task{{Number: 1, Keys: []string{"key@x", "key@xx"}}}); err != nil {
		t.Fatal(err)
	}
	f := &fake{answers: map[string]string{"squeue": "", "sacct": "!none", "scontrol --oneliner show job 102": "JobId=102 ArrayJobId=102 ArrayTaskId=1 JobName=a b JobState=FAILED Reason=None\n" +
		"JobId=103 ArrayJobId=102 ArrayTaskId=3-4%4 JobState=CANCELLED Reason=None\n"}}
	if _, err := first.Submit(t.Context(), f.slurm(), Limits{Array: 5}); err != nil {
		t.Fatal(err)
	}
	all, err := Follow(t.Context(), f.slurm(), []*Submission{first, &second}, func(key string) bool { return key == "key@x" })
	if err != nil || len(all) != 2 {
		t.Fatal(all, err)
	}
	var got []string
	for _, p := range all {
		for _, task := range p.Tasks {
			got = append(got, strings.TrimSpace(task.State+" "+task.Ended))
		}
	}
	if want := []string{Done, Again, Lost + " CANCELLED", Lost}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
