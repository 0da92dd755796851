package datasets

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"stochopt/internal/disk"
)

// Locations of a file.
const (
	WhereCache    = "cache"
	WhereMirror   = "mirror"
	WhereDownload = "download" // just downloaded to the cache
)

// Options control where data come from.
type Options struct {
	// CacheDir is the folder for downloads; "" means stochopt in the user's cache folder.
	CacheDir string
	// Mirror is a folder or an http(s) URL laid out as <mirror>/mnist/<file>.
	// Files in a folder are read in place, never copied or changed.
	Mirror string
	// Dir is the base of relative paths in a Ref; "" means the working directory.
	Dir string
	// MaxBytes limits the memory of rows that are generated, read from a user's file, or expanded
	// by a preparation step; 0 means no limit. Reading takes up to 2.25 times as much temporarily.
	MaxBytes int64
	// Offline forbids all use of the network.
	Offline bool
	// AllowStandIn permits a stand-in for a manifest entry whose files are
	// not available; ForceStandIn requires one.
	AllowStandIn, ForceStandIn bool
	// Log receives messages about downloads and problems; nil discards them. Concurrent calls of
	// Open call it concurrently.
	Log func(string)
}

// path resolves a path of a Ref against Dir.
func (o *Options) path(p string) string {
	if o.Dir == "" || p == "" || filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(o.Dir, p)
}

func (o *Options) log(format string, args ...any) {
	if o.Log != nil {
		o.Log(fmt.Sprintf(format, args...))
	}
}

// withDefaults returns the options with defaults filled in. Without a user cache folder it uses the
// temporary folder, which is safe because every file is verified before use.
func (o Options) withDefaults() Options {
	if o.CacheDir == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			dir = os.TempDir()
		}
		o.CacheDir = filepath.Join(dir, "stochopt")
	}
	o.Mirror = strings.TrimRight(strings.TrimPrefix(o.Mirror, "file://"), "/")
	return o
}

// mirrorIsURL reports whether the mirror is a URL.
func (o *Options) mirrorIsURL() bool {
	return strings.HasPrefix(o.Mirror, "http://") || strings.HasPrefix(o.Mirror, "https://")
}

// located is a verified file on disk.
type located struct {
	file  *File
	path  string
	where string
}

// place is a folder to search.
type place struct{ where, dir string }

// places returns the cache and, if it is a folder, the mirror.
func (o *Options) places() []place {
	out := []place{{WhereCache, o.CacheDir}}
	if o.Mirror != "" && !o.mirrorIsURL() {
		out = append(out, place{WhereMirror, o.Mirror})
	}
	return out
}

// findLocal searches the cache and the mirror folder for f. The error is fs.ErrNotExist if neither
// has it; a file that exists but is not valid gives another error.
func findLocal(e *Entry, f *File, opt *Options) (located, error) {
	for _, p := range opt.places() {
		if info, err := os.Stat(p.dir); p.where == WhereMirror && (err != nil || !info.IsDir()) {
			return located{}, fmt.Errorf("mirror %s is not a folder: set HARNESS_MIRROR to a folder or an http(s) URL laid out as <mirror>/%s/%s",
				p.dir, e.Name, f.Forms[0].Name)
		}
		for _, g := range f.Forms {
			path := filepath.Join(p.dir, e.Name, g.Name)
			if err := f.verify(path); !errors.Is(err, fs.ErrNotExist) {
				return located{f, path, p.where}, err
			}
		}
	}
	return located{}, fs.ErrNotExist
}

// verify returns nil if the file at path has the content of f, with any supported compression. It
// returns a *ChecksumError if the content differs, or the error of reading the file.
func (f *File) verify(path string) error {
	stored, err := disk.SHA256(path)
	if err != nil {
		return err
	}
	if stored == f.SHA256 || slices.ContainsFunc(f.Forms, func(g Form) bool { return g.SHA256 == stored }) {
		return nil
	}
	content := sha256.New()
	err = readFile(path, content, func(io.Reader) error { return nil })
	text := fmt.Sprintf("%x", content.Sum(nil))
	sums := fmt.Sprintf("sha256 is %s; decompressed %s, want %s", stored, text, f.SHA256)
	switch {
	case err != nil:
		sums = fmt.Sprintf("sha256 is %s, and decompression fails; want %s for the content", stored, f.SHA256)
	case text == f.SHA256:
		return nil
	}
	return &ChecksumError{path, sums, "the file was not changed; move it away or get it again"}
}

// locate finds the named files of e and downloads missing ones if permitted. It returns one
// *MissingError for all files that are not available.
func (l *library) locate(ctx context.Context, e *Entry, names []string, opt *Options) ([]located, error) {
	var out []located
	missing := &MissingError{Dataset: e.Name, Obtain: e.Obtain}
	if e.Obtain != "" {
		return nil, missing
	}
	for _, name := range names {
		f := e.file(name)
		loc, err := findLocal(e, f, opt)
		var causes []error
		if errors.Is(err, fs.ErrNotExist) {
			loc, causes, err = l.download(ctx, e, f, opt)
		}
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			return []located{loc}, err
		case loc.file == nil:
			missing.Files = append(missing.Files, f.Forms[0].Name)
			for _, c := range causes { // without duplicates
				if !slices.ContainsFunc(missing.Causes, func(k error) bool { return k.Error() == c.Error() }) {
					missing.Causes = append(missing.Causes, c)
				}
			}
		}
		out = append(out, loc)
	}
	if len(missing.Files) > 0 {
		return nil, missing
	}
	return out, nil
}

// download gets f from the mirror URL or its canonical addresses. If all fail, it returns the causes.
// It stops with err on cancellation or a wrong file in the mirror.
func (l *library) download(ctx context.Context, e *Entry, f *File, opt *Options) (loc located, causes []error, err error) {
	if opt.Offline {
		return loc, []error{errors.New("downloads are disabled (offline)")}, nil
	}
	type source struct {
		form *Form
		url  string
	}
	var mirror, canonical []source
	for i := range f.Forms {
		g := &f.Forms[i]
		if opt.mirrorIsURL() {
			mirror = append(mirror, source{g, opt.Mirror + "/" + e.Name + "/" + g.Name})
		}
		for _, url := range g.URLs {
			canonical = append(canonical, source{g, url})
		}
	}
	d := newDownloader(opt, l)
	defer d.client.CloseIdleConnections()
	for i, s := range append(mirror, canonical...) {
		dir := filepath.Join(opt.CacheDir, e.Name)
		err := d.get(ctx, s.url, dir, s.form.Name, f, s.form)
		_, wrong := errors.AsType[*ChecksumError](err)
		switch {
		case err == nil:
			return located{f, filepath.Join(dir, s.form.Name), WhereDownload}, nil, nil
		case ctx.Err() != nil || i < len(mirror) && wrong:
			return loc, nil, err
		}
		causes = append(causes, err)
	}
	if len(causes) == 0 {
		causes = []error{errors.New("there is no direct download: " + cmp.Or(f.Obtain, "no address is known"))}
	}
	return loc, causes, nil
}

// FileStatus is the result of Fetch for a file.
type FileStatus struct {
	File    string `json:"file"`            // name in the manifest
	Where   string `json:"where,omitempty"` // WhereCache, WhereMirror, WhereDownload, or "" if not found
	Path    string `json:"path,omitempty"`
	OK      bool   `json:"ok"`                // found, with the right checksum
	Problem string `json:"problem,omitempty"` // text of Err
	Err     error  `json:"-"`
}

// Fetch verifies the files of the named dataset, such as "mnist" or, with a variant, "adult/a8a".
// Unless offline, it downloads missing files to the cache. It returns an error for an unknown name
// or cancellation; problems with files are in their status.
func Fetch(ctx context.Context, name string, opt Options) ([]FileStatus, error) {
	return standard().statuses(ctx, name, opt)
}

func (l *library) statuses(ctx context.Context, name string, opt Options) ([]FileStatus, error) {
	opt = opt.withDefaults()
	e, v, err := l.resolve(name)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, p := range v.Parts {
		files = append(files, p.Files...)
	}
	if e.Obtain != "" { // no files
		files = []string{e.Name}
	}
	var out []FileStatus
	for _, file := range files {
		s := FileStatus{File: file}
		locs, err := l.locate(ctx, e, []string{file}, &opt)
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		if len(locs) > 0 {
			s.Where, s.Path = locs[0].where, locs[0].path
		}
		if s.OK = err == nil; !s.OK {
			s.Err = &NamedError{e.Name, err}
			s.Problem = s.Err.Error()
		}
		out = append(out, s)
	}
	return out, nil
}
