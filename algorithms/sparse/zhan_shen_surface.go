package sparse

import "math"

// surface is the separation surface g = 0 of
//
//	g(x) = sum_k c_k exp(-gamma |z_k - x|^2) + b,
//
// z_k training points, in the input space. The z_k are points of inputs, and all
// that is evaluated is evaluated in 64 bits.
type surface struct {
	inputs Inputs
	index  []int
	coef   []float64
	bias   float64

	// Of each z_k: |z_k - x|^2 and <z_k - x, v>, where x is the point and v the
	// direction that are being looked at, and c_k K(z_k, x).
	distance, along, weight []float64
	x, v                    []float64 // d
	normal, image           []float64 // d
	passes                  int64     // over the m vectors, with one inner product or kernel evaluation for each
}

func newSurface(in Inputs) *surface {
	d := in.Dim()
	return &surface{inputs: in, x: make([]float64, d), v: make([]float64, d), normal: make([]float64, d), image: make([]float64, d)}
}

// setTo makes it the surface of an expansion in training points.
func (s *surface) setTo(e *Expansion) {
	s.index = append(s.index[:0], e.Index...)
	s.coef = append(s.coef[:0], e.Coef...)
	s.bias = e.Bias
	s.distance = append(s.distance[:0], e.Coef...)
	s.along = append(s.along[:0], e.Coef...)
	s.weight = append(s.weight[:0], e.Coef...)
}

// curvature projects training point i onto the surface along the gradient of g
// there, and returns the curvature of the surface at the projection: the greatest
// magnitude of its d-1 principal curvatures, which are the eigenvalues of
//
//	PHP/|G|,  P = I - GG'/|G|^2,
//
// G and H the gradient and the Hessian of g. It is 0 for d = 1. (The mean of the
// curvatures says little in many dimensions: it has the same 2 gamma b/|G| in it
// from each, whatever the shape.) found is false if g has no gradient at the point
// or at the projection, or if there is no projection within a distance of
// reach/sqrt(2 gamma).
//
// It costs some ten passes of O(m d) for m vectors, d what a point has nonzero
// features, and O(m) for each of some five evaluations of g on the line.
func (s *surface) curvature(i int) (kappa float64, found bool) {
	clear(s.x)
	s.inputs.AddTo(s.x, 1, i)
	norm := s.inputs.NormSq(i)
	for k, j := range s.index {
		s.distance[k] = max(0, s.inputs.NormSq(j)+norm-2*s.inputs.Dot(s.x, j))
	}
	sum, length := s.gradient()
	if !(length > 0) {
		return 0, false
	}
	g := sum + s.bias
	if g > 0 {
		length = -length // downhill
	}
	for f := range s.v {
		s.v[f] /= length
	}
	vx := inner(s.v, s.x)
	for k, j := range s.index {
		s.along[k] = s.inputs.Dot(s.v, j) - vx
	}
	t, found := s.crossing(g, length)
	if !found {
		return 0, false
	}
	for f, v := range s.v {
		s.x[f] += float64(t * v)
	}
	for k, a := range s.along {
		s.distance[k] = max(0, s.distance[k]-2*float64(t*a)+float64(t*t))
	}
	return s.curvatureHere()
}

// gradient sets v to the gradient of g at x and returns g - b and the length of v.
func (s *surface) gradient() (sum, length float64) {
	clear(s.v)
	gamma := s.inputs.Gamma()
	for k, j := range s.index {
		c := s.coef[k] * decay(gamma*s.distance[k])
		s.weight[k] = c
		sum += c
		s.inputs.AddTo(s.v, c, j)
	}
	s.passes++
	for f := range s.v {
		s.v[f] = 2 * gamma * (s.v[f] - float64(sum*s.x[f]))
	}
	return sum, math.Sqrt(inner(s.v, s.v))
}

// Power iteration for the greatest principal curvature, whose estimates rise. Where
// two curvatures are about as great it may end before it reaches them: it is there
// to tell flat from convoluted.
const (
	powerSteps = 30
	// powerGain is the relative rise at which it ends.
	powerGain = 0.005
)

// curvatureHere returns the curvature of the level surface of g at x.
func (s *surface) curvatureHere() (kappa float64, found bool) {
	sum, length := s.gradient()
	if !(length > 0) {
		return 0, false
	}
	for f, v := range s.v {
		s.normal[f] = v / length
		// Any direction: the multiples of the golden ratio, modulo 1.
		_, s.image[f] = math.Modf(float64(f+1) * (math.Phi - 1))
		s.image[f] -= 0.5
	}
	gamma := s.inputs.Gamma()
	size := s.flatten(s.image)
	for range powerSteps {
		if !(size > 0) {
			return 0, size == 0
		}
		for f, v := range s.image {
			s.v[f] = v / size
		}
		// H = sum_k c_k K_k (4 gamma^2 (z_k - x)(z_k - x)' - 2 gamma I).
		clear(s.image)
		var total float64
		vx := inner(s.v, s.x)
		for k, j := range s.index {
			c := s.weight[k] * (s.inputs.Dot(s.v, j) - vx)
			total += c
			s.inputs.AddTo(s.image, c, j)
		}
		s.passes++
		for f, v := range s.v {
			s.image[f] = float64(4*gamma*gamma*(s.image[f]-float64(total*s.x[f]))) - float64(2*gamma*sum*v)
		}
		size = s.flatten(s.image)
		last := kappa
		if kappa = size / length; kappa <= (1+powerGain)*last {
			break
		}
	}
	return kappa, true
}

// flatten projects p onto the tangent space of the surface and returns its length.
func (s *surface) flatten(p []float64) float64 {
	a := inner(p, s.normal)
	for f, v := range s.normal {
		p[f] -= float64(a * v)
	}
	return math.Sqrt(inner(p, p))
}

// Search for the crossing of a line with the surface.
const (
	// reach is how far it goes, and stride the longest step, in standard
	// deviations 1/sqrt(2 gamma) of the kernel.
	reach  = 8
	stride = 1
	// crossed is |g| on the surface, relative to where the line starts.
	crossed = 1e-8
)

// crossing returns the first t >= 0 that it finds with g(x + t v) = 0, given g and
// its derivative at t = 0: by steps of Newton's method, no longer than stride,
// until g has changed its sign, and then by such steps inside the bracket, halving
// it where they leave it.
func (s *surface) crossing(g0, slope float64) (t float64, found bool) {
	width := 1 / math.Sqrt(2*s.inputs.Gamma())
	g := g0
	low, high := 0.0, math.Inf(1)
	for range 64 {
		if math.Abs(g) <= crossed*math.Abs(g0) {
			return t, true
		}
		switch {
		case (g > 0) == (g0 > 0):
			low = t
		default:
			high = t
		}
		next := t - g/slope
		if math.IsInf(high, 1) {
			if !(next > t && next <= t+stride*width) {
				next = t + stride*width
			}
			if next > reach*width {
				return 0, false
			}
		} else if !(next > low && next < high) {
			next = low + 0.5*(high-low)
			if next == low || next == high {
				return t, true
			}
		}
		t = next
		g, slope = s.onLine(t)
	}
	return t, !math.IsInf(high, 1)
}

// onLine returns g at x + t v and its derivative in t.
func (s *surface) onLine(t float64) (g, slope float64) {
	gamma := s.inputs.Gamma()
	g = s.bias
	for k, c := range s.coef {
		a := s.along[k]
		c *= decay(gamma * (s.distance[k] - 2*float64(t*a) + float64(t*t)))
		g += c
		slope += float64(c * (a - t))
	}
	s.passes++
	return g, 2 * gamma * slope
}

// decay returns e^-z for z >= 0, or next to it, to within 2^-52. math.Exp depends
// on the CPU, and math.Expm1 does not.
func decay(z float64) float64 { return 1 + math.Expm1(-z) }
