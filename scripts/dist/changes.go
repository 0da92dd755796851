package main

import (
	"fmt"
	"regexp"
	"strings"
)

// A pseudo-version is what Go calls a commit that has no tag: v0.0.0-20261122225400-39bd32d0c0de.
var (
	semantic = regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)
	pseudo   = regexp.MustCompile(`[-.]\d{14}-[0-9a-f]{12}$`)
)

// released reports whether a version is that of a tag, not of a commit in between.
func released(version string) bool {
	return semantic.MatchString(version) && !pseudo.MatchString(version)
}

// changes returns what the change log says of a version: its own entry, or, of a commit
// in between, what is not released yet.
func changes(log, version string) (string, error) {
	name := "Unreleased"
	if released(version) {
		name = strings.TrimPrefix(version, "v")
	}
	for _, section := range strings.Split("\n"+log, "\n## ")[1:] {
		heading, body, _ := strings.Cut(section, "\n")
		words := strings.FieldsFunc(heading, func(r rune) bool { return strings.ContainsRune(" [](),", r) })
		if len(words) == 0 || strings.TrimPrefix(words[0], "v") != name {
			continue
		}
		if body = strings.TrimSpace(body); body != "" || name == "Unreleased" {
			return strings.TrimSpace("# " + version + "\n\n" + body), nil
		}
	}
	if !released(version) {
		return "# " + version, nil
	}
	return "", fmt.Errorf("CHANGELOG.md has no entry for %s: add a heading \"## %s\" with what changed", version, name)
}
