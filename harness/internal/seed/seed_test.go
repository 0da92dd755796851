package seed

import "testing"

func TestStreamDependsOnEveryName(t *testing.T) {
	draw := func(root uint64, dataset, split string, repeat int, role string) uint64 {
		return Stream(root, dataset, split, repeat, role).Uint64()
	}
	base := draw(1, "mnist", "40/20/40", 0, RoleOrder)
	if again := draw(1, "mnist", "40/20/40", 0, RoleOrder); again != base {
		t.Fatalf("the same names give %d, then %d", base, again)
	}
	for name, got := range map[string]uint64{
		"root":    draw(2, "mnist", "40/20/40", 0, RoleOrder),
		"dataset": draw(1, "adult", "40/20/40", 0, RoleOrder),
		"split":   draw(1, "mnist", "50/25/25", 0, RoleOrder),
		"repeat":  draw(1, "mnist", "40/20/40", 1, RoleOrder),
		"role":    draw(1, "mnist", "40/20/40", 0, RoleInit),
		"border":  draw(1, "mnist4", "0/20/40", 0, RoleOrder),
	} {
		if got == base {
			t.Errorf("changing the %s does not change the stream", name)
		}
	}
}

// Streams must not change: a change of this value changes every result.
func TestStreamIsPinned(t *testing.T) {
	const want = uint64(8511463666103439909)
	if got := Stream(20130719, "gaussian", "", 3, RoleOrder).Uint64(); got != want {
		t.Fatalf("stream starts with %d, want %d", got, want)
	}
}
