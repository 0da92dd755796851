package kernel

// evaluator computes rows of a kernel matrix. It is the working memory of one
// goroutine.
type evaluator struct {
	kernel Kernel
	points *Points
	query  query
	// from and to say which points a row spans.
	from, to int
	// differ and table serve the Gaussian kernel of bit sets: the squared
	// distance is v^2 times the number of features in which two points differ.
	differ *bitQuery
	table  []float32
}

func newEvaluator(k Kernel, p *Points, table []float32, from, to int) *evaluator {
	e := &evaluator{kernel: k, points: p, query: p.layout.query(), from: from, to: to}
	if q, ok := e.query.(*sparseQuery); ok {
		q.from, q.to = from, to
	}
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
	table := make([]float32, max(64*l.words+1, byteTable))
	for h := range table {
		table[h] = float32(expNeg(float64(g.Gamma * float64(float64(h)*l.v2))))
	}
	return table
}

// byteTable is the least length of a table: one of this length needs no check
// of an index that is a byte.
const byteTable = 256

// lookUp sets out[j] to table[h[j]].
func lookUp(out, table []float32, h []uint64) {
	h = h[:len(out)]
	if len(table) > byteTable {
		for j, k := range h {
			out[j] = table[k]
		}
		return
	}
	t := (*[byteTable]float32)(table)
	for len(out) >= 4 && len(h) >= 4 {
		out[0], out[1], out[2], out[3] = t[uint8(h[0])], t[uint8(h[1])], t[uint8(h[2])], t[uint8(h[3])]
		out, h = out[4:], h[4:]
	}
	for j, k := range h {
		out[j] = t[uint8(k)]
	}
}

// rows sets dst[r] to the kernel's values between point rows[r] and the points
// that a row spans, for at most layout.batch rows.
func (e *evaluator) rows(dst [][]float32, rows []int) {
	e.query.set(rows)
	norms := e.points.norms
	for base := e.from / block * block; base < e.to; base += block {
		// Queries answer for blocks, of which a row begins and ends inside one.
		lo, hi := max(base, e.from), min(base+block, e.to)
		at := lo - e.from
		if e.table != nil {
			e.differ.lookUp(dst[0][at:at+hi-lo], e.table, base, lo, hi)
			continue
		}
		for r, dots := range e.query.dots(base, hi) {
			e.apply(dst[r][at:at+hi-lo], dots[lo-base:hi-base], norms[lo:hi], norms[rows[r]])
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
