package claims

import (
	"fmt"
	"testing"

	"stochopt/internal/observe"
)

// Every bound says what it is about, and the bounds on what runs compute refuse others.
func TestBoundFits(t *testing.T) {
	t.Parallel()
	for name, b := range bounds() {
		if b.task == "" {
			t.Errorf("%s is about no task", name)
		}
		if of, ok := BoundFits(name, "no task", "msg"); ok || of != "the task "+b.task {
			t.Errorf("%s is about another task: %q, %v", name, of, ok)
		}
		for _, algorithm := range observe.Alternatives(b.where["algorithm"]) {
			if _, ok := BoundFits(name, b.task, fmt.Sprint(algorithm)); !ok {
				t.Errorf("%s is not about %s", name, algorithm)
			}
		}
	}
	if of, ok := BoundFits("sparsify-steps", "svm-sparse", "rsvm"); ok || of != "sparsify or sparsify-aggressive or sparsify-smooth" {
		t.Errorf("sparsify-steps is about rsvm: %q, %v", of, ok)
	}
	if _, ok := BoundFits("plateau", "pca", "anything"); !ok {
		t.Error("plateau is about some algorithms only")
	}
	if _, ok := BoundFits("unknown", "pca", "msg"); !ok {
		t.Error("an unknown bound is refused, which is reported elsewhere")
	}
}
