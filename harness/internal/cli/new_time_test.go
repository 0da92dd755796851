package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
)

// machine is how long sweeps take on a made-up machine: drawing, training that grows with
// the power of the rows, and steps.
func machine(drawing, training, power, steps float64, tried *[]size) func(context.Context, size) (trial, error) {
	return func(_ context.Context, z size) (trial, error) {
		*tried = append(*tried, z)
		n := thousands(z)
		walk := steps * n * n * float64(z.Length)
		return trial{size: z, wall: drawing + training*math.Pow(n, power) + walk, steps: walk}, nil
	}
}

func thousands(z size) float64 {
	if z.Rows == 0 {
		return 1 // of a distribution, whatever it takes
	}
	return float64(z.Rows) / 1000
}

func kernelSweep(rows int) *sweep {
	return &sweep{Rows: rows, subsets: true, least: firstRows, lengths: []int{4, 6, 10, 20}, repeats: []int{3, 5, 10}}
}

func TestFit(t *testing.T) {
	streams := &sweep{Rows: 5000, lengths: niceNumbers(100, 60_000), repeats: []int{5, 10, 20}}
	for _, test := range []struct {
		name                            string
		s                               *sweep
		drawing, training, power, steps float64
		seconds                         float64
		want                            size
		least, most                     float64
		trials                          int
	}{
		{"all there is time for", kernelSweep(600), 0.2, 0.01, 2, 0.01, 60, size{600, 20, 10}, 0, 10, 3},
		{"fewer rows", kernelSweep(1_000_000), 0.2, 1, 2, 0.05, 60, size{3000, 20, 3}, 30, 60, 4},
		{"more time", kernelSweep(1_000_000), 0.2, 1, 2, 0.05, 600, size{10_000, 10, 3}, 300, 600, 6},
		{"training grows fast", kernelSweep(1_000_000), 0.2, 1, 3, 0.0001, 60, size{2000, 20, 5}, 30, 60, 4},
		{"too slow", kernelSweep(1_000_000), 0, 1e4, 2, 1, 60, size{200, 4, 3}, 60, math.Inf(1), 1},
		{"iterations", streams, 0.5, 0, 2, 1e-5, 60, size{5000, 30_000, 5}, 30, 60, 4},
		{"a distribution", &sweep{lengths: streams.lengths, repeats: streams.repeats}, 0.5, 0, 2, 1e-3, 60, size{0, 10_000, 5}, 30, 60, 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			var tried []size
			took := machine(test.drawing, test.training, test.power, test.steps, &tried)
			got, err := test.s.fit(t.Context(), test.seconds, took)
			if err != nil {
				t.Fatal(err)
			}
			if got.size != test.want || got.seconds < test.least || got.seconds > test.most || len(got.trials) != test.trials {
				t.Errorf("chose %+v of %v s after trials %+v", got.size, got.seconds, tried)
			}
			// What is forecast is what the machine takes, if it draws once.
			n := thousands(got.size)
			each := test.training*math.Pow(n, test.power) + test.steps*n*n*float64(got.Length)
			if real := test.drawing + float64(got.Repeats)*each; got.seconds < 0.8*real || got.seconds > 1.5*real {
				t.Errorf("forecast %v s, would take %v", got.seconds, real)
			}
		})
	}
}

func TestFitWithoutTrials(t *testing.T) {
	cut, cancel := context.WithCancel(t.Context())
	failed := errors.New("failed")
	s := kernelSweep(1000)
	if _, err := s.fit(t.Context(), 60, func(context.Context, size) (trial, error) { return trial{}, failed }); !errors.Is(err, failed) {
		t.Errorf("a trial that fails: %v", err)
	}
	if _, err := s.fit(cut, 60, func(context.Context, size) (trial, error) {
		cancel()
		return trial{}, context.Canceled
	}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	// Cut short, the smallest sweep is proposed, and the file says so.
	none := &timing{size: size{200, 4, 3}}
	text := strings.Join(none.assumed(1), " ")
	if none.choose(s, 60); none.size != (size{200, 4, 3}) || none.String() != "of unknown time" || !strings.Contains(text, "cut short") {
		t.Errorf("%+v, %s: %s", none.size, none, text)
	}
}

func TestNiceNumbers(t *testing.T) {
	for want, got := range map[string][]int{
		"[200 300 500 1000 2000]": niceNumbers(200, 2500), "[10]": niceNumbers(7, 15), "[]": niceNumbers(6, 9), "[4 10]": upTo([]int{4, 10, 30}, 29), "[4]": upTo([]int{4, 10}, 1),
	} {
		if fmt.Sprint(got) != want {
			t.Errorf("%v, want %s", got, want)
		}
	}
}
