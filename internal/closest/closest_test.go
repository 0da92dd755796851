package closest

import "testing"

func TestName(t *testing.T) {
	names := []string{"mnist", "adult", "R", "web"}
	for _, c := range []struct {
		written string
		most    int
		want    string
	}{
		{"mnits", 2, "mnist"}, {"mnits", 1, "mnist"}, {"mnits", 0, ""}, {"MNIST", 0, "mnist"}, {"r", 1, "R"}, {"x", 1, ""}, {"", 3, ""}, {"wab", 3, "web"},
	} {
		if got := Name(c.written, names, c.most); got != c.want {
			t.Errorf("%q within %d: %q, want %q", c.written, c.most, got, c.want)
		}
	}
}
