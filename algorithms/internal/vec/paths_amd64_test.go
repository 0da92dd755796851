//go:build amd64 && !purego

package vec

// paths calls f for every path of this machine.
func paths(f func(path string)) {
	has := useAVX2
	defer func() { useAVX2 = has }()
	for _, path := range []string{"portable", "avx2"} {
		useAVX2 = path == "avx2"
		if useAVX2 && !has {
			continue
		}
		f(path)
	}
}
