package datasets

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A download that trickles tells how far it is, is given up, and goes on from there.
func TestDownloadThatTrickles(t *testing.T) {
	t.Parallel()
	trickling := true
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		if !trickling {
			serveContent(w, r, tinyGz)
			return
		}
		w.Header().Set("Content-Length", fmt.Sprint(len(tinyGz)))
		for i := range tinyGz {
			if _, err := w.Write(tinyGz[i : i+1]); err != nil {
				return
			}
			w.(http.Flusher).Flush()
			select {
			case <-time.After(100 * time.Millisecond):
			case <-r.Context().Done():
				return
			}
		}
	})
	l := tinyLibrary(t, []string{s.URL + "/tiny.txt.gz"}, nil)
	var lines []string
	opt := Options{CacheDir: t.TempDir(), Log: func(line string) { lines = append(lines, line) }}
	began := time.Now()
	_, err := fetchTiny(t, l, opt)
	wantError(t, err, "given up after", "less than 64 kB in 800ms", "the same command goes on from there")
	if took := time.Since(began); took > 2*l.timeout.slow {
		t.Errorf("it took %v", took)
	}
	if log := strings.Join(lines, "\n"); !strings.Contains(log, "kB/s") || len(s.ranges) != 1 {
		t.Errorf("%d requests, log\n%s", len(s.ranges), log)
	}
	have, err := os.Stat(filepath.Join(opt.CacheDir, "tiny", "tiny.txt.gz"+partSuffix))
	if err != nil || have.Size() == 0 {
		t.Fatalf("nothing is kept: %v", err)
	}
	trickling = false
	if _, err := fetchTiny(t, l, opt); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("bytes=%d-", have.Size()); s.ranges[1] != want {
		t.Errorf("asked for %q, want %q", s.ranges[1], want)
	}
	wantTiny(t, l, opt.CacheDir)
}
