package external

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	"stochopt/internal/scratch"
)

// process is a program that runs, in a process group and a folder of its own.
type process struct {
	cmd   *exec.Cmd
	token string
	files files
	done  func() error // removes the folder

	in  *os.File
	out *os.File
	log tail
	// exited is closed when the program has ended and is reaped, logged when nothing more comes
	// on its standard error.
	exited, logged chan struct{}
	err            *os.File
}

// folderPrefix begins the names of the folders of programs.
const folderPrefix = "stochopt-external-"

// launches are the starts of programs. All are by one thread, which lives as long as this
// process: Linux takes the end of the thread that started a program for that of the process.
var launches = sync.OnceValue(func() chan func() {
	queue := make(chan func())
	go func() {
		runtime.LockOSThread()
		for start := range queue {
			start()
		}
	}()
	return queue
})

// launch starts a program.
func launch(p *Program) (_ *process, err error) {
	dir, done, err := scratch.Folder(roomyFolder(), folderPrefix)
	if err != nil {
		return nil, err
	}
	r := &process{
		token: rand.Text(), done: done, files: files{dir: dir},
		exited: make(chan struct{}), logged: make(chan struct{}),
	}
	var theirs []*os.File
	defer func() {
		for _, f := range theirs {
			f.Close()
		}
		if err != nil {
			r.close()
		}
	}()
	pipe := func(ours **os.File, write bool) *os.File {
		if err != nil {
			return nil
		}
		var from, to *os.File
		if from, to, err = os.Pipe(); err != nil {
			return nil
		}
		if write {
			from, to = to, from
		}
		*ours = from
		theirs = append(theirs, to)
		return to
	}
	env := p.environment(dir, r.token)
	path, err := lookPath(p.Command[0], env)
	if err != nil {
		return nil, err
	}
	r.cmd = &exec.Cmd{Path: path, Args: p.Command, Dir: dir, Env: env, SysProcAttr: attributes()}
	stdin, stdout, stderr := pipe(&r.in, true), pipe(&r.out, false), pipe(&r.err, false)
	if err != nil {
		return nil, err
	}
	r.cmd.Stdin, r.cmd.Stdout, r.cmd.Stderr = stdin, stdout, stderr
	started := make(chan error)
	launches() <- func() { started <- r.cmd.Start() }
	if err := <-started; err != nil {
		return nil, fmt.Errorf("cannot start the program: %w", err)
	}
	go func() {
		_ = r.cmd.Wait()
		close(r.exited)
	}()
	go func() {
		r.log.readFrom(r.err)
		close(r.logged)
	}()
	return r, nil
}

// lookPath finds a program as its environment says.
func lookPath(name string, env []string) (string, error) {
	if strings.ContainsRune(name, os.PathSeparator) {
		return exec.LookPath(name)
	}
	var path string
	for _, v := range env {
		if p, ok := strings.CutPrefix(v, "PATH="); ok {
			path = p
		}
	}
	for _, dir := range strings.Split(path, string(os.PathListSeparator)) {
		if dir == "" {
			continue
		}
		if found, err := exec.LookPath(dir + string(os.PathSeparator) + name); err == nil {
			return found, nil
		}
	}
	return "", fmt.Errorf("there is no program %s in PATH", name)
}

// The patience of ending a program: with the end of its input, then with a signal.
const patience = 2 * time.Second

// end closes the input of the program, and if that does not end it, does so by force. It
// returns how many other processes it has left behind, which are killed, and removes its
// folder.
func (r *process) end() (left int, err error) {
	r.in.Close()
	if !within(r.exited, patience) {
		signalGroup(r.cmd.Process.Pid, terminate)
		if !within(r.exited, patience) {
			return r.kill()
		}
	}
	return r.clear()
}

// kill ends the program and all that it has started at once.
func (r *process) kill() (left int, err error) {
	signalGroup(r.cmd.Process.Pid, kill)
	<-r.exited
	return r.clear()
}

// clear kills what an ended program has left behind, and removes its folder.
func (r *process) clear() (left int, err error) {
	// Helpers of languages end shortly after what they help.
	for until := time.Now().Add(lingering); left == 0 || time.Now().Before(until); time.Sleep(lingering / 20) {
		if left = len(leftBehind(r.cmd.Process.Pid, r.token)); left == 0 {
			break
		}
	}
	if left > 0 {
		killLeft(r.cmd.Process.Pid, r.token)
	}
	// What still holds its standard error is no child of this program any more.
	if !within(r.logged, patience/4) {
		r.err.Close()
		<-r.logged
	}
	return left, r.close()
}

// lingering is how long what a program has left behind may take to end.
const lingering = 200 * time.Millisecond

// close gives back files and folder.
func (r *process) close() error {
	for _, f := range []*os.File{r.in, r.out, r.err} {
		if f != nil {
			f.Close()
		}
	}
	r.files.close()
	return r.done()
}

// within waits for the closing of a channel.
func within(c <-chan struct{}, most time.Duration) bool {
	select {
	case <-c:
		return true
	case <-time.After(most):
		return false
	}
}

// death says how the program has ended.
func (r *process) death() string {
	state := r.cmd.ProcessState
	if state == nil {
		return "it has ended"
	}
	if name := killedBy(state); name != "" {
		return "it was killed by the signal: " + name
	}
	return fmt.Sprintf("it has ended with the exit code %d", state.ExitCode())
}

// tail keeps the end of what a program prints.
type tail struct {
	mu   sync.Mutex
	text []byte
	cut  bool
}

// mostTail bounds what is kept.
const mostTail = 4 << 10

func (t *tail) readFrom(f *os.File) {
	buf := make([]byte, mostTail)
	for {
		n, err := f.Read(buf)
		t.mu.Lock()
		t.text = append(t.text, buf[:n]...)
		if more := len(t.text) - mostTail; more > 0 {
			t.cut = true
			t.text = append(t.text[:0], t.text[more:]...)
		}
		t.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// String returns what is kept as valid text, "" if there is nothing.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.TrimSpace(strings.ToValidUTF8(string(t.text), "\uFFFD"))
	if t.cut && text != "" {
		text = "…" + text
	}
	return text
}

// errEnded is in the error of a conversation whose context has ended.
var errEnded = errors.New("the run was ended")

// ended returns the cause of a context's end.
func ended(ctx context.Context) error { return fmt.Errorf("%w: %w", errEnded, context.Cause(ctx)) }
