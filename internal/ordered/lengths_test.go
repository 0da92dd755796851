package ordered

import "testing"

func TestLengthsMustMatch(t *testing.T) {
	for name, call := range map[string]func(){
		"rows overlap": func() { AddRows(make([]float64, 8), 1, make([]float64, 2), make([]float64, 16), 7) },
		"short matrix": func() { AddRows(make([]float64, 8), 1, make([]float64, 2), make([]float64, 15), 8) },
		"short row":    func() { Dots(make([]float64, 2), make([]float64, 8), make([]float64, 15), 8) },
	} {
		func() {
			defer func() {
				if recover() != badLength {
					t.Errorf("%s: no panic", name)
				}
			}()
			call()
		}()
	}
}
