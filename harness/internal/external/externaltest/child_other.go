//go:build !unix

package externaltest

func (m *method) leaveBehind() {}
