package external

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"unsafe"

	"stochopt/algorithms"
	"stochopt/internal/finite"
	"stochopt/internal/record"
)

// External returns the process itself, by which the harness recognises a learner that a program
// performs.
func (p *Process) External() *Process { return p }

// Cost implements algorithms.Stepper.
func (p *Process) Cost() algorithms.Cost { return p.cost }

// serves reports whether the program asks for something to be served.
func (p *Process) serves(what string) bool { return slices.Contains(p.Hello.Serve, what) }

// begin describes the run to the program. The harness counts the named costs.
func (p *Process) begin(i Init, counted ...string) error {
	p.Counted = slices.Concat([]string{"iterations"}, counted, p.Hello.Counters)
	for _, name := range p.Hello.Counters {
		if slices.Contains(counted, name) || p.counter(name) == nil {
			return p.fail("hello: counters has %q, which is no cost, or one that the harness counts", name)
		}
	}
	_, err := p.ask("init", i, map[string]any{"ready": new(struct{})})
	return err
}

// counter returns the cost of a name that a program may declare, nil if there is none.
func (p *Process) counter(name string) *int64 {
	c := &p.cost
	return map[string]*int64{
		"kernel_evals": &c.KernelEvals, "kernel_evals_moved": &c.KernelEvalsMoved, "inner_products": &c.InnerProducts,
		"sum_kt": &c.SumKT, "sum_kt2": &c.SumKT2,
	}[name]
}

// advance has the program do iterations. rows writes the kernel rows that it asks for meanwhile, and
// is nil if it may not.
func (p *Process) advance(a Advance, rows func(indices []int64) (Array, error)) algorithms.Status {
	p.stepping.Store(true)
	pid := p.cmd.Process.Pid
	cpu := processTime(pid)
	defer func() { p.CPU += max(processTime(pid)-cpu, 0) }()
	verb, body := "advance", any(a)
	for {
		var done Advanced
		var indices []int64
		answers := map[string]any{"advanced": &done}
		if rows != nil {
			answers["rows"] = &indices
		}
		kind, err := p.ask(verb, body, answers)
		if err == nil && kind == "advanced" {
			return p.advanced(a.To, &done)
		}
		if err == nil {
			verb = "rows"
			body, err = rows(indices)
		}
		if err != nil {
			_ = p.fail("rows: %w", err)
			return p.status()
		}
	}
}

// advanced checks how far the program has come and takes over its declared costs.
func (p *Process) advanced(to int64, done *Advanced) algorithms.Status {
	state, known := map[string]algorithms.State{
		"": algorithms.Running, "running": algorithms.Running,
		"converged": algorithms.Converged, "diverged": algorithms.Diverged,
	}[done.Status]
	if !known {
		_ = p.fail("advanced: the status is %q; want running, converged or diverged", done.Status)
	}
	if done.To < p.cost.Iterations || done.To > to || done.To < to && state == algorithms.Running {
		_ = p.fail("advanced: to is %d, where %d was due", done.To, to)
	}
	for name := range done.Cost {
		if !slices.Contains(p.Hello.Counters, name) {
			_ = p.fail("advanced: hello does not list the cost %q among its counters", name)
		}
	}
	for _, name := range p.Hello.Counters {
		n, c := done.Cost[name], p.counter(name)
		if n == nil || *n < *c {
			_ = p.fail("advanced: the declared cost %s is missing, or less than the %d before", name, *c)
		} else {
			*c = *n
		}
	}
	p.cost.Iterations = done.To
	if p.Failure != nil {
		return p.status()
	}
	return algorithms.Status{State: state, Reason: done.Reason}
}

// refresh has the program show its iterate, which take checks and keeps.
func (p *Process) refresh(take func(*State) error) algorithms.Status {
	s := new(State)
	if _, err := p.ask("state", struct{}{}, map[string]any{"state": s}); err == nil {
		_ = take(s) // an error is the failure of the program
	}
	return p.status()
}

// writeArray writes numbers to a file of the program's folder. It does not truncate the file, which
// the program may have mapped.
func writeArray[T float64 | float32 | int64](p *Process, name string, values []T, shape ...int) (Array, error) {
	file, err := os.OpenFile(filepath.Join(p.dir, name), os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return Array{}, err
	}
	if len(values) > 0 && binary.NativeEndian.Uint16([]byte{1, 0}) == 1 {
		size := len(values) * int(unsafe.Sizeof(values[0]))
		_, err = file.Write(unsafe.Slice((*byte)(unsafe.Pointer(&values[0])), size))
	} else {
		err = binary.Write(file, binary.LittleEndian, values)
	}
	dtype := map[any]string{0.0: "<f8", float32(0): "<f4", int64(0): "<i8"}[*new(T)]
	return Array{File: name, Dtype: dtype, Shape: shape}, errors.Join(err, file.Close())
}

// array reads an array of a state into dst, which grows if necessary. A negative number in shape
// leaves that dimension open.
func (p *Process) array(s *State, name string, dst []float64, shape ...int) ([]float64, error) {
	const most = 1 << 29 // numbers
	a, n := s.Arrays[name], 1
	right := a.Dtype == "<f8" && len(a.Shape) == len(shape) && filepath.IsLocal(a.File)
	for i := 0; right && i < len(shape); i++ {
		right = a.Shape[i] >= 0 && (shape[i] < 0 || a.Shape[i] == shape[i]) && a.Shape[i] <= most/max(n, 1)
		n *= a.Shape[i]
	}
	if !right {
		return nil, p.fail("state: %s is %+v; want a file of the folder, dtype <f8 and shape %v (-1: any)", name, a, shape)
	}
	file, err := os.Open(filepath.Join(p.dir, a.File))
	if err != nil {
		return nil, p.fail("state: %s: %w", name, err)
	}
	defer file.Close()
	dst = slices.Grow(dst[:0], n)[:n]
	if err := binary.Read(file, binary.LittleEndian, dst); err != nil {
		return nil, p.fail("state: the file %s has fewer than %d numbers: %w", a.File, n, err)
	}
	if i := slices.IndexFunc(dst, func(v float64) bool { return !finite.Is(v) }); i >= 0 {
		p.Failure = &Error{record.StatusDiverged, fmt.Sprintf("state: number %d of %s is %v", i, name, dst[i])}
		return nil, p.Failure
	}
	return dst, nil
}
