package datasets

import (
	"math"
	"math/rand/v2"
)

const (
	forestNumeric = 10    // numeric features, the first ones
	forestSites   = 20000 // about as many
	forestStray   = 0.05  // share of trees that stand among others' sites
)

// forest draws rows from many small sites, each with a cover type, an area and a
// soil drawn as they go together, and an elevation, slope, aspect and distances
// drawn as usual for the type; the shades follow from slope and aspect. The rows
// of a site are alike. A site of which no row was seen can be told by what is
// usual only, so the error falls with the number of rows for long, as it does on
// the real data.
type forest struct {
	// Low and High bound the numeric features; Within is how much one varies within
	// a site.
	Low, High, Within [forestNumeric]float64
	Types             []forestType // in the order of the classes
}

// forestType holds the mean and standard deviation of the numeric features, and how
// many rows lie in each wilderness area and on each soil.
type forestType struct {
	Mean, SD [forestNumeric]float64
	Wild     [4]int
	Soil     [40]int
}

// forestSite is a patch of forest of one cover type.
type forestSite struct {
	wild, soil int
	mean       [forestNumeric]float64
}

func (f *forest) add(t *Table, r standInRun, _ *rand.Rand) {
	rng := newStream(r.Stream)
	n := 0
	for _, rows := range r.Classes {
		n += rows
	}
	sites := make([][]forestSite, len(f.Types))
	size := make([]lot, len(f.Types))
	for c := range f.Types {
		weight := make([]float64, 1+forestSites*r.Classes[c]/n)
		for i := range weight {
			sites[c] = append(sites[c], f.site(&f.Types[c], rng))
			weight[i] = 0.1 + float64(rng.ExpFloat64()*rng.ExpFloat64())
		}
		size[c] = newLot(weight)
	}
	for _, c := range shuffledClasses(r.Classes, rng) {
		row := t.addRow(float64(c + 1))
		from := c
		if rng.Float64() < forestStray {
			from = pick(r.Classes, rng)
		}
		site := &sites[from][size[from].draw(rng)]
		for j := range forestNumeric {
			row[j] = site.mean[j] + float64(f.Within[j]*rng.NormFloat64())
		}
		f.bound(row)
		row[forestNumeric+site.wild] = 1
		row[forestNumeric+4+site.soil] = 1
		if r.Scaled {
			for j := range forestNumeric {
				row[j] = round((row[j]-f.Low[j])/(f.High[j]-f.Low[j]), 1e6)
			}
		}
	}
}

func (f *forest) site(c *forestType, rng *rand.Rand) forestSite {
	var s forestSite
	s.wild = pick(c.Wild[:], rng)
	s.soil = pick(c.Soil[:], rng)
	for _, j := range []int{0, 2, 3, 4, 5, 9} {
		v := c.Mean[j] + float64(c.SD[j]*rng.NormFloat64())
		if v < f.Low[j] && j > 0 {
			v = f.Low[j] + (f.Low[j]-v)/2
		}
		s.mean[j] = v
	}
	s.mean[1] = 360 * rng.Float64()
	sin, cos := math.Sincos(s.mean[2] * math.Pi / 180)
	// Azimuth and zenith of the sun, and how bright it is.
	for k, sun := range [3][3]float64{{100, 42, 1.17}, {170, 32, 1.05}, {250, 55, 0.98}} {
		sinz, cosz := math.Sincos(sun[1] * math.Pi / 180)
		across := float64(sinz * sin * math.Cos((sun[0]-s.mean[1])*math.Pi/180))
		s.mean[6+k] = 254 * max(0, float64(cosz*cos)+across) * sun[2]
	}
	return s
}

// bound rounds the numeric features to whole numbers in their range.
func (f *forest) bound(row []float64) {
	row[1] -= float64(360 * math.Floor(row[1]/360))
	for j := range forestNumeric {
		row[j] = math.Round(min(max(row[j], f.Low[j]), f.High[j]))
	}
}

// round rounds v to multiples of 1/unit.
func round(v, unit float64) float64 { return math.Round(v*unit) / unit }
