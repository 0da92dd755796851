package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// The action sets all variables that its script reads, uses only existing inputs and outputs, pins other actions to
// commits, and never puts an input into a command, where it could inject code.
func TestAction(t *testing.T) {
	text, script := read(t, "..", "action.yml"), read(t, "..", "scripts", "pull-request.sh")
	var action struct {
		Inputs map[string]any
		Runs   struct {
			Using string
			Steps []struct {
				ID, Uses, Run string
				Env           map[string]string
			}
		}
	}
	if err := yaml.Unmarshal([]byte(text), &action); err != nil {
		t.Fatal(err)
	}
	// each calls do with the first group of each match.
	each := func(pattern, text string, do func(name string)) {
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
			do(m[1])
		}
	}
	each(`inputs\.([\w-]+)`, text, func(name string) {
		if action.Inputs[name] == nil || !strings.Contains(read(t, "..", "docs", "ci.md"), name) {
			t.Errorf("there is no input %s, or docs/ci.md does not name it", name)
		}
	})
	each(`steps\.compare\.outputs\.([\w-]+)`, text, func(name string) {
		if !strings.Contains(script, `echo "`+name+"=") {
			t.Errorf("the script has no output %s", name)
		}
	})
	ran := false
	for _, step := range action.Runs.Steps {
		if step.Uses != "" && !regexp.MustCompile(`^[\w-]+/[\w-]+@[0-9a-f]{40}$`).MatchString(step.Uses) {
			t.Errorf("%s is not pinned to a commit", step.Uses)
		}
		if strings.Contains(step.Run, "${{") {
			t.Errorf("%q has an input in its command", step.Run)
		}
		if step.ID != "compare" {
			continue
		}
		ran = strings.Contains(step.Run, "/scripts/pull-request.sh")
		each(`\$\{([A-Z]+):[-?]`, script, func(name string) {
			if _, ok := step.Env[name]; !ok {
				t.Errorf("the script reads %s, which the action does not set", name)
			}
		})
	}
	info, err := os.Stat("../scripts/pull-request.sh")
	if !ran || action.Runs.Using != "composite" || err != nil || info.Mode()&0o111 == 0 {
		t.Errorf("the action is not composite, or it does not run its script: %v", err)
	}
}
