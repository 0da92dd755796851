package record

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// childRole is the environment variable that makes the test binary perform a role instead of tests.
const childRole = "RECORD_TEST_CHILD"

var childRoles = map[string]func(args []string, in *bufio.Scanner) error{
	"lock": lockChild, "add": addChild, "open": openChild, "read": readChild, "read-only": readOnlyChild,
}

func TestMain(m *testing.M) {
	if role, ok := childRoles[os.Getenv(childRole)]; ok {
		if err := role(os.Args[1:], bufio.NewScanner(os.Stdin)); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child is a process of this test binary in a role.
type child struct {
	*exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

func startChild(t testing.TB, role string, args ...string) *child {
	t.Helper()
	exe, err := os.Executable()
	must(t, err)
	c := &child{Cmd: exec.Command(exe, args...)}
	c.Env = append(os.Environ(), childRole+"="+role)
	c.Stderr = os.Stderr
	in, errIn := c.StdinPipe()
	out, errOut := c.StdoutPipe()
	must(t, errors.Join(errIn, errOut, c.Start()))
	c.in, c.out = in, bufio.NewScanner(out)
	t.Cleanup(c.kill)
	return c
}

// kill kills the process. Its earlier output can still be read.
func (c *child) kill() {
	if c.ProcessState == nil {
		c.Process.Kill()
		c.Wait()
	}
}

// line returns the next line that the process prints.
func (c *child) line(t testing.TB) string {
	t.Helper()
	if !c.out.Scan() {
		t.Fatalf("the child process ended: %v", c.out.Err())
	}
	return c.out.Text()
}

// lockChild acquires the locks of the folders that it receives, and keeps them.
func lockChild(_ []string, in *bufio.Scanner) error {
	for in.Scan() {
		_, err := lock(in.Text())
		var locked *LockedError
		switch {
		case err == nil:
			fmt.Println("won")
		case errors.As(err, &locked):
			fmt.Println("lost")
		default:
			fmt.Println(strings.ReplaceAll(err.Error(), "\n", "; "))
		}
	}
	return nil
}

// addChild adds missing runs to a folder forever and prints their numbers.
func addChild(args []string, _ *bufio.Scanner) error {
	s, err := Open(args[0], Options{Part: args[1]})
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		r := testRun(i)
		if _, ok := s.Lookup(r.Key, r.Extent); ok {
			continue
		}
		if err := s.Add(r, timingOf(r)); err != nil {
			return err
		}
		fmt.Println(i)
		time.Sleep(time.Millisecond)
	}
}

// openChild opens and closes a folder repeatedly.
func openChild(args []string, _ *bufio.Scanner) error {
	fmt.Println("ready")
	for {
		s, err := Open(args[0], Options{})
		if err != nil {
			return err
		}
		if err := s.Close(); err != nil {
			return err
		}
	}
}

// readChild reads a folder for each line that it receives and prints the number of runs.
func readChild(args []string, in *bufio.Scanner) error {
	for in.Scan() {
		e, err := ReadDir(args[0])
		if err != nil {
			return err
		}
		n, err := readAll(e)
		if err := errors.Join(err, e.Close()); err != nil {
			return err
		}
		fmt.Println(n)
	}
	return nil
}

// readAll reads all of an experiment and returns the number of runs. They must be undamaged and equal
// to testRun.
func readAll(e *Experiment) (runs int, err error) {
	if e.Damaged > 0 {
		return 0, fmt.Errorf("damaged: %q", e.Warnings)
	}
	known := map[string]int{}
	for i := range e.Runs {
		known[e.Runs[i].Key] = i
	}
	for i := 0; len(known) > 0; i++ {
		want := testRun(i)
		at, ok := known[want.Key]
		if !ok {
			if i > 100*len(e.Runs)+1000 {
				return 0, fmt.Errorf("%d runs were never added", len(known))
			}
			continue
		}
		delete(known, want.Key)
		r := &e.Runs[at]
		if r.CurveChecksum() != want.CurveChecksum() || differ(*r, want) {
			return 0, fmt.Errorf("%s differs from the added run", r.Name())
		}
		r.Measured()
		if timing, ok := r.Timing(); !ok || timing.StepSeconds != timingOf(want).StepSeconds {
			return 0, fmt.Errorf("%s has the timing %+v, %v", r.Name(), timing, ok)
		}
	}
	return len(e.Runs), e.Err()
}
