package spec

import (
	"fmt"
	slashed "path"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"stochopt/internal/shell"

	"github.com/invopop/jsonschema"
)

// Clusters is the content of a file clusters.yaml: what the jobs of each cluster are
// submitted with.
type Clusters struct {
	// Default names the cluster that is meant where --cluster names none. It is needed where
	// there are several.
	Default string `yaml:"default,omitempty" jsonschema:"minLength=1"`
	// Clusters has what jobs are submitted with, by the name of the cluster.
	Clusters map[string]Cluster `yaml:"clusters"`
}

// Cluster says what jobs are submitted with. What it leaves out is as the cluster has it.
type Cluster struct {
	// Partition that jobs are submitted to.
	Partition string `yaml:"partition,omitempty" jsonschema:"minLength=1"`
	// Account that jobs are charged to.
	Account string `yaml:"account,omitempty" jsonschema:"minLength=1"`
	// Time is the most that a job may take, such as 4h, 90m or 2d, or as Slurm writes it:
	// 1-12:00:00. A minute before it is over a task saves its run and goes back into the
	// queue.
	Time Span `yaml:"time,omitempty"`
	// Memory of each job.
	Memory Size `yaml:"memory,omitempty"`
	// CPUs of each job: a task performs as many runs side by side; 1 by default.
	CPUs int `yaml:"cpus,omitempty" jsonschema:"minimum=1,maximum=4096"`
	// Directives lists other options of sbatch by their long names, such as qos: high; true
	// stands for one without a value, such as exclusive: true.
	Directives map[string]any `yaml:"directives,omitempty"`
	// Setup lists lines that each job begins with, such as module load. They are read from
	// your own file only, since they are commands.
	Setup []string `yaml:"setup,omitempty" jsonschema:"minLength=1"`
	// Scratch is the folder of temporary files on the nodes, an absolute path. It is made if
	// it is not there.
	Scratch string `yaml:"scratch,omitempty" jsonschema:"minLength=1"`
}

// Over returns the settings with those of another file for what they leave out.
func (c Cluster) Over(under Cluster) Cluster {
	over, below := reflect.ValueOf(&c).Elem(), reflect.ValueOf(under)
	for i := range over.NumField() {
		if over.Field(i).IsZero() {
			over.Field(i).Set(below.Field(i))
		}
	}
	return c
}

// Span is a time. In YAML it is text such as 4h, 90m or 2d12h, or 1-12:00:00.
type Span time.Duration

// mostSpan bounds spans, at a year.
const mostSpan = 366 * 24 * time.Hour

var (
	inUnits = regexp.MustCompile(`^(?:([0-9]{1,4})d)?(?:([0-9]{1,6})h)?(?:([0-9]{1,8})m)?(?:([0-9]{1,9})s)?$`)
	asSlurm = regexp.MustCompile(`^(?:([0-9]{1,4})-)?([0-9]{1,4}):([0-9]{2})(?::([0-9]{2}))?$`)
)

// ParseSpan reads a time, such as 4h, 90m, 2d12h, 12:00:00 or 1-12:00:00: days, hours,
// minutes and seconds; ok is false of one that is not positive or longer than a year.
func ParseSpan(text string) (span time.Duration, ok bool) {
	units := []time.Duration{24 * time.Hour, time.Hour, time.Minute, time.Second}
	parts := inUnits.FindStringSubmatch(text)
	if parts == nil {
		parts = asSlurm.FindStringSubmatch(text)
		// 10:30 is of minutes and seconds, 1-10:30 of hours and minutes.
		if parts != nil && parts[1] == "" && parts[4] == "" {
			parts = []string{"", "", "", parts[2], parts[3]}
		}
	}
	if parts == nil {
		return 0, false
	}
	for i, unit := range units {
		n := 0
		for _, digit := range parts[i+1] {
			n = 10*n + int(digit-'0')
		}
		span += time.Duration(n) * unit
	}
	return span, 0 < span && span <= mostSpan
}

// String writes a time as Slurm reads it: D-HH:MM:SS.
func (s Span) String() string {
	n := int64(time.Duration(s) / time.Second)
	return fmt.Sprintf("%d-%02d:%02d:%02d", n/86400, n/3600%24, n/60%60, n%60)
}

// decodeNode implements nodeDecoder.
func (s *Span) decodeNode(d *decoder, n *node, at path) {
	text, _ := n.value.(string)
	span, ok := ParseSpan(text)
	if !ok {
		d.fail(n, at, "want a time of at most a year, such as 4h, 90m or 1-12:00:00, got %s", n.describe())
		return
	}
	*s = Span(span)
}

// JSONSchema describes a time.
func (Span) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Description: "A time, such as 4h, 90m or 1-12:00:00."}
}

// settled are the options of sbatch that submit gives itself, or whose keys are others.
var settled = []string{
	"account", "array", "chdir", "cpus-per-task", "dependency", "error", "input", "job-name", "kill-on-invalid-dep",
	"mem", "no-requeue", "nodes", "ntasks", "open-mode", "output", "parsable", "partition", "quiet", "requeue",
	"signal", "test-only", "time", "wait", "wrap",
}

// running are the options of sbatch that say what a job runs, or in which environment:
// they are for the set-up lines.
var running = []string{"bb", "bbf", "container", "export", "export-file", "get-user-env", "propagate", "uid", "gid"}

var longOption = regexp.MustCompile(`^[a-z][a-z0-9-]+$`)

// LoadClusters reads a file clusters.yaml. Mistakes in it are Errors, all of them at once.
// Set-up lines are one where the file is not the user's own: own names the file that they
// belong in.
func LoadClusters(file, own string) (*Clusters, error) {
	c := new(Clusters)
	if err := loadMapping(file, "the clusters", c, func(d *decoder) { checkClusters(c, d, own) }); err != nil {
		return nil, err
	}
	return c, nil
}

func checkClusters(c *Clusters, d *decoder, own string) {
	at := func(keys ...string) place { return d.places[rawPath(keys...)] }
	if _, ok := c.Clusters[c.Default]; c.Default != "" && !ok {
		d.rep.at(at("default").value, "there is no cluster %q%s", c.Default, Hint(c.Default, c.Names()))
	}
	for name, cluster := range c.Clusters {
		text := func(what string, keys ...string) {
			if err := shell.Check(what); err != nil {
				p := at(append([]string{"clusters", name}, keys...)...)
				d.rep.at(p.value, "%s: the text %v", p.label, err)
			}
		}
		text(cluster.Partition, "partition")
		text(cluster.Account, "account")
		text(cluster.Scratch, "scratch")
		if p := at("clusters", name, "scratch"); cluster.Scratch != "" && !slashed.IsAbs(cluster.Scratch) {
			d.rep.at(p.value, "%s: want an absolute path, as the nodes have it, got %q", p.label, cluster.Scratch)
		}
		for i, line := range cluster.Setup {
			text(line, "setup", fmt.Sprint(i))
		}
		if p := at("clusters", name, "setup"); len(cluster.Setup) > 0 && own != "" {
			d.rep.at(p.key, "%s: set-up lines are commands, and count only from your own file: move them to %s", p.label, own)
		}
		for option, value := range cluster.Directives {
			p := at("clusters", name, "directives")
			if why := directive(option, value); why != "" {
				d.rep.at(p.value, "%s: %s: %s", p.label, option, why)
			}
			text(fmt.Sprint(value), "directives")
		}
	}
}

// directive returns what is wrong with an option of sbatch, "" for nothing.
func directive(option string, value any) string {
	// sbatch takes the beginning of a name for the whole.
	begins := func(name string) bool {
		return strings.HasPrefix(name, option) || strings.HasPrefix(option, "container")
	}
	_, list := value.([]any)
	_, table := value.(map[string]any)
	switch {
	case !longOption.MatchString(option):
		return "want the long name of an option of sbatch, without hyphens in front, such as qos"
	case slices.Contains(settled, option):
		return "submit gives this option itself, or has a key for it"
	case slices.ContainsFunc(running, begins):
		return "what a job runs, and in which environment, is for the set-up lines of your own file"
	case slices.ContainsFunc(settled, begins):
		return "write the option's whole name"
	case list || table || value == false:
		return "want a text, a number, or true for an option without a value"
	}
	return ""
}

// Names lists the clusters, in order.
func (c *Clusters) Names() (names []string) {
	for name := range c.Clusters {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// ClustersSchema returns the JSON schema (draft 2020-12) of files clusters.yaml.
func ClustersSchema() ([]byte, error) {
	comments, err := comments()
	if err != nil {
		return nil, err
	}
	return clustersSchema(comments)
}

func clustersSchema(comments map[string]string) ([]byte, error) {
	root := reflector(comments).ReflectFromType(reflect.TypeFor[Clusters]())
	root.Title = "Clusters that submit knows"
	root.Definitions["Cluster"].Properties.Value("directives").AdditionalProperties = scalarSchema()
	return encodeSchema(root)
}
