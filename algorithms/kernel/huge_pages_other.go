//go:build !linux

package kernel

func adviseHugePages([]float32) {}
