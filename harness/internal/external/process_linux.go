package external

import (
	"bytes"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// running has the start times of the programs that are not closed yet, by process id.
var running = struct {
	sync.Mutex
	since map[int]int64
}{since: make(map[int]int64)}

// start starts a program in a new session. The kernel kills it when this process ends. (Linux does so when
// the thread that started it ends, but Go ends no thread whose goroutines unlock it.) Orphans of programs
// become children of this process, even if they clear their environment and leave the session.
func start(cmd *exec.Cmd) error {
	running.Lock()
	defer running.Unlock()
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return err
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	err := cmd.Start()
	if err == nil {
		running.since[cmd.Process.Pid] = readStat(cmd.Process.Pid).since
	}
	return err
}

// killGroup kills a program and its process group.
func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }

// killAllOrphans kills the orphans of a program repeatedly, because they may start others meanwhile.
func killAllOrphans(pid int) {
	const rounds, pause = 100, time.Millisecond
	for range rounds {
		if !killOrphans(pid) {
			return
		}
		time.Sleep(pause)
	}
}

// killOrphans kills and reaps the orphans of a program and reports whether there were any. An orphan that
// has left its session may belong to any program that started before it. It is killed when the last of
// these programs ends.
func killOrphans(pid int) (found bool) {
	running.Lock()
	defer running.Unlock()
	delete(running.since, pid)
	oldest := int64(math.MaxInt64)
	for _, since := range running.since {
		oldest = min(oldest, since)
	}
	own := readStat(os.Getpid())
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		id, err := strconv.Atoi(e.Name())
		if err != nil {
			continue // not a process
		}
		s := readStat(id)
		// Child processes that are not programs share the session of this process.
		_, program := running.since[s.pid]
		orphan := s.parent == own.pid && s.session != own.session && !program
		if orphan && (s.session == pid || s.since < oldest) {
			found = true
			_ = syscall.Kill(s.pid, syscall.SIGKILL)
			_, _ = syscall.Wait4(s.pid, nil, syscall.WNOHANG, nil)
		}
	}
	return found
}

// stat is the information in /proc about a process. since is its start time in clock ticks.
type stat struct {
	pid, parent, session int
	since                int64
}

// readStat returns the stat of a process. It is zero if there is no such process.
func readStat(pid int) (s stat) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	// The name of the process, in parentheses, may contain any character.
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if err != nil || len(fields) < 22 {
		return s
	}
	number := func(i int) int64 {
		n, _ := strconv.ParseInt(fields[i], 10, 64)
		return n
	}
	return stat{pid: pid, parent: int(number(1)), session: int(number(3)), since: number(19)}
}

// processTime returns the CPU time of all threads of a process, or 0 if it is unknown.
func processTime(pid int) time.Duration {
	// The id of a process's CPU clock: see clock_getcpuclockid(3).
	const scheduled = 2
	var t unix.Timespec
	if unix.ClockGettime(int32(^pid<<3|scheduled), &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
