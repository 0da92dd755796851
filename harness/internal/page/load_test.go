package page

import (
	"cmp"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// BenchmarkLoad measures how long Chromium takes to load a page and to draw its figures, and the size of the page.
// The page is the file in the environment variable PAGE or, by default, the page of the reference results.
func BenchmarkLoad(b *testing.B) {
	tab := openTab(b, 5*time.Minute)
	path, err := filepath.Abs(cmp.Or(os.Getenv("PAGE"), filepath.Join(b.TempDir(), "report.html")))
	if err != nil {
		b.Fatal(err)
	}
	if os.Getenv("PAGE") == "" {
		p, err := Collect([]string{repository + "results/reference"}, options())
		if err != nil {
			b.Fatal(err)
		}
		write(b, render(b, p), path)
	}
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	loaded, painted, drawn := math.Inf(1), math.Inf(1), math.Inf(1)
	for b.Loop() {
		tab.do(chromedp.Navigate("file://" + path))
		tab.await(`performance.getEntriesByType("navigation")[0].loadEventEnd && performance.getEntriesByType("paint").length`)
		// Times are in milliseconds from the start of navigation. The minimum over all rounds is the least
		// affected by other work on the machine.
		loaded = min(loaded, eval[float64](tab, `performance.getEntriesByType("navigation")[0].loadEventEnd`))
		drawn = min(drawn, eval[float64](tab, `new Promise((done) => {
			const look = () => document.querySelector(".panels:empty") ? setTimeout(look, 5) : done(performance.now());
			look();
		})`))
		painted = min(painted, eval[float64](tab, `performance.getEntriesByType("paint").at(-1).startTime`))
	}
	b.ReportMetric(float64(info.Size()), "bytes")
	b.ReportMetric(loaded, "ms-to-load")
	b.ReportMetric(painted, "ms-to-paint")
	b.ReportMetric(drawn, "ms-to-draw")
}
