package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// release is a commit that is being packed.
type release struct {
	source  string // a clone of the commit, and nothing else
	temp    string
	commit  string
	time    time.Time
	version string
	changes string
	common  []file // what is in every archive
}

// prepare clones the commit that is checked out into a folder of temp, so that what is not
// committed stays out, and makes there what does not depend on the platform.
func prepare(ctx context.Context, temp string) (*release, error) {
	r := &release{source: filepath.Join(temp, "source"), temp: temp}
	head, err := output(ctx, ".", nil, "git", "log", "-1", "--format=%H %ct")
	if err != nil {
		return nil, fmt.Errorf("%w: archives are made from a commit of a git checkout", err)
	}
	commit, seconds, _ := strings.Cut(strings.TrimSpace(head), " ")
	at, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return nil, err
	}
	r.commit, r.time = commit, time.Unix(at, 0)
	root, err := output(ctx, ".", nil, "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	if changed, _ := output(ctx, ".", nil, "git", "status", "--porcelain"); changed != "" {
		fmt.Fprintln(os.Stderr, "dist: what is not committed is left out")
	}
	for _, args := range [][]string{
		{"clone", "--quiet", "--shared", "--no-checkout", strings.TrimSpace(root), r.source},
		{"-C", r.source, "checkout", "--quiet", "--detach", commit},
	} {
		if _, err := output(ctx, ".", nil, "git", args...); err != nil {
			return nil, err
		}
	}
	return r, r.describe(ctx)
}

// describe asks the program built here for its version, manual and completions.
func (r *release) describe(ctx context.Context) error {
	program, err := r.build(ctx, runtime.GOOS+"/"+runtime.GOARCH)
	if err != nil {
		return err
	}
	text, err := output(ctx, r.source, nil, program, "version", "--json")
	if err != nil {
		return err
	}
	var said struct{ Version string }
	if err := json.Unmarshal([]byte(text), &said); err != nil {
		return err
	}
	r.version = said.Version
	log, err := os.ReadFile(filepath.Join(r.source, "CHANGELOG.md"))
	if err != nil {
		return err
	}
	if r.changes, err = changes(string(log), r.version); err != nil {
		return err
	}
	man := filepath.Join(r.temp, "man")
	epoch := []string{fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.time.Unix())}
	if _, err := output(ctx, r.source, epoch, program, "manual", "--man", man); err != nil {
		return err
	}
	for _, c := range []struct{ shell, name string }{
		{"bash", "stochopt.bash"}, {"zsh", "_stochopt"}, {"fish", "stochopt.fish"}, {"powershell", "stochopt.ps1"},
	} {
		script, err := output(ctx, r.source, nil, program, "completion", c.shell)
		if err != nil {
			return err
		}
		r.common = append(r.common, file{"completions/" + c.name, 0o644, []byte(script)})
	}
	if err := r.add(man, "man", "*.1"); err != nil {
		return err
	}
	for _, pattern := range []string{"README.md", "LICENSE", "CHANGELOG.md", "ERRATA.md", "docs/*.md", "configs/*.*"} {
		if err := r.add(r.source, "", pattern); err != nil {
			return err
		}
	}
	return nil
}

// add takes the files of a folder that match a pattern into every archive.
func (r *release) add(dir, under, pattern string) error {
	paths, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(paths) == 0 {
		return fmt.Errorf("no %s in %s (%v)", pattern, dir, err)
	}
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		r.common = append(r.common, file{filepath.ToSlash(filepath.Join(under, name)), 0o644, data})
	}
	return nil
}

// build makes the program for a platform, once, and returns where it is. What the
// environment could change of the bytes is given here.
func (r *release) build(ctx context.Context, platform string) (string, error) {
	system, arch, ok := strings.Cut(platform, "/")
	if !ok {
		return "", fmt.Errorf("platform %q: want GOOS/GOARCH, as linux/amd64", platform)
	}
	path := filepath.Join(r.temp, system+"-"+arch)
	if system == "windows" {
		path += ".exe"
	}
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	env := []string{"CGO_ENABLED=0", "GOOS=" + system, "GOARCH=" + arch,
		"GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=", "GOEXPERIMENT=", "GOFIPS140=off", "GOWORK=off"}
	_, err := output(ctx, r.source, env, "go", "build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w", "-o", path, "./harness")
	return path, err
}

// write makes the archives, their checksums and the entry of the change log.
func (r *release) write(ctx context.Context, out string, on []string) error {
	var sums bytes.Buffer
	for _, platform := range on {
		name, data, err := r.pack(ctx, platform)
		if err != nil {
			return fmt.Errorf("%s: %w", platform, err)
		}
		if err := os.WriteFile(filepath.Join(out, name), data, 0o644); err != nil {
			return err
		}
		line := fmt.Sprintf("%x  %s\n", sha256.Sum256(data), name)
		fmt.Printf("%6.1f MB  %s", float64(len(data))/1e6, line)
		sums.WriteString(line)
	}
	if err := os.WriteFile(filepath.Join(out, "CHANGES.md"), []byte(r.changes+"\n"), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, "SHA256SUMS"), sums.Bytes(), 0o644)
}

// pack returns the archive for a platform.
func (r *release) pack(ctx context.Context, platform string) (name string, data []byte, err error) {
	path, err := r.build(ctx, platform)
	if err != nil {
		return "", nil, err
	}
	program, err := os.ReadFile(path)
	if err != nil {
		return "", nil, err
	}
	licences, err := r.licences(ctx, platform)
	if err != nil {
		return "", nil, err
	}
	name = "stochopt-" + r.version + "-" + strings.ReplaceAll(platform, "/", "-")
	files := append(slices.Clone(r.common),
		file{"stochopt" + filepath.Ext(path), 0o755, program}, file{"LICENSES-THIRD-PARTY", 0o644, licences})
	for i := range files {
		files[i].name = name + "/" + files[i].name
	}
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	if strings.HasPrefix(platform, "windows/") {
		data, err = zipped(files, r.time)
		return name + ".zip", data, err
	}
	data, err = tarball(files, r.time)
	return name + ".tar.gz", data, err
}

// output runs a command and returns what it prints; an error has what it says.
func output(ctx context.Context, dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var said bytes.Buffer
	cmd.Stderr = &said
	text, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, bytes.TrimSpace(said.Bytes()))
	}
	return string(text), nil
}
