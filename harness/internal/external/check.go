package external

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"

	"stochopt/algorithms"
)

// Finding is the outcome of one check of the conformance suite.
type Finding struct {
	// What was checked; Err is nil if it holds. Skipped says why it was not checked.
	What, Skipped string
	Err           error
}

// checkSteps are the iterations that the suite asks for, one after the other.
var checkSteps = []int64{1, 2, 10, 50, 51, 120}

// Check starts a program several times for its task and reports on how it keeps to the
// protocol: a small run, the same again, and lines that are no messages. given are values of
// parameters that the program's hello does not have defaults for.
func Check(ctx context.Context, program *Program, given map[string]any, s Settings) []Finding {
	first, err := checkRun(ctx, program, given, s)
	findings := []Finding{{What: "hello, and a run in blocks of several sizes, with states as the protocol has them", Err: err}}
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
	// states holds what the program showed, number by number, ranks the numbers of columns of
	// that, of the task pca.
	states            [][]float64
	ranks             []int
	reset, rows, cost Finding
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
	closing := sync.OnceFunc(p.Close)
	defer closing()
	c = &checked{
		hello: p.Hello,
		reset: Finding{What: "after reset a run gives the same bytes as in a new process"},
		rows:  Finding{What: "kernel rows are asked for within the training points"},
		cost:  Finding{What: "declared counters never decrease, and none is declared that the harness counts"},
	}
	if err := c.play(ctx, p, given); err != nil {
		return nil, err
	}
	if err := c.again(ctx, p, given); err != nil {
		return nil, err
	}
	closing()
	if state := p.cmd.ProcessState; state == nil || !state.Success() {
		return nil, fmt.Errorf("stop: %s, where the exit code 0 was due", p.death())
	}
	return c, nil
}

// play takes the program through the run of the suite, which checks it as any other run does.
func (c *checked) play(ctx context.Context, p *Process, given map[string]any) error {
	t, err := newCheckTrial(ctx, p, given)
	if err != nil {
		return err
	}
	for _, to := range checkSteps {
		before := t.cost
		status := t.to(to)
		if t.err == nil {
			t.show()
		}
		if t.err != nil {
			return fmt.Errorf("up to iteration %d: %w", to, t.err)
		}
		state, rank := t.numbers()
		c.states, c.ranks = append(c.states, state), append(c.ranks, rank)
		c.costs(t, before)
		if status.Stop() {
			break
		}
	}
	switch {
	case !p.Hello.Serves(ServeRows):
		c.rows.Skipped = "it asks for none"
	case t.Counts("kernel_evals") && t.cost.KernelEvals == 0:
		c.rows.Skipped = "hello says rows, and it asked for none"
	}
	if len(t.declared) == 0 && c.cost.Err == nil {
		c.cost.Skipped = "it declares none"
	}
	return nil
}

// again takes a program that serves many runs through the run once more.
func (c *checked) again(ctx context.Context, p *Process, given map[string]any) error {
	switch {
	case !p.Hello.Many:
		c.reset.Skipped = "hello does not say that a process serves many runs"
		return nil
	case !p.Hello.Deterministic:
		c.reset.Skipped = "hello does not say that the method is deterministic"
		return nil
	}
	if err := p.Reset(ctx); err != nil {
		return fmt.Errorf("reset: %w", err)
	}
	more := &checked{hello: c.hello}
	if err := more.play(ctx, p, given); err != nil {
		return fmt.Errorf("after reset: %w", err)
	}
	c.reset.Err = c.differs(more)
	return nil
}

// costs checks the costs of the latest iterations: a rank that is said to be fixed is, and
// one iteration adds to a declared sum_kt2 the square of a rank between those before and
// after it.
func (c *checked) costs(t *checkTrial, before algorithms.Cost) {
	last := len(c.ranks) - 1
	if last == 0 {
		return
	}
	was, is := c.ranks[last-1], c.ranks[last]
	added := t.cost.SumKT2 - before.SumKT2
	switch {
	case c.hello.Rank == "fixed" && is != was:
		c.cost.Err = fmt.Errorf("hello says that the rank is fixed, by which sum_kt2 is counted, and it went from %d to %d", was, is)
	case slices.Contains(t.declared, "sum_kt2") && t.cost.Iterations == before.Iterations+1 && (added < int64(min(was, is)*min(was, is)) || added > int64(max(was, is)*max(was, is))):
		c.cost.Err = fmt.Errorf("one iteration from rank %d to rank %d added %d to sum_kt2", was, is, added)
	}
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
