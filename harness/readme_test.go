package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"stochopt/harness/internal/claims"
	"stochopt/harness/internal/experiment"
)

// TestLinks checks that links lead to existing files and headings. In tables, the names in a link to a Go file must
// be declared in that file.
func TestLinks(t *testing.T) {
	pages := []string{"README.md", "ERRATA.md", "results/gallery/README.md"}
	for _, pattern := range []string{"docs/*.md", "algorithms/*/README.md"} {
		found, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(pattern)))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v, %v", pattern, found, err)
		}
		for _, path := range found {
			pages = append(pages, strings.TrimPrefix(filepath.ToSlash(path), "../"))
		}
	}
	for _, page := range pages {
		for line := range strings.Lines(prose(read(t, "..", page))) {
			inTable := strings.HasPrefix(strings.TrimSpace(line), "|")
			for _, m := range link.FindAllStringSubmatch(line, -1) {
				target, heading, _ := strings.Cut(m[2], "#")
				path := filepath.Join("..", filepath.Dir(page), filepath.FromSlash(target))
				if target == "" {
					path = filepath.Join("..", page)
				}
				if _, err := os.Stat(path); err != nil {
					t.Errorf("%s: a link to %s, which does not exist", page, m[2])
					continue
				}
				if heading != "" && !slices.Contains(anchors(read(t, path)), heading) {
					t.Errorf("%s: a link to %s, which has no such heading", page, m[2])
				}
				if !inTable || filepath.Ext(path) != ".go" {
					continue
				}
				source := read(t, path)
				for _, name := range regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(m[1], -1) {
					if !regexp.MustCompile(`(?m)^(func|type) ` + name[1] + `\b`).MatchString(source) {
						t.Errorf("%s: %s does not declare %s", page, m[2], name[1])
					}
				}
			}
		}
	}
}

// TestCountsOfVerdicts checks that pages have the counts of the verdicts in results/paper.
func TestCountsOfVerdicts(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "results", "paper", "*", "claims.json"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	counts := make(map[string]int) // by kind, subject and outcome
	rows := make(map[string]bool)  // kinds and subjects
	for _, file := range files {
		var verdicts experiment.Verdicts
		if err := json.Unmarshal([]byte(read(t, file)), &verdicts); err != nil {
			t.Fatal(file, err)
		}
		for _, v := range verdicts.Claims {
			row := v.KindOrDefault() + "|" + v.Subject()
			rows[row] = true
			counts[row+"|"+v.Outcome]++
		}
	}
	line := regexp.MustCompile(`(?m)^\| (\w*) ?\| (chapter[^|]*) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$`)
	for _, page := range []string{"README.md", "docs/claims.md"} {
		found, kind := line.FindAllStringSubmatch(read(t, "..", page), -1), ""
		if len(found) != len(rows) {
			t.Errorf("%s: %d rows of counts, want %d", page, len(found), len(rows))
		}
		for _, m := range found {
			if m[1] != "" {
				kind = map[string]string{"experiments": "experiment", "rates": "rate", "bounds": "bound", "identities": "identity"}[m[1]]
			}
			for i, outcome := range claims.Outcomes() {
				if want := strconv.Itoa(counts[kind+"|"+m[2]+"|"+outcome]); m[3+i] != want {
					t.Errorf("%s: %s of %s, %s: %s, want %s", page, kind, m[2], outcome, m[3+i], want)
				}
			}
		}
	}
}

// link matches links to files of the project and to headings.
var link = regexp.MustCompile(`\[([^\]]+(?:\[\])?[^\]]*)\]\(([^):\s]+)\)`)

// prose removes code blocks from a page.
func prose(text string) string {
	var out strings.Builder
	code := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			code = !code
		} else if !code {
			out.WriteString(line)
		}
	}
	return out.String()
}

// anchors returns the anchors of headings, as on GitHub.
func anchors(text string) (out []string) {
	for line := range strings.Lines(prose(text)) {
		if heading, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && line[0] == '#' {
			heading = strings.ToLower(strings.TrimSpace(heading))
			heading = regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(heading, "")
			out = append(out, strings.ReplaceAll(heading, " ", "-"))
		}
	}
	return out
}
