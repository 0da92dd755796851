package spec

import "testing"

func TestSizeString(t *testing.T) {
	t.Parallel()
	for s, want := range map[Size]string{
		0: "0 B", 100: "100 B", 1000: "1000 B", 1024: "1 KiB", 20e6: "19.07 MiB", 20 << 20: "20 MiB", 1.5e9: "1.397 GiB",
		2e9: "1.863 GiB", 2 << 30: "2 GiB", 3 << 29: "1.5 GiB", 5<<30 + 1: "5 GiB", 1000 << 20: "1000 MiB",
	} {
		if got := s.String(); got != want {
			t.Errorf("%d bytes are %s, want %s", int64(s), got, want)
		}
	}
}
