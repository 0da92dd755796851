package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// shardsOf is how many shards the examples for schedulers have.
const shardsOf = 20

// TestSchedulers: the examples are what their schedulers read, and the commands that these
// would start do the shards, the first, one in the middle and the last.
func TestSchedulers(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash to start the commands with")
	}
	example := func(name string) string { return read(t, "..", "docs", "schedulers", name) }
	for name, commands := range map[string]func(t *testing.T, index int) (script string, env []string){
		"pbs.sh": func(t *testing.T, index int) (string, []string) {
			text := example("pbs.sh")
			first, last := checkPBS(t, bash, text)
			if first != 1 || last != shardsOf {
				t.Errorf("the array is from %d to %d", first, last)
			}
			return text, []string{fmt.Sprintf("PBS_ARRAY_INDEX=%d", index+1), "PBS_O_WORKDIR=."}
		},
		"htcondor.sub": func(t *testing.T, index int) (string, []string) {
			job := readCondor(t, example("htcondor.sub"))
			if job["queue"] != strconv.Itoa(shardsOf) {
				t.Errorf("queue %s", job["queue"])
			}
			program, arguments, environment := job.expand(t, "executable", index), job.expand(t, "arguments", index), job.expand(t, "environment", index)
			return "./" + program + " " + strings.Trim(arguments, `"`), strings.Fields(strings.Trim(environment, `"`))
		},
		"kubernetes.yaml": func(t *testing.T, index int) (string, []string) {
			job := readKubernetes(t, example("kubernetes.yaml"))
			if job.Spec.Completions != shardsOf || job.Spec.CompletionMode != "Indexed" || job.Spec.Template.Spec.RestartPolicy != "Never" {
				t.Errorf("not %d shards: %+v", shardsOf, job.Spec)
			}
			c := job.Spec.Template.Spec.Containers[0]
			if !slices.Equal(c.Command, []string{"sh", "-ec"}) || len(c.Args) != 1 {
				t.Fatalf("the command is %q %q", c.Command, c.Args)
			}
			return c.Args[0], []string{fmt.Sprintf("JOB_COMPLETION_INDEX=%d", index)}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "my.yaml"), strings.Replace(sweep, "iterations: 4000", "iterations: 20", 1))
			path, err := binary()
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(path, filepath.Join(dir, "stochopt")); err != nil {
				t.Skip(err)
			}
			for _, index := range []int{0, 10, shardsOf - 1} {
				script, env := commands(t, index)
				cmd := command(t, dir, "-ec", script)
				cmd.Path, cmd.Args[0] = bash, bash
				cmd.Env = append(cmd.Env, env...)
				o := finish(t, cmd)
				if want := fmt.Sprintf("sweep: shard %d/%d done: ", index+1, shardsOf); o.code != 0 || !strings.Contains(o.stdout, want) {
					t.Errorf("index %d: exit %d, want %q: %s%s", index, o.code, want, o.stdout, o.stderr)
				}
			}
		})
	}
}

// checkPBS checks a job script: that it is one for bash, with directives that qsub knows,
// before the first command. It returns the bounds of the array.
func checkPBS(t *testing.T, bash, text string) (first, last int) {
	t.Helper()
	check := exec.CommandContext(t.Context(), bash, "-n")
	check.Stdin = strings.NewReader(text)
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("bash -n: %v: %s", err, out)
	}
	forms := map[string]string{
		"N": `\w+`, "J": `\d+-\d+`, "l": `(walltime=\d+:\d\d:\d\d|select=\d+(:(ncpus|mem|mpiprocs)=\w+)*)`, "j": `oe|eo|n`, "r": `y|n`,
	}
	command := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		directive := regexp.MustCompile(`^#PBS -(\w) (\S+)$`).FindStringSubmatch(line)
		switch {
		case directive != nil && command:
			t.Errorf("%q is after the first command, where it does not count", line)
		case directive != nil && !regexp.MustCompile("^("+forms[directive[1]]+")$").MatchString(directive[2]):
			t.Errorf("%q is no directive that is known", line)
		case directive == nil && strings.HasPrefix(line, "#PBS"):
			t.Errorf("%q is no directive", line)
		case line != "" && line[0] != '#':
			command = true
		}
		if directive != nil && directive[1] == "J" {
			_, _ = fmt.Sscanf(directive[2], "%d-%d", &first, &last)
		}
	}
	return first, last
}

// condor holds the commands of a submit description, and the number after "queue".
type condor map[string]string

// readCondor reads a submit description of HTCondor: lines of NAME = VALUE, each name once and
// one that condor_submit knows or that is used as a macro, and one queue statement at the end.
func readCondor(t *testing.T, text string) condor {
	t.Helper()
	known := []string{
		"universe", "executable", "arguments", "environment", "initialdir", "should_transfer_files", "requirements",
		"request_cpus", "request_memory", "request_disk", "kill_sig", "max_retries", "output", "error", "log",
	}
	job := condor{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		assigned := regexp.MustCompile(`^(\w+)\s*=\s*(\S.*)$`).FindStringSubmatch(line)
		queued := regexp.MustCompile(`^queue\s+(\d+)$`).FindStringSubmatch(line)
		switch {
		case line == "" || line[0] == '#':
		case job["queue"] != "":
			t.Errorf("%q is after the queue statement", line)
		case queued != nil:
			job["queue"] = queued[1]
		case assigned == nil:
			t.Errorf("%q is neither a command nor a queue statement", line)
		case job[assigned[1]] != "":
			t.Errorf("%s is given twice", assigned[1])
		case !slices.Contains(known, assigned[1]) && !strings.Contains(text, "("+assigned[1]+")"):
			t.Errorf("%s is no command that is known, and used by none", assigned[1])
		default:
			job[assigned[1]] = assigned[2]
		}
	}
	for _, name := range []string{"arguments", "environment"} {
		if v := job[name]; len(v) < 2 || v[0] != '"' || v[len(v)-1] != '"' || strings.Contains(v[1:len(v)-1], `"`) {
			t.Errorf("%s = %s is not in double quotes", name, v)
		}
	}
	return job
}

// expand returns the value of a command for the nth process of the cluster 7.
func (c condor) expand(t *testing.T, name string, process int) string {
	t.Helper()
	form := regexp.MustCompile(`\$(INT)?\((\w+)\)`)
	return form.ReplaceAllStringFunc(c[name], func(macro string) string {
		m := form.FindStringSubmatch(macro)
		var value string
		switch {
		case m[2] == "Process":
			value = strconv.Itoa(process)
		case m[2] == "Cluster":
			value = "7"
		case c[m[2]] != "":
			value = c.expand(t, m[2], process)
		default:
			t.Errorf("%s = %s has the macro %s, which is not given", name, c[name], macro)
		}
		if m[1] == "" {
			return value
		}
		a, b, _ := strings.Cut(value, " + ")
		x, errX := strconv.Atoi(a)
		y, errY := strconv.Atoi(b)
		if errX != nil || errY != nil {
			t.Errorf("%s: %q is no sum", macro, value)
		}
		return strconv.Itoa(x + y)
	})
}

// kubernetesJob has the fields of batch/v1 Job that an example may use.
type kubernetesJob struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Metadata   struct{ Name string }
	Spec       struct {
		CompletionMode       string `yaml:"completionMode"`
		Completions          int
		Parallelism          int
		BackoffLimitPerIndex int `yaml:"backoffLimitPerIndex"`
		MaxFailedIndexes     int `yaml:"maxFailedIndexes"`
		Template             struct {
			Spec struct {
				RestartPolicy                 string            `yaml:"restartPolicy"`
				NodeSelector                  map[string]string `yaml:"nodeSelector"`
				TerminationGracePeriodSeconds int               `yaml:"terminationGracePeriodSeconds"`
				Containers                    []struct {
					Name          string
					Image         string
					WorkingDir    string `yaml:"workingDir"`
					Command, Args []string
					Env           []struct {
						Name      string
						ValueFrom struct {
							FieldRef struct {
								FieldPath string `yaml:"fieldPath"`
							} `yaml:"fieldRef"`
						} `yaml:"valueFrom"`
					}
					Resources    struct{ Requests, Limits map[string]string }
					VolumeMounts []struct {
						Name      string
						MountPath string `yaml:"mountPath"`
					} `yaml:"volumeMounts"`
				}
				Volumes []struct {
					Name                  string
					PersistentVolumeClaim struct {
						ClaimName string `yaml:"claimName"`
					} `yaml:"persistentVolumeClaim"`
				}
			}
		}
	}
}

// readKubernetes reads a Job, of known fields only, whose mounts are of its volumes.
func readKubernetes(t *testing.T, text string) (job kubernetesJob) {
	t.Helper()
	in := yaml.NewDecoder(bytes.NewReader([]byte(text)))
	in.KnownFields(true)
	if err := in.Decode(&job); err != nil {
		t.Fatal(err)
	}
	pod := job.Spec.Template.Spec
	if job.APIVersion != "batch/v1" || job.Kind != "Job" || job.Metadata.Name == "" || len(pod.Containers) != 1 || pod.Containers[0].Image == "" {
		t.Fatalf("not a Job with one container: %+v", job)
	}
	for _, mount := range pod.Containers[0].VolumeMounts {
		if len(pod.Volumes) != 1 || pod.Volumes[0].Name != mount.Name || pod.Volumes[0].PersistentVolumeClaim.ClaimName == "" {
			t.Errorf("%s is mounted, and the volumes are %+v", mount.Name, pod.Volumes)
		}
	}
	return job
}
