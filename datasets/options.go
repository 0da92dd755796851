package datasets

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Options say where data may come from.
type Options struct {
	// CacheDir is the folder for downloads; "" means defaultCacheDir.
	CacheDir string
	// Mirror is a folder or an http(s) URL laid out as <mirror>/mnist/<file>.
	// Files in a folder are read in place, never copied or changed.
	Mirror string
	// Dir is the folder that relative paths in a Ref start from; "" means the
	// working directory.
	Dir string
	// MaxBytes is the most memory that the rows of a file of the user's own may take, 0
	// for any. While they are read they take up to 2.25 times as much.
	MaxBytes int64
	// Offline forbids all use of the network.
	Offline bool
	// AllowStandIn permits a stand-in for a manifest entry whose files cannot
	// be had; ForceStandIn demands one.
	AllowStandIn, ForceStandIn bool
	// Log gets a line now and then about what takes time or goes wrong; nil
	// discards them. It may be called from several goroutines if Open is.
	Log func(string)
	// Hosts remembers unreachable hosts from one call to the next; nil means
	// to remember them within a call only.
	Hosts *Hosts
}

// defaultCacheDir returns the folder stochopt in the user's cache folder.
func defaultCacheDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no cache folder: %w", err)
	}
	return filepath.Join(dir, "stochopt"), nil
}

func (o *Options) log(format string, args ...any) {
	if o.Log != nil {
		o.Log(fmt.Sprintf(format, args...))
	}
}

// prepared returns the options with their defaults filled in.
func (o Options) prepared() Options {
	if o.CacheDir == "" {
		// Without a cache folder the mirror still works; a download says what
		// is missing.
		o.CacheDir, _ = defaultCacheDir()
	}
	if o.Hosts == nil {
		o.Hosts = NewHosts()
	}
	o.Mirror = strings.TrimPrefix(o.Mirror, "file://")
	return o
}

// mirrorFolder returns the mirror if it is a folder, mirrorURL if it is a URL.
func (o *Options) mirrorFolder() string {
	if o.mirrorURL() != "" {
		return ""
	}
	return o.Mirror
}

func (o *Options) mirrorURL() string {
	if strings.HasPrefix(o.Mirror, "http://") || strings.HasPrefix(o.Mirror, "https://") {
		return strings.TrimRight(o.Mirror, "/")
	}
	return ""
}

// Hosts remembers which hosts could not be reached, so that each is waited for
// once only. Its methods may be called from several goroutines.
type Hosts struct{ failed sync.Map } // string -> error

// NewHosts returns a memory without any host in it.
func NewHosts() *Hosts { return &Hosts{} }

// failure returns why a host is not to be tried, nil if it is.
func (h *Hosts) failure(host string) error {
	err, _ := h.failed.Load(host)
	known, _ := err.(error)
	return known
}

// fail records a failure and reports whether it is the first of that host.
func (h *Hosts) fail(host string, err error) bool {
	_, known := h.failed.LoadOrStore(host, err)
	return !known
}

// any reports whether a host failed.
func (h *Hosts) any() (found bool) {
	h.failed.Range(func(any, any) bool {
		found = true
		return false
	})
	return found
}

// timeouts bound each stage of a download. Once a host could not be reached,
// dialAgain takes the place of dial: most likely there is no network.
type timeouts struct {
	dial, dialAgain, header, stall time.Duration
	// slow is the time within which a download must bring leastBytes, tell the interval of
	// progress messages.
	slow, tell time.Duration
	// ticker ticks at an interval until it is stopped.
	ticker func(interval time.Duration) (ticks <-chan time.Time, stop func())
}

func newTicker(interval time.Duration) (<-chan time.Time, func()) {
	t := time.NewTicker(interval)
	return t.C, t.Stop
}

var defaultTimeouts = timeouts{
	dial:      3 * time.Second,
	dialAgain: time.Second,
	header:    5 * time.Second,
	stall:     20 * time.Second,
	slow:      time.Minute,
	tell:      10 * time.Second,
	ticker:    newTicker,
}
