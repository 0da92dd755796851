package datasets

import (
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
)

const (
	imageSide  = 28
	imageBlock = 500 // images that share a random stream
)

// How the digits vary, chosen so that the spectrum of the second moment and
// the errors of simple classifiers come near MNIST's (TestStandInLikeReal).
const (
	glyphSide   = 20   // pixels: the box of the digits
	glyphAspect = 0.85 // mean and standard deviation of width : height
	glyphSpread = 0.18
	glyphLean   = -0.2 // mean and standard deviation of the shear
	glyphShear  = 0.27
	glyphTurn   = 0.12
	glyphJitter = 0.048
	penRadius   = 1.9 // pixels
	penSpread   = 0.25
	penStep     = 0.8 // pixels between two touches of the pen
	penSlope    = 1.0 // darkness at the centre, before it is cut at 1
)

// digits draws the digits with a pen: the strokes of a glyph, with every point
// moved at random, under a random shear, turn and aspect ratio and with a random
// width of the pen; then, as MNIST's were, scaled to a box and centred by the centre
// of mass. The values are whole numbers 0..255.
type digits struct {
	// Glyphs holds the strokes of each digit.
	Glyphs [][][][2]float64
}

// add draws the images in blocks, each with a random stream of its own, so that any
// number of CPUs gives the same.
func (d *digits) add(t *Table, r standInRun, _ *rand.Rand) {
	class := shuffledClasses(r.Classes, newStream(r.Stream))
	first := t.N
	for _, c := range class {
		t.Labels = append(t.Labels, float64(c))
	}
	t.N += len(class)
	t.coded.data = append(t.coded.data, make([]uint8, len(class)*t.D)...)
	blocks := (len(class) + imageBlock - 1) / imageBlock
	workers := runtime.GOMAXPROCS(0)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			var p pen
			image := make([]float64, t.D)
			for b := w; b < blocks; b += workers {
				rng := newStream(r.Stream + 1 + uint64(b))
				for i := b * imageBlock; i < min(len(class), (b+1)*imageBlock); i++ {
					clear(image)
					p.draw(image, d.Glyphs[class[i]], rng)
					for j, v := range image {
						t.coded.data[(first+i)*t.D+j] = uint8(v)
					}
				}
			}
		})
	}
	wg.Wait()
}

type point struct{ x, y float64 }

// pen draws images; it holds the points of the curve being drawn.
type pen struct {
	track []point
	ctrl  []point
}

// draw draws strokes to the all-zero image dst.
func (p *pen) draw(dst []float64, strokes [][][2]float64, rng *rand.Rand) {
	aspect := max(0.3, glyphAspect+glyphSpread*rng.NormFloat64())
	shear := glyphLean + glyphShear*rng.NormFloat64()
	turn := glyphTurn * rng.NormFloat64()
	radius := penRadius * max(0.6, 1+penSpread*rng.NormFloat64())
	jitter := glyphJitter * (1 + math.Abs(rng.NormFloat64()))

	p.track = p.track[:0]
	for _, s := range strokes {
		p.ctrl = p.ctrl[:0]
		for _, q := range s {
			x := q[0] - 0.5 + jitter*rng.NormFloat64()
			y := q[1] - 0.5 + jitter*rng.NormFloat64()
			x = aspect * (x + shear*y)
			p.ctrl = append(p.ctrl, point{glyphSide * (x + turn*y), glyphSide * (y - turn*x)})
		}
		p.curve()
	}
	p.place(radius)
	for _, q := range p.track {
		touch(dst, q.x, q.y, radius)
	}
	for i, v := range dst {
		if v != 0 {
			dst[i] = float64(int(255*v + 0.5))
		}
	}
}

// place scales the track so that what a pen of the given radius draws fits the
// box, and moves its centre of mass to the centre of the image.
func (p *pen) place(radius float64) {
	low, high := p.track[0], p.track[0]
	var c point
	for _, q := range p.track {
		low = point{min(low.x, q.x), min(low.y, q.y)}
		high = point{max(high.x, q.x), max(high.y, q.y)}
		c.x += q.x
		c.y += q.y
	}
	n := float64(len(p.track))
	s := (glyphSide + 1 - 2*radius) / max(high.x-low.x, high.y-low.y)
	for i, q := range p.track {
		p.track[i] = point{
			s*(q.x-c.x/n) + (imageSide-1)/2.0,
			s*(q.y-c.y/n) + (imageSide-1)/2.0,
		}
	}
}

// curve appends to the track the Catmull-Rom spline through the control points.
func (p *pen) curve() {
	c := p.ctrl
	for i := range len(c) - 1 {
		b, d := c[i], c[i+1]
		a, e := b, d
		if i > 0 {
			a = c[i-1]
		}
		if i+2 < len(c) {
			e = c[i+2]
		}
		dx, dy := d.x-b.x, d.y-b.y
		steps := int(math.Sqrt(dx*dx+dy*dy)/penStep) + 1
		for k := range steps {
			t := float64(k) / float64(steps)
			p.track = append(p.track, point{spline(a.x, b.x, d.x, e.x, t), spline(a.y, b.y, d.y, e.y, t)})
		}
	}
	p.track = append(p.track, c[len(c)-1])
}

func spline(a, b, c, d, t float64) float64 {
	return b + 0.5*t*(c-a+t*(2*a-5*b+4*c-d+t*(3*(b-c)+d-a)))
}

// touch darkens the pixels around (x, y), to 1 near the centre of the pen and
// not at all beyond its radius.
func touch(dst []float64, x, y, radius float64) {
	x = min(max(x, 0), imageSide-1)
	y = min(max(y, 0), imageSide-1)
	r2 := radius * radius
	slope := penSlope / r2
	for row := max(0, int(y-radius)); row <= min(imageSide-1, int(y+radius)); row++ {
		dy := float64(row) - y
		line := dst[row*imageSide : (row+1)*imageSide]
		for col := max(0, int(x-radius)); col <= min(imageSide-1, int(x+radius)); col++ {
			dx := float64(col) - x
			v := min(1, slope*(r2-dx*dx-dy*dy))
			if v > line[col] {
				line[col] = v
			}
		}
	}
}
