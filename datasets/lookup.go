package datasets

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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
		return nil, missing
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
			return nil, fmt.Errorf("dataset %s: %w", e.Name, err)
		}
		out = append(out, loc)
	}
	if len(missing.Files) > 0 {
		return nil, missing
	}
	return out, nil
}

// add records a file that could not be had, leaving out causes already known.
func (e *MissingError) add(file string, causes []error) {
	e.Files = append(e.Files, file)
	for _, c := range causes {
		known := false
		for _, k := range e.Causes {
			known = known || k.Error() == c.Error()
		}
		if !known {
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
		_, err := DefaultCacheDir()
		return loc, []error{fmt.Errorf("cannot download: %w", err)}, nil
	}
	d := &downloader{opt: opt, timeout: l.timeout}
	defer d.close()
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

func (s *FileStatus) found(loc located) {
	s.Form, s.Where, s.Path = filepath.Base(loc.path), loc.where, loc.path
}

func (s *FileStatus) failed(err error) {
	s.OK, s.Err, s.Problem = false, err, err.Error()
}

// unavailable is the status of an entry without files.
func (e *Entry) unavailable() FileStatus {
	s := FileStatus{File: e.Name}
	s.failed(&MissingError{Dataset: e.Name, Obtain: e.Obtain})
	return s
}

// files returns the names of all files of a variant.
func (v *Variant) files() []string {
	var out []string
	for _, p := range v.Parts {
		out = append(out, p.Files...)
	}
	return out
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
	e, v, err := l.resolve(name)
	if err != nil {
		return nil, err
	}
	var out []FileStatus
	var errs []error
	if e.Obtain != "" {
		s := e.unavailable()
		return []FileStatus{s}, s.Err
	}
	for _, file := range v.files() {
		s := FileStatus{File: file}
		locs, err := l.locate(ctx, e, []string{file}, &opt)
		if err != nil {
			if ctx.Err() != nil {
				return out, ctx.Err()
			}
			s.failed(err)
			errs = append(errs, err)
		} else {
			s.found(locs[0])
			s.OK = true
		}
		out = append(out, s)
	}
	return out, errors.Join(errs...)
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
	e, v, err := l.resolve(name)
	if err != nil {
		return nil, err
	}
	var out []FileStatus
	if e.Obtain != "" {
		return []FileStatus{e.unavailable()}, nil
	}
	for _, file := range v.files() {
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		s := FileStatus{File: file}
		loc, err := l.findLocal(e, e.file(file), &opt)
		if loc.path != "" {
			s.found(loc)
		}
		switch {
		case err == nil:
			s.OK = true
		case errors.Is(err, fs.ErrNotExist):
			s.failed(fmt.Errorf("not found in %s", strings.Join(opt.places(), " or ")))
		default:
			s.failed(err)
		}
		out = append(out, s)
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
