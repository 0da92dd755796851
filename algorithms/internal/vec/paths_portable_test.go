//go:build !amd64 || purego

package vec

// paths calls f on the only path there is.
func paths(f func(path string)) { f("portable") }
