package datasets

import (
	"math"
	"math/rand/v2"
)

const (
	speechFeatures = 39
	speechStatic   = 13 // cepstral coefficients; as many differences follow, twice
	speechVoices   = 12 // ways to utter a class
	speechFactors  = 6  // directions in which the frames of an utterance vary together
	speechStray    = 0.05
)

// The standard deviations of a coefficient, of its first and of its second
// differences: between the classes, and between the voices of one. Speakers differ
// by speechSpeaker in each, and the frames make up the rest to about 1.
var (
	speechClass = [3]float64{0.25, 0.18, 0.12}
	speechVoice = [3]float64{0.4, 0.3, 0.2}
)

const speechSpeaker = 0.3

// speech draws frames of speech: the mean of one of the voices of a class, which
// overlap, the offset of the speaker, and noise of which half is in a few
// directions. The test frames have other speakers than the training frames.
type speech struct{}

// frame holds a number for each feature.
type frame [speechFeatures]float64

// normalFrame draws a frame with the given standard deviations.
func normalFrame(sd [3]float64, rng *rand.Rand) (x frame) {
	for j := range x {
		x[j] = sd[j/speechStatic] * rng.NormFloat64()
	}
	return x
}

func (*speech) add(t *Table, r standInRun, setup *rand.Rand) {
	voices := make([][speechVoices]frame, len(r.Classes))
	for c := range voices {
		class := normalFrame(speechClass, setup)
		for v := range voices[c] {
			voices[c][v] = normalFrame(speechVoice, setup)
			for j := range class {
				voices[c][v][j] += class[j]
			}
		}
	}
	var noise frame // standard deviation of a half
	for j := range noise {
		a, b := speechClass[j/speechStatic], speechVoice[j/speechStatic]
		noise[j] = math.Sqrt((1 - float64(a*a) - float64(b*b) - speechSpeaker*speechSpeaker) / 2)
	}
	var factors [speechFactors]frame
	for f := range factors {
		factors[f] = normalFrame([3]float64{1, 1, 1}, setup)
		for j := range factors[f] {
			factors[f][j] *= noise[j] / math.Sqrt(speechFactors)
		}
	}

	rng := newStream(r.Stream)
	classes := shuffledClasses(r.Classes, rng)
	var speaker frame
	at := -1
	for i, c := range classes {
		if s := i * r.Speakers / len(classes); s != at {
			at = s
			speaker = normalFrame([3]float64{speechSpeaker, speechSpeaker, speechSpeaker}, rng)
		}
		row := t.addRow(float64(c + 1))
		if rng.Float64() < speechStray {
			c = pick(r.Classes, rng)
		}
		mean := &voices[c][rng.IntN(speechVoices)]
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
			row[j] = round(v, 1e4)
		}
	}
}
