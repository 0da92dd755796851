package objective

import "gonum.org/v1/gonum/mat"

// solve implements SecondMoment: the eigenvalues of (1/n) X^T X are those of the n x n
// matrix (1/n) X X^T, and zeros.
func (m *RowMoment) solve(k int) (*solution, error) {
	o, err := decompose(gram(m.rows), "Gram")
	if err != nil {
		return nil, err
	}
	values := make([]float64, k)
	for i := range min(k, len(o.Eigenvalues)) {
		values[i] = max(o.Eigenvalues[i], 0) // as the exact one is
	}
	return &solution{method: "eigendecomposition of the Gram matrix", eigenvalues: values, bound: o.ErrorBound(1)}, nil
}

// gram returns (1/n) X X^T.
func gram(rows Samples) *mat.Dense {
	n, d := rows.Dims()
	g := mat.NewDense(n, n, nil)
	x, buf := make([]float64, d), rowBuffer(rows)
	for i := range n {
		addRow(rows, i, 1, x, buf)
		for j := range i + 1 {
			v := dot(rows, j, x, buf) / float64(n)
			g.Set(i, j, v)
			g.Set(j, i, v)
		}
		addRow(rows, i, -1, x, buf) // which leaves exactly 0
	}
	return g
}
