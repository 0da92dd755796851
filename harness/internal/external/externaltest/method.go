// Package externaltest provides programs for tests of external algorithms. The test binary itself serves
// as the program. Some methods work and others fail in a particular way.
package externaltest

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"stochopt/algorithms"
	"stochopt/algorithms/pca"
	"stochopt/algorithms/svm"
	"stochopt/harness/internal/external"
	"stochopt/harness/internal/spec"
)

// Variable is the environment variable with the name of the method.
const Variable = "STOCHOPT_TEST_METHOD"

// Main performs the method named by the environment and exits the process. It returns if the environment
// names none. Call it first in TestMain.
func Main() {
	if name := os.Getenv(Variable); name != "" {
		(&method{name: name, in: bufio.NewReader(os.Stdin)}).serve()
		os.Exit(0)
	}
}

// Spec returns the key external of a spec that runs this binary as a method.
func Spec(name string) string {
	return fmt.Sprintf("{command: [%q], version: 1, env: {%s: %s}}", os.Args[0], Variable, name)
}

// Names of methods that fail. Any other name is a method that works: the incremental algorithm for task
// pca, stochastic dual coordinate ascent for task svm.
const (
	Silent       = "silent"
	Garbage      = "garbage"
	Short        = "short"
	NotFinite    = "nan"
	Hang         = "hang"
	Killed       = "killed"
	Exit         = "exit"
	Child        = "child"
	Escape       = "escape"
	ReportsError = "reports-error"
	Long         = "long"
	Version      = "version"
	Flood        = "flood"
	Shape        = "shape"
	Skewed       = "skewed"
	Drawn        = "drawn"
	WrongAnswer  = "wrong-answer"
	ClosesPipes  = "closes-pipes"
	Early        = "early"
	MissingCost  = "missing-cost"
	NullCost     = "null-cost"
	DuplicateKey = "duplicate-key"
	Orphan       = "orphan"
)

// method is a method in progress.
type method struct {
	name string
	in   *bufio.Reader
	task string

	feed    *feed
	pca     pca.Learner
	rows    *rows
	svm     svm.Learner
	started int64
}

type message = map[string]json.RawMessage

func (m *method) receive() (kind string, body json.RawMessage) {
	line, err := m.in.ReadBytes('\n')
	if err == io.EOF {
		os.Exit(0)
	}
	var all message
	must(err)
	must(json.Unmarshal(line, &all))
	for kind, body = range all {
	}
	return kind, body
}

func send(kind string, body any) {
	line, err := json.Marshal(map[string]any{kind: body})
	must(err)
	_, err = os.Stdout.Write(append(line, '\n'))
	must(err)
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "method:", err)
		os.Exit(1)
	}
}

func (m *method) serve() {
	for {
		kind, body := m.receive()
		switch kind {
		case "hello":
			var h struct{ Task string }
			must(json.Unmarshal(body, &h))
			m.task = h.Task
			m.hello()
		case "init":
			var i external.Init
			must(json.Unmarshal(body, &i))
			m.init(i)
			send("ready", struct{}{})
		case "advance":
			var a external.Advance
			must(json.Unmarshal(body, &a))
			m.advance(a)
		case "state":
			m.state()
		case "stop":
			return
		}
	}
}

func (m *method) hello() {
	h := external.Hello{
		Protocol: 1, Name: m.name, Version: 1, Tasks: []string{"pca", "svm"}, Deterministic: true,
		Params: []spec.Param{{Name: "speed", Kind: "float", Min: new(0.0), Default: 1.0}},
	}
	switch m.name {
	case Silent:
		time.Sleep(time.Hour)
	case Version:
		h.Version = 2
	case Exit:
		fmt.Fprintln(os.Stderr, "no licence")
		os.Exit(3)
	}
	switch m.task {
	case "pca":
		h.Serve, h.Counters = []string{"samples"}, []string{"sum_kt", "sum_kt2"}
	default:
		h.Serve = []string{"rows", "order"}
	}
	send("hello", h)
}

func (m *method) init(i external.Init) {
	switch m.task {
	case "pca":
		m.feed = &feed{d: i.D}
		l, err := pca.NewIncremental(pca.IncrementalConfig{K: i.K}, m.feed)
		must(err)
		m.pca = l
	default:
		m.rows = &rows{m: m, diag: slices.Repeat([]float64{1}, i.N), first: i.Positive}
		l, err := svm.NewSDCA(svm.SDCAConfig{Lambda: i.Params["lambda"].(float64)}, svm.Problem{Rows: m.rows, Positive: i.Positive}, m.rows)
		must(err)
		m.svm = l
	}
}

// fault makes a method fail during an advance.
func (m *method) fault() {
	switch m.name {
	case Hang:
		time.Sleep(time.Hour)
	case ClosesPipes:
		os.Stdin.Close()
		os.Stdout.Close()
		time.Sleep(time.Hour)
	case Garbage:
		fmt.Println("epoch 1: loss 0.5")
	case WrongAnswer:
		send("ready", struct{}{})
	case Long:
		os.Stdout.Write(make([]byte, 2<<20))
	case ReportsError:
		send("error", "step 1: the matrix is singular")
		m.receive()
	case Killed:
		m.die()
	case Child, Orphan:
		m.leaveBehind()
	case DuplicateKey:
		fmt.Println(`{"advanced": {"to": 1, "to": 2}}`)
	case Flood:
		for range 10_000 {
			fmt.Fprintln(os.Stderr, "warning: printed very often")
		}
		fmt.Fprintln(os.Stderr, "the last words")
		os.Exit(4)
	}
}

func (m *method) die() {
	p, err := os.FindProcess(os.Getpid())
	must(err)
	must(p.Kill())
	time.Sleep(time.Hour)
}

func (m *method) advance(a external.Advance) {
	m.fault()
	var cost algorithms.Cost
	done := external.Advanced{To: a.To}
	if m.pca != nil {
		x := read[float64](a.Samples.File, a.Samples.Shape[0]*a.Samples.Shape[1])
		for len(x) > 0 {
			m.feed.next, x = x[:m.feed.d], x[m.feed.d:]
			m.pca.Step()
		}
		cost = m.pca.Cost()
		done.Cost = map[string]*int64{"sum_kt": &cost.SumKT, "sum_kt2": &cost.SumKT2}
		switch m.name {
		case MissingCost:
			delete(done.Cost, "sum_kt2")
		case NullCost:
			done.Cost["sum_kt2"] = nil
		}
	} else {
		for _, v := range read[int64](a.Order.File, a.Order.Shape[0]) {
			m.rows.next = int(v)
			if m.name == "ask" { // only request the row
				m.rows.Row(int(v))
				continue
			}
			m.svm.Step()
		}
		cost = m.svm.Cost()
	}
	if m.name == Early {
		done.To--
	}
	send("advanced", done)
}

func (m *method) state() {
	var s external.State
	if m.pca != nil {
		s = m.basis()
	} else {
		var v svm.Solution
		m.svm.SolutionTo(&v)
		for i := range v.Alpha {
			v.Alpha[i] *= svm.Problem{Positive: m.rows.first}.Label(i)
		}
		s.Arrays = map[string]external.Array{"alpha": write("alpha", v.Alpha, len(v.Alpha))}
	}
	send("state", s)
}

func (m *method) basis() external.State {
	var v pca.State
	m.pca.StateTo(&v)
	d, k := v.U.Dims()
	var u []float64
	for i := range d {
		u = append(u, v.U.RawRowView(i)...)
	}
	s := external.State{Bulk: v.Bulk}
	switch m.name {
	case NotFinite:
		u[1] = math.NaN()
	case Skewed:
		u[0] += 0.5
	case Drawn:
		for i := range u { // the signs of columns are arbitrary, but noise is an error
			u[i] += 1e-8 * rand.Float64()
		}
	case Shape:
		d--
	case Short:
		u = u[:len(u)-1]
	}
	s.Arrays = map[string]external.Array{"U": write("U", u, d, k), "sigma": write("sigma", slices.Clone(v.Sigma), k)}
	switch m.name {
	case Escape:
		a := s.Arrays["U"]
		a.File = "../U"
		s.Arrays["U"] = a
	}
	return s
}

// feed is a source that returns the sample received last.
type feed struct {
	d    int
	next []float64
}

func (f *feed) Dim() int { return f.d }

func (f *feed) Next() ([]float64, bool) { return f.next, true }

// rows requests rows of a kernel with K(x, x) = 1. As an svm.Order it returns the index received last.
type rows struct {
	m    *method
	diag []float64
	// first is the number of training points of class +1.
	first, next int
}

func (r *rows) Next() int { return r.next }

func (r *rows) Train() int { return len(r.diag) }

func (r *rows) Len() int { return len(r.diag) }

func (r *rows) Diag() []float64 { return r.diag }

func (r *rows) Row(i int) []float32 {
	send("rows", []int{i})
	_, body := r.m.receive()
	var a external.Array
	must(json.Unmarshal(body, &a))
	raw := make([]byte, 4*len(r.diag))
	f := open[a.File]
	if f == nil {
		var err error
		f, err = os.Open(a.File)
		must(err)
		open[a.File] = f
	}
	_, err := f.ReadAt(raw, 0)
	must(err)
	row := make([]float32, len(r.diag))
	for k := range row {
		row[k] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*k:]))
	}
	return row
}

func read[T any](file string, n int) []T {
	f, err := os.Open(file)
	must(err)
	defer f.Close()
	v := make([]T, n)
	must(binary.Read(f, binary.LittleEndian, v))
	return v
}

// open has the open files of a method by name.
var open = make(map[string]*os.File)

func write(file string, v []float64, shape ...int) external.Array {
	raw := make([]byte, 0, 8*len(v))
	for _, x := range v {
		raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(x))
	}
	f := open[file]
	if f == nil {
		var err error
		f, err = os.Create(file)
		must(err)
		open[file] = f
	}
	_, err := f.WriteAt(raw, 0)
	must(err)
	return external.Array{File: file, Dtype: "<f8", Shape: shape}
}
