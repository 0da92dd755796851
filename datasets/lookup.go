package datasets

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Where a file was found.
const (
	WhereCache    = "cache"
	WhereMirror   = "mirror"
	WhereDownload = "download" // fetched just now, into the cache
)

// located is a verified file on disk.
type located struct {
	file  *File
	path  string
	where string
}

// findLocal looks for f in the cache and in a mirror folder. It returns an
// error satisfying errors.Is(err, fs.ErrNotExist) if it is in neither, and any
// other error, such as a *ChecksumError, for a file that is there but no good.
func (l *library) findLocal(e *Entry, f *File, opt *Options) (located, error) {
	if opt.CacheDir != "" {
		loc, err := findIn(filepath.Join(opt.CacheDir, e.Name), f, WhereCache)
		if !errors.Is(err, fs.ErrNotExist) {
			return loc, err
		}
	}
	if dir := opt.mirrorFolder(); dir != "" {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return located{}, fmt.Errorf("mirror %s is not a folder: set HARNESS_MIRROR to a folder or an http(s) URL laid out as <mirror>/%s/%s", dir, e.Name, f.Forms[0].Name)
		}
		return findIn(filepath.Join(dir, e.Name), f, WhereMirror)
	}
	return located{}, fs.ErrNotExist
}

func findIn(dir string, f *File, where string) (located, error) {
	for _, g := range f.Forms {
		path := filepath.Join(dir, g.Name)
		if info, err := os.Stat(path); err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			return located{}, err
		} else if !info.Mode().IsRegular() {
			return located{}, fmt.Errorf("%s is not a file", path)
		}
		loc := located{file: f, path: path, where: where}
		return loc, f.verify(path)
	}
	return located{}, fs.ErrNotExist
}

// locate finds every named file of e, downloading where it must and may. Files
// that cannot be had give one *MissingError.
func (l *library) locate(ctx context.Context, e *Entry, names []string, opt *Options) ([]located, error) {
	var out []located
	missing := &MissingError{Dataset: e.Name, Obtain: e.Obtain}
	if e.Obtain != "" {
		return nil, &NamedError{e.Name, missing}
	}
	for _, name := range names {
		f := e.file(name)
		loc, err := l.findLocal(e, f, opt)
		if errors.Is(err, fs.ErrNotExist) {
			var causes []error
			loc, causes, err = l.download(ctx, e, f, opt)
			if err == nil && len(causes) > 0 {
				missing.add(f.Forms[0].Name, causes)
				continue
			}
		}
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return nil, &NamedError{e.Name, err}
		}
		out = append(out, loc)
	}
	if len(missing.Files) > 0 {
		return nil, &NamedError{e.Name, missing}
	}
	return out, nil
}

// add records a file that could not be had, leaving out causes already known.
func (e *MissingError) add(file string, causes []error) {
	e.Files = append(e.Files, file)
	for _, c := range causes {
		if !slices.ContainsFunc(e.Causes, func(k error) bool { return k.Error() == c.Error() }) {
			e.Causes = append(e.Causes, c)
		}
	}
}

// download gets f from the mirror URL and then from its canonical addresses.
// It returns either a location, or the causes why there is none. err is for
// what must stop the search: cancellation, or a mirror with a wrong file.
func (l *library) download(ctx context.Context, e *Entry, f *File, opt *Options) (loc located, causes []error, err error) {
	if opt.Offline {
		return loc, []error{errors.New("offline: no download was tried")}, nil
	}
	if opt.CacheDir == "" {
		_, err := defaultCacheDir()
		return loc, []error{fmt.Errorf("cannot download: %w", err)}, nil
	}
	d := newDownloader(opt, l.timeout)
	defer d.client.CloseIdleConnections()
	mirror := opt.mirrorURL()
	for _, own := range []bool{true, false} { // the mirror, then the rest
		for i := range f.Forms {
			g := &f.Forms[i]
			urls := g.URLs
			if own {
				urls = nil
				if mirror != "" {
					urls = []string{mirror + "/" + e.Name + "/" + g.Name}
				}
			}
			for _, url := range urls {
				path := filepath.Join(opt.CacheDir, e.Name, g.Name)
				err := d.get(ctx, url, path, f, g)
				if err == nil {
					return located{file: f, path: path, where: WhereDownload}, nil, nil
				}
				if ctx.Err() != nil {
					return loc, nil, ctx.Err()
				}
				if own && errors.Is(err, ErrChecksum) {
					return loc, nil, err
				}
				causes = append(causes, err)
			}
		}
	}
	if len(causes) == 0 {
		causes = []error{errors.New("no address is known for it")}
		if f.Obtain != "" {
			causes = []error{errors.New("it cannot be downloaded directly: " + f.Obtain)}
		}
	}
	return loc, causes, nil
}

// FileStatus is what Fetch and Verify found out about a file.
type FileStatus struct {
	// File is the name in the manifest, Form the name as stored.
	File string `json:"file"`
	Form string `json:"form,omitempty"`
	// Where is "cache", "mirror", "download", or "" if it was not found.
	Where string `json:"where,omitempty"`
	Path  string `json:"path,omitempty"`
	// OK: the file is there and its checksum is right.
	OK bool `json:"ok"`
	// Problem says why it is not OK.
	Problem string `json:"problem,omitempty"`
	Err     error  `json:"-"`
}

// Fetch makes every file of the named dataset ("mnist", "adult", or with a
// variant "adult/a8a") available: what is in the cache or in a mirror folder
// already stays where it is, what is not is downloaded into the cache. It
// returns a status for each file, and an error if one is not to be had.
func Fetch(ctx context.Context, name string, opt Options) ([]FileStatus, error) {
	return standard().fetch(ctx, name, opt)
}

func (l *library) fetch(ctx context.Context, name string, opt Options) ([]FileStatus, error) {
	opt = opt.prepared()
	all, err := l.statuses(ctx, name, func(e *Entry, file string) (located, error) {
		locs, err := l.locate(ctx, e, []string{file}, &opt)
		if err != nil {
			return located{}, err
		}
		return locs[0], nil
	})
	if err != nil {
		return all, err
	}
	var errs []error
	for _, s := range all {
		errs = append(errs, s.Err)
	}
	return all, errors.Join(errs...)
}

// Verify looks for every file of the named dataset in the cache and in a
// mirror folder and checks its checksum. It downloads nothing. The error is
// for an unknown name and for cancellation; what is wrong with a file is in
// its status.
func Verify(ctx context.Context, name string, opt Options) ([]FileStatus, error) {
	return standard().verify(ctx, name, opt)
}

func (l *library) verify(ctx context.Context, name string, opt Options) ([]FileStatus, error) {
	opt = opt.prepared()
	return l.statuses(ctx, name, func(e *Entry, file string) (located, error) {
		loc, err := l.findLocal(e, e.file(file), &opt)
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("not found in %s", strings.Join(opt.places(), " or "))
		}
		return loc, err
	})
}

// statuses tells of every file of the named dataset how find found it. The error is
// for an unknown name and for cancellation.
func (l *library) statuses(ctx context.Context, name string, find func(e *Entry, file string) (located, error)) ([]FileStatus, error) {
	e, v, err := l.resolve(name)
	if err != nil {
		return nil, err
	}
	if e.Obtain != "" { // it has no files
		err := &NamedError{e.Name, &MissingError{Dataset: e.Name, Obtain: e.Obtain}}
		return []FileStatus{{File: e.Name, Err: err, Problem: err.Error()}}, nil
	}
	var out []FileStatus
	for _, p := range v.Parts {
		for _, file := range p.Files {
			if ctx.Err() != nil {
				return out, ctx.Err()
			}
			s := FileStatus{File: file}
			loc, err := find(e, file)
			if err != nil && ctx.Err() != nil {
				return out, ctx.Err()
			}
			if loc.path != "" {
				s.Form, s.Where, s.Path = filepath.Base(loc.path), loc.where, loc.path
			}
			s.OK, s.Err = err == nil, err
			if err != nil {
				s.Problem = err.Error()
			}
			out = append(out, s)
		}
	}
	return out, nil
}

// places names the folders that are searched.
func (o *Options) places() []string {
	var out []string
	if o.CacheDir != "" {
		out = append(out, "the cache "+o.CacheDir)
	}
	if o.mirrorFolder() != "" {
		out = append(out, "the mirror "+o.mirrorFolder())
	}
	if len(out) == 0 {
		out = append(out, "any folder")
	}
	return out
}
