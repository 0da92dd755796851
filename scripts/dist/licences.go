package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// licences returns the licences of the modules that a program is built from, and of Go
// itself: most ask that a binary come with them.
func (r *release) licences(ctx context.Context, platform string) ([]byte, error) {
	system, arch, _ := strings.Cut(platform, "/")
	env := []string{"CGO_ENABLED=0", "GOOS=" + system, "GOARCH=" + arch, "GOFLAGS="}
	const each = `{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}` + "\t" + `{{.Dir}}{{end}}{{end}}`
	list, err := output(ctx, r.source, env, "go", "list", "-deps", "-f", each, "./harness")
	if err != nil {
		return nil, err
	}
	root, err := output(ctx, r.source, nil, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	modules := strings.Split(strings.TrimSpace(list), "\n")
	slices.Sort(modules)
	modules = append([]string{"Go\t" + strings.TrimSpace(root)}, slices.Compact(modules)...)
	var b bytes.Buffer
	for _, m := range modules {
		name, dir, _ := strings.Cut(m, "\t")
		if name == "" {
			continue
		}
		text, err := licenceIn(dir)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		fmt.Fprintf(&b, "%s\n%s\n\n%s\n\n\n", name, strings.Repeat("=", len(name)), bytes.TrimSpace(text))
	}
	return b.Bytes(), nil
}

// licenceIn returns the texts of the licence files of a folder.
func licenceIn(dir string) ([]byte, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		if e.Type().IsRegular() && (strings.HasPrefix(name, "LICENSE") || strings.HasPrefix(name, "LICENCE") ||
			strings.HasPrefix(name, "COPYING") || strings.HasPrefix(name, "NOTICE")) {
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				return nil, err
			}
			b.Write(text)
			b.WriteByte('\n')
		}
	}
	if b.Len() == 0 {
		return nil, fmt.Errorf("no licence file in %s", dir)
	}
	return b.Bytes(), nil
}
