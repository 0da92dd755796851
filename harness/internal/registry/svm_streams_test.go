package registry

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The directions of random Fourier features have a stream of their own: were
// they drawn from that of the coordinates' order, they would depend on how long
// the step before took.
func TestRFFOpensTwoStreams(t *testing.T) {
	t.Parallel()
	a := of(TaskSVM, "rff")
	p := svmDefaults(a.Algorithm)
	env, _ := svmEnvironment(t, "rff", p)
	var roles []string
	env.Rand = func(role string) *rand.Rand {
		roles = append(roles, role)
		return rand.New(rand.NewPCG(1, uint64(len(roles))))
	}
	if _, err := NewSVM(of(TaskSVM, "rff"), env, p); err != nil {
		t.Fatal(err)
	}
	if want := []string{"init", "order"}; !slices.Equal(roles, want) {
		t.Errorf("rff opens the streams %q, want %q", roles, want)
	}
}
