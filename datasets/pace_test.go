package datasets

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A download that trickles is given up after an interval, and leaves nothing.
func TestDownloadThatTrickles(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		w.Header().Set("Content-Length", fmt.Sprint(len(tinyGz)))
		if _, err := w.Write(tinyGz[:1]); err == nil {
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}
	})
	l := tinyLibrary(t, []string{s.URL + "/tiny.txt.gz"}, nil)
	l.timeout.tick = 2 * time.Second // the first byte has come by then
	opt := Options{CacheDir: t.TempDir()}
	_, err := fetchTiny(t, l, opt)
	wantError(t, err, "given up after 1 of", "less than 20 kB in 2s")
	if files, _ := os.ReadDir(filepath.Join(opt.CacheDir, "tiny")); len(files) > 0 || len(s.ranges) != 1 {
		t.Errorf("%d requests, in the cache are %v", len(s.ranges), files)
	}
}
