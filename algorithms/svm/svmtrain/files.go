package svmtrain

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"stochopt/algorithms/kernel"
)

// Problem is what svm-train is given: the first Train of the points X, of which the
// first Positive have the label +1 and the others -1.
type Problem struct {
	X               kernel.Vectors
	Train, Positive int
}

// write writes the training points in LIBSVM's format: a line "label index:value …"
// for each, indices from 1, zeros left out. The values read back exactly.
func (p Problem) write(path string) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriterSize(f, 1<<16)
	var line []byte
	for i := range p.Train {
		line = append(line[:0], "+1"...)
		if i >= p.Positive {
			line[0] = '-'
		}
		eachNonZero(p.X, i, func(j int, v float64) {
			line = append(line, ' ')
			line = strconv.AppendInt(line, int64(j)+1, 10)
			line = append(line, ':')
			line = strconv.AppendFloat(line, v, 'g', -1, 64)
		})
		line = append(line, '\n')
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return w.Flush()
}

// eachNonZero visits the non-zeros of a point by increasing feature.
func eachNonZero(x kernel.Vectors, i int, visit func(j int, v float64)) {
	if !x.Sparse() {
		for j, v := range x.Row(i, nil) {
			if v != 0 {
				visit(j, v)
			}
		}
		return
	}
	indices, values := x.RowNonZero(i)
	for k, j := range indices {
		if values[k] != 0 {
			visit(int(j), values[k])
		}
	}
}

// model is a binary classifier as svm-train writes it, turned so that
// positive scores are for the label +1.
type model struct {
	bias float64
	// positive and negative hold the support vectors of each class, in the order
	// of the training file.
	positive, negative []supportVector
}

// supportVector is alpha_i y_i and the point's features, "index:value …".
type supportVector struct {
	coefficient float64
	features    string
	line        int
}

// readModel reads the model file of a C-SVC with two classes, +1 and -1.
func readModel(r io.Reader) (*model, error) {
	lines := bufio.NewReaderSize(r, 1<<16)
	number := 0
	next := func() (string, error) {
		number++
		line, err := lines.ReadString('\n')
		if err == io.EOF && line != "" {
			err = nil
		}
		return strings.TrimRight(line, "\r\n"), err
	}
	fail := func(format string, args ...any) error {
		return fmt.Errorf("svm-train's model, line %d: %s", number, fmt.Sprintf(format, args...))
	}
	header := map[string]string{}
	for {
		line, err := next()
		if err != nil {
			return nil, fail("the file ends before the support vectors")
		}
		key, value, _ := strings.Cut(line, " ")
		if key == "SV" {
			break
		}
		header[key] = strings.TrimSpace(value)
	}
	if header["svm_type"] != "c_svc" || header["nr_class"] != "2" {
		return nil, fail("a %s with %s classes; a c_svc with 2 is expected", header["svm_type"], header["nr_class"])
	}
	rho, err := strconv.ParseFloat(header["rho"], 64)
	if err != nil || math.IsNaN(rho) || math.IsInf(rho, 0) {
		return nil, fail("rho is %q, no finite number", header["rho"])
	}
	var count [2]int
	if n, err := fmt.Sscanf(header["nr_sv"], "%d %d", &count[0], &count[1]); n != 2 || err != nil || count[0] < 0 || count[1] < 0 {
		return nil, fail("nr_sv is %q; two counts are expected", header["nr_sv"])
	}
	m := &model{bias: -rho}
	sign, classes := 1.0, [2]*[]supportVector{&m.positive, &m.negative}
	switch strings.Join(strings.Fields(header["label"]), " ") {
	case "1 -1":
	case "-1 1":
		// Positive scores are for the first label.
		sign, m.bias = -1, rho
		classes[0], classes[1] = classes[1], classes[0]
	default:
		return nil, fail("the labels are %q; 1 and -1 are expected", header["label"])
	}
	for c, class := range classes {
		for range count[c] {
			line, err := next()
			if err != nil {
				return nil, fail("the file ends after %d of %d support vectors", len(m.positive)+len(m.negative), count[0]+count[1])
			}
			coefficient, features, _ := strings.Cut(line, " ")
			v, err := strconv.ParseFloat(coefficient, 64)
			if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fail("the coefficient %q is no finite number", coefficient)
			}
			*class = append(*class, supportVector{sign * v, features, number})
		}
	}
	return m, nil
}

// coefficients returns alpha for the training points. The support vectors of a
// class are in the order of its points, so each is the first equal point after the
// one before it; among equal points it makes no difference to the classifier which
// is taken.
func (m *model) coefficients(p Problem) ([]float64, error) {
	n := p.Train
	alpha := make([]float64, n)
	for _, class := range []struct {
		vectors  []supportVector
		from, to int
		label    float64
	}{{m.positive, 0, p.Positive, 1}, {m.negative, p.Positive, n, -1}} {
		i := class.from
		for _, v := range class.vectors {
			indices, values, err := v.parse()
			if err != nil {
				return nil, err
			}
			for i < class.to && !samePoint(p.X, i, indices, values) {
				i++
			}
			if i == class.to {
				return nil, fmt.Errorf("svm-train's model, line %d: the support vector is none of the points that are left of its class", v.line)
			}
			alpha[i] = max(0, class.label*v.coefficient)
			i++
		}
	}
	return alpha, nil
}

// parse returns the non-zeros of the point, features from 0.
func (v supportVector) parse() (indices []int, values []float64, err error) {
	for _, field := range strings.Fields(v.features) {
		index, value, _ := strings.Cut(field, ":")
		j, err1 := strconv.Atoi(index)
		f, err2 := strconv.ParseFloat(value, 64)
		if err1 != nil || err2 != nil {
			return nil, nil, fmt.Errorf("svm-train's model, line %d: %q is no index:value", v.line, field)
		}
		if f != 0 {
			indices, values = append(indices, j-1), append(values, f)
		}
	}
	return indices, values, nil
}

// samePoint reports whether point i of x is the one that a model file shows. It
// shows 8 significant digits, or 17 in some versions of LIBSVM.
func samePoint(x kernel.Vectors, i int, indices []int, values []float64) bool {
	k, same := 0, true
	eachNonZero(x, i, func(j int, v float64) {
		same = same && k < len(indices) && indices[k] == j && (values[k] == v || values[k] == eightDigits(v))
		k++
	})
	return same && k == len(indices)
}

func eightDigits(v float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 8, 64), 64)
	if err != nil {
		panic("svmtrain: a formatted number does not parse")
	}
	return r
}
