package datasets

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A download that trickles tells how far it is, is given up at the first tick, and goes on
// from there. The test makes the tick, once the first byte of the download is on disk.
func TestDownloadThatTrickles(t *testing.T) {
	t.Parallel()
	trickling := true
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		if !trickling {
			serveContent(w, r, tinyGz)
			return
		}
		w.Header().Set("Content-Length", fmt.Sprint(len(tinyGz)))
		if _, err := w.Write(tinyGz[:1]); err == nil {
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}
	})
	l := tinyLibrary(t, []string{s.URL + "/tiny.txt.gz"}, nil)
	ticks := make(chan time.Time)
	l.timeout.ticker = func(time.Duration) (<-chan time.Time, func()) { return ticks, func() {} }

	var lines []string
	opt := Options{CacheDir: t.TempDir(), Log: func(line string) { lines = append(lines, line) }}
	part := filepath.Join(opt.CacheDir, "tiny", "tiny.txt.gz"+partSuffix)
	go func() {
		arrived := func() bool {
			files, _ := filepath.Glob(part + "-*")
			return len(files) == 1 && fileSize(files[0]) > 0
		}
		for !arrived() && t.Context().Err() == nil {
			time.Sleep(time.Millisecond)
		}
		select {
		case ticks <- time.Time{}:
		case <-t.Context().Done():
		}
	}()
	_, err := fetchTiny(t, l, opt)
	wantError(t, err, "given up after 1 of", "less than 20 kB in 500ms", "the same command goes on from there")
	if log := strings.Join(lines, "\n"); !strings.Contains(log, "1 B of") || len(s.ranges) != 1 {
		t.Errorf("%d requests, log\n%s", len(s.ranges), log)
	}
	if size := fileSize(part); size != 1 {
		t.Fatalf("%d bytes are kept, not the one that came", size)
	}
	trickling = false
	if _, err := fetchTiny(t, l, opt); err != nil {
		t.Fatal(err)
	}
	if s.ranges[1] != "bytes=1-" {
		t.Errorf("asked for %q, want all but the first byte", s.ranges[1])
	}
	wantTiny(t, l, opt.CacheDir)
}
