package external

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"stochopt/internal/whole"
)

// Settings bound what a program may take.
type Settings struct {
	// Seconds bounds the CPU time of the steps of a run, Memory what the program may take, in
	// bytes, each together with what it starts; 0 is no bound. They are known on Linux only.
	Seconds float64
	Memory  int64
	// Warn, if set, is told what a user should know and no record says.
	Warn func(text string)
}

// defaultPatience is how long an answer may take if nobody says otherwise.
const defaultPatience = time.Minute

// patience is how long an answer may take: what may be used up of the processors is no hang.
func (p *Process) patience() time.Duration {
	return cmp.Or(p.program.Patience, defaultPatience) + whole.Seconds(p.settings.Seconds)
}

// Error says why a program could not do what it was asked to.
type Error struct {
	// Reason is a phrase, Log the end of what the program printed to its standard error.
	Reason, Log string
	// OutOfTime, OutOfMemory: it took more than it may. Diverged: a number is not finite.
	OutOfTime, OutOfMemory, Diverged bool
}

// Error implements error.
func (e *Error) Error() string {
	if e.Log == "" {
		return e.Reason
	}
	return e.Reason + "; the end of its standard error:\n" + e.Log
}

// Process is a program that has been started and has said hello. It is not for concurrent use.
// After an error it is of no use, but to be closed.
type Process struct {
	program  *Program
	settings Settings
	*process
	lines *bufio.Reader
	// Hello is what the program says of itself.
	Hello Hello

	broken bool
	// begun is what the program had had of the processors when its steps began, less than 0
	// before; stepping: they have. looked is when it was last looked at.
	begun    time.Duration
	stepping bool
	looked   time.Time
}

// mostLine bounds the lines of both sides.
const mostLine = 1 << 20

// Start starts a program, and has it say hello. The error is an *Error, or that of the context.
func Start(ctx context.Context, program *Program, s Settings) (*Process, error) {
	r, err := launch(program)
	if err != nil {
		return nil, &Error{Reason: err.Error()}
	}
	p := &Process{program: program, settings: s, process: r, lines: bufio.NewReaderSize(r.out, 1<<16), begun: -1}
	reply, err := p.ask(ctx, Request{Hello: &HelloRequest{Protocol, program.Task}}, "hello")
	if none, ok := errors.AsType[*Error](err); ok {
		none.Reason = "no hello: " + none.Reason
	}
	if err == nil {
		p.Hello = *reply.Hello
		if err = p.Hello.check(program); err != nil {
			err = p.fail("%w", err)
		}
	}
	if err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// Folder returns the folder of the program, which is its working directory.
func (p *Process) Folder() string { return p.files.dir }

// Init begins a run.
func (p *Process) Init(ctx context.Context, i Init) error {
	p.begun, p.stepping = -1, false
	_, err := p.ask(ctx, Request{Init: &i}, "ready")
	return err
}

// Reset ends a run of a program that serves many.
func (p *Process) Reset(ctx context.Context) error {
	_, err := p.ask(ctx, Request{Reset: new(struct{})}, "ready")
	return err
}

// Advance has the program do iterations. serve writes the kernel rows that it asks for
// meanwhile, and is nil if it may not.
func (p *Process) Advance(ctx context.Context, a Advance, serve func(rows []int64) (Array, error)) (*Advanced, error) {
	p.stepping = true
	if err := p.withinLimits(); err != nil {
		return nil, err
	}
	request := Request{Advance: &a}
	for {
		reply, err := p.ask(ctx, request, "advanced", "rows")
		if err != nil {
			return nil, err
		}
		if done := reply.Advanced; done != nil {
			return done, p.checkAdvanced(a.To, done)
		}
		if serve == nil {
			return nil, p.fail("it asks for kernel rows, which hello did not say")
		}
		rows, err := serve(reply.Rows)
		if err != nil {
			return nil, p.fail("rows: %w", err)
		}
		request = Request{Rows: &rows}
	}
}

// checkAdvanced reports an answer that is none.
func (p *Process) checkAdvanced(to int64, done *Advanced) error {
	switch {
	case done.To < 0 || done.To > to || done.To < to && (done.Status == "" || done.Status == "running"):
		return p.fail("it has advanced to iteration %d and goes on, where it was asked to advance to %d", done.To, to)
	case done.Status != "" && done.Status != "running" && done.Status != "converged" && done.Status != "diverged":
		return p.fail("the status %q is none of running, converged and diverged", done.Status)
	}
	return nil
}

// State asks for the iterate.
func (p *Process) State(ctx context.Context) (*State, error) {
	reply, err := p.ask(ctx, Request{State: new(struct{})}, "state")
	if err != nil {
		return nil, err
	}
	return reply.State, nil
}

// Array reads an array of a reply, of a shape in which what is negative is open, into dst if
// that is long enough.
func (p *Process) Array(name string, a Array, dst []float64, shape ...int) ([]float64, error) {
	dst, err := p.files.read(name, a, dst, shape...)
	if err != nil {
		return nil, p.fail("%w", err)
	}
	return dst, nil
}

// Close ends the program: politely, unless something went wrong. It returns once nothing is
// left of it.
func (p *Process) Close() {
	var left int
	var err error
	if p.broken {
		left, err = p.kill()
	} else {
		_ = p.send(context.Background(), Request{Stop: new(struct{})}, time.Now().Add(patience))
		left, err = p.end()
		if state := p.cmd.ProcessState; state != nil && !state.Success() {
			p.warn(fmt.Sprintf("the program did not end as it should: %s", p.death()))
		}
	}
	if left > 0 {
		p.warn(fmt.Sprintf("the program left %d processes behind, which were killed", left))
	}
	if err != nil {
		p.warn(fmt.Sprintf("the folder of the program cannot be removed: %v", err))
	}
}

func (p *Process) warn(text string) {
	if p.settings.Warn != nil {
		p.settings.Warn(p.program.ID + ": " + text)
	}
}

// CPU returns what the program has had of the processors since it was started, 0 if it is not
// known.
func (p *Process) CPU() time.Duration { return processTime(p.cmd.Process.Pid) }

// fail breaks the conversation off.
func (p *Process) fail(format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	p.broken = true
	if known, ok := errors.AsType[*Error](err); ok {
		return known
	}
	return &Error{Reason: err.Error(), Log: p.log.String(), Diverged: errors.Is(err, errNaN)}
}

// ask sends a request and returns the answer, which is to be one of some kinds.
func (p *Process) ask(ctx context.Context, request Request, kinds ...string) (*Reply, error) {
	if p.broken {
		return nil, p.fail("it has failed before")
	}
	until := time.Now().Add(p.patience())
	if err := p.send(ctx, request, until); err != nil {
		return nil, err
	}
	line, err := p.receive(ctx, until)
	if err != nil {
		return nil, err
	}
	reply, err := decodeReply(line)
	if err != nil {
		return nil, p.fail("%w", err)
	}
	if reply.Error != nil {
		return nil, p.fail("%s", *reply.Error)
	}
	for _, kind := range kinds {
		if reply.kind() == kind {
			return reply, nil
		}
	}
	return nil, p.fail("it answers %s, where %s was due", reply.kind(), kinds[0])
}

// Exchange sends a line, whatever is in it, and returns the line that is the answer: for who
// wants to see what a program makes of it.
func (p *Process) Exchange(ctx context.Context, line []byte) ([]byte, error) {
	until := time.Now().Add(p.patience())
	if err := p.write(ctx, line, until); err != nil {
		return nil, err
	}
	return p.receive(ctx, until)
}

// send writes a message.
func (p *Process) send(ctx context.Context, request Request, until time.Time) error {
	line, err := json.Marshal(request)
	if err != nil {
		return p.fail("%w", err)
	}
	return p.write(ctx, line, until)
}

// write writes a line.
func (p *Process) write(ctx context.Context, line []byte, until time.Time) error {
	if len(line) >= mostLine {
		return p.fail("a message to it has %d bytes, more than %d", len(line), mostLine)
	}
	line = append(line, '\n')
	for len(line) > 0 {
		_ = p.in.SetWriteDeadline(p.next(until))
		n, err := p.in.Write(line)
		line = line[n:]
		switch {
		case err == nil:
		case errors.Is(err, os.ErrDeadlineExceeded):
			if err := p.look(ctx, until); err != nil {
				return err
			}
		default:
			return p.gone()
		}
	}
	return nil
}

// receive reads a line.
func (p *Process) receive(ctx context.Context, until time.Time) ([]byte, error) {
	var line []byte
	for {
		_ = p.out.SetReadDeadline(p.next(until))
		part, err := p.lines.ReadSlice('\n')
		if err == nil && line == nil {
			return part, nil
		}
		line = append(line, part...)
		switch {
		case len(line) > mostLine:
			return nil, p.fail("a line of its output has more than %d bytes", mostLine)
		case err == nil:
			return line, nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, os.ErrDeadlineExceeded):
			if err := p.look(ctx, until); err != nil {
				return nil, err
			}
		case errors.Is(err, io.EOF):
			return nil, p.gone()
		default:
			return nil, p.fail("its output cannot be read: %w", err)
		}
	}
}

// lookEvery is how often a program is looked at while it is waited for.
const lookEvery = 50 * time.Millisecond

// next is when to look next.
func (p *Process) next(until time.Time) time.Time {
	next := time.Now().Add(lookEvery)
	if until.Before(next) {
		return until
	}
	return next
}

// look reports that a program is not to be waited for any longer.
func (p *Process) look(ctx context.Context, until time.Time) error {
	if ctx.Err() != nil {
		p.broken = true
		return ended(ctx)
	}
	if err := p.withinLimits(); err != nil {
		return err
	}
	if !time.Now().Before(until) {
		return p.fail("there is no answer after %v", p.patience())
	}
	return nil
}

// withinLimits reports what the program takes too much of. What it takes for showing iterates
// counts as well as its steps: it may do at the one what it puts off at the other.
func (p *Process) withinLimits() error {
	seconds, memory := p.settings.Seconds, p.settings.Memory
	if seconds <= 0 && memory <= 0 || time.Since(p.looked) < lookEvery && p.begun >= 0 {
		return nil
	}
	u := usageOf(p.cmd.Process.Pid)
	p.looked = time.Now()
	if p.begun < 0 && p.stepping {
		p.begun = u.cpu
	}
	switch {
	case memory > 0 && u.memory > memory:
		p.broken = true
		return &Error{Reason: fmt.Sprintf("it takes more than %d B of memory (limit)", memory), OutOfMemory: true}
	case seconds > 0 && p.begun >= 0 && (u.cpu-p.begun).Seconds() > seconds:
		p.broken = true
		return &Error{Reason: fmt.Sprintf("more than %g s of CPU time (limit)", seconds), OutOfTime: true}
	}
	return nil
}

// gone says how a program has ended that was not asked to.
func (p *Process) gone() error {
	if !within(p.exited, patience) {
		return p.fail("it has closed its input or output, and runs on")
	}
	within(p.logged, patience/4)
	return p.fail("%s", p.death())
}
