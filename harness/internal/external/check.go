package external

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"

	"stochopt/algorithms/pca"

	"gonum.org/v1/gonum/mat"
)

// Finding is the outcome of one check of the conformance suite.
type Finding struct {
	// What was checked; Err is nil if it holds. Skipped says why it was not checked.
	What, Skipped string
	Err           error
}

// checkSteps are the iterations that the suite asks for, one after the other.
var checkSteps = []int64{1, 2, 10, 50, 51, 120}

// Sizes of the problem of the suite, and the regularisation.
const (
	checkRows, checkFeatures, checkRank = 60, 12, 3
	checkPositive                       = 25
	checkGamma, checkC                  = 0.1, 1.0
)

// Check starts a program several times for its task and reports on how it keeps to the
// protocol: a small run, the same again, and lines that are no messages. given are values of
// parameters that the program's hello does not have defaults for.
func Check(ctx context.Context, program *Program, given map[string]any, s Settings) []Finding {
	first, err := checkRun(ctx, program, given, s)
	findings := []Finding{{What: "hello, and a run in blocks of several sizes with shapes and numbers as they are to be", Err: err}}
	if err != nil {
		return findings
	}
	again := Finding{What: "the same run again gives the same bytes"}
	switch second, err := checkRun(ctx, program, given, s); {
	case err != nil:
		again.Err = err
	case !first.hello.Deterministic:
		again.Skipped = "hello does not claim it"
	default:
		again.Err = first.differs(second)
	}
	findings = append(findings, again, first.reset, first.rows, first.cost)
	for _, bad := range []struct{ what, line string }{
		{"a line that is not JSON", "{\"advance\": nonsense"},
		{"a message that does not exist", `{"dance": {}}`},
		{"an advance before init", `{"advance": {"to": 1}}`},
	} {
		f := Finding{What: bad.what + " is answered by an error, or by the end of the program"}
		f.Err = checkBad(ctx, program, s, bad.line)
		findings = append(findings, f)
	}
	return findings
}

// checked is a run of the suite.
type checked struct {
	hello Hello
	// states holds what the program showed, number by number.
	states [][]float64
	// ranks are the numbers of columns of what it showed, of the task pca.
	ranks             []int
	reset, rows, cost Finding

	declared map[string]int64
	asked    int
}

// differs names the first difference of two runs.
func (c *checked) differs(d *checked) error {
	if len(c.states) != len(d.states) {
		return fmt.Errorf("the one run ended after %d states, the other after %d; hello says that the method is deterministic", len(c.states), len(d.states))
	}
	for i, s := range c.states {
		if len(s) != len(d.states[i]) {
			return fmt.Errorf("the states after iteration %d have different sizes; hello says that the method is deterministic", checkSteps[i])
		}
		for j, v := range s {
			if math.Float64bits(v) != math.Float64bits(d.states[i][j]) {
				return fmt.Errorf("the states after iteration %d differ at number %d; hello says that the method is deterministic", checkSteps[i], j)
			}
		}
	}
	return nil
}

// checkRun does a run of the suite.
func checkRun(ctx context.Context, program *Program, given map[string]any, s Settings) (c *checked, err error) {
	p, err := Start(ctx, program, s)
	if err != nil {
		return nil, err
	}
	closed := false
	defer func() {
		if !closed {
			p.Close()
		}
	}()
	c = &checked{hello: p.Hello, rows: Finding{What: "kernel rows are asked for within the training points"},
		cost: Finding{What: "declared counters never decrease, and none is declared that the harness counts"}}
	params, err := p.Hello.Resolve(given, []string{"k", "step.c", "step.schedule"})
	if err != nil {
		return nil, fmt.Errorf("%w; give it by --with NAME=VALUE", err)
	}
	c.reset = Finding{What: "after reset a run gives the same bytes as in a new process"}
	rng := rand.New(rand.NewPCG(1, 2))
	x := make([]float64, checkRows*checkFeatures)
	for i := range x {
		x[i] = rng.NormFloat64() / float64(1+i%checkFeatures)
	}
	last := checkSteps[len(checkSteps)-1]
	begin := Init{Seed: 20130719, Iterations: last, Params: params, D: checkFeatures, N: checkRows, Arrays: map[string]any{}}
	if program.Task == "pca" {
		begin.K = checkRank
		params["k"] = int64(checkRank)
	} else if err := checkProblem(p, &begin, x); err != nil {
		return nil, err
	}
	if err := c.play(ctx, p, program.Task, begin, x); err != nil {
		return nil, err
	}
	if err := c.again(ctx, p, program.Task, begin, x); err != nil {
		return nil, err
	}
	declared, asked := c.declared, c.asked
	if !p.Hello.Serves(ServeRows) {
		c.rows.Skipped = "it asks for none"
	} else if asked == 0 {
		c.rows.Skipped = "hello says rows, and it asked for none"
	}
	// What the harness counts itself, kernelRun and PCA refuse.
	switch _, says := declared["sum_kt2"]; {
	case len(declared) == 0 && c.cost.Err == nil:
		c.cost.Skipped = "it declares none"
	case p.Hello.Rank == "fixed" && says:
		c.cost.Err = errors.New("sum_kt2 is declared, and hello says that the rank is fixed: then it is counted")
	}
	if _, says := declared["kernel_evals"]; says && p.Hello.Serves(ServeRows) && !p.Hello.Serves(ServeData) {
		c.cost.Err = fmt.Errorf("kernel_evals is declared as %d; served rows are counted, and are %d", declared["kernel_evals"], asked*checkRows)
	}
	p.Close()
	closed = true
	if state := p.cmd.ProcessState; state == nil || !state.Success() {
		return nil, fmt.Errorf("stop: %s, where the exit code 0 was due", p.death())
	}
	return c, nil
}

// play begins the run of the suite and takes it to its end.
func (c *checked) play(ctx context.Context, p *Process, task string, begin Init, x []float64) error {
	if err := p.Init(ctx, begin); err != nil {
		return fmt.Errorf("init: %w", err)
	}
	c.states, c.ranks, c.declared, c.asked = nil, nil, make(map[string]int64), 0
	var serve func([]int64) (Array, error)
	if p.Hello.Serves(ServeRows) {
		serve = func(rows []int64) (Array, error) { c.asked += len(rows); return checkKernel(p, x, rows) }
	}
	rng := rand.New(rand.NewPCG(3, 4))
	from := int64(0)
	for _, t := range checkSteps {
		a, err := checkBlock(p, x, from, t, rng)
		if err != nil {
			return err
		}
		done, err := p.Advance(ctx, a, serve)
		if err != nil {
			return fmt.Errorf("advance to %d: %w", t, err)
		}
		state, rank, err := checkState(ctx, p, task)
		if err != nil {
			return fmt.Errorf("state after iteration %d: %w", t, err)
		}
		c.states, c.ranks = append(c.states, state), append(c.ranks, rank)
		c.costs(done.Cost, t-from)
		if done.Status == "converged" || done.Status == "diverged" {
			break
		}
		from = t
	}
	return nil
}

// again takes a program that serves many runs through the run once more.
func (c *checked) again(ctx context.Context, p *Process, task string, begin Init, x []float64) error {
	if !p.Hello.Many || !p.Hello.Deterministic {
		c.reset.Skipped = "hello does not say that a process serves many runs, to the same bytes"
		return nil
	}
	if err := p.Reset(ctx); err != nil {
		return fmt.Errorf("reset: %w", err)
	}
	more := &checked{hello: c.hello}
	if err := more.play(ctx, p, task, begin, x); err != nil {
		return fmt.Errorf("after reset: %w", err)
	}
	c.reset.Err = c.differs(more)
	return nil
}

// costs checks what is declared after some iterations: counters never decrease, and one
// iteration adds to sum_kt2 the square of a rank between those before and after it.
func (c *checked) costs(cost map[string]int64, iterations int64) {
	was := c.declared["sum_kt2"]
	for name, n := range cost {
		if n < c.declared[name] {
			c.cost.Err = fmt.Errorf("%s went from %d to %d", name, c.declared[name], n)
		}
		c.declared[name] = n
	}
	last := len(c.ranks) - 1
	switch n, says := cost["sum_kt2"]; {
	case c.hello.Rank == "fixed" && last > 0 && c.ranks[last] != c.ranks[0]:
		c.cost.Err = fmt.Errorf("hello says that the rank is fixed, by which sum_kt2 is counted, and it went from %d to %d", c.ranks[0], c.ranks[last])
	case says && iterations == 1 && last > 0:
		least, most := min(c.ranks[last-1], c.ranks[last]), max(c.ranks[last-1], c.ranks[last])
		if added := n - was; added < int64(least*least) || added > int64(most*most) {
			c.cost.Err = fmt.Errorf("one iteration from rank %d to rank %d added %d to sum_kt2", c.ranks[last-1], c.ranks[last], added)
		}
	}
}

// checkProblem writes the arrays of a kernel problem.
func checkProblem(p *Process, i *Init, x []float64) (err error) {
	c, lambda := checkC, 1/(checkC*checkRows)
	i.Positive, i.C, i.Lambda = checkPositive, &c, &lambda
	i.Kernel = map[string]any{"name": "gaussian", "gamma": checkGamma}
	y := slices.Repeat([]float64{1}, checkRows)
	for j := checkPositive; j < checkRows; j++ {
		y[j] = -1
	}
	if i.Arrays["y"], err = writeArray(&p.files, "y", []int{checkRows}, y); err != nil {
		return err
	}
	if p.Hello.Serves(ServeRows) {
		if i.Arrays["diagonal"], err = writeArray(&p.files, "diagonal", []int{checkRows}, slices.Repeat([]float64{1}, checkRows)); err != nil {
			return err
		}
	}
	if p.Hello.Serves(ServeData) {
		i.Arrays["X"], err = writeArray(&p.files, "X", []int{checkRows, checkFeatures}, x)
	}
	return err
}

// checkBlock is what is served for the iterations from+1 to t.
func checkBlock(p *Process, x []float64, from, t int64, rng *rand.Rand) (a Advance, err error) {
	a.To = t
	var order []int64
	var samples []float64
	for range t - from {
		i := rng.IntN(checkRows)
		order = append(order, int64(i))
		samples = append(samples, x[i*checkFeatures:(i+1)*checkFeatures]...)
	}
	var served Array
	if p.Hello.Serves(ServeSamples) {
		served, err = writeArray(&p.files, "samples", []int{len(order), checkFeatures}, samples)
		a.Samples = &served
	} else if p.Hello.Serves(ServeOrder) {
		served, err = writeArray(&p.files, "order", []int{len(order)}, order)
		a.Order = &served
	}
	return a, err
}

// checkKernel serves kernel rows.
func checkKernel(p *Process, x []float64, rows []int64) (Array, error) {
	var values []float32
	for _, i := range rows {
		if i < 0 || i >= checkRows {
			return Array{}, fmt.Errorf("it asks for the kernel row of training point %d of %d", i, checkRows)
		}
		for j := range checkRows {
			var sq float64
			for l := range checkFeatures {
				by := x[int(i)*checkFeatures+l] - x[j*checkFeatures+l]
				sq += by * by
			}
			values = append(values, float32(math.Exp(-checkGamma*sq)))
		}
	}
	return writeArray(&p.files, "rows", []int{len(rows), checkRows}, values)
}

// checkState asks for the state and returns its numbers, checked.
func checkState(ctx context.Context, p *Process, task string) (all []float64, rank int, err error) {
	s, err := p.State(ctx)
	if err != nil {
		return nil, 0, err
	}
	all = []float64{s.Bias, s.Bulk}
	names := forms[:]
	if task == "pca" {
		names = [][]string{{"U"}}
	}
	form := slices.IndexFunc(names, func(f []string) bool { _, ok := s.Arrays[f[0]]; return ok })
	if form < 0 {
		return nil, 0, fmt.Errorf("it has none of the arrays of a state of the task %s", task)
	}
	for _, name := range names[form] {
		a, ok := s.Arrays[name]
		if !ok {
			return nil, 0, fmt.Errorf("%s is missing", name)
		}
		shape := map[string][]int{"U": {checkFeatures, -1}, "alpha": {checkRows}, "weights": {checkFeatures},
			"vectors": {-1, checkFeatures}, "frequencies": {-1, checkFeatures}}[name]
		if shape == nil {
			shape = []int{s.Arrays[names[form][0]].Shape[0]}
		}
		v, err := p.Array(name, a, nil, shape...)
		if err != nil {
			return nil, 0, err
		}
		all = append(all, v...)
		if name == "U" {
			rank = a.Shape[1]
		}
		if name == "U" && len(v) > 0 {
			if drift := pca.Orthonormality(mat.NewDense(checkFeatures, a.Shape[1], v)); !(drift <= mostDrift) {
				return nil, 0, fmt.Errorf("the columns of U are not orthonormal: UᵀU is %.2g from I", drift)
			}
		}
	}
	if a, ok := s.Arrays["sigma"]; ok && task == "pca" {
		sigma, err := p.Array("sigma", a, nil, rank)
		if err != nil {
			return nil, 0, err
		}
		before := 1.0
		for _, v := range sigma {
			if !(v <= before+mostDrift) || !(v >= s.Bulk-mostDrift) {
				return nil, 0, fmt.Errorf("sigma has %v after %v, where it is to fall from at most 1 to no less than bulk, %v", v, before, s.Bulk)
			}
			before = v
		}
		all = append(all, sigma...)
	}
	return all, rank, nil
}

// checkBad sends a line that is no message at that place.
func checkBad(ctx context.Context, program *Program, s Settings, line string) error {
	p, err := Start(ctx, program, s)
	if err != nil {
		return err
	}
	defer func() { p.broken = true; p.Close() }()
	answer, err := p.Exchange(ctx, []byte(line))
	if err != nil {
		select {
		case <-p.exited:
			return nil
		default:
		}
		if errors.Is(err, io.EOF) || within(p.exited, patience) {
			return nil
		}
		return fmt.Errorf("there is neither an answer nor an end: %w", err)
	}
	var reply Reply
	if err := json.Unmarshal(answer, &reply); err != nil || reply.Error == nil {
		return fmt.Errorf("the answer is %.200q", answer)
	}
	return nil
}
