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

// running has the start time of each program that is not closed yet, by its process.
var running = struct {
	sync.Mutex
	since map[int]int64
}{since: make(map[int]int64)}

// start starts a program in a session of its own. The kernel kills it when this process ends: Linux
// takes the end of the thread that started it for that, and Go ends no thread whose goroutines unlock
// it. Orphans of all programs become children of this process, even if they clear their environment
// and leave the session.
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

// killGroup kills a program and the processes of its group.
func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }

// endOrphans kills what a program has left behind, and what that starts meanwhile.
func endOrphans(pid int) {
	const rounds, pause = 100, time.Millisecond
	for range rounds {
		if !killOrphans(pid) {
			return
		}
		time.Sleep(pause)
	}
}

// killOrphans kills and collects the orphans of a program, and reports whether there were any. An
// orphan that has left the session of its program belongs to any program that it is younger than: it
// is left to the end of the last one of these.
func killOrphans(pid int) (found bool) {
	running.Lock()
	defer running.Unlock()
	delete(running.since, pid)
	oldest := int64(math.MaxInt64)
	for _, since := range running.since {
		oldest = min(oldest, since)
	}
	own := readStat(os.Getpid())
	for _, s := range processes() {
		// Processes that this one starts for other purposes share its session.
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

// stat is what /proc says of a process. since is when it started, in ticks.
type stat struct {
	pid, parent, session int
	since                int64
	cpu                  time.Duration
	memory               int64
}

// readStat returns the zero stat if there is no such process.
func readStat(pid int) (s stat) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	// The name, in brackets, may contain anything.
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if err != nil || len(fields) < 22 {
		return s
	}
	number := func(i int) int64 {
		n, _ := strconv.ParseInt(fields[i], 10, 64)
		return n
	}
	const tick = time.Second / 100 // on all architectures that Go supports
	s = stat{pid: pid, parent: int(number(1)), session: int(number(3)), since: number(19)}
	// Its own time, and that of its children that have ended.
	s.cpu = time.Duration(number(11)+number(12)+number(13)+number(14)) * tick
	s.memory = number(21) * int64(os.Getpagesize())
	return s
}

// processes returns all processes.
func processes() (list []stat) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			list = append(list, readStat(pid))
		}
	}
	return list
}

// usage returns what the processes of the session of a program take together.
func usage(pid int) (cpu time.Duration, memory int64) {
	for _, s := range processes() {
		if s.session == pid {
			cpu += s.cpu
			memory += s.memory
		}
	}
	return cpu, memory
}

// processTime returns the CPU time of all threads of a process, 0 if it is unknown.
func processTime(pid int) time.Duration {
	// The kernel's number for the clock of a process: see clock_getcpuclockid(3).
	const scheduled = 2
	var t unix.Timespec
	if unix.ClockGettime(int32(^pid<<3|scheduled), &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
