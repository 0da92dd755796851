package datasets

import (
	"math"
	"math/rand/v2"
)

const (
	forestFeatures = 54
	forestNumeric  = 10
	forestSites    = 20000
	forestStray    = 0.05 // share of trees that stand among others' sites
)

// forestLow and forestHigh bound the numeric features: elevation, aspect,
// slope, horizontal and vertical distance to water, distance to roads, shade
// at 9, 12 and 15 o'clock, distance to places of fire.
var (
	forestLow  = [forestNumeric]float64{1859, 0, 0, 0, -173, 0, 0, 0, 0, 0}
	forestHigh = [forestNumeric]float64{3858, 360, 66, 1397, 601, 7117, 254, 254, 254, 7173}

	// forestWithin is how much a feature varies within a site.
	forestWithin = [forestNumeric]float64{14, 9, 1.4, 22, 8, 38, 2, 2, 3, 38}
)

// forestSite is a patch of forest of one cover type.
type forestSite struct {
	wild, soil int
	mean       [forestNumeric]float64
}

// covtypeStandIn draws rows from many small sites, each with a cover type, an
// area and a soil drawn as they go together, and an elevation, slope, aspect
// and distances drawn as usual for the type; the shades follow from slope and
// aspect. The rows of a site are alike. A site of which no row was seen can be
// told by what is usual only, so the error falls with the number of rows for
// long, as it does on the real data.
func covtypeStandIn(variant string, parts []Part) (*Table, error) {
	n := 0
	for _, p := range parts {
		n += p.Rows
	}
	rng := rand.New(rand.NewPCG(standInSeed, 6<<32))
	counts := make([]int, len(forestClasses))
	for c := range counts {
		counts[c] = forestClasses[c].rows
	}
	sites := make([][]forestSite, len(counts))
	size := make([]lot, len(counts))
	for c := range counts {
		k := 1 + forestSites*counts[c]/n
		weight := make([]float64, k)
		for i := range k {
			sites[c] = append(sites[c], newForestSite(&forestClasses[c], rng))
			weight[i] = 0.1 + float64(rng.ExpFloat64()*rng.ExpFloat64())
		}
		size[c] = newLot(weight)
	}
	t := &Table{N: n, D: forestFeatures, data: make([]float64, n*forestFeatures), Labels: make([]float64, n)}
	for i, c := range shuffledClasses(counts, rng) {
		t.Labels[i] = float64(c + 1)
		from := c
		if rng.Float64() < forestStray {
			from = pick(counts, rng)
		}
		site := &sites[from][size[from].draw(rng)]
		row := t.Row(i)
		for j := range forestNumeric {
			row[j] = site.mean[j] + float64(forestWithin[j]*rng.NormFloat64())
		}
		forestBounds(row)
		row[forestNumeric+site.wild] = 1
		row[forestNumeric+4+site.soil] = 1
		if variant == "scaled" {
			for j := range forestNumeric {
				v := (row[j] - forestLow[j]) / (forestHigh[j] - forestLow[j])
				row[j] = math.Round(v*1e6) / 1e6
			}
		}
	}
	return t, nil
}

func newForestSite(c *forestClass, rng *rand.Rand) forestSite {
	var s forestSite
	s.wild = pick(c.wild[:], rng)
	s.soil = pick(c.soil[:], rng)
	for _, j := range []int{0, 2, 3, 4, 5, 9} {
		v := c.mean[j] + float64(c.sd[j]*rng.NormFloat64())
		if v < forestLow[j] && j > 0 {
			v = forestLow[j] + (forestLow[j]-v)/2
		}
		s.mean[j] = v
	}
	s.mean[1] = 360 * rng.Float64()
	sin, cos := math.Sincos(s.mean[2] * math.Pi / 180)
	for k, sun := range [3][2]float64{{100, 42}, {170, 32}, {250, 55}} { // azimuth and zenith
		sinz, cosz := math.Sincos(sun[1] * math.Pi / 180)
		s.mean[6+k] = 254 * max(0, float64(cosz*cos)+float64(sinz*sin*math.Cos((sun[0]-s.mean[1])*math.Pi/180))) * [3]float64{1.17, 1.05, 0.98}[k]
	}
	return s
}

// forestBounds rounds the numeric features to whole numbers in their range.
func forestBounds(row []float64) {
	row[1] -= float64(360 * math.Floor(row[1]/360))
	for j := range forestNumeric {
		row[j] = math.Round(min(max(row[j], forestLow[j]), forestHigh[j]))
	}
}
