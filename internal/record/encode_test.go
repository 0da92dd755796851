package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"strings"
	"testing"
)

// unsealRun is the inverse of EncodeRun.
func unsealRun(line []byte) (Run, error) {
	object, err := Unseal(line)
	if err != nil {
		return Run{}, err
	}
	return decodeRun(object)
}

// Records are committed to git, so any change of their format requires a new Schema.
func TestEncodeRunGolden(t *testing.T) {
	t.Parallel()
	r := kernelRun(0)
	r.Params = Params{"step.c": 1.0, "k": int64(4), "tiny": 1e-7, "on": true, "start": "<low&rank>"}
	want := `{"schema":2,"key":"` + r.Key + `","extent":"100/log:3","task":"svm","dataset":"gaussian","group":"k=4","dataset_hash":"abc",` +
		`"series":"sbp","algorithm":"sbp","version":1,"params":{"k":4,"on":true,"start":"<low&rank>","step.c":1.0,"tiny":1e-07},` +
		`"repeat":0,"seed":20130719,"rows":{"test":16281,"train":1000,"train_of":32561},"facts":{"C":1,"lambda":0.001,"nu":0.011},` +
		`"status":"finished","reason":"budget","curve":{"cost":{"inner_products":[1000,10000,100000],"iterations":[1,10,100],` +
		`"kernel_evals":[1000,10000,100000],"kernel_evals_moved":[1000,5000,7000]},` +
		`"metrics":{"state":{"support":[1,9,70]},"test":{"error":[0.5,0.25,0.125]}},` +
		`"vectors":{"responses_negative":[],"responses_positive":[-0.5,1]}}}`
	sum := crc32.Checksum([]byte(want), crc32.MakeTable(crc32.Castagnoli))
	want = fmt.Sprintf(`%s,"crc32c":"%08x"}`, strings.TrimSuffix(want, "}"), sum)
	if got := mustEncode(t, r); string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestInvalidParams(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{"p":null}`, `{"p":[1]}`, `{"p":{}}`, `{"p":1e999}`, `{"p":9223372036854775808}`, `[]`, `1`} {
		var p Params
		if err := json.Unmarshal([]byte(text), &p); err == nil {
			t.Errorf("%s gave %v", text, p)
		}
	}
	for _, v := range []any{1, uint(1), float32(1), nil, []int{1}, math.NaN(), math.Inf(1)} {
		if data, err := json.Marshal(Params{"p": v}); err == nil {
			t.Errorf("%T %v gave %s", v, v, data)
		}
	}
}

func TestParamsString(t *testing.T) {
	t.Parallel()
	p := Params{"step.c": 0.25, "k": int64(4), "cap": 5.0, "big": 1e300, "on": false, "start": "uniform", "odd": "a=1;b", "num": "1", "none": ""}
	want := `big=1e+300;cap=5;k=4;none="";num="1";odd="a=1;b";on=false;start=uniform;step.c=0.25`
	if got := p.String(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := (Params)(nil).String(); got != "" {
		t.Errorf("nil params read %q", got)
	}
	if a, b := (Params{"c": int64(1e6)}).String(), (Params{"c": 1e6}).String(); a != b {
		t.Errorf("equal numbers read %s and %s", a, b)
	}
}

func TestDecodeInvalidRun(t *testing.T) {
	t.Parallel()
	sealed := string(mustEncode(t, testRun(0)))
	object, err := Unseal([]byte(sealed))
	must(t, err)
	good := string(object)
	replace := func(old, repl string) string {
		out := bytes.Replace([]byte(good), []byte(old), []byte(repl), 1)
		if string(out) == good {
			t.Fatalf("%s is not in the record", old)
		}
		return string(Seal(out))
	}
	for name, line := range map[string]string{
		"empty":                  "",
		"cut":                    sealed[:len(sealed)-1],
		"cut before sealing":     string(Seal([]byte(good[:len(good)-2]))),
		"trailing":               replace(`{`, `{},{`),
		"not an object":          string(Seal([]byte("[3]"))),
		"no schema":              replace(`"schema":2,`, ``),
		"unknown field":          replace(`"repeat":0`, `"repeat":0,"colour":1`),
		"invalid":                replace(`"finished"`, `"happy"`),
		"short column":           replace(`[0.5,0.25,0.1]`, `[0.5,0.25]`),
		"no checksum":            good,
		"wrong checksum":         strings.Replace(sealed, `"repeat":0`, `"repeat":1`, 1),
		"other schema by damage": strings.Replace(sealed, `"schema":2`, `"schema":3`, 1),
	} {
		var schema *SchemaError
		if r, err := unsealRun([]byte(line)); err == nil || errors.As(err, &schema) {
			t.Errorf("%s: read %v, error %v", name, r, err)
		}
	}
}

func TestSchemaError(t *testing.T) {
	t.Parallel()
	for line, schema := range map[string]int{`{"schema":3}`: 3, `{"schema":7,"curve":[1,2],"params":"other"}`: 7, `{"schema":0}`: 0} {
		_, err := unsealRun(Seal([]byte(line)))
		_, entryErr := decodeEntry([]byte(`{"run":` + line + `,"timing":{}}`))
		for _, err := range []error{err, entryErr} {
			e := wantType[*SchemaError](t, err)
			if e.Schema != schema || e.Known != Schema {
				t.Errorf("%s: schema %d of %d", line, e.Schema, e.Known)
			}
			wantNamed(t, e, fmt.Sprint("schema ", schema))
		}
	}
}

func mustEncode(t testing.TB, r Run) []byte {
	t.Helper()
	line, err := EncodeRun(r)
	must(t, err)
	return line
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for _, r := range edgeRuns() {
		must(t, r.Validate())
	}
	nan := math.NaN()
	for _, c := range []struct {
		name   string
		change func(*Run)
	}{
		{"schema", func(r *Run) { r.Schema = 3 }},
		{"key", func(r *Run) { r.Key = "" }},
		{"algorithm", func(r *Run) { r.Algorithm = "" }},
		{"repeat", func(r *Run) { r.Repeat = -1 }},
		{"status", func(r *Run) { r.Status = "" }},
		{"no reason", func(r *Run) { r.Status, r.Reason = StatusDiverged, "" }},
		{"param type", func(r *Run) { r.Params["k"] = 4 }},
		{"param NaN", func(r *Run) { r.Params["c"] = nan }},
		{"param name", func(r *Run) { r.Params[""] = true }},
		{"cost length", func(r *Run) { r.Curve.Cost["sum_kt2"] = []int64{1} }},
		{"no iterations", func(r *Run) { delete(r.Curve.Cost, "iterations") }},
		{"negative", func(r *Run) { r.Curve.Cost["sum_kt2"][0] = -1 }},
		{"decreasing", func(r *Run) { r.Curve.Cost["sum_kt2"][2] = 1 }},
		{"twice", func(r *Run) { r.Curve.Cost["iterations"][1] = 1 }},
		{"metric length", func(r *Run) { r.Curve.Metrics["test"]["x"] = nil }},
		{"metric NaN", func(r *Run) { r.Curve.Metrics["test"]["suboptimality"][1] = nan }},
		{"spectrum NaN", func(r *Run) { r.Curve.Spectrum = [][]float64{{1}, {nan}, {1}} }},
		{"spectrum order", func(r *Run) { r.Curve.Spectrum = [][]float64{{1}, {1, 2}, {1}} }},
		{"negative rows", func(r *Run) { *r = kernelRun(0); r.Rows["test"] = -1 }},
		{"infinite fact", func(r *Run) { *r = kernelRun(0); r.Facts["nu"] = math.Inf(1) }},
		{"unnamed fact", func(r *Run) { *r = kernelRun(0); r.Facts[""] = 1 }},
		{"vector", func(r *Run) { *r = kernelRun(0); r.Curve.Vectors["responses_positive"][1] = math.NaN() }},
		{"mistakes: length", func(r *Run) { *r = sparseRun(0); r.Curve.Mistakes = r.Curve.Mistakes[:2] }},
		{"mistakes: beyond", func(r *Run) { *r = sparseRun(0); r.Curve.Mistakes[0][2] = 10 }},
		{"mistakes: order", func(r *Run) { *r = sparseRun(0); r.Curve.Mistakes[0][1] = 0 }},
		{"mistakes: negative", func(r *Run) { *r = sparseRun(0); r.Curve.Mistakes[1][0] = -3 }},
		{"mistakes: no rows", func(r *Run) { *r = sparseRun(0); delete(r.Rows, "test") }},
		{"limit", func(r *Run) { *r = limited(StatusFinished, &Limit{Seconds: 1}) }},
		{"limit", func(r *Run) { *r = limited(StatusFailed, &Limit{Seconds: 1}) }},
		{"limit", func(r *Run) { *r = limited(StatusOutOfTime, &Limit{Memory: 1}) }},
		{"limit", func(r *Run) { *r = limited(StatusOutOfMemory, &Limit{Seconds: 1}) }},
		{"limit", func(r *Run) { *r = limited(StatusOutOfTime, &Limit{Seconds: -1}) }},
		{"limit", func(r *Run) { *r = limited(StatusOutOfTime, &Limit{Seconds: math.Inf(1)}) }},
		{"limit", func(r *Run) { *r = limited(StatusOutOfMemory, &Limit{Memory: -1}) }},
	} {
		r := testRun(0)
		if c.change(&r); r.Validate() == nil {
			t.Errorf("%s: %+v is valid", c.name, r)
		}
		if line, err := EncodeRun(r); err == nil {
			t.Errorf("%s: an invalid run was encoded: %s", c.name, line)
		}
	}
}
