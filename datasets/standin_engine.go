package datasets

import (
	"math"
	"math/rand/v2"
)

const (
	enginePhases = 10 // firings in a cycle
	engineWindow = 10 // firings whose acceleration a row shows
	engineAt     = 4  // the place in the window of the firing that a row is about
)

// engine runs an engine, for ijcnn1: each firing gives the crankshaft an
// acceleration that depends on its phase in the cycle, the speed and the load,
// both of which drift; a misfire takes some away, and shakes the next firings.
// A row has the phase as one of ten binary features, speed, load, and the
// accelerations around the firing, which is to be classified. Light loads
// leave little to see.
type engine struct{}

// add adds a stretch of time.
func (*engine) add(t *Table, r standInRun, setup *rand.Rand) {
	var pattern [enginePhases][2]float64 // how a phase swings with the speed
	for p := range pattern {
		pattern[p] = [2]float64{setup.NormFloat64(), 2 * math.Pi * setup.Float64()}
	}
	rng := newStream(r.Stream)
	label := shuffledClasses(r.Classes, rng)
	rows := len(label)
	misfire := func(i int) bool { return i >= 0 && i < rows && label[i] == 1 }

	// Firing i of the stretch is entry i + engineAt.
	n := rows + engineWindow
	speed, load, accel := make([]float64, n), make([]float64, n), make([]float64, n)
	s, w := -0.1, 0.3
	towardsS, towardsW := s, w
	for i := range n {
		if rng.IntN(250) == 0 { // the driver does something
			towardsS = -0.85 + float64(1.45*rng.Float64())
			towardsW = 0.05 + float64(0.6*rng.Float64()*rng.Float64())
		}
		s += float64(0.02*(towardsS-s)) + float64(0.002*rng.NormFloat64())
		w += float64(0.03*(towardsW-w)) + float64(0.001*rng.NormFloat64())
		speed[i], load[i] = s, max(0.04, w)

		size := 0.05 + float64(0.6*load[i]*(1+speed[i]))
		p := pattern[i%enginePhases]
		a := float64(0.5*size*p[0]*math.Sin(p[1]+float64(4*speed[i]))) + float64(0.15*size*rng.NormFloat64())
		dip := 0.06 + float64(0.5*load[i])
		switch at := i - engineAt; {
		case misfire(at):
			a -= float64(dip * (0.7 + float64(0.3*rng.NormFloat64())))
		case misfire(at - 1):
			a -= float64(0.6 * dip)
		case misfire(at - 2):
			a += float64(0.35 * dip)
		}
		accel[i] = min(max(a, -0.93), 0.9)
	}

	for i := range rows {
		add := func(j int, v float64) {
			if v = round(v, 1e6); v != 0 {
				t.addEntry(j, v)
			}
		}
		add(i%enginePhases, 1)
		add(enginePhases, speed[i+engineAt])
		add(enginePhases+1, load[i+engineAt])
		for k := range engineWindow {
			add(enginePhases+2+k, accel[i+k])
		}
		t.endRow(sign(label[i]))
	}
}
