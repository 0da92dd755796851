package objective

import (
	"encoding/json"
	"math"
	"slices"
	"testing"
)

func TestCoefficients(t *testing.T) {
	for _, c := range []Coefficients{
		{1}, {0, 0, -0.1}, {0.3, 0}, {math.SmallestNonzeroFloat64, 0, math.MaxFloat64, math.Nextafter(1, 2)},
		make(Coefficients, 300), append(make(Coefficients, 200), 7),
	} {
		text, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		var got Coefficients
		if err := json.Unmarshal(text, &got); err != nil || !slices.Equal(got, c) {
			t.Errorf("%v is read back as %v, %v", c, got, err)
		}
	}
}

func TestMalformedCoefficients(t *testing.T) {
	good, err := Coefficients{0, 2, 0, 0, 3}.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	infinite, _ := Coefficients{math.Inf(1)}.MarshalText()
	for _, text := range []string{"", "A", "****", string(good[:len(good)-4]), string(good) + "AAAA", "AQI=", "/////w8A", "AgEFAAAAAAAA8D8=", "AQEAAAAAAAAAAAA=", string(infinite)} {
		c := Coefficients{5}
		if err := c.UnmarshalText([]byte(text)); err == nil || !slices.Equal(c, Coefficients{5}) {
			t.Errorf("%q is read as %v", text, c)
		}
	}
}

func FuzzCoefficients(f *testing.F) {
	f.Add([]byte("AQEAAAAAAAAA8D8="))
	f.Fuzz(func(t *testing.T, text []byte) {
		var c, again Coefficients
		if c.UnmarshalText(text) != nil || len(c) > 1<<20 {
			return
		}
		out, err := c.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		if err := again.UnmarshalText(out); err != nil || !slices.Equal(c, again) {
			t.Fatalf("%q: %v", text, err)
		}
	})
}
