package datasets

import (
	"fmt"
	"math"
	"math/rand/v2"
)

const (
	ijcnnFeatures = 22
	ijcnnPhases   = 10 // firings in a cycle
	ijcnnWindow   = 10 // firings whose acceleration a row shows
	ijcnnAt       = 4  // the place in the window of the firing that a row is about
)

// ijcnnStretches holds the numbers of rows and of misfires of the stretches of
// time that the files are; ijcnn1 is the first two.
var ijcnnStretches = []struct {
	file            string
	rows, positives int
}{
	{"ijcnn1.tr", 35000, 3415},
	{"ijcnn1.val", 14990, 1438},
	{"ijcnn1.t", 91701, 8712},
}

// ijcnn1StandIn runs an engine: each firing gives the crankshaft an
// acceleration that depends on its phase in the cycle, the speed and the load,
// both of which drift; a misfire takes some away, and shakes the next firings.
// A row has the phase as one of ten binary features, speed, load, and the
// accelerations around the firing, which is to be classified. Light loads
// leave little to see.
func ijcnn1StandIn(_ string, parts []Part) (*Table, error) {
	var tables []*Table
	for _, p := range parts {
		for k, s := range ijcnnStretches {
			if p.Files[0] == s.file || p.Files[0] == "ijcnn1" && k < 2 {
				tables = append(tables, ijcnnStretch(s.rows, s.positives, 5<<32+uint64(k)))
			}
		}
	}
	if len(tables) == 0 {
		return nil, fmt.Errorf("no such part")
	}
	return stack(tables), nil
}

func ijcnnStretch(rows, positives int, stream uint64) *Table {
	rng := rand.New(rand.NewPCG(standInSeed, 5<<32+1<<16))
	var pattern [ijcnnPhases][2]float64 // how a phase swings with the speed
	for p := range pattern {
		pattern[p] = [2]float64{rng.NormFloat64(), 2 * math.Pi * rng.Float64()}
	}
	rng = rand.New(rand.NewPCG(standInSeed, stream))
	label := shuffledClasses([]int{rows - positives, positives}, rng)
	misfire := func(i int) bool { return i >= 0 && i < rows && label[i] == 1 }

	// Firing i of the stretch is entry i + ijcnnAt.
	n := rows + ijcnnWindow
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
		p := pattern[i%ijcnnPhases]
		a := float64(0.5*size*p[0]*math.Sin(p[1]+float64(4*speed[i]))) + float64(0.15*size*rng.NormFloat64())
		dip := 0.06 + float64(0.5*load[i])
		switch at := i - ijcnnAt; {
		case misfire(at):
			a -= float64(dip * (0.7 + float64(0.3*rng.NormFloat64())))
		case misfire(at - 1):
			a -= float64(0.6 * dip)
		case misfire(at - 2):
			a += float64(0.35 * dip)
		}
		accel[i] = min(max(a, -0.93), 0.9)
	}

	t := &Table{N: rows, D: ijcnnFeatures, indptr: make([]int, 1, rows+1), Labels: make([]float64, rows)}
	t.indices = make([]int32, 0, rows*(3+ijcnnWindow))
	t.values = make([]float64, 0, rows*(3+ijcnnWindow))
	for i := range rows {
		add := func(j int, v float64) {
			if v = math.Round(v*1e6) / 1e6; v != 0 {
				t.indices = append(t.indices, int32(j))
				t.values = append(t.values, v)
			}
		}
		add(i%ijcnnPhases, 1)
		add(ijcnnPhases, speed[i+ijcnnAt])
		add(ijcnnPhases+1, load[i+ijcnnAt])
		for k := range ijcnnWindow {
			add(ijcnnPhases+2+k, accel[i+k])
		}
		t.indptr = append(t.indptr, len(t.indices))
		t.Labels[i] = float64(2*label[i] - 1)
	}
	return t
}
