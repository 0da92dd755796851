package datasets

import (
	"fmt"
	"math"
	"math/rand/v2"
)

const (
	timitFeatures = 39
	timitStatic   = 13 // cepstral coefficients; as many differences follow, twice
	timitVoices   = 12 // ways to utter a class
	timitFactors  = 6  // directions in which the frames of an utterance vary together
	timitStray    = 0.05
)

// timitShares holds the shares of the classes 1, 2, … in 1,000 rows. They are
// made up, but for their number being small enough that class 3 against the rest
// is as uneven and as hard as the thesis's remark on the error permits.
var timitShares = []int{110, 150, 160, 70, 110, 70, 100, 120, 110}

// timitSpeakers holds the numbers of speakers of the corpus.
var timitSpeakers = map[string]int{"train": 462, "test": 168}

// The standard deviations of a coefficient, of its first and of its second
// differences: between the classes, and between the voices of one. Speakers differ
// by timitSpeaker in each, and the frames make up the rest to about 1.
var (
	timitClass = [3]float64{0.25, 0.18, 0.12}
	timitVoice = [3]float64{0.4, 0.3, 0.2}
)

const timitSpeaker = 0.3

// timitStandIn draws frames of speech: the mean of one of the voices of a class,
// which overlap, the offset of the speaker, and noise of which half is in a few
// directions. The test frames have other speakers than the training frames.
// Nothing in it is taken from the corpus but its sizes.
func timitStandIn(_ string, parts []Part) (*Table, error) {
	rng := rand.New(rand.NewPCG(standInSeed, 7<<32))
	normal := func(sd [3]float64) (x [timitFeatures]float64) {
		for j := range x {
			x[j] = sd[j/timitStatic] * rng.NormFloat64()
		}
		return x
	}
	voices := make([][timitVoices][timitFeatures]float64, len(timitShares))
	for c := range voices {
		class := normal(timitClass)
		for v := range voices[c] {
			voices[c][v] = normal(timitVoice)
			for j := range class {
				voices[c][v][j] += class[j]
			}
		}
	}
	var noise [timitFeatures]float64 // standard deviation of a half
	for j := range noise {
		a, b := timitClass[j/timitStatic], timitVoice[j/timitStatic]
		noise[j] = math.Sqrt((1 - float64(a*a) - float64(b*b) - timitSpeaker*timitSpeaker) / 2)
	}
	var factors [timitFactors][timitFeatures]float64
	for f := range factors {
		factors[f] = normal([3]float64{1, 1, 1})
		for j := range factors[f] {
			factors[f][j] *= noise[j] / math.Sqrt(timitFactors)
		}
	}

	var tables []*Table
	for _, p := range parts {
		speakers, ok := timitSpeakers[p.Name]
		if !ok {
			return nil, fmt.Errorf("no part %s", p.Name)
		}
		rng = rand.New(rand.NewPCG(standInSeed, 7<<32+uint64(len(p.Name))))
		counts := make([]int, len(timitShares))
		left := p.Rows
		for c, share := range timitShares {
			counts[c] = p.Rows * share / 1000
			left -= counts[c]
		}
		counts[len(counts)-1] += left
		t := &Table{N: p.Rows, D: timitFeatures, data: make([]float64, p.Rows*timitFeatures), Labels: make([]float64, p.Rows)}
		var speaker [timitFeatures]float64
		at := -1
		for i, c := range shuffledClasses(counts, rng) {
			if s := i * speakers / p.Rows; s != at {
				at = s
				speaker = normal([3]float64{timitSpeaker, timitSpeaker, timitSpeaker})
			}
			t.Labels[i] = float64(c + 1)
			if rng.Float64() < timitStray {
				c = pick(counts, rng)
			}
			mean := &voices[c][rng.IntN(timitVoices)]
			row := t.Row(i)
			for j := range row {
				row[j] = mean[j] + speaker[j] + float64(noise[j]*rng.NormFloat64())
			}
			for f := range factors {
				z := rng.NormFloat64()
				for j := range row {
					row[j] += float64(z * factors[f][j])
				}
			}
			for j, v := range row {
				row[j] = math.Round(v*1e4) / 1e4
			}
		}
		tables = append(tables, t)
	}
	return stack(tables), nil
}
