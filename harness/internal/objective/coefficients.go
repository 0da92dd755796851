package objective

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"iter"
	"math"
)

// Coefficients are numbers of which many are 0; those that are not are kept. As text they
// are the base64 form of their number and that of those that are not 0, and for each of
// these the number of zeros since the one before, as unsigned varints, and the number itself
// as 8 bytes, little endian: no bit is lost.
type Coefficients struct {
	n     int
	index []int32
	value []float64
}

// NewCoefficients returns the coefficients v, copied.
func NewCoefficients(v []float64) Coefficients {
	c := Coefficients{n: len(v)}
	for i, x := range v {
		if x != 0 {
			c.index, c.value = append(c.index, int32(i)), append(c.value, x)
		}
	}
	return c
}

// Len returns the number of coefficients.
func (c Coefficients) Len() int { return c.n }

// IsZero reports whether there are no coefficients, for encoding/json.
func (c Coefficients) IsZero() bool { return c.n == 0 }

// NonZero yields the coefficients that are not 0 by their indices, which increase.
func (c Coefficients) NonZero() iter.Seq2[int, float64] {
	return func(yield func(int, float64) bool) {
		for k, i := range c.index {
			if !yield(int(i), c.value[k]) {
				return
			}
		}
	}
}

// Dense returns all Len coefficients.
func (c Coefficients) Dense() []float64 {
	v := make([]float64, c.n)
	for i, x := range c.NonZero() {
		v[i] = x
	}
	return v
}

// MarshalText implements encoding.TextMarshaler.
func (c Coefficients) MarshalText() ([]byte, error) {
	b := binary.AppendUvarint(nil, uint64(c.n))
	b = binary.AppendUvarint(b, uint64(len(c.index)))
	next := 0
	for i, v := range c.NonZero() {
		b = binary.AppendUvarint(b, uint64(i-next))
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		next = i + 1
	}
	return base64.StdEncoding.AppendEncode(nil, b), nil
}

var errCoefficients = errors.New("objective: stored coefficients are malformed")

// maxCoefficients bounds the number of coefficients that a text can claim.
const maxCoefficients = math.MaxInt32

// UnmarshalText implements encoding.TextUnmarshaler. It takes memory in proportion to the
// text, whatever number of coefficients that claims.
func (c *Coefficients) UnmarshalText(text []byte) error {
	b, err := base64.StdEncoding.AppendDecode(nil, text)
	if err != nil {
		return errCoefficients
	}
	number := func() uint64 {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			err = errCoefficients
			return 0
		}
		b = b[n:]
		return v
	}
	total, stored := number(), number()
	// Each that is stored takes at least 9 bytes.
	if err != nil || total > maxCoefficients || stored > total || stored > uint64(len(b))/9 {
		return errCoefficients
	}
	out := Coefficients{n: int(total), index: make([]int32, 0, stored), value: make([]float64, 0, stored)}
	next := uint64(0)
	for range stored {
		zeros := number()
		if err != nil || zeros >= total-next || len(b) < 8 {
			return errCoefficients
		}
		next += zeros
		v := math.Float64frombits(binary.LittleEndian.Uint64(b))
		if v == 0 || v-v != 0 {
			return errCoefficients
		}
		out.index, out.value = append(out.index, int32(next)), append(out.value, v)
		next++
		b = b[8:]
	}
	if len(b) > 0 {
		return errCoefficients
	}
	*c = out
	return nil
}
