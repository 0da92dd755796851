package spec

import "testing"

func TestSizeString(t *testing.T) {
	t.Parallel()
	for s, want := range map[Size]string{100: "100 B", 20 << 20: "20 MiB", 2e9: "1.9 GiB", 3 << 29: "1.5 GiB"} {
		if got := s.String(); got != want {
			t.Errorf("%d bytes are %s, want %s", int64(s), got, want)
		}
	}
}
