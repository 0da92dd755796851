package model

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"stochopt/datasets"
)

// tables returns random rows, dense and as the same rows sparse.
func tables(t testing.TB, n, d int) (dense, sparse *datasets.Table) {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 4))
	data, labels := make([]float64, n*d), make([]float64, n)
	var text strings.Builder
	for i := range n {
		labels[i] = float64(2*rng.IntN(2) - 1)
		fmt.Fprint(&text, labels[i])
		for j := range d {
			if rng.IntN(3) == 0 {
				x := rng.NormFloat64()
				data[i*d+j] = x
				fmt.Fprintf(&text, " %d:%v", j+1, x)
			}
		}
		text.WriteByte('\n')
	}
	sparse, err := datasets.ReadLIBSVM(strings.NewReader(text.String()), "rows", d)
	if err != nil {
		t.Fatal(err)
	}
	return datasets.NewDense(n, d, data, labels), sparse
}

// plain evaluates g by its definition.
func plain(m *Model, x []float64) float64 {
	dense := func(v Vector) []float64 {
		z := make([]float64, m.Features)
		for i, j := range v.Indices {
			z[j-1] = v.Values[i]
		}
		return z
	}
	g := m.Bias
	for k, c := range m.Coefficients {
		dot, distance := 0.0, 0.0
		for j, z := range dense(m.Vectors[k]) {
			v := 0.0
			if j < len(x) {
				v = x[j]
			}
			dot += z * v
			distance += (z - v) * (z - v)
		}
		switch m.Kernel.Name {
		case "gaussian":
			g += c * math.Exp(-*m.Kernel.Gamma*distance)
		case "linear":
			g += c * dot
		default:
			g += c * math.Pow(*m.Kernel.Gamma*dot+*m.Kernel.Coef0, float64(*m.Kernel.Degree))
		}
	}
	return g
}

func TestDecisions(t *testing.T) {
	ctx := context.Background()
	for _, k := range kernels {
		m := random(t, k, 40, 9)
		for _, d := range []int{9, 4} { // fewer features than the model are no mistake
			dense, sparse := tables(t, 333, d)
			got, err := m.Decisions(ctx, dense)
			if err != nil {
				t.Fatal(err)
			}
			other, err := m.Decisions(ctx, sparse)
			if err != nil {
				t.Fatal(err)
			}
			for i, g := range got {
				if g != other[i] {
					t.Fatalf("%v: row %d gives %v dense and %v sparse", k, i, g, other[i])
				}
				if want := plain(m, dense.Row(i, nil)); math.Abs(g-want) > 1e-12*(1+math.Abs(want)) {
					t.Errorf("%v: row %d gives %v, want %v", k, i, g, want)
				}
			}
		}
	}
	m := random(t, kernels[0], 3, 9)
	_, large := tables(t, 5, 10)
	if _, err := m.Decisions(ctx, large); err == nil || err.Error() != "the data have 10 features, but the model 9; name data that the model is for" {
		t.Errorf("error %v", err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	dense, _ := tables(t, 5, 9)
	if _, err := m.Decisions(ended, dense); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	huge := datasets.NewDense(1, 1, []float64{1e200}, nil)
	overflowing := &Model{Kernel: Kernel{"polynomial", ptr(1.0), ptr(3), ptr(0.0)}, Features: 1, Labels: Labels{1, ptr(-1.0)}, Coefficients: []float64{1}, Vectors: []Vector{{[]int32{1}, []float64{1}}}}
	if _, err := overflowing.Decisions(ctx, huge); err == nil || !strings.HasPrefix(err.Error(), "the decision value of row 1 is +Inf: ") {
		t.Errorf("error %v", err)
	}
	// Features that no vector has take no memory, and count in the norm.
	wide := random(t, kernels[0], 3, 4)
	wide.Features = math.MaxInt32
	for _, d := range []int{4, 9} {
		data, _ := tables(t, 5, d)
		g, err := wide.Decisions(ctx, data)
		if err != nil {
			t.Fatal(err)
		}
		widened := *wide
		widened.Features = d
		if want := plain(&widened, data.Row(3, nil)); math.Abs(g[3]-want) > 1e-12 {
			t.Errorf("%d features: g = %v, want %v", d, g[3], want)
		}
	}
	// Nor do those between the features that vectors have.
	far := *wide
	far.Vectors = slices.Clone(wide.Vectors)
	far.Vectors[0] = Vector{append(slices.Clone(wide.Vectors[0].Indices), math.MaxInt32), append(slices.Clone(wide.Vectors[0].Values), 0)}
	data, _ := tables(t, 5, 4)
	g, err := far.Decisions(ctx, data)
	if want, _ := wide.Decisions(ctx, data); err != nil || !slices.Equal(g, want) {
		t.Errorf("g = %v (%v), want %v", g, err, want)
	}
	// Without vectors it is the bias.
	m.Vectors, m.Coefficients = nil, nil
	if g, err := m.Decisions(ctx, dense); err != nil || g[4] != m.Bias {
		t.Errorf("g = %v (%v), want %v", g, err, m.Bias)
	}
}

func TestLabels(t *testing.T) {
	two, rest := &Model{Labels: Labels{2, ptr(1.0)}}, &Model{Labels: Labels{8, nil}}
	signs, err := two.Signs([]float64{1, 2, 2})
	if err != nil || fmt.Sprint(signs) != "[-1 1 1]" {
		t.Errorf("signs %v (%v)", signs, err)
	}
	if _, err := two.Signs([]float64{1, 3}); err == nil || err.Error() != "row 2 has the label 3, but the model knows only 2 and 1" {
		t.Errorf("error %v", err)
	}
	if signs, err := rest.Signs([]float64{0, 8, 9}); err != nil || fmt.Sprint(signs) != "[-1 1 -1]" {
		t.Errorf("signs %v (%v)", signs, err)
	}
	for _, test := range []struct {
		m        *Model
		g, label float64
	}{{two, 0.1, 2}, {two, 0, 1}, {two, -3, 1}, {rest, 1, 1}, {rest, -1, -1}} {
		if label := test.m.Label(test.g); label != test.label {
			t.Errorf("%v of %+v is %v", test.g, test.m.Labels, label)
		}
	}
}

// The real svm-predict gives the same labels as we do, and the same decisions
// where they are not close to 0.
func TestExportAgreesWithSVMPredict(t *testing.T) {
	predict, err := exec.LookPath("svm-predict")
	if err != nil {
		t.Skip("svm-predict is not installed; it comes with LIBSVM (libsvm-tools)")
	}
	dir := t.TempDir()
	for _, k := range kernels {
		for _, labels := range []Labels{{1, ptr(-1.0)}, {-1, ptr(1.0)}, {2, ptr(1.0)}, {8, nil}, {0.5, ptr(1.0)}} {
			m := random(t, k, 60, 9)
			m.Labels = labels
			var text bytes.Buffer
			if err := ExportLIBSVM(&text, m); err != nil {
				t.Fatal(err)
			}
			_, table := tables(t, 400, 9)
			data, model, out := filepath.Join(dir, "data"), filepath.Join(dir, "model"), filepath.Join(dir, "out")
			writeFile(t, model, text.Bytes())
			writeFile(t, data, libsvmText(table))
			if said, err := exec.Command(predict, data, model, out).CombinedOutput(); err != nil {
				t.Fatalf("svm-predict: %v: %s", err, said)
			}
			said, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Fields(string(said))
			decisions, err := m.Decisions(context.Background(), table)
			if err != nil || len(got) != table.N {
				t.Fatalf("%d of %d rows (%v)", len(got), table.N, err)
			}
			names, seen := m.exportLabels(), map[string]int{}
			for i, g := range decisions {
				want := strconv.Itoa(names[1])
				if g > 0 {
					want = strconv.Itoa(names[0])
				}
				seen[got[i]]++
				if got[i] != want {
					t.Errorf("%v, %+v: row %d, of the decision %v, is %s to svm-predict and %s to us", k, labels, i, g, got[i], want)
				}
			}
			if len(seen) != 2 {
				t.Errorf("%v: all rows have one label: %v", k, seen)
			}
		}
	}
}

func writeFile(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// libsvmText writes a table as LIBSVM reads it.
func libsvmText(t *datasets.Table) []byte {
	var out bytes.Buffer
	for i := range t.N {
		fmt.Fprintf(&out, "%g", t.Labels[i])
		indices, values := t.RowNonZero(i)
		for at, j := range indices {
			fmt.Fprintf(&out, " %d:%s", j+1, digits(values[at]))
		}
		fmt.Fprintln(&out)
	}
	return out.Bytes()
}

// The text of an export, its numbers read back exactly.
func TestExportText(t *testing.T) {
	m := &Model{
		Kernel: Kernel{Name: "gaussian", Gamma: ptr(0.1)}, Features: 3, Labels: Labels{1, ptr(-1.0)}, Bias: 1 / 3.0,
		Coefficients: []float64{-0.1, 0.2, 1e-300},
		Vectors:      []Vector{{[]int32{2}, []float64{0.5}}, {[]int32{1, 3}, []float64{1, 2.0 / 3}}, {}},
	}
	var out bytes.Buffer
	if err := ExportLIBSVM(&out, m); err != nil {
		t.Fatal(err)
	}
	want := `svm_type c_svc
kernel_type rbf
gamma 0.10000000000000001
nr_class 2
total_sv 3
rho -0.33333333333333331
label 1 -1
nr_sv 2 1
SV
0.20000000000000001 1:1 3:0.66666666666666663 
1e-300 
-0.10000000000000001 2:0.5 
`
	if got := out.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	m.Coefficients, m.Vectors = nil, nil
	if err := ExportLIBSVM(&out, m); err == nil || !strings.HasPrefix(err.Error(), "the model has no vectors") {
		t.Errorf("error %v", err)
	}
	m.Features = 0
	if err := ExportLIBSVM(&out, m); err == nil {
		t.Error("a model without features is exported")
	}
}

func BenchmarkDecisions(b *testing.B) {
	m := &Model{Kernel: Kernel{Name: "gaussian", Gamma: ptr(0.1)}, Features: 100, Labels: Labels{1, ptr(-1.0)}}
	_, table := tables(b, 1000, 100)
	for i := range 500 {
		indices, values := table.RowNonZero(i)
		v := Vector{}
		for at, j := range indices {
			v.Indices, v.Values = append(v.Indices, j+1), append(v.Values, values[at])
		}
		m.Vectors, m.Coefficients = append(m.Vectors, v), append(m.Coefficients, 1)
	}
	for b.Loop() {
		if _, err := m.Decisions(context.Background(), table); err != nil {
			b.Fatal(err)
		}
	}
}
