package spec

import "testing"

func TestSizeString(t *testing.T) {
	t.Parallel()
	for s, want := range map[Size]string{
		100: "100 B", 1000: "1 kB", 1024: "1 KiB", 20e6: "20 MB", 20 << 20: "20 MiB", 2e9: "2 GB", 2 << 30: "2 GiB",
		1.5e9: "1500 MB", 3 << 29: "1536 MiB", 2e12: "2 TB", 5<<30 + 1: "5.0 GiB",
	} {
		if got := s.String(); got != want {
			t.Errorf("%d bytes are %s, want %s", int64(s), got, want)
		}
	}
}
