package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"
	"slices"
	"strconv"
)

// Key returns a hash of fields: the first 32 hexadecimal digits of the SHA-256 of its canonical JSON.
// Canonical JSON has sorted keys at every level and numbers in shortest form, so that 1, 1.0 and 1e0
// are equal. Lists keep their order. Key panics if fields has no JSON form, as with NaN.
func Key(fields any) string {
	sum := sha256.Sum256(canonicalJSON(fields))
	return hex.EncodeToString(sum[:16])
}

// Keys returns a function that computes Key of fields with the named field set to n. It encodes the
// other fields only once.
func Keys(fields map[string]any, name string) func(n int) string {
	with := func(n int) []byte {
		fields[name] = n
		return canonicalJSON(fields)
	}
	// The encodings for 1 and 2 differ in one byte, the position of the number.
	one, two := with(1), with(2)
	at := 0
	for one[at] == two[at] {
		at++
	}
	return func(n int) string {
		text := strconv.AppendInt(slices.Clip(one[:at]), int64(n), 10)
		sum := sha256.Sum256(append(text, one[at+1:]...))
		return hex.EncodeToString(sum[:16])
	}
}

func canonicalJSON(fields any) []byte {
	raw := keyJSON(fields)
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var tree any
	if err := dec.Decode(&tree); err != nil {
		panic("results: key fields have no JSON form")
	}
	return keyJSON(canonicalNumbers(tree))
}

func keyJSON(v any) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		panic("results: key fields have no JSON form")
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte{'\n'})
}

// canonicalNumbers puts the numbers of a decoded tree in canonical form, in place.
func canonicalNumbers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, e := range v {
			v[name] = canonicalNumbers(e)
		}
		return v
	case []any:
		for i, e := range v {
			v[i] = canonicalNumbers(e)
		}
		return v
	case json.Number:
		return canonicalNumber(v.String())
	default:
		return v
	}
}

func canonicalNumber(s string) json.Number {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return json.Number(strconv.FormatInt(n, 10))
	}
	if n, err := strconv.ParseUint(s, 10, 64); err == nil {
		return json.Number(strconv.FormatUint(n, 10))
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic("results: a number in key fields is out of range")
	}
	if f == math.Trunc(f) && math.Abs(f) < 1<<63 {
		return json.Number(strconv.FormatInt(int64(f), 10))
	}
	if f == math.Trunc(f) && 0 < f && f < 1<<64 {
		return json.Number(strconv.FormatUint(uint64(f), 10))
	}
	return json.Number(strconv.FormatFloat(f, 'g', -1, 64))
}
