package claims

import (
	"math"
	"strings"
	"testing"

	"stochopt/internal/record"
)

// pcaBoundRun is a run of T = 10,000 on the orthogonal distribution of d = 32 and
// k = 4, whose optimum is 0.363571918911505 (the four largest of the probabilities
// sqrt(sigma_i), normalised).
func pcaBoundRun(algorithm string, suboptimality float64, params record.Params) *record.Run {
	const optimum = 0.363571918911505
	p := record.Params{"k": int64(4), "iterate": "average", "unrelax": "decompose", "start": "uniform"}
	for name, v := range params {
		if v == nil {
			delete(p, name)
			continue
		}
		p[name] = v
	}
	return &record.Run{
		Algorithm: algorithm, Status: record.StatusFinished, Params: p,
		Curve: record.Curve{
			Cost: map[string][]int64{"iterations": {1, 100, 10000}, "sum_kt": {32, 3000, 120000}},
			Metrics: map[string]map[string][]float64{"population": {
				"objective":     {0.1, 0.2, optimum - suboptimality},
				"suboptimality": {optimum - 0.1, optimum - 0.2, suboptimality},
			}},
		},
	}
}

var (
	theory = record.Params{"step.schedule": "theory"}
	// wkStep is ln(1 + sqrt(2 B/(T L*))) with B = 28 ln(32/28) = 3.738879 and
	// L* = 0.636428.
	wkStep = record.Params{"step.schedule": "constant", "step.c": 0.0337033}
)

func TestBoundsPCA(t *testing.T) {
	t.Parallel()
	// By hand: 0.02 + sqrt(2 ln 20/10^4) + sqrt(8 ln 40/10^4).
	const saaLimit = 0.02 + 0.0244775 + 0.0543239
	for _, c := range []struct {
		name       string
		run        *record.Run
		value, lim float64
	}{
		{"msg-rate", pcaBoundRun("msg", 0.013, theory), 0.013, 0.04},
		{"msg-rate", pcaBoundRun("msg", 0.013, record.Params{"step.schedule": "theory", "iterate": "sample", "start": "random-low-rank"}), 0.013, 0.04},
		{"msg-rate", pcaBoundRun("msg", 0.013, record.Params{"step.schedule": "theory", "step.c": 1.0}), 0.013, 0.04},
		{"warmuth-kuzmin-mirror-rate", pcaBoundRun("warmuth-kuzmin", 0.2, theory), 0.2, 0.1058300524},
		{"warmuth-kuzmin-rate", pcaBoundRun("warmuth-kuzmin", 0.02, wkStep), 0.02, 0.0323105771},
		{"saa-rate", pcaBoundRun("saa", saaLimit-1e-6, nil), saaLimit - 1e-6, 0.0988015289},
		{"saa-rate", pcaBoundRun("saa", saaLimit+1e-6, nil), saaLimit + 1e-6, 0.0988015289},
	} {
		b, ok := bounds()[c.name]
		if !ok {
			t.Fatalf("no bound %q", c.name)
		}
		at, value, limit, err := evaluated(b, c.run)
		if err != nil || len(at) != 1 || at[0] != 2 || len(value) != 1 || len(limit) != 1 {
			t.Fatalf("%s: at %v, value %v, limit %v, %v", c.name, at, value, limit, err)
		}
		if value[0] != c.value || math.Abs(limit[0]-c.lim) > 1e-9 {
			t.Errorf("%s: %v <= %.10f, want %v <= %.10f", c.name, value[0], limit[0], c.value, c.lim)
		}
	}
}

func TestBoundsPCAHypotheses(t *testing.T) {
	t.Parallel()
	with := func(base record.Params, name string, v any) record.Params {
		p := record.Params{name: v}
		for n, w := range base {
			if n != name {
				p[n] = w
			}
		}
		return p
	}
	late := pcaBoundRun("warmuth-kuzmin", 0.02, theory)
	late.Curve.Cost["iterations"][0] = 2
	low := pcaBoundRun("warmuth-kuzmin", 0.02, theory)
	low.Curve.Cost["sum_kt"][0] = 4
	long := pcaBoundRun("warmuth-kuzmin", 0.02, wkStep)
	long.Curve.Metrics["population"]["objective"][2] = 1.1
	table := pcaBoundRun("msg", 0.02, theory)
	table.Curve.Metrics["test"] = table.Curve.Metrics["population"]
	delete(table.Curve.Metrics, "population")
	for _, c := range []struct {
		bound string
		run   *record.Run
		want  string
	}{
		{"msg-rate", pcaBoundRun("capped-msg", 0.01, theory), "algorithm is capped-msg, but the bound needs msg"},
		{"msg-rate", pcaBoundRun("msg", 0.01, with(theory, "k", nil)), "no fact or parameter k"},
		{"msg-rate", pcaBoundRun("msg", 0.01, with(theory, "step.schedule", "inverse-sqrt")), "step.schedule is inverse-sqrt, but the bound needs theory"},
		{"msg-rate", pcaBoundRun("msg", 0.01, with(theory, "step.c", 2.0)), "step.c is 2, but the bound needs 1 or no value"},
		{"msg-rate", pcaBoundRun("msg", 0.01, with(theory, "iterate", "last")), "iterate is last"},
		{"msg-rate", pcaBoundRun("msg", 0.01, with(theory, "unrelax", "top-k")), "unrelax is top-k"},
		{"msg-rate", table, "no suboptimality on record for the split population"},
		{"warmuth-kuzmin-mirror-rate", pcaBoundRun("warmuth-kuzmin", 0.01, with(theory, "start", "random-low-rank")), "start is random-low-rank"},
		{"warmuth-kuzmin-mirror-rate", pcaBoundRun("warmuth-kuzmin", 0.01, wkStep), "step.c is 0.0337033"},
		{"warmuth-kuzmin-mirror-rate", late, "no rank after the first iteration"},
		{"warmuth-kuzmin-mirror-rate", low, "did not start at I/d"},
		{"warmuth-kuzmin-rate", pcaBoundRun("warmuth-kuzmin", 0.01, theory), "step.schedule is theory"},
		{"warmuth-kuzmin-rate", pcaBoundRun("warmuth-kuzmin", 0.01, with(wkStep, "step.c", 0.03)), "the step size is 0.03, but the bound needs ln(1 + sqrt(2B/(T L*))) = 0.033703"},
		{"warmuth-kuzmin-rate", pcaBoundRun("warmuth-kuzmin", 0.01, with(wkStep, "iterate", "last")), "iterate is last"},
		{"warmuth-kuzmin-rate", long, "E|x|^2 is above 1"},
		{"saa-rate", pcaBoundRun("msg", 0.01, nil), "algorithm is msg, but the bound needs saa"},
	} {
		b := bounds()[c.bound]
		_, _, _, err := evaluated(b, c.run)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want %q", c.bound, err, c.want)
		}
	}
}

func TestBoundPlateau(t *testing.T) {
	t.Parallel()
	b := bounds()["plateau"]
	x := []int64{1, 5, 10, 20, 30, 40, 80, 100}
	for _, c := range []struct {
		name string
		y    []float64
		want float64
	}{
		{"from 10 to 40, then on", []float64{1, 1, 0.5, 0.5, 0.48, 0.46, 0.1, 0.01}, 2.0 / 4},
		{"no return", []float64{1, 1, 0.5, 0.5, 0.48, 0.46, 0.2, 0.1}, 2},
		{"stuck", []float64{1, 1, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5}, 2},
		{"steady", []float64{1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.001}, 2},
		{"the start only", []float64{1, 1, 0.8, 0.4, 0.2, 0.1, 0.05, 0.001}, 2},
		{"up and down is none", []float64{1, 1, 0.5, 0.1, 0.5, 0.1, 0.5, 0.001}, 2},
		{"late and short", []float64{1, 0.9, 0.5, 0.3, 0.2, 0.1, 0.1, 0.001}, 2.0 / 2},
		{"rounding is none", []float64{1, 0.1, 1e-3, 1e-15, 1e-15, 1e-15, 1e-15, 1e-17}, 2},
	} {
		r := &record.Run{Curve: record.Curve{
			Cost:    map[string][]int64{"iterations": x},
			Metrics: map[string]map[string][]float64{"population": {"suboptimality": c.y}},
		}}
		at, value, limit, err := evaluated(b, r)
		if err != nil || len(at) != 1 || at[0] != len(x)-1 || limit[0] != 1 || math.Abs(value[0]-c.want) > 1e-12 {
			t.Errorf("%s: %v <= %v at %v, %v; want %v", c.name, value, limit, at, err, c.want)
		}
	}
	if _, _, _, err := evaluated(b, &record.Run{}); err == nil {
		t.Error("no error without a record")
	}
}

func TestBoundExtraEigenvalues(t *testing.T) {
	t.Parallel()
	b := bounds()["extra-eigenvalues"]
	r := &record.Run{
		Params: record.Params{"k": int64(2)},
		Curve: record.Curve{
			Cost:     map[string][]int64{"iterations": {1, 2, 3}},
			Spectrum: [][]float64{{1, 0.9, 0.1}, {1}, {1, 0.8, 0.15, 0.04, 0.01}},
		},
	}
	if at, value, limit, err := evaluated(b, r); err != nil || at[0] != 2 || math.Abs(value[0]-0.5) > 1e-12 || limit[0] != 0.5 {
		t.Errorf("%v <= %v at %v, %v; want half", value, limit, at, err)
	}
	r.Curve.Spectrum = [][]float64{{1, 0.9}, {1}, {1, 1}}
	if _, _, _, err := evaluated(b, r); err == nil {
		t.Error("no error where there is nothing extra")
	}
	r.Curve.Spectrum = nil
	if _, _, _, err := evaluated(b, r); err == nil {
		t.Error("no error without eigenvalues")
	}
	r.Params = nil
	if _, _, _, err := evaluated(b, r); err == nil {
		t.Error("no error without k")
	}
}

func TestBoundTraceConcentrates(t *testing.T) {
	t.Parallel()
	b := bounds()["trace-concentrates"]
	r := &record.Run{
		Params: record.Params{"k": int64(2)},
		Curve: record.Curve{
			Cost:     map[string][]int64{"iterations": {1, 2, 3}},
			Spectrum: [][]float64{{1}, {0.8, 0.6, 0.4, 0.2}, {1, 0.8, 0.2}},
		},
	}
	if at, value, limit, err := evaluated(b, r); err != nil || at[0] != 2 || math.Abs(value[0]-0.2) > 1e-12 || math.Abs(limit[0]-0.3) > 1e-12 {
		t.Errorf("%v <= %v at %v, %v; want 0.2 <= 0.3", value, limit, at, err)
	}
	for _, spectrum := range [][][]float64{{{1, 0.9}, {1}, {1, 1}}, nil} {
		r.Curve.Spectrum = spectrum
		if _, _, _, err := evaluated(b, r); err == nil {
			t.Errorf("no error of %v", spectrum)
		}
	}
}
