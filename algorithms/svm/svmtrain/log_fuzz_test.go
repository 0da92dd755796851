package svmtrain

import (
	"fmt"
	"math"
	"testing"
)

// FuzzParseTrainLog checks that parsed numbers are finite, and that printed numbers are parsed
// correctly.
func FuzzParseTrainLog(f *testing.F) {
	f.Add([]byte("optimization finished, #iter = 1234\nnu = 0.38\nobj = -7.721891, rho = -0.723911\n"), int64(3), -2.5)
	f.Add([]byte("optimization finished, #iter = 99999999999999999999\nobj = nan, rho = 0\n"), int64(0), 0.0)
	f.Add([]byte("obj = inf, rho = 1\noptimization finished, #iter = 1\n"), int64(1<<40), -1e300)
	f.Add([]byte("obj = 0x1p-2\n#iter = -3"), int64(7), math.Pi)
	f.Fuzz(func(t *testing.T, log []byte, iterations int64, objective float64) {
		if n, v, err := parseTrainLog(log); err == nil && (n < 0 || math.IsNaN(v) || math.IsInf(v, 0)) {
			t.Fatalf("%q gives %d iterations, objective %v", log, n, v)
		}
		if iterations < 0 || math.IsNaN(objective) || math.IsInf(objective, 0) {
			return
		}
		log = fmt.Appendf(nil, "WARNING: %q\n*..*\noptimization finished, #iter = %d\nnu = 1\nobj = %v, rho = 0\n", "x", iterations, objective)
		if n, v, err := parseTrainLog(log); n != iterations || v != objective || err != nil {
			t.Fatalf("%q gives %d iterations, objective %v (%v)", log, n, v, err)
		}
	})
}
