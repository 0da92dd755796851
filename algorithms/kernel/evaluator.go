package kernel

// evaluator computes rows of a kernel matrix. It is the working memory of one
// goroutine.
type evaluator struct {
	kernel Kernel
	points *Points
	query  query
	// differ and table serve the Gaussian kernel of bit sets: the squared
	// distance is v^2 times the number of features in which two points differ.
	differ *bitQuery
	table  []float32
}

func newEvaluator(k Kernel, p *Points, table []float32) *evaluator {
	e := &evaluator{kernel: k, points: p, query: p.layout.query()}
	if table != nil {
		e.differ, e.table = e.query.(*bitQuery), table
	}
	return e
}

// gaussTable returns the Gaussian kernel by the number of features in which
// two points differ, or nil if that is not how it is found.
func gaussTable(k Kernel, p *Points) []float32 {
	g, gaussian := k.(Gaussian)
	l, binary := p.layout.(*bitLayout)
	if !gaussian || !binary {
		return nil
	}
	table := make([]float32, 64*l.words+1)
	for h := range table {
		table[h] = float32(expNeg(float64(g.Gamma * float64(float64(h)*l.v2))))
	}
	return table
}

// rows sets dst[r] to the kernel's values between point rows[r] and all
// points, for at most layout.batch rows.
func (e *evaluator) rows(dst [][]float32, rows []int) {
	e.query.set(rows)
	norms := e.points.norms
	for lo := 0; lo < len(norms); lo += block {
		hi := min(lo+block, len(norms))
		if e.table != nil {
			table := e.table
			out := dst[0][lo:hi]
			for j, h := range e.differ.hamming(lo, hi)[:len(out)] {
				out[j] = table[h]
			}
			continue
		}
		for r, dots := range e.query.dots(lo, hi) {
			e.apply(dst[r][lo:hi], dots[:hi-lo], norms[lo:hi], norms[rows[r]])
		}
	}
}

// apply sets dst[j] to the kernel's value from inner products dots[j] and
// squared norms xx and norms[j].
func (e *evaluator) apply(dst []float32, dots, norms []float64, xx float64) {
	switch k := e.kernel.(type) {
	case Gaussian:
		gaussRow(dst, dots, norms, xx, k.Gamma)
	case Linear:
		for j, dot := range dots {
			dst[j] = float32(dot)
		}
	case Polynomial:
		for j, dot := range dots {
			dst[j] = float32(k.Eval(dot, xx, norms[j]))
		}
	default:
		for j, dot := range dots {
			dst[j] = float32(k.Eval(dot, xx, norms[j]))
		}
	}
}
