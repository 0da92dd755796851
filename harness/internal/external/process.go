package external

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"stochopt/algorithms"
	"stochopt/internal/record"
	"stochopt/internal/scratch"
	"stochopt/internal/whole"

	"github.com/dustin/go-humanize"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Error says why a program cannot do what it was asked to.
type Error struct {
	// Status is what the record of the run says: failed, diverged, out of time or out of memory.
	Status, Reason string
}

// Error implements error.
func (e *Error) Error() string { return e.Reason }

const (
	// defaultPatience is how long an answer may take if the specification does not say.
	defaultPatience = time.Minute
	// grace is how long a program may take to end.
	grace = 2 * time.Second
	// watchEvery is how often the limits of a program are checked.
	watchEvery = 50 * time.Millisecond
	// mostLine bounds the lines of a program, mostLog what errors show of its log, in bytes.
	mostLine, mostLog = 1 << 20, 4 << 10
	// logName is the file of the folder that has the program's standard error.
	logName = "stderr"
)

// Process is a program that was started for a run. It is not for concurrent use. After a failure it
// can only be closed.
type Process struct {
	// Hello is what the program says of itself.
	Hello Hello
	// Counted names the costs that are known, among them those that the program declares.
	Counted []string
	// CPU is the CPU time of the program's steps, without other processes that it has started; it is 0
	// where it is unknown.
	CPU time.Duration
	// Failure is why the program cannot go on, nil if it can.
	Failure *Error

	ctx     context.Context
	program *Program
	limit   record.Limit
	warn    func(text string)
	cost    algorithms.Cost

	cmd   *exec.Cmd
	in    io.WriteCloser
	out   io.ReadCloser
	lines *bufio.Scanner
	// dir is the working directory of the program, which remove removes.
	dir    string
	remove func() error
	// wait waits for the end of the program, which it forces after a while.
	wait func()
	// stepping: the first iteration has begun. over is the limit that the program has exceeded. closed
	// ends the watch over the limits.
	stepping atomic.Bool
	over     atomic.Pointer[Error]
	closed   chan struct{}
}

// Start starts a program and has it say hello. The end of the context ends whatever it is asked for.
// The limit bounds the CPU time of its steps and its memory, each with that of the processes that it
// starts. It holds on Linux only. warn is told what a user should know and no record says.
func Start(ctx context.Context, program *Program, limit record.Limit, warn func(text string)) (*Process, error) {
	p := &Process{ctx: ctx, program: program, limit: limit, warn: warn, closed: make(chan struct{})}
	if err := p.launch(); err != nil {
		return nil, fmt.Errorf("cannot start the program: %w", err)
	}
	_, err := p.ask("hello", map[string]any{"protocol": Protocol, "task": program.Task}, map[string]any{"hello": &p.Hello})
	if err == nil {
		err = p.Hello.check(program)
	}
	if err != nil {
		err = p.fail("%w", err)
		p.Close()
		return nil, err
	}
	return p, nil
}

// launch starts the program in a folder of its own.
func (p *Process) launch() (err error) {
	dir, remove, err := scratch.Folder(os.TempDir(), "stochopt-external-")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, remove())
		}
	}()
	log, err := os.Create(filepath.Join(dir, logName))
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(p.program.Command[0], p.program.Command[1:]...)
	cmd.Dir, cmd.Env, cmd.Stderr = dir, p.program.environment(dir), log
	if p.in, err = cmd.StdinPipe(); err != nil {
		return err
	}
	if p.out, err = cmd.StdoutPipe(); err != nil {
		return err
	}
	if err := start(cmd); err != nil {
		return err
	}
	p.cmd, p.dir, p.remove, p.lines = cmd, dir, remove, bufio.NewScanner(p.out)
	p.lines.Buffer(nil, mostLine)
	p.wait = sync.OnceFunc(func() {
		defer time.AfterFunc(grace, p.kill).Stop()
		_ = cmd.Wait() // the process state says how the program has ended
	})
	if p.limit != (record.Limit{}) {
		go p.watch()
	}
	return nil
}

// watch kills the program once it exceeds its limits. Showing iterates counts as well as stepping:
// a program may do at the one what it puts off at the other.
func (p *Process) watch() {
	before := time.Duration(0)
	for {
		select {
		case <-p.closed:
			return
		case <-time.After(watchEvery):
		}
		cpu, memory := usage(p.cmd.Process.Pid)
		if !p.stepping.Load() {
			before = cpu
		}
		switch limit := p.limit; {
		case limit.Memory > 0 && memory > limit.Memory:
			reason := fmt.Sprintf("the program takes more than %s of memory (limit)", humanize.IBytes(uint64(limit.Memory)))
			p.over.Store(&Error{record.StatusOutOfMemory, reason})
		case limit.Seconds > 0 && (cpu-before).Seconds() > limit.Seconds:
			reason := fmt.Sprintf("the program takes more than %g s of CPU time (limit)", limit.Seconds)
			p.over.Store(&Error{record.StatusOutOfTime, reason})
		default:
			continue
		}
		p.kill()
		return
	}
}

// kill ends the program at once, and whoever waits for its answer.
func (p *Process) kill() {
	killGroup(p.cmd.Process)
	p.in.Close()
	p.out.Close()
}

// Close ends the program, politely unless something went wrong, and kills what it has left behind.
func (p *Process) Close() {
	close(p.closed)
	if p.Failure != nil {
		p.kill()
	} else {
		_, _ = io.WriteString(p.in, `{"stop":{}}`+"\n")
		p.in.Close()
	}
	if p.wait(); p.Failure == nil && !p.cmd.ProcessState.Success() {
		p.warn(fmt.Sprintf("%s: the program did not end as it should: %v", p.program.ID, p.cmd.ProcessState))
	}
	endOrphans(p.cmd.Process.Pid)
	if err := p.remove(); err != nil {
		p.warn(fmt.Sprintf("%s: the folder of the program cannot be removed: %v", p.program.ID, err))
	}
}

// fail breaks the conversation off. The error it returns is p.Failure.
func (p *Process) fail(format string, args ...any) error {
	if p.Failure != nil {
		return p.Failure
	}
	p.Failure = &Error{record.StatusFailed, fmt.Errorf(format, args...).Error()}
	log, _ := os.ReadFile(filepath.Join(p.dir, logName))
	log = bytes.TrimSpace(bytes.ToValidUTF8(log[max(len(log)-mostLog, 0):], []byte("\uFFFD")))
	if len(log) > 0 {
		p.Failure.Reason += "; the end of its standard error:\n" + string(log)
	}
	return p.Failure
}

// status returns the failure of the program, if there is one, as the status of a step.
func (p *Process) status() algorithms.Status {
	switch {
	case p.Failure == nil:
		return algorithms.Status{}
	case p.Failure.Status == record.StatusDiverged:
		return algorithms.Status{State: algorithms.Diverged, Reason: p.Failure.Reason}
	}
	return algorithms.Status{State: algorithms.Failed, Reason: p.Failure.Reason}
}

// ask sends a message, and decodes the answer into the value that answers have for its verb.
func (p *Process) ask(verb string, body any, answers map[string]any) (string, error) {
	patience := cmp.Or(p.program.Patience, defaultPatience) + whole.Seconds(p.limit.Seconds)
	late := fmt.Errorf("%s: there is no answer after %v", verb, patience)
	ctx, cancel := context.WithTimeoutCause(p.ctx, patience, late)
	defer cancel()
	defer context.AfterFunc(ctx, p.kill)()
	line, err := json.Marshal(map[string]any{verb: body})
	if err != nil {
		return "", p.fail("%s: %w", verb, err)
	}
	_, err = p.in.Write(append(line, '\n'))
	got := err == nil && p.lines.Scan()
	switch over := p.over.Load(); {
	case over != nil:
		p.Failure = over
		return "", over
	case ctx.Err() != nil:
		return "", p.fail("%w", context.Cause(ctx))
	case errors.Is(p.lines.Err(), bufio.ErrTooLong):
		return "", p.fail("a line of its output has more than %d bytes", mostLine)
	case !got:
		p.wait()
		return "", p.fail("the program has ended, or closed its input or output: %v", p.cmd.ProcessState)
	}
	// This decoder rejects an object that has a key twice.
	var message map[string]jsontext.Value
	if err := json.Unmarshal(p.lines.Bytes(), &message); err != nil || len(message) != 1 {
		return "", p.fail("%.80q is not a JSON object with one key: %v; print to the standard error",
			p.lines.Bytes(), err)
	}
	for kind, value := range message {
		into, ok := answers[kind]
		if !ok && kind == "error" {
			return "", p.fail("the program reports %s", value)
		}
		if !ok {
			return "", p.fail("%s: the program answers with %q", verb, kind)
		}
		if err := json.Unmarshal(value, into); err != nil {
			return "", p.fail("%s: %w", kind, err)
		}
		verb = kind
	}
	return verb, nil
}
