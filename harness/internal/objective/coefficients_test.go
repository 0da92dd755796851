package objective

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"reflect"
	"runtime"
	"slices"
	"testing"
)

func TestCoefficients(t *testing.T) {
	for _, c := range [][]float64{
		{1}, {0, 0, -0.1}, {0.3, 0}, {math.SmallestNonzeroFloat64, 0, math.MaxFloat64, math.Nextafter(1, 2)},
		make([]float64, 300), append(make([]float64, 200), 7),
	} {
		text, err := json.Marshal(NewCoefficients(c))
		if err != nil {
			t.Fatal(err)
		}
		var got Coefficients
		if err := json.Unmarshal(text, &got); err != nil || got.Len() != len(c) || !slices.Equal(got.Dense(), c) {
			t.Errorf("%v is read back as %v, %v", c, got, err)
		}
	}
}

func TestMalformedCoefficients(t *testing.T) {
	good, err := NewCoefficients([]float64{0, 2, 0, 0, 3}).MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	// The second comes 2^64 - 2 zeros after the first, which is before it.
	b := binary.LittleEndian.AppendUint64([]byte{5, 2, 3}, math.Float64bits(1))
	b = binary.LittleEndian.AppendUint64(binary.AppendUvarint(b, math.MaxUint64-1), math.Float64bits(1))
	back := base64.StdEncoding.EncodeToString(b)
	infinite, _ := NewCoefficients([]float64{math.Inf(1)}).MarshalText()
	for _, text := range []string{"", "A", "****", string(good[:len(good)-4]), string(good) + "AAAA", "AQI=", "/////w8A", "AgEFAAAAAAAA8D8=", "AQEAAAAAAAAAAAA=", back, string(infinite)} {
		c := NewCoefficients([]float64{5})
		if err := c.UnmarshalText([]byte(text)); err == nil || !slices.Equal(c.Dense(), []float64{5}) {
			t.Errorf("%q is read as %v", text, c)
		}
	}
}

func FuzzCoefficients(f *testing.F) {
	f.Add([]byte("AQEAAAAAAAAA8D8="))
	f.Add([]byte("277P7gEA")) // 500 million, all of them 0
	f.Fuzz(func(t *testing.T, text []byte) {
		var c, again Coefficients
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		refused := c.UnmarshalText(text)
		runtime.ReadMemStats(&after)
		if used, most := after.TotalAlloc-before.TotalAlloc, uint64(100*len(text)+1<<20); used > most {
			t.Fatalf("%q takes %d bytes to read", text, used)
		}
		if refused != nil {
			return
		}
		out, err := c.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		if err := again.UnmarshalText(out); err != nil || !reflect.DeepEqual(c, again) {
			t.Fatalf("%q: %v", text, err)
		}
	})
}
