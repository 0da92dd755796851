//go:build !amd64 || purego

package vec

// paths calls f for the only path.
func paths(f func(path string)) { f("portable") }
