package external

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"stochopt/algorithms"
	"stochopt/internal/finite"
	"stochopt/internal/record"
)

// External returns p. The harness recognises external learners by this method.
func (p *Process) External() *Process { return p }

// Cost implements algorithms.Stepper.
func (p *Process) Cost() algorithms.Cost { return p.cost }

// serves reports whether the program requested a kind of data in its hello.
func (p *Process) serves(what string) bool { return slices.Contains(p.Hello.Serve, what) }

// begin sends the description of the run to the program. counted names the costs that the harness counts.
func (p *Process) begin(i Init, counted ...string) error {
	p.Counted = slices.Concat([]string{"iterations"}, counted, p.Hello.Counters)
	for _, name := range p.Hello.Counters {
		if slices.Contains(counted, name) || p.counter(name) == nil {
			p.fail("hello: counters has %q, which is not a cost or is counted by the harness", name)
		}
	}
	if p.ask("init", i, map[string]any{"ready": new(struct{})}); p.Failure != nil {
		return p.Failure
	}
	return nil
}

// counter returns the cost with the given name, nil if a program must not declare it.
func (p *Process) counter(name string) *int64 {
	c := &p.cost
	return map[string]*int64{
		"kernel_evals": &c.KernelEvals, "kernel_evals_moved": &c.KernelEvalsMoved, "inner_products": &c.InnerProducts,
		"sum_kt": &c.SumKT, "sum_kt2": &c.SumKT2,
	}[name]
}

// advance asks the program to perform iterations. rows writes the kernel rows that the program requests
// meanwhile. It is nil if the program must not request any.
func (p *Process) advance(a Advance, rows func(indices []int64) *Array) algorithms.Status {
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
		switch p.ask(verb, body, answers) {
		case "advanced":
			return p.advanced(a.To, &done)
		case "rows":
			verb, body = "rows", rows(indices)
		default:
			return p.status()
		}
	}
}

// advanced checks the program's answer to advance and stores its declared costs.
func (p *Process) advanced(to int64, done *Advanced) algorithms.Status {
	state, known := map[string]algorithms.State{
		"": algorithms.Running, "running": algorithms.Running,
		"converged": algorithms.Converged, "diverged": algorithms.Diverged,
	}[done.Status]
	if !known {
		p.fail("advanced: the status is %q; want running, converged or diverged", done.Status)
	}
	if done.To < p.cost.Iterations || done.To > to || done.To < to && state == algorithms.Running {
		p.fail("advanced: to is %d, want %d", done.To, to)
	}
	for name := range done.Cost {
		if !slices.Contains(p.Hello.Counters, name) {
			p.fail("advanced: the cost %q is not among the counters in hello", name)
		}
	}
	for _, name := range p.Hello.Counters {
		n, c := done.Cost[name], p.counter(name)
		if n == nil || *n < *c {
			p.fail("advanced: the declared cost %s is missing or less than its previous value %d", name, *c)
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

// refresh requests the current iterate and passes it to take.
func (p *Process) refresh(take func(*State)) algorithms.Status {
	var s State
	if p.ask("state", struct{}{}, map[string]any{"state": &s}) != "" {
		take(&s)
	}
	return p.status()
}

// writeArray writes numbers to a file in the program's folder. It does not truncate the file, because the
// program may have mapped it.
func writeArray[T float64 | float32 | int64](p *Process, name string, values []T, shape ...int) *Array {
	file, err := os.OpenFile(filepath.Join(p.dir, name), os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		p.fail("%v", err)
		return nil
	}
	for part := range slices.Chunk(values, 1<<13) { // binary.Write copies its argument
		if err = binary.Write(file, binary.LittleEndian, part); err != nil {
			break
		}
	}
	if err = errors.Join(err, file.Close()); err != nil {
		p.fail("%v", err)
	}
	dtype := map[any]string{0.0: "<f8", float32(0): "<f4", int64(0): "<i8"}[*new(T)]
	return &Array{File: name, Dtype: dtype, Shape: shape}
}

// array reads an array of a state. A negative number in shape allows any length in that dimension. The
// array is empty if the program has failed.
func (p *Process) array(s *State, name string, shape ...int) []float64 {
	const most = 1 << 29 // the largest number of elements
	a, n := s.Arrays[name], 1
	right := a.Dtype == "<f8" && len(a.Shape) == len(shape) && filepath.IsLocal(a.File)
	for i := 0; right && i < len(shape); i++ {
		right = a.Shape[i] >= 0 && (shape[i] < 0 || a.Shape[i] == shape[i]) && a.Shape[i] <= most/max(n, 1)
		n *= a.Shape[i]
	}
	if !right {
		p.fail("state: %s is %+v; want a file in the working directory, dtype <f8 and shape %v (-1: any)", name, a, shape)
		return nil
	}
	values := make([]float64, n)
	file, err := os.Open(filepath.Join(p.dir, a.File))
	if err == nil {
		err = errors.Join(binary.Read(file, binary.LittleEndian, values), file.Close())
	}
	if err != nil {
		p.fail("state: cannot read the %d numbers of %s from the file %s: %v", n, name, a.File, err)
		return nil
	}
	if i := slices.IndexFunc(values, func(v float64) bool { return !finite.Is(v) }); i >= 0 && p.Failure == nil {
		p.Failure = &Error{record.StatusDiverged, fmt.Sprintf("state: number %d of %s is %v", i, name, values[i])}
	}
	return values
}
