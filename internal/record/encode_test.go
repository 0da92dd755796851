package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"strings"
	"testing"
)

// unsealRun is the inverse of EncodeRun, as files are read.
func unsealRun(line []byte) (Run, error) {
	object, err := Unseal(line)
	if err != nil {
		return Run{}, err
	}
	return decodeRun(object)
}

func TestEncodeRunGolden(t *testing.T) {
	t.Parallel()
	r := testRun(0)
	r.Params = Params{"step.c": 1.0, "k": int64(4), "tiny": 1e-7, "on": true, "start": "<low&rank>"}
	got, err := EncodeRun(r)
	must(t, err)
	want := `{"schema":2,"key":"` + r.Key + `","extent":"100/log:3","task":"pca","dataset":"gaussian","group":"k=4","dataset_hash":"abc",` +
		`"series":"msg","algorithm":"msg","version":1,"params":{"k":4,"on":true,"start":"<low&rank>","step.c":1.0,"tiny":1e-07},` +
		`"repeat":0,"seed":20130719,"status":"finished","reason":"budget",` +
		`"curve":{"cost":{"iterations":[1,10,100],"sum_kt2":[16,160,1600]},` +
		`"metrics":{"state":{"rank":[4,4,4]},"test":{"suboptimality":[0.5,0.25,0.1]}}},"crc32c":"`
	want += fmt.Sprintf(`%08x"}`, crc32.Checksum([]byte(strings.Replace(want, `,"crc32c":"`, "}", 1)), crc32.MakeTable(crc32.Castagnoli)))
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestKernelRunGolden(t *testing.T) {
	t.Parallel()
	got, err := content(kernelRun(0))
	must(t, err)
	want := `"rows":{"test":16281,"train":1000,"train_of":32561},"facts":{"C":1,"lambda":0.001,"nu":0.011},"status":"finished","reason":"budget",` +
		`"curve":{"cost":{"inner_products":[1000,10000,100000],"iterations":[1,10,100],"kernel_evals":[1000,10000,100000],"kernel_evals_moved":[1000,5000,7000]},` +
		`"metrics":{"state":{"support":[1,9,70]},"test":{"error":[0.5,0.25,0.125]}},"vectors":{"responses_negative":[],"responses_positive":[-0.5,1]}}}`
	if !strings.HasSuffix(string(got), want) {
		t.Errorf("got\n%s\nwant the end\n%s", got, want)
	}
}

func TestParamsRefuse(t *testing.T) {
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

func TestDecodeRunRefuses(t *testing.T) {
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
	for _, c := range []struct{ name, line, want string }{
		{"empty", "", "its checksum is missing"},
		{"cut", sealed[:len(sealed)-1], "its checksum is missing"},
		{"cut before the checksum", string(Seal([]byte(good[:len(good)-2]))), "cut short"},
		{"trailing", replace(`{`, `{},{`), "after top-level value"},
		{"not an object", string(Seal([]byte("[3]"))), "unmarshal JSON array"},
		{"no schema", replace(`"schema":2,`, ``), "schema is 0"},
		{"unknown field", replace(`"repeat":0`, `"repeat":0,"colour":1`), "colour"},
		{"unknown status", replace(`"finished"`, `"happy"`), `status "happy"`},
		{"empty key", replace(`"key":"`+testRun(0).Key+`"`, `"key":""`), "key is empty"},
		{"short column", replace(`[0.5,0.25,0.1]`, `[0.5,0.25]`), "2 points"},
		{"no checksum", good, "its checksum is missing"},
		{"wrong checksum", strings.Replace(sealed, `"repeat":0`, `"repeat":1`, 1), "its checksum is"},
		{"other schema by damage", strings.Replace(sealed, `"schema":2`, `"schema":3`, 1), "its checksum is"},
		{"decreasing counter", replace(`[1,10,100]`, `[1,100,10]`), "decreases"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := unsealRun([]byte(c.line))
			wantError(t, err, c.want)
			var schema *SchemaError
			if errors.As(err, &schema) {
				t.Errorf("a broken record is taken for another schema: %v", err)
			}
		})
	}
}

func TestSchemaError(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line   string
		schema int
		want   string
	}{
		{`{"schema":3}`, 3, "results written by schema 3; this build reads schema 2: use a newer build or another --out"},
		{`{"schema":7,"curve":[1,2],"params":"other"}`, 7, "schema 7"},
		{`{"schema":0}`, 0, "use an older build or another --out"},
	} {
		for name, decode := range map[string]func() error{
			"run":  func() error { _, err := unsealRun(Seal([]byte(c.line))); return err },
			"part": func() error { _, err := decodeEntry([]byte(`{"run":` + c.line + `,"timing":{}}`)); return err },
		} {
			err := decode()
			wantError(t, err, c.want)
			var schema *SchemaError
			if !errors.As(err, &schema) || schema.Schema != c.schema {
				t.Errorf("%s: %s: got %v", name, c.line, err)
			}
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
	nan, inf := math.NaN(), math.Inf(-1)
	for _, c := range []struct {
		name   string
		change func(*Run)
		want   string
	}{
		{"schema", func(r *Run) { r.Schema = 3 }, "schema is 3, not 2"},
		{"key", func(r *Run) { r.Key = "" }, "key is empty"},
		{"extent", func(r *Run) { r.Extent = "" }, "extent is empty"},
		{"dataset", func(r *Run) { r.Dataset = "" }, "dataset is empty"},
		{"series", func(r *Run) { r.Series = "" }, "series is empty"},
		{"algorithm", func(r *Run) { r.Algorithm = "" }, "algorithm is empty"},
		{"repeat", func(r *Run) { r.Repeat = -1 }, "repeat is -1"},
		{"status", func(r *Run) { r.Status = "" }, `status ""`},
		{"no reason", func(r *Run) { r.Status, r.Reason = StatusDiverged, "" }, "without a reason"},
		{"param type", func(r *Run) { r.Params["k"] = 4 }, `"k" is of type int`},
		{"param NaN", func(r *Run) { r.Params["c"] = nan }, `"c" is NaN`},
		{"param name", func(r *Run) { r.Params[""] = true }, "empty name"},
		{"cost length", func(r *Run) { r.Curve.Cost["sum_kt2"] = []int64{1} }, `"sum_kt2" has 1 points where iterations has 3`},
		{"no iterations", func(r *Run) { delete(r.Curve.Cost, "iterations") }, "where iterations has 0"},
		{"negative", func(r *Run) { r.Curve.Cost["sum_kt2"][0] = -1 }, "decreases"},
		{"decreasing", func(r *Run) { r.Curve.Cost["sum_kt2"][2] = 1 }, "decreases"},
		{"twice", func(r *Run) { r.Curve.Cost["iterations"][1] = 1 }, "recorded twice"},
		{"metric length", func(r *Run) { r.Curve.Metrics["test"]["x"] = nil }, `"x" on split "test" has 0 points`},
		{"metric NaN", func(r *Run) { r.Curve.Metrics["test"]["suboptimality"][1] = nan }, "NaN at point 1"},
		{"metric Inf", func(r *Run) { r.Curve.Metrics["test"]["suboptimality"][1] = inf }, "-Inf at point 1"},
		{"spectrum length", func(r *Run) { r.Curve.Spectrum = [][]float64{{1}} }, "spectrum has 1 points"},
		{"spectrum NaN", func(r *Run) { r.Curve.Spectrum = [][]float64{{1}, {nan}, {1}} }, "spectrum at point 1 is NaN"},
		{"spectrum order", func(r *Run) { r.Curve.Spectrum = [][]float64{{1}, {1, 2}, {1}} }, "decreasing order"},
		{"negative rows", func(r *Run) { *r = kernelRun(0); r.Rows["test"] = -1 }, "must not be negative"},
		{"infinite fact", func(r *Run) { *r = kernelRun(0); r.Facts["nu"] = math.Inf(1) }, `fact "nu" is +Inf`},
		{"unnamed fact", func(r *Run) { *r = kernelRun(0); r.Facts[""] = 1 }, "must have a name"},
		{"vector", func(r *Run) { *r = kernelRun(0); r.Curve.Vectors["responses_positive"][1] = math.NaN() }, `vector "responses_positive" is NaN at point 1`},
		{"skipped without a reason", func(r *Run) { *r = kernelRun(0); r.Status, r.Reason = StatusSkipped, "" }, "without a reason"},
		{"mistakes: length", func(r *Run) { *r = sparseRun(0); r.Curve.Mistakes = r.Curve.Mistakes[:2] }, "mistakes has 2 points, but iterations has 3"},
		{"mistakes: beyond", func(r *Run) { *r = sparseRun(0); r.Curve.Mistakes[0][2] = 10 }, "mistakes at point 0: index 10 at position 2 is beyond the 10 rows"},
		{"mistakes: order", func(r *Run) { *r = sparseRun(0); r.Curve.Mistakes[0][1] = 0 }, "index 0 at position 1 is negative or not above"},
		{"mistakes: negative", func(r *Run) { *r = sparseRun(0); r.Curve.Mistakes[1][0] = -3 }, "mistakes at point 1: index -3"},
		{"mistakes: no rows", func(r *Run) { *r = sparseRun(0); delete(r.Rows, "test") }, "beyond the 0 rows"},
		{"mistakes: reason", func(r *Run) { *r = sparseRun(0); r.Status, r.Reason = StatusOutOfTime, "" }, `status is "out-of-time" without a reason`},
		{"limit", func(r *Run) { *r = limited(StatusFinished, &Limit{Seconds: 1}) }, "which such a run does not meet"},
		{"limit", func(r *Run) { *r = limited(StatusFailed, &Limit{Seconds: 1}) }, "which such a run does not meet"},
		{"limit", func(r *Run) { *r = limited(StatusOutOfTime, &Limit{Memory: 1}) }, "which such a run does not meet"},
		{"limit", func(r *Run) { *r = limited(StatusOutOfMemory, &Limit{Seconds: 1}) }, "which such a run does not meet"},
		{"limit", func(r *Run) { *r = limited(StatusOutOfTime, &Limit{Seconds: -1}) }, "must be finite and not negative"},
		{"limit", func(r *Run) { *r = limited(StatusOutOfTime, &Limit{Seconds: math.Inf(1)}) }, "must be finite and not negative"},
		{"limit", func(r *Run) { *r = limited(StatusOutOfMemory, &Limit{Memory: -1}) }, "must be finite and not negative"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := testRun(0)
			c.change(&r)
			wantError(t, r.Validate(), c.want)
			if line, err := EncodeRun(r); err == nil {
				t.Errorf("an invalid run was encoded: %s", line)
			}
		})
	}
}

func FuzzDecodeRun(f *testing.F) {
	f.Add(mustEncode(f, testRun(0)))
	f.Add(Seal([]byte(`{"schema":3}`)))
	f.Add(Seal([]byte(`{"schema":2,"key":"a","extent":"b","dataset":"c","series":"d","algorithm":"e","status":"finished","params":{"c":1.50e1},"curve":{"cost":{"iterations":[]}}}`)))
	f.Fuzz(func(t *testing.T, line []byte) {
		canonicalAgain(t, line, func(line []byte) []byte {
			r, err := unsealRun(line)
			if err != nil {
				return nil
			}
			return mustEncode(t, r)
		})
	})
}

// canonicalAgain checks that what encodes a line as it was decoded, unless the line is refused,
// does so for what it returns, and changes nothing of it.
func canonicalAgain(t *testing.T, line []byte, encode func([]byte) []byte) {
	t.Helper()
	first := encode(line)
	if second := encode(slices.Clone(first)); first != nil && !bytes.Equal(first, second) {
		t.Fatalf("not canonical:\n%s\n%s", first, second)
	}
}
