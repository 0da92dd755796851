package checkpoint_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/checkpoint"
)

// all has a value of every kind.
type all struct {
	I, J    int
	N       int64
	F       float64
	B       bool
	T       string
	Cost    algorithms.Cost
	Status  algorithms.Status
	Fixed   []float64
	Floats  []float64
	Singles []float32
	Masks   []int8
	Bits    []bool
	Bytes   []byte
	Words   []uint64
	Indices []int32
	Whole   []int
	Counts  []int64
	Rows    [][]float64
}

func (a *all) Checkpoint(s *checkpoint.State) {
	s.Int(&a.I)
	s.Index(&a.J, -1, 9)
	s.Int64(&a.N)
	s.Float(&a.F)
	s.Bool(&a.B)
	s.Text(&a.T)
	s.Cost(&a.Cost)
	s.Status(&a.Status)
	checkpoint.Slice(s, a.Fixed)
	checkpoint.List(s, &a.Floats, 2000)
	checkpoint.List(s, &a.Singles, 9)
	checkpoint.List(s, &a.Masks, 9)
	checkpoint.List(s, &a.Bits, 9)
	checkpoint.List(s, &a.Bytes, 9)
	checkpoint.List(s, &a.Words, 9)
	checkpoint.Indices(s, &a.Indices, 9, 0, 9)
	checkpoint.Indices(s, &a.Whole, 9, -1, 9)
	checkpoint.List(s, &a.Counts, 9)
	checkpoint.Lists(s, &a.Rows, 9, 9)
}

func example() *all {
	long := make([]float64, 1500) // more than a buffer
	for i := range long {
		long[i] = math.Sqrt(float64(i))
	}
	return &all{
		I: math.MinInt, J: 9, N: math.MaxInt64, F: math.Copysign(0, -1), B: true, T: "a reason",
		Cost:   algorithms.Cost{Iterations: 1, SumKT2: 2, SumKT: 3, KernelEvals: 4, KernelEvalsMoved: 5, InnerProducts: 6},
		Status: algorithms.Status{State: algorithms.Converged, Reason: "done"},
		Fixed:  []float64{1, math.Inf(-1)}, Floats: long, Singles: []float32{math.MaxFloat32}, Masks: []int8{-1, 0, 1}, Bits: []bool{true, false},
		Bytes: []byte{0, 255}, Words: []uint64{1 << 63}, Indices: []int32{0, 9}, Whole: []int{-1, 9}, Counts: []int64{-1}, Rows: [][]float64{{3}, {1, 2}},
	}
}

func save(t *testing.T, x checkpoint.Saver) []byte {
	t.Helper()
	var b bytes.Buffer
	s := checkpoint.NewSaver(&b)
	s.Part(x)
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func load(x any, data []byte) error {
	s := checkpoint.NewLoader(bytes.NewReader(data), int64(len(data)))
	s.Part(x)
	return s.End()
}

func TestAllKindsComeBack(t *testing.T) {
	want := example()
	data := save(t, want)
	got := &all{Fixed: make([]float64, 2)}
	if err := load(got, data); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) || !math.Signbit(got.F) {
		t.Error("what is loaded is not what was saved")
	}
	for n := range data {
		if load(&all{Fixed: make([]float64, 2)}, data[:n]) == nil {
			t.Fatalf("the first %d of %d bytes are enough", n, len(data))
		}
	}
}

// What does not fit is refused, by what is wrong with it.
func TestRefusals(t *testing.T) {
	for says, edit := range map[string]func(a *all){
		"value 2 of the state: it is 10, want -1 to 9": func(a *all) { a.J = 10 },
		"its length is 3, want 2":                      func(a *all) { a.Fixed = make([]float64, 3) },
		"its length is 10, want 9 at most":             func(a *all) { a.Words = make([]uint64, 10) },
		"an entry is -1, want 0 to 9":                  func(a *all) { a.Indices = []int32{-1} },
		"it is 7, want 0 to 4":                         func(a *all) { a.Status.State = 7 },
		"its length is 70000, want 65536 at most":      func(a *all) { a.T = strings.Repeat("x", 70000) },
		"want 9 at most":                               func(a *all) { a.Rows = [][]float64{make([]float64, 10)} },
	} {
		a := example()
		edit(a)
		if err := load(&all{Fixed: make([]float64, 2)}, save(t, a)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
	if err := load(&all{Fixed: make([]float64, 2)}, append(save(t, example()), 0)); err == nil || !strings.Contains(err.Error(), "1 bytes are left over") {
		t.Errorf("more than all: %v", err)
	}
	if err := load(1, nil); !errors.Is(err, checkpoint.ErrNone) {
		t.Errorf("something without a state: %v", err)
	}
}

// A length is no reason to ask for memory that the state cannot fill.
func TestLengthsAreBounded(t *testing.T) {
	data := binary.LittleEndian.AppendUint64([]byte{'l'}, 1<<40)
	var values []float64
	s := checkpoint.NewLoader(bytes.NewReader(data), int64(len(data)))
	checkpoint.List(s, &values, math.MaxInt)
	if err := s.Err(); err == nil || cap(values) > 0 || !strings.Contains(err.Error(), "its length is 1099511627776, but 0 bytes are left") {
		t.Errorf("%v, and room for %d", err, cap(values))
	}
}
