package sparse

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/svm"
)

func TestBasisErrors(t *testing.T) {
	p, _ := basisProblem(basisPoints(basisRand(15), 10, 5), 5)
	ctx, rng := context.Background(), basisRand(16)
	bad := p
	bad.Positive = 11
	negative := newBasisMatrix([][]float32{{-1}})
	for _, c := range []struct {
		err  error
		want string
	}{
		{second(NewSpSVM(ctx, SpSVMConfig{}, p, rng)), "C = 0"},
		{second(NewSpSVM(ctx, SpSVMConfig{C: math.Inf(1)}, p, rng)), "C = +Inf"},
		{second(NewSpSVM(ctx, SpSVMConfig{C: math.NaN()}, p, rng)), "C = NaN"},
		{second(NewSpSVM(ctx, SpSVMConfig{C: 1e201}, p, rng)), "C = 1e+201"},
		{second(NewSpSVM(ctx, SpSVMConfig{C: 1, Support: 11, Candidates: 1}, p, rng)), "support of 11"},
		{second(NewSpSVM(ctx, SpSVMConfig{C: 1, Support: 1}, p, rng)), "0 candidates"},
		{second(NewSpSVM(ctx, SpSVMConfig{C: 1}, svm.Problem{}, rng)), "no kernel rows"},
		{second(NewSpSVM(ctx, SpSVMConfig{C: 1}, bad, rng)), "11 positive points"},
		{second(NewSpSVM(ctx, SpSVMConfig{C: 1}, svm.Problem{Rows: negative}, rng)), "K(x, x) = -1"},
		{second(NewSpSVM(ctx, SpSVMConfig{C: 1}, p, nil)), "random generator"},
		{second(NewRSVM(ctx, RSVMConfig{Ratio: 1}, p, rng)), "C = 0"},
		{second(NewRSVM(ctx, RSVMConfig{C: 1}, p, rng)), "ratio = 0"},
		{second(NewRSVM(ctx, RSVMConfig{C: 1, Ratio: 1.5}, p, rng)), "ratio = 1.5"},
		{second(NewRSVM(ctx, RSVMConfig{C: 1, Ratio: math.NaN()}, p, rng)), "ratio = NaN"},
		{second(NewRSVM(ctx, RSVMConfig{C: 1, Ratio: 1}, p, nil)), "random generator"},
	} {
		if c.err == nil || !strings.HasPrefix(c.err.Error(), "sparse: ") || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", c.err, c.want)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// TestBasisContext: the end of the context ends a step, with its cause.
func TestBasisContext(t *testing.T) {
	p, _ := basisProblem(basisPoints(basisRand(17), 30, 15), 15)
	ctx, cancel := context.WithCancelCause(context.Background())
	spsvm, err := NewSpSVM(ctx, SpSVMConfig{C: 1, Support: 1, Candidates: 1}, p, basisRand(18))
	if err != nil {
		t.Fatal(err)
	}
	rsvm, err := NewRSVM(ctx, RSVMConfig{C: 1, Ratio: 1}, p, basisRand(18))
	if err != nil {
		t.Fatal(err)
	}
	cancel(fmt.Errorf("the budget is used up"))
	for _, l := range []Learner{spsvm, rsvm} {
		status := l.Step()
		if status.State != algorithms.Failed || !strings.Contains(status.Reason, "the budget is used up") || l.Cost() != (algorithms.Cost{}) {
			t.Errorf("%T: %v, cost %+v", l, status, l.Cost())
		}
	}
}

func TestBasisBytes(t *testing.T) {
	for _, c := range []struct{ got, want int64 }{
		{SpSVMBytes(22696, 1000), 4*22696*1000 + 40*1000*1000},
		{RSVMBytes(22696, 1000), 4*22696*1000 + 16*1000*1000},
		{RSVMBytes(22696, directRows), 4*22696*directRows + 16*directRows*directRows},
		{RSVMBytes(22696, 22696), 4 * 22696 * 22696},
	} {
		if c.got != c.want {
			t.Errorf("%d bytes, want %d", c.got, c.want)
		}
	}
}
