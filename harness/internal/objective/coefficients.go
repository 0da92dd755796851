package objective

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"math"
)

// Coefficients are numbers of which many are 0. As text they are the base64 form
// of their number and that of those that are not 0, and for each of these the
// number of zeros since the one before, as unsigned varints, and the number itself
// as 8 bytes, little endian: no bit is lost.
type Coefficients []float64

// MarshalText implements encoding.TextMarshaler.
func (c Coefficients) MarshalText() ([]byte, error) {
	b := binary.AppendUvarint(nil, uint64(len(c)))
	stored := 0
	for _, v := range c {
		if v != 0 {
			stored++
		}
	}
	b = binary.AppendUvarint(b, uint64(stored))
	zeros := uint64(0)
	for _, v := range c {
		if v == 0 {
			zeros++
			continue
		}
		b = binary.AppendUvarint(b, zeros)
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		zeros = 0
	}
	return base64.StdEncoding.AppendEncode(nil, b), nil
}

var errCoefficients = errors.New("objective: stored coefficients are malformed")

// maxCoefficients bounds the number of coefficients that a text can claim.
const maxCoefficients = math.MaxInt32

// UnmarshalText implements encoding.TextUnmarshaler.
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
	out := make(Coefficients, total)
	next := uint64(0)
	for range stored {
		next += number()
		if err != nil || next >= total || len(b) < 8 {
			return errCoefficients
		}
		v := math.Float64frombits(binary.LittleEndian.Uint64(b))
		if v == 0 || v-v != 0 {
			return errCoefficients
		}
		out[next] = v
		next++
		b = b[8:]
	}
	if len(b) > 0 {
		return errCoefficients
	}
	*c = out
	return nil
}
