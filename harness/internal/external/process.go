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

// Error is the failure of a program.
type Error struct {
	// Status is the status for the record of the run: failed or diverged.
	Status, Reason string
}

// Error implements error.
func (e *Error) Error() string { return e.Reason }

const (
	// defaultTimeout is the time limit for an answer if the spec sets none.
	defaultTimeout = time.Minute
	// exitTimeout is the time that a program has to exit.
	exitTimeout = 2 * time.Second
	// maxLine is the maximum length of a line from a program, and maxLogExcerpt that of the excerpt of its
	// standard error in errors, in bytes.
	maxLine, maxLogExcerpt = 1 << 20, 4 << 10
	// logName is the file in the program's folder that receives its standard error.
	logName = "stderr"
)

// Process is a program that was started for a run. It is not safe for concurrent use. After a failure it
// can only be closed.
type Process struct {
	// Hello is the program's description of itself.
	Hello Hello
	// Counted lists the known costs, including the costs that the program declares.
	Counted []string
	// CPU is the CPU time of the program's steps, without other processes that it started. It is 0 if
	// unknown.
	CPU time.Duration
	// Failure is the first error of the program, or nil.
	Failure *Error

	ctx     context.Context
	program *Program
	warn    func(text string)
	cost    algorithms.Cost

	cmd   *exec.Cmd
	in    io.WriteCloser
	out   io.ReadCloser
	lines *bufio.Scanner
	// dir is the working directory of the program. remove removes it.
	dir    string
	remove func() error
	// wait waits until the program exits, and kills it after exitTimeout.
	wait func()
}

// Start starts a program and receives its hello. When the context ends, the current request fails and the
// program is killed. warn receives warnings that no record contains.
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

// launch starts the program in a temporary folder.
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
	p.lines.Buffer(nil, maxLine)
	p.wait = sync.OnceFunc(func() {
		defer time.AfterFunc(exitTimeout, p.kill).Stop()
		_ = cmd.Wait() // the process state has the exit status
	})
	return nil
}

// kill kills the program and its process group. It also ends a pending read or write.
func (p *Process) kill() {
	killGroup(p.cmd.Process)
	p.in.Close()
	p.out.Close()
}

// Close stops the program and kills the processes that it leaves behind. A program that has failed is
// killed too.
func (p *Process) Close() {
	if p.Failure != nil {
		p.kill()
	} else {
		_, _ = io.WriteString(p.in, `{"stop":{}}`+"\n")
		p.in.Close()
	}
	if p.wait(); p.Failure == nil && !p.cmd.ProcessState.Success() {
		p.warn(fmt.Sprintf("%s: the program did not exit normally: %v", p.program.ID, p.cmd.ProcessState))
	}
	killAllOrphans(p.cmd.Process.Pid)
	if err := p.remove(); err != nil {
		p.warn(fmt.Sprintf("%s: cannot remove the program's folder: %v", p.program.ID, err))
	}
}

// fail sets Failure, unless it is set, and appends the end of the program's standard error.
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
	_, _ = file.Seek(-maxLogExcerpt, io.SeekEnd) // fails for a shorter file, which is read from its start
	log, _ := io.ReadAll(file)
	if text := strings.TrimSpace(strings.ToValidUTF8(string(log), "\uFFFD")); text != "" {
		p.Failure.Reason += "; the end of its standard error:\n" + text
	}
}

// status returns Failure as the status of a step.
func (p *Process) status() algorithms.Status {
	switch {
	case p.Failure == nil:
		return algorithms.Status{}
	case p.Failure.Status == record.StatusDiverged:
		return algorithms.Status{State: algorithms.Diverged, Reason: p.Failure.Reason}
	}
	return algorithms.Status{State: algorithms.Failed, Reason: p.Failure.Reason}
}

// ask sends a message, decodes the answer into the value in answers for its verb, and returns the verb. It
// returns "" if the program has failed.
func (p *Process) ask(verb string, body any, answers map[string]any) string {
	if p.Failure != nil {
		return ""
	}
	timeout := cmp.Or(p.program.Timeout, defaultTimeout)
	late := fmt.Errorf("%s: no answer after %v", verb, timeout)
	ctx, cancel := context.WithTimeoutCause(p.ctx, timeout, late)
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
		p.fail("a line of its output is longer than %d bytes", maxLine)
	case !got:
		p.wait()
		p.fail("the program exited, or closed its input or output: %v", p.cmd.ProcessState)
	}
	if p.Failure != nil {
		return ""
	}
	// This decoder rejects duplicate keys.
	var message map[string]jsontext.Value
	if err := json.Unmarshal(p.lines.Bytes(), &message); err != nil || len(message) != 1 {
		p.fail("%.80q is not a JSON object with one key: %v; print other text to the standard error", p.lines.Bytes(), err)
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
			err = fmt.Errorf("not an answer to %s", verb)
		}
		if err == nil {
			return kind
		}
		p.fail("%s: %v", kind, err)
	}
	return ""
}
