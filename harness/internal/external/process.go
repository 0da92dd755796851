package external

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"stochopt/algorithms"
	"stochopt/internal/record"
	"stochopt/internal/scratch"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Error says why a program cannot do what it was asked to.
type Error struct {
	// Status is what the record of the run says: failed or diverged.
	Status, Reason string
}

// Error implements error.
func (e *Error) Error() string { return e.Reason }

const (
	// defaultPatience is how long an answer may take if the specification does not say.
	defaultPatience = time.Minute
	// grace is how long a program may take to end.
	grace = 2 * time.Second
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
}

// Start starts a program and has it say hello. The end of the context ends whatever it is asked for.
// warn is told what a user should know and no record says.
func Start(ctx context.Context, program *Program, warn func(text string)) (*Process, error) {
	p := &Process{ctx: ctx, program: program, warn: warn}
	if err := p.launch(); err != nil {
		return nil, fmt.Errorf("cannot start the program: %w", err)
	}
	request := map[string]any{"protocol": Protocol, "task": program.Task}
	if p.ask("hello", request, map[string]any{"hello": &p.Hello}); p.Failure == nil {
		p.checkHello()
	}
	if p.Failure != nil {
		p.Close()
		return nil, p.Failure
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
	return nil
}

// kill ends the program at once, and whoever waits for its answer.
func (p *Process) kill() {
	killGroup(p.cmd.Process)
	p.in.Close()
	p.out.Close()
}

// Close ends the program, politely unless something went wrong, and kills what it has left behind.
func (p *Process) Close() {
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

// fail breaks the conversation off, for the first reason given.
func (p *Process) fail(format string, args ...any) {
	if p.Failure != nil {
		return
	}
	p.Failure = &Error{record.StatusFailed, fmt.Sprintf(format, args...)}
	file, err := os.Open(filepath.Join(p.dir, logName))
	if err != nil {
		return
	}
	defer file.Close()
	_, _ = file.Seek(-mostLog, io.SeekEnd) // a shorter file is read from its start
	log, _ := io.ReadAll(file)
	if text := strings.TrimSpace(strings.ToValidUTF8(string(log), "\uFFFD")); text != "" {
		p.Failure.Reason += "; the end of its standard error:\n" + text
	}
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

// ask sends a message, decodes the answer into the value that answers have for its verb, and returns
// the verb. It returns "" if the program has failed.
func (p *Process) ask(verb string, body any, answers map[string]any) string {
	if p.Failure != nil {
		return ""
	}
	patience := cmp.Or(p.program.Patience, defaultPatience)
	late := fmt.Errorf("%s: there is no answer after %v", verb, patience)
	ctx, cancel := context.WithTimeoutCause(p.ctx, patience, late)
	defer cancel()
	defer context.AfterFunc(ctx, p.kill)()
	line, err := json.Marshal(map[string]any{verb: body})
	if err == nil {
		_, err = p.in.Write(append(line, '\n'))
	}
	got := err == nil && p.lines.Scan()
	switch {
	case ctx.Err() != nil:
		p.fail("%v", context.Cause(ctx))
	case errors.Is(p.lines.Err(), bufio.ErrTooLong):
		p.fail("a line of its output has more than %d bytes", mostLine)
	case !got:
		p.wait()
		p.fail("the program has ended, or closed its input or output: %v", p.cmd.ProcessState)
	}
	if p.Failure != nil {
		return ""
	}
	// This decoder rejects an object that has a key twice.
	var message map[string]jsontext.Value
	if err := json.Unmarshal(p.lines.Bytes(), &message); err != nil || len(message) != 1 {
		p.fail("%.80q is not a JSON object with one key: %v; print to the standard error", p.lines.Bytes(), err)
		return ""
	}
	for kind, value := range message {
		into, ok := answers[kind]
		switch {
		case ok:
			err = json.Unmarshal(value, into)
		case kind == "error":
			err = errors.New(string(value))
		default:
			err = fmt.Errorf("this is no answer to %s", verb)
		}
		if err == nil {
			return kind
		}
		p.fail("%s: %v", kind, err)
	}
	return ""
}
