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
// from there.
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
	l.timeout.tick = 2 * time.Second // the first byte is on disk by then

	var lines []string
	opt := Options{CacheDir: t.TempDir(), Log: func(line string) { lines = append(lines, line) }}
	part := filepath.Join(opt.CacheDir, "tiny", "tiny.txt.gz"+partSuffix)
	_, err := fetchTiny(t, l, opt)
	wantError(t, err, "given up after 1 of", "less than 20 kB in 2s", "the same command goes on from there")
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
